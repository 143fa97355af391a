"""Any labels, classes without rows, and prices with nothing to learn."""

import numpy as np
from sklearn.model_selection import KFold, cross_val_score

from softcost.testing._suite import (
    CENTRES,
    MATRIX,
    NAMES,
    agree,
    claim,
    data,
    example_costs,
    fitted,
    make,
    refuses,
    register,
    same,
)


@register()
def check_string_labels(estimator):
    X, y = data()
    named = make(estimator, cost_matrix=MATRIX).fit(X, NAMES[y])
    numbered = fitted(estimator, cost_matrix=MATRIX)
    np.testing.assert_array_equal(named.classes_, NAMES)
    np.testing.assert_array_equal(
        named.predict(X), NAMES[numbered.predict(X)], "names should not matter"
    )


@register()
def check_negative_labels(estimator):
    X, y = data()
    moved = make(estimator, cost_matrix=MATRIX).fit(X, y - 7)
    numbered = fitted(estimator, cost_matrix=MATRIX)
    np.testing.assert_array_equal(
        moved.predict(X), numbered.predict(X) - 7, "numbers of labels should not matter"
    )


def _two_classes(estimator, labels, **params):
    """Class 1 is the rarer one at the first centre; prices may ask for it there."""
    X, y = data()
    return make(estimator, **params).fit(X, labels[(y > 0).astype(int)])


@register()
def check_bool_labels(estimator):
    truth, number = np.array([False, True]), np.arange(2)
    by_truth = _two_classes(estimator, truth, cost_matrix=[[0, 1], [5, 0]])
    by_number = _two_classes(estimator, number, cost_matrix=[[0, 1], [5, 0]])
    claim(by_truth.predict(CENTRES).dtype == bool, "bool labels should stay bool")
    np.testing.assert_array_equal(by_truth.predict(CENTRES), by_number.predict(CENTRES))


@register()
def check_two_classes(estimator):
    X, _ = data()
    cheap = _two_classes(estimator, np.arange(2), cost_matrix=[[0, 9], [1, 0]])
    expensive = _two_classes(estimator, np.arange(2), cost_matrix=[[0, 1], [9, 0]])
    for model in (cheap, expensive):
        scores = model.decision_function(X)
        claim(scores.shape == (len(X),), "two classes have one column of scores")
        np.testing.assert_array_equal(
            model.predict(X), (scores > 0).astype(int), "positive means class 1"
        )
    low, high = ((model.predict(X) == 1).sum() for model in (cheap, expensive))
    claim(low <= high, "the class whose rows cost more to miss should not win less")


@register()
def check_class_without_rows(estimator):
    X, y = data()
    present = y != 3
    for matrix in (None, MATRIX):
        model = make(estimator, cost_matrix=matrix, classes=range(4))
        model.fit(X[present], y[present])
        np.testing.assert_array_equal(model.classes_, range(4))
        scores = model.decision_function(X)
        claim(scores.shape == (len(X), 4), "every class of classes= has a column")
        claim((model.predict(CENTRES[:3]) != 3).all(), "class 3 has no rows here")


@register("example_costs")
def check_class_without_rows_but_with_costs(estimator):
    X, y = data()
    present = y != 3
    costs = example_costs(X, y)[present]
    model = make(estimator, classes=range(4)).fit(X[present], y[present], costs=costs)
    claim((model.predict(CENTRES[:3]) != 3).all(), "class 3 is the most expensive")


@register()
def check_label_without_cost_is_refused(estimator):
    X, y = data()
    model = make(estimator, cost_matrix=MATRIX[:3, :3], classes=range(3))
    refuses("a label that classes lacks", "classes", model.fit, X, y)


@register()
def check_fold_without_a_class(estimator):
    X, y = data()
    order = np.argsort(y, kind="stable")
    model = make(estimator, cost_matrix=MATRIX, classes=range(4))
    scores = cross_val_score(
        model, X[order], y[order], cv=KFold(4), error_score="raise"
    )
    claim(np.isfinite(scores).all(), "folds without some class should have a cost")


@register()
def check_one_class_only(estimator):
    X, y = data()
    for matrix in (None, MATRIX + np.where(np.eye(4), 0, 1)):
        model = make(estimator, cost_matrix=matrix, classes=range(4))
        predicted = model.fit(X, np.full(len(y), 1)).predict(X)
        claim((predicted == 1).all(), "the only class that occurs should be predicted")


@register()
def check_free_mistakes(estimator):
    matrix = np.where(np.eye(4), 0.0, 10.0)
    matrix[:2, :2] = 0
    model = fitted(estimator, cost_matrix=matrix)
    predicted = model.predict(CENTRES)
    claim(predicted[3] == 3, "free mistakes elsewhere should not hide class 3")
    claim(np.isin(predicted[:3], [0, 1]).all(), "0 and 1 are free for each other")


@register()
def check_everything_is_free(estimator):
    X, y = data()
    model = fitted(estimator, cost_matrix=np.zeros((4, 4)))
    claim(np.isin(model.predict(X), range(4)).all(), "predictions should be classes")
    claim(model.score(X, y) == 0, "free mistakes should cost nothing")


@register("example_costs")
def check_example_that_may_be_anything(estimator):
    _, y = data()
    costs = MATRIX[y]
    costs[np.flatnonzero(y == 3)[0]] = 0
    message = "one example that may be anything should not change the others"
    agree(fitted(estimator, costs=costs), fitted(estimator, costs=MATRIX[y]), message)


@register()
def check_huge_and_tiny_matrix(estimator):
    reference = fitted(estimator, cost_matrix=MATRIX)
    for scale in (2.0**40, 2.0**-40):
        scaled = fitted(estimator, cost_matrix=MATRIX * scale)
        same(reference, scaled, "predictions should not depend on the currency")


@register("example_costs")
def check_huge_and_tiny_costs(estimator):
    X, y = data()
    costs = example_costs(X, y)
    reference = fitted(estimator, costs=costs)
    for scale in (2.0**40, 2.0**-40):
        scaled = fitted(estimator, costs=costs * scale)
        same(reference, scaled, "predictions should not depend on the currency")
