"""scikit-learn's base classes and decorators of estimators, with types.

scikit-learn ships no types. Without these, a type checker regards every attribute of
our estimators as valid, and the result of ``fit`` as anything.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if

Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """scikit-learn's ``_fit_context``; the method keeps its signature.

    Parameters
    ----------
    prefer_skip_nested_validation : bool
        Whether inner estimators need not validate their parameters.

    Returns
    -------
    callable
        A decorator of ``fit``, which validates the parameters first.
    """
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def available(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's ``available_if``; the method keeps its signature.

    Parameters
    ----------
    check : callable
        Gets the estimator; whether it has the method.

    Returns
    -------
    callable
        A decorator of a method.
    """
    return available_if(check)


if TYPE_CHECKING:
    from numpy.typing import NDArray

    class BaseEstimator:
        """`sklearn.base.BaseEstimator`."""

        n_features_in_: int
        feature_names_in_: NDArray[Any]
        _parameter_constraints: ClassVar[Any]

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def set_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_score_request(self, **requests: bool | str | None) -> Self: ...
        def set_predict_request(self, **requests: bool | str | None) -> Self: ...
        def set_partial_fit_request(self, **requests: bool | str | None) -> Self: ...
        def _validate_params(self) -> None: ...
        def _repr_html_(self) -> str: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> Any: ...

    class ClassifierMixin:
        """`sklearn.base.ClassifierMixin`."""

        def score(self, X: Any, y: Any, *args: Any, **kwargs: Any) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """`sklearn.base.RegressorMixin`."""

        def score(self, X: Any, y: Any, *args: Any, **kwargs: Any) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class LinearClassifierMixin(ClassifierMixin):
        """`sklearn.linear_model._base.LinearClassifierMixin`."""

    class TransformerMixin:
        """`sklearn.base.TransformerMixin`."""

        def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    class BaseComposition(BaseEstimator):
        """`sklearn.utils.metaestimators._BaseComposition`."""

        def _get_params(self, attr: str, deep: bool = True) -> dict[str, Any]: ...
        def _set_params(self, attr: str, **params: Any) -> Self: ...
        def _validate_names(self, names: list[str]) -> None: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.linear_model._base import LinearClassifierMixin
    from sklearn.utils.metaestimators import _BaseComposition as BaseComposition

__all__ = [
    "BaseComposition",
    "BaseEstimator",
    "ClassifierMixin",
    "LinearClassifierMixin",
    "RegressorMixin",
    "TransformerMixin",
    "available",
    "fit_context",
]
