"""Prices reach the learner, the right way round and in any form."""

from unittest import SkipTest

import numpy as np
import pandas as pd
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    cross_val_predict,
    cross_val_score,
)

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
    register,
    same,
)


@register()
def check_costs_decide(estimator):
    regular, hard = fitted(estimator), fitted(estimator, cost_matrix=MATRIX)
    np.testing.assert_array_equal(
        regular.predict(CENTRES), [0, 0, 1, 3], "without costs, majorities should win"
    )
    np.testing.assert_array_equal(
        hard.predict(CENTRES), [1, 0, 1, 3], "the cheapest classes should win"
    )


@register()
def check_transposed_matrix_matters(estimator):
    answers = [
        fitted(estimator, cost_matrix=matrix).predict(CENTRES)
        for matrix in (MATRIX, MATRIX.T)
    ]
    claim(
        np.any(answers[0] != answers[1]),
        "cost_matrix and its transpose give the same predictions where they should "
        "not: rows are true classes, columns predicted ones.",
    )


@register()
def check_matrix_by_label(estimator):
    X, y = data()
    names, order = NAMES[y], [2, 0, 3, 1]
    table = pd.DataFrame(MATRIX, index=NAMES, columns=NAMES)
    table = table.iloc[order, order[::-1]]
    by_position = make(estimator, cost_matrix=MATRIX).fit(X, names)
    by_label = make(estimator, cost_matrix=table).fit(X, names)
    same(by_position, by_label, "a labelled cost_matrix should go by its labels")


@register()
def check_matrix_as_dicts(estimator):
    X, y = data()
    dicts = {
        NAMES[i]: {NAMES[j]: MATRIX[i, j] for j in (3, 1, 0, 2)} for i in (1, 0, 3, 2)
    }
    by_position = make(estimator, cost_matrix=MATRIX).fit(X, NAMES[y])
    by_label = make(estimator, cost_matrix=dicts).fit(X, NAMES[y])
    same(by_position, by_label, "a dict of dicts should go by its labels")


@register()
def check_matrix_as_lists(estimator):
    same(
        fitted(estimator, cost_matrix=MATRIX),
        fitted(estimator, cost_matrix=MATRIX.tolist()),
        "a list of rows should be as good as an array",
    )


@register()
def check_matrix_in_order_of_classes(estimator):
    order = np.array([3, 1, 0, 2])
    same(
        fitted(estimator, cost_matrix=MATRIX),
        fitted(estimator, cost_matrix=MATRIX[np.ix_(order, order)], classes=order),
        "an array should go by the order of classes",
    )


@register("example_costs")
def check_costs_are_rows_of_matrix(estimator):
    _, y = data()
    agree(
        fitted(estimator, cost_matrix=MATRIX),
        fitted(estimator, costs=MATRIX[y]),
        "costs=cost_matrix[y] should do what cost_matrix does",
    )


@register("example_costs")
def check_rows_shuffled_together(estimator):
    X, y = data()
    costs = example_costs(X, y)
    order = np.random.RandomState(1).permutation(len(y))
    shuffled = make(estimator).fit(X[order], y[order], costs=costs[order])
    message = "the order of the rows of X, y and costs should not matter"
    agree(fitted(estimator, costs=costs), shuffled, message)


@register("example_costs")
def check_costs_by_column_name(estimator):
    X, y = data()
    costs, order = example_costs(X, y), [2, 0, 3, 1]
    table = pd.DataFrame(costs, columns=NAMES).iloc[:, order]
    by_position = make(estimator).fit(X, NAMES[y], costs=costs)
    by_name = make(estimator).fit(X, NAMES[y], costs=table)
    same(by_position, by_name, "the columns of costs should go by name")


@register("example_costs")
def check_costs_from_polars(estimator):
    try:
        import polars
    except ImportError:
        raise SkipTest("polars is not installed") from None
    X, y = data()
    costs = example_costs(X, y)
    table = polars.DataFrame({NAMES[k]: costs[:, k] for k in (2, 0, 3, 1)})
    by_position = make(estimator).fit(X, NAMES[y], costs=costs)
    by_name = make(estimator).fit(X, NAMES[y], costs=table)
    same(by_position, by_name, "the columns of costs should go by name")


@register("example_costs")
def check_costs_as_lists(estimator):
    X, y = data()
    costs = example_costs(X, y)
    same(
        fitted(estimator, costs=costs),
        make(estimator).fit(X.tolist(), y.tolist(), costs=costs.tolist()),
        "lists should be as good as arrays",
    )


@register("example_costs")
def check_as_many_rows_as_classes(estimator):
    y = np.array([2, 0, 3, 1])
    same(
        make(estimator, cost_matrix=MATRIX).fit(CENTRES, y),
        make(estimator).fit(CENTRES, y, costs=MATRIX[y]),
        "costs of shape K x K belong to the examples; they are not a matrix",
    )


@register()
def check_matrix_is_never_sliced(estimator):
    model = make(estimator, cost_matrix=MATRIX, classes=range(4))
    predicted = cross_val_predict(model, CENTRES, np.arange(4), cv=LeaveOneOut())
    claim(np.isin(predicted, range(4)).all(), "predictions should be classes")


@register("softness")
def check_softness_one_is_no_costs(estimator):
    X, _ = data()
    soft = fitted(estimator, cost_matrix=MATRIX, softness=1.0)
    same(fitted(estimator), soft, "softness 1 should forget prices", X)


@register("softness", "example_costs")
def check_softness_one_is_no_example_costs(estimator):
    X, y = data()
    soft = fitted(estimator, costs=example_costs(X, y), softness=1.0)
    agree(fitted(estimator), soft, "softness 1 should forget costs")


@register("softness")
def check_search_over_softness(estimator):
    X, y = data()
    model = make(estimator, cost_matrix=MATRIX)
    grid = [0.0, 0.5, 1.0]
    search = GridSearchCV(model, {"softness": grid}, cv=3, error_score="raise")
    found = search.fit(X, y).cv_results_["mean_test_score"]
    expected = [
        cross_val_score(model.set_params(softness=softness), X, y, cv=3).mean()
        for softness in grid
    ]
    np.testing.assert_allclose(found, expected, err_msg="scores should be mean costs")
    claim(
        search.best_params_["softness"] == grid[int(np.argmax(expected))],
        "a search should choose by cost",
    )
