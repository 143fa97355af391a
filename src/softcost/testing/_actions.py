"""Answers beyond the classes: a column of prices for asking a person."""

import numpy as np
import pandas as pd

from softcost.testing._suite import (
    CENTRES,
    MATRIX,
    NAMES,
    agree,
    claim,
    data,
    fitted,
    make,
    refuses,
    register,
    same,
)

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
    found = model.predict(CENTRES)
    claim(found[0] == "ask", "where every class is most likely wrong, it should ask")
    claim(found[3] == 3, "where all is clear, it should not ask")


@register("actions")
def check_expensive_action_is_not_taken(estimator):
    model = fitted(estimator, cost_matrix=_asking(MATRIX, 10.0), actions=["ask"])
    np.testing.assert_array_equal(
        model.predict(CENTRES), [1, 0, 1, 3], "nobody asks at the price of a mistake"
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
        "costs=cost_matrix[y] should do what cost_matrix does, with actions, too",
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
