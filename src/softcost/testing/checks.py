"""The list of checks, the problem they pose, and how they judge."""

import pickle
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Check = Callable[[Any], None]
CHECKS: dict[Check, frozenset[str]] = {}


# Rows are true classes, columns predictions. Predicting 1 for a true 2 costs nothing.
MATRIX = np.array(
    [[0.0, 5.0, 5.0, 10.0], [10, 0, 3, 10], [10, 0, 0, 10], [10, 10, 10, 0]]
)
CENTRES = 4.0 * np.vstack([np.zeros(3), np.eye(3)])
# Rows of each class around each centre. At the first centre the majority class is 0,
# the cheapest answer is 1, and transposed costs would ask for yet another answer. At
# the other centres all three agree, on 0, 1 and 3.
_COUNTS = np.array([[16, 12, 12, 0], [32, 4, 4, 0], [8, 24, 8, 0], [0, 0, 0, 40]])
NAMES = np.array(["ant", "bee", "cat", "dog"])


def register(*needs: str) -> Callable[[Check], Check]:
    """Add a check to the list, for estimators with what it needs."""

    def add(check: Check) -> Check:
        CHECKS[check] = frozenset(needs)
        return check

    return add


def data() -> tuple[np.ndarray, np.ndarray]:
    """Rows around four centres, in random order, and their classes 0 to 3."""
    rng = np.random.RandomState(0)
    y = np.concatenate([np.repeat(np.arange(4), counts) for counts in _COUNTS])
    X = np.repeat(CENTRES, 40, axis=0) + rng.uniform(-0.1, 0.1, (160, 3))
    order = rng.permutation(160)
    return X[order], y[order]


