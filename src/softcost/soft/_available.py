"""Which methods a search has: those of the model that it chose."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils.metaestimators import available_if

Method = TypeVar("Method", bound=Callable[..., Any])


def available(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's ``available_if``, which keeps the types of a method."""
    return available_if(check)


def is_refitted(search: Any) -> bool:
    """Whether the search has, or will have, a model to predict with."""
    if hasattr(search, "best_estimator_") or search.refit:
        return True
    raise AttributeError(
        "the search was made with refit=False: set refit=True to predict."
    )


def has_method(method: str) -> Callable[[Any], bool]:
    """Whether the chosen candidate, or before a fit every reduction, has a method."""

    def check(search: Any) -> bool:
        chosen = getattr(search, "best_estimator_", None)
        models = search.given_reductions() if chosen is None else [chosen]
        has_it = bool(models) and all(hasattr(one, method) for one in models)
        return is_refitted(search) and has_it

    return check
