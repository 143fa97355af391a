"""The list of checks, the problem they pose, and how they judge."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

Check = Callable[[Any], None]
CHECKS: dict[Check, frozenset[str]] = {}


# Rows are true classes, columns predicted ones. Class 1 for class 2 is free.
MATRIX = np.array(
    [[0.0, 5.0, 5.0, 10.0], [10, 0, 3, 10], [10, 0, 0, 10], [10, 10, 10, 0]]
)
CENTRES = 4.0 * np.vstack([np.zeros(3), np.eye(3)])
# How many rows of each class there are around each centre. At the first one the
# majority is of class 0, the cheapest answer is class 1, and the transposed prices
# ask for another one; at the others all agree on 0, 1 and 3.
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
    for one, other in zip(*pairs, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=message)


def agree(first: Any, second: Any, message: str) -> None:
    """Two fitted models predict the same at the centres."""
    one, other = first.predict(CENTRES), second.predict(CENTRES)
    np.testing.assert_array_equal(one, other, err_msg=message)


def refuses(what: str, word: str, call: Callable[..., Any], *args: Any, **params: Any):
    """A call raises a ValueError or TypeError whose message has the word."""
    try:
        call(*args, **params)
    except (ValueError, TypeError) as error:
        named = word in str(error)
        claim(named, f"{what} is refused without naming {word!r}: {error}")
    else:
        raise AssertionError(f"{what} is not refused.")