def example_costs(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Costs by example: the prices around the first centre, even ones elsewhere."""
    first = X.max(axis=1) < 2
    return np.where(first[:, None], MATRIX[y], 10.0 * (1.0 - np.eye(4))[y])


def make(estimator: Any, **params: Any) -> Any:
    model = clone(estimator).set_params(**params)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    return model


def fitted(estimator: Any, *, costs: Any = None, **params: Any) -> Any:
    """Fit to the standard problem."""
    X, y = data()
    return make(estimator, **params).fit(X, y, costs=costs)


def claim(holds: Any, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def same(first: Any, second: Any, message: str, X: Any = CENTRES) -> None:
    """Two fitted models give the same scores and predictions, bit for bit."""
    pairs = [
        (model.decision_function(X), model.predict(X)) for model in (first, second)
    ]
    for first_values, second_values in zip(*pairs, strict=True):
        np.testing.assert_array_equal(first_values, second_values, err_msg=message)


def agree(first: Any, second: Any, message: str) -> None:
    """Two fitted models predict the same at the centres."""
    first_labels, second_labels = first.predict(CENTRES), second.predict(CENTRES)
    np.testing.assert_array_equal(first_labels, second_labels, err_msg=message)


def refuses(
    what: str, word: str, call: Callable[..., Any], *args: Any, **params: Any
) -> None:
    """A call raises a ValueError or TypeError whose message has the word."""
    try:
        call(*args, **params)
    except (ValueError, TypeError) as error:
        named = word in str(error)
        claim(named, f"{what} is refused without naming {word!r}: {error}")
    else:
        raise AssertionError(f"{what} is not refused.")


# Actions: an extra column of costs, such as asking a person.


_EVEN = 10.0 * (1.0 - np.eye(4))


def _asking(matrix: np.ndarray, price: float) -> np.ndarray:
    return np.column_stack([matrix, np.full(len(matrix), price)])


@register("actions")
def check_actions_beside_classes(estimator):
    model = fitted(estimator, cost_matrix=_asking(MATRIX, 2.0), actions=["ask"])
    claim(model.classes_.tolist() == [0, 1, 2, 3], "classes_ should be labels of y")
    answers = model.actions_.tolist()
    claim(answers == [0, 1, 2, 3, "ask"], "actions_ should be classes, then actions")
    claim(set(model.predict(data()[0])) <= set(answers), "an answer is not in actions_")
    shape = model.decision_function(CENTRES).shape
    claim(shape == (4, 5), f"there should be one score per answer, not {shape}")


@register("actions")
def check_action_is_taken_where_it_pays(estimator):
    model = fitted(estimator, cost_matrix=_asking(_EVEN, 1.0), actions=["ask"])
    answers = model.predict(CENTRES)
    claim(answers[0] == "ask", "where every class is most likely wrong, it should ask")
    claim(answers[3] == 3, "where all is clear, it should not ask")


@register("actions")
def check_expensive_action_is_not_taken(estimator):
    model = fitted(estimator, cost_matrix=_asking(MATRIX, 10.0), actions=["ask"])
    np.testing.assert_array_equal(
        model.predict(CENTRES),
        [1, 0, 1, 3],
        "asking costs as much as a mistake and should not be chosen",
    )


@register("actions")
def check_actions_by_name(estimator):
    X, y = data()
    prices = _asking(MATRIX, 2.0)
    table = pd.DataFrame(prices, index=NAMES, columns=[*NAMES, "ask"])
    table = table.iloc[[2, 0, 3, 1], [4, 1, 3, 0, 2]]
    by_position = make(estimator, cost_matrix=prices, actions=["ask"])
    by_label = make(estimator, cost_matrix=table).fit(X, NAMES[y])
    message = "columns of a labelled cost_matrix beyond the classes should be actions"
    same(by_position.fit(X, NAMES[y]), by_label, message)


@register("actions", "example_costs")
def check_actions_by_example(estimator):
    _, y = data()
    prices = _asking(_EVEN, 1.0)
    agree(
        fitted(estimator, cost_matrix=prices, actions=["ask"]),
        fitted(estimator, costs=prices[y], actions=["ask"]),
        "costs=cost_matrix[y] should equal cost_matrix, with actions as well",
    )


@register("actions", "softness")
def check_action_counts_as_an_error(estimator):
    params = {"cost_matrix": _asking(MATRIX, 1.0), "actions": ["ask"], "softness": 1.0}
    model = fitted(estimator, **params)
    np.testing.assert_array_equal(
        model.predict(CENTRES),
        [0, 0, 1, 3],
        "at softness 1 asking should be as bad as an error",
    )
    answers = fitted(estimator, **params, action_error={"ask": 0.1}).predict(CENTRES)
    claim(answers[0] == "ask", "action_error should say how bad asking is")


@register("actions")
def check_score_counts_actions(estimator):
    X, y = data()
    prices = _asking(MATRIX, 2.0)
    model = fitted(estimator, cost_matrix=prices, actions=["ask"])
    place = {answer: number for number, answer in enumerate(model.actions_.tolist())}
    chosen = [place[answer] for answer in model.predict(X)]
    expected = -prices[y, chosen].mean()
    np.testing.assert_allclose(
        model.score(X, y), expected, err_msg="score should be minus the mean cost"
    )


@register("actions")
def check_bad_actions_are_refused(estimator):
    prices = _asking(MATRIX, 2.0)
    for what, word, params in (
        ("an array with a column more than classes", "actions", {}),
        ("an action twice", "actions", {"actions": ["ask", "ask"]}),
        ("a class as an action", "actions", {"actions": [3]}),
        ("more actions than columns", "actions", {"actions": ["ask", "test"]}),
        (
            "action_error below zero",
            "action_error",
            {"actions": ["ask"], "action_error": -1.0},
        ),
    ):
        refuses(what, word, fitted, estimator, cost_matrix=prices, **params)


@register("no actions")
def check_actions_are_refused(estimator):
    X, y = data()
    table = pd.DataFrame(
        _asking(MATRIX, 2.0), index=NAMES, columns=[*NAMES, "ask a person"]
    )
    model = make(estimator, cost_matrix=table)
    refuses("an action", "ask a person", model.fit, X, NAMES[y])


# scikit-learn conventions where costs are involved.


@register()
def check_inputs_are_unchanged(estimator):
    X, y = data()
    inputs = [X, y, MATRIX.copy(), np.linspace(0.5, 1, len(y))]
    before = [value.copy() for value in inputs]
    for value in inputs:
        value.setflags(write=False)
    model = make(estimator, cost_matrix=inputs[2])
    model.fit(X, y, sample_weight=inputs[3]).predict(X)
    model.score(X, y, sample_weight=inputs[3])
    for value, old in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(value, old, err_msg="inputs should stay as given")
    claim(model.get_params()["cost_matrix"] is inputs[2], "cost_matrix was replaced")


@register("example_costs")
def check_costs_are_unchanged(estimator):
    X, y = data()
    costs = example_costs(X, y)
    before = costs.copy()
    model = fitted(estimator, costs=costs)
    model.score(X, y, costs=costs)
    np.testing.assert_array_equal(costs, before, err_msg="costs should stay as given")
    costs.setflags(write=False)
    same(model, fitted(estimator, costs=costs), "read-only costs should do")


@register()
def check_jobs_do_not_change_bits(estimator):
    if "n_jobs" not in estimator.get_params(deep=False):
        raise SkipTest("the estimator has no n_jobs")
    X, _ = data()
    serial, threaded = (fitted(estimator, cost_matrix=MATRIX, n_jobs=n) for n in (1, 2))
    same(serial, threaded, "results should not depend on n_jobs", X)


@register()
def check_repeated_fit(estimator):
    X, y = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    same(model, fitted(estimator, cost_matrix=MATRIX), "fits should be repeatable", X)
    again = pickle.loads(pickle.dumps(model)).fit(X[:, ::-1], y).fit(X, y)
    same(model, again, "a fit should forget the fits before", X)


@register()
def check_pickle(estimator):
    X, _ = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    same(model, pickle.loads(pickle.dumps(model)), "pickling should change nothing", X)


@register()
def check_parameters(estimator):
    X, y = data()
    model = clone(estimator).set_params(cost_matrix=MATRIX, classes=[0, 1, 2, 3])
    parameters = model.get_params(deep=False)
    claim(
        parameters["cost_matrix"] is MATRIX,
        "set_params should keep the object as it is",
    )
    np.testing.assert_array_equal(clone(model).get_params()["cost_matrix"], MATRIX)
    model.fit(X, y)
    for name, value in model.get_params(deep=False).items():
        claim(value is parameters[name], f"fit should not replace the parameter {name}")


@register()
def check_weight_zero_is_absence(estimator):
    X, y = data()
    weight = np.where(np.arange(len(y)) % 5, 1.0, 0.0)
    weighted = weight > 0
    # What is left out would be misleading.
    wrong = np.where(weighted, y, 2)
    model = make(estimator, cost_matrix=MATRIX, classes=range(4))
    with_zeros = clone(model).fit(X, wrong, sample_weight=weight)
    without = clone(model).fit(X[weighted], y[weighted], sample_weight=weight[weighted])
    message = "rows of weight zero should be as if absent"
    agree(with_zeros, without, message)
    np.testing.assert_allclose(
        with_zeros.decision_function(X),
        without.decision_function(X),
        rtol=1e-6,
        atol=1e-6,
        err_msg=message,
    )


@register("example_costs")
def check_costs_of_weight_zero_are_absent(estimator):
    X, y = data()
    weighted = np.arange(len(y)) % 5 > 0
    costs = np.where(weighted[:, None], 1.0, 100.0) * example_costs(X, y)
    model = make(estimator, classes=range(4))
    with_zeros = clone(model).fit(
        X, y, costs=costs, sample_weight=weighted.astype(float)
    )
    without = clone(model).fit(X[weighted], y[weighted], costs=costs[weighted])
    np.testing.assert_allclose(
        with_zeros.decision_function(X),
        without.decision_function(X),
        rtol=1e-6,
        atol=1e-6,
        err_msg="costs of rows of weight zero should not count, not even their size",
    )


@register()
def check_score_is_minus_mean_cost(estimator):
    X, y = data()
    matrix = MATRIX + 2  # being right is not free either
    model = fitted(estimator, cost_matrix=matrix)
    paid = matrix[y, model.predict(X)]
    weight = np.linspace(0, 1, len(y))
    np.testing.assert_allclose(model.score(X, y), -paid.mean(), rtol=1e-12)
    np.testing.assert_allclose(
        model.score(X, y, sample_weight=weight), -np.average(paid, weights=weight)
    )
    accuracy = fitted(estimator)
    wrong = np.mean(accuracy.predict(X) != y)
    np.testing.assert_allclose(accuracy.score(X, y), -wrong, err_msg="without costs")


@register("example_costs")
def check_score_with_example_costs(estimator):
    X, y = data()
    costs = example_costs(X, y)
    model = fitted(estimator, costs=costs)
    paid = costs[np.arange(len(y)), model.predict(X)]
    np.testing.assert_allclose(model.score(X, y, costs=costs), -paid.mean())
    refuses("a score without the costs it needs", "costs", model.score, X, y)


@register()
def check_decision_function(estimator):
    X, _ = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    scores = model.decision_function(X)
    claim(scores.shape == (len(X), 4), "scores should have one column per class")
    np.testing.assert_array_equal(
        model.predict(X),
        model.classes_[scores.argmax(axis=1)],
        "the class with the largest score should be predicted",
    )


@register()
def check_frames(estimator):
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(y)) + 5)
    labels = pd.Series(y, index=frame.index)
    model = make(estimator, cost_matrix=MATRIX).fit(frame, labels)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    claim(model.n_features_in_ == 3, "n_features_in_ should be 3")
    np.testing.assert_array_equal(
        model.predict(frame),
        fitted(estimator, cost_matrix=MATRIX).predict(X),
        "a table should be as good as an array",
    )
    refuses("another column order", "feature", model.predict, frame[["c", "b", "a"]])


@register()
def check_sparse(estimator):
    if not estimator.__sklearn_tags__().input_tags.sparse:
        raise SkipTest("the estimator does not take sparse X")
    X, y = data()
    for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        model = make(estimator, cost_matrix=MATRIX).fit(form(X), y)
        np.testing.assert_array_equal(
            model.predict(form(CENTRES)),
            fitted(estimator, cost_matrix=MATRIX).predict(CENTRES),
            "sparse rows should be as good as dense ones",
        )


@register("example_costs")
def check_costs_are_routed_to_folds(estimator):
    X, y = data()
    costs = example_costs(X, y)
    folds = list(KFold(3).split(X))
    model = make(estimator, classes=range(4))
    with config_context(enable_metadata_routing=True):
        scores = cross_validate(
            model, X, y, cv=folds, params={"costs": costs}, error_score="raise"
        )["test_score"]
    for (train, test), score in zip(folds, scores, strict=True):
        fold_model = clone(model).fit(X[train], y[train], costs=costs[train])
        expected = fold_model.score(X[test], y[test], costs=costs[test])
        np.testing.assert_allclose(score, expected, err_msg="costs should be routed")


@register("example_costs")
def check_costs_are_routed_through_pipelines(estimator):
    X, y = data()
    costs = example_costs(X, y)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), make(estimator))
        score = pipeline.fit(X, y, costs=costs).score(X, y, costs=costs)
    scaled = StandardScaler().fit_transform(X)
    model = make(estimator).fit(scaled, y, costs=costs)
    expected = model.score(scaled, y, costs=costs)
    np.testing.assert_allclose(score, expected, err_msg="costs should be routed")


# Costs reach the learner, not transposed, in any accepted form.


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
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    expected = [
        cross_val_score(model.set_params(softness=softness), X, y, cv=3).mean()
        for softness in grid
    ]
    np.testing.assert_allclose(scores, expected, err_msg="scores should be mean costs")
    claim(
        search.best_params_["softness"] == grid[int(np.argmax(expected))],
        "a search should choose by cost",
    )


# Any kind of label, classes without rows, and constant costs.


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


# Invalid input is refused with a message that names the problem.


def _bad_matrices():
    for bad in (np.nan, np.inf, -1.0):
        matrix = MATRIX.copy()
        matrix[0, 2] = bad
        yield bad, matrix


@register()
def check_bad_matrix_is_refused(estimator):
    for bad, matrix in _bad_matrices():
        what = f"cost_matrix with {bad}"
        refuses(what, "cost_matrix", fitted, estimator, cost_matrix=matrix)


@register("example_costs")
def check_bad_costs_are_refused(estimator):
    _, y = data()
    for bad, matrix in _bad_matrices():
        refuses(f"costs with {bad}", "costs", fitted, estimator, costs=matrix[y])


@register()
def check_matrix_of_wrong_size_is_refused(estimator):
    for matrix in (MATRIX[:3, :3], MATRIX[:3], MATRIX[0]):
        what = f"cost_matrix of shape {matrix.shape} for 4 classes"
        refuses(what, "cost_matrix", fitted, estimator, cost_matrix=matrix)


@register("example_costs")
def check_costs_of_wrong_size_are_refused(estimator):
    _, y = data()
    for costs in (MATRIX[y][:, :3], MATRIX[y][:-1], MATRIX):
        what = f"costs of shape {costs.shape} for {len(y)} rows and 4 classes"
        refuses(what, "costs", fitted, estimator, costs=costs)


@register()
def check_both_kinds_of_costs_are_refused(estimator):
    _, y = data()
    both = {"cost_matrix": MATRIX, "costs": MATRIX[y]}
    refuses("cost_matrix together with costs", "cost_matrix", fitted, estimator, **both)


@register("no example_costs")
def check_example_costs_are_refused(estimator):
    costs = example_costs(*data())
    refuses("costs by example", "cost_matrix", fitted, estimator, costs=costs)


@register("example_costs")
def check_true_label_must_be_cheapest(estimator):
    _, y = data()
    what = "costs that make another class cheaper than the true one"
    refuses(what, "costs", fitted, estimator, costs=MATRIX[(y + 1) % 4])


@register("example_costs")
def check_other_index_is_refused(estimator):
    X, y = data()
    labels = pd.Series(y)
    table = pd.DataFrame(MATRIX[y], columns=range(4)).iloc[::-1]
    what = "a table of costs whose rows are in another order than those of y"
    refuses(what, "index", make(estimator).fit, X, labels, costs=table)


@register("softness")
def check_softness_out_of_range_is_refused(estimator):
    for bad in (-0.1, 1.1, np.nan, "half", None):
        params = {"softness": bad, "cost_matrix": MATRIX}
        refuses(f"softness={bad!r}", "softness", fitted, estimator, **params)


@register()
def check_unfitted_says_so(estimator):
    for method in ("predict", "decision_function"):
        try:
            getattr(make(estimator), method)(CENTRES)
        except NotFittedError:
            continue
        raise AssertionError(f"{method} before fit should raise NotFittedError")


def check_cost_estimator(
    estimator: Any,
    *,
    example_costs: bool = True,
    softness: bool = True,
    actions: bool = False,
) -> None:
    """Run all checks; the first that fails raises an AssertionError that says why.

    Parameters
    ----------
    estimator : estimator
        An instance; it is cloned, never fitted itself.
    example_costs : bool, default=True
        Whether it takes costs by example. One that does not should refuse them.
    softness : bool, default=True
        Whether ``softness`` is one number from 0 to 1.
    actions : bool, default=False
        Whether it can answer with more than the classes, by parameters ``actions`` and
        ``action_error``. One that cannot should refuse.

    See Also
    --------
    cost_estimator_checks : List the checks, functions of an estimator.
    check_path_learner : Check that a learner's path agrees with fitting it again and
        again.

    Examples
    --------
    What an estimator can do and what is said of it have to agree. This one takes
    actions, so it fails the checks for those that do not:

    >>> from sklearn.linear_model import Ridge
    >>> from softcost import RegressionOneVsAll
    >>> from softcost.testing import check_cost_estimator
    >>> check_cost_estimator(RegressionOneVsAll(Ridge()), actions=False)
    Traceback (most recent call last):
        ...
    AssertionError: an action is not refused.
    """
    for check in cost_estimator_checks(
        example_costs=example_costs, softness=softness, actions=actions
    ):
        try:
            check(estimator)
        except SkipTest:
            continue


def cost_estimator_checks(
    *, example_costs: bool = True, softness: bool = True, actions: bool = False
) -> list[Check]:
    """List the checks, functions of an estimator.

    Parameters
    ----------
    example_costs, softness, actions : bool
        As for `check_cost_estimator`.

    Returns
    -------
    list of functions
        Each takes an estimator and raises an AssertionError where it fails, or
        unittest.SkipTest where it does not apply.

    See Also
    --------
    check_cost_estimator : Run all checks; the first that fails raises an AssertionError
        that says why.

    Examples
    --------
    >>> from softcost.testing import cost_estimator_checks
    >>> len(cost_estimator_checks()) >= 30
    True
    """
    has = {
        "example_costs" if example_costs else "no example_costs",
        "actions" if actions else "no actions",
    }
    if softness:
        has.add("softness")
    return [check for check, needs in CHECKS.items() if needs <= has]
