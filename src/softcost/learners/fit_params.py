"""Further arguments of a learner's ``fit``, such as ``eval_set`` or callbacks.

Arguments with one value per row are divided with the rows. The labels of an
``eval_set`` become the targets of each subproblem, so that early stopping measures what
the learner is fitted to. Anything else is passed on as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MethodMapping
from sklearn.utils.validation import _is_arraylike, _num_samples

from softcost.learners.protocols import (
    Labels,
    Subproblem,
    SupportsMultiFit,
    SupportsPath,
    kind_of,
    last_step,
)

# Names under which learners accept sample weights of an ``eval_set``.
_EVAL_WEIGHTS = ("sample_weight_eval_set", "eval_sample_weight")

EvalSet = list[tuple[Any, NDArray[np.intp]]]  # rows and class numbers


@dataclass(frozen=True)
class FitParams:
    """Further arguments of ``learner.fit``, besides X, y and weights.

    Attributes
    ----------
    by_row : dict
        Arguments with one value per row.
    others : dict
        Arguments that are passed on as they are.
    eval_sets : dict of name and list of (X, class numbers)
        Labelled rows for early stopping; usually one, named "eval_set".

    See Also
    --------
    check_fit_params : Check the arguments.
    fit_one : Fit a clone to one subproblem.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import FitParams
    >>> params = FitParams({"margin": np.array([1, 2, 3])}, {"verbose": 0})
    >>> params.of_rows(np.array([0, 2]))
    {'verbose': 0, 'margin': array([1, 3])}
    """

    by_row: dict[str, Any] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    eval_sets: dict[str, EvalSet] = field(default_factory=dict)

    def part(self, rows: NDArray[np.intp]) -> "FitParams":
        """The arguments for some of the rows.

        Parameters
        ----------
        rows : array of int
            Indices of the rows.

        Returns
        -------
        FitParams
            With the values of these rows.
        """
        by_row = {
            name: _safe_indexing(value, rows) for name, value in self.by_row.items()
        }
        return replace(self, by_row=by_row)

    def of_rows(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        """Keyword arguments of ``fit`` for some rows.

        Parameters
        ----------
        rows : array of int
            Indices of the rows.

        Returns
        -------
        dict
            By name, without ``eval_sets``.
        """
        return {**self.others, **self.part(rows).by_row}

    def with_class_numbers(self, learner: Any) -> "FitParams":
        """The arguments for a learner whose labels are class numbers.

        Parameters
        ----------
        learner : estimator
            The learner to fit.

        Returns
        -------
        FitParams
            Without ``eval_sets``.
        """
        others = dict(self.others)
        for name, pairs in self.eval_sets.items():
            others |= _arguments(learner, name, pairs)
        return replace(self, others=others, eval_sets={})

    def evaluated(
        self,
        learner: Any,
        posed: Mapping[str, Sequence[tuple[Any, Subproblem]]],
    ) -> "FitParams":
        """The arguments for one subproblem, with its targets in ``eval_set``.

        Parameters
        ----------
        learner : estimator
            The learner to fit; weights are added if it accepts them.
        posed : mapping of name and list of (X, Subproblem)
            The subproblem, posed on the rows of each ``eval_set``.

        Returns
        -------
        FitParams
            Without ``eval_sets``.
        """
        others = dict(self.others)
        for name, sets in posed.items():
            pairs, weights = [], []
            for X, subproblem in sets:
                rows = np.flatnonzero(subproblem.weight > 0)
                if len(rows) == 0:
                    raise ValueError(
                        f"{name} has no rows for one of the subproblems: add rows of "
                        "every class."
                    )
                target = subproblem.target[rows]
                if isinstance(subproblem, Labels) and kind_of(learner) == "classifier":
                    target = (target > 0).astype(int)
                pairs.append((_safe_indexing(X, rows), target))
                weights.append(subproblem.weight[rows])
            others |= _arguments(learner, name, pairs)
            prefix = name.removesuffix("eval_set")
            for argument in _EVAL_WEIGHTS:
                if argument in signature(last_step(learner).fit).parameters:
                    others[prefix + argument] = weights
        return replace(self, others=others, eval_sets={})


def _arguments(learner: Any, name: str, pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """An ``eval_set`` under the names that the learner has for it.

    LightGBM 4.7 replaced it by ``eval_X`` and ``eval_y``.
    """
    if "eval_X" not in signature(last_step(learner).fit).parameters:
        return {name: pairs}
    prefix = name.removesuffix("eval_set")
    X, y = zip(*pairs, strict=True)
    return {f"{prefix}eval_X": X, f"{prefix}eval_y": y}


def check_fit_params(learner: Any, params: Mapping[str, Any], n_rows: int) -> FitParams:
    """Check further arguments of ``fit``, and find those with one value per row.

    Parameters
    ----------
    learner : estimator
        The learner that gets them.
    params : mapping
        By name, as passed by the user. Labels of an ``eval_set`` are not checked here.
    n_rows : int
        Number of training rows.

    Returns
    -------
    FitParams
        For all rows.

    See Also
    --------
    FitParams : Further arguments of ``learner.fit``, besides X, y and weights.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from softcost.learners import check_fit_params
    >>> check_fit_params(SGDClassifier(), {"coef_init": [[0.0]]}, n_rows=5).others
    {'coef_init': [[0.0]]}
    >>> check_fit_params(SGDClassifier(), {"eval_sets": []}, n_rows=5)
    Traceback (most recent call last):
        ...
    TypeError: fit got eval_sets, which SGDClassifier.fit does not accept: correct the
    name, or leave it out.
    """
    params = _with_pairs(params)
    shared = isinstance(learner, SupportsMultiFit | SupportsPath)
    accepted = {} if shared else signature(learner.fit).parameters
    names = {*accepted, "eval_set"} if "eval_X" in accepted else set(accepted)
    every = any(value.kind is value.VAR_KEYWORD for value in accepted.values())
    by_row: dict[str, Any] = {}
    others: dict[str, Any] = {}
    eval_sets: dict[str, Any] = {}
    for name, value in params.items():
        if name in ("side", "X", "y") or not (every or name in names):
            raise TypeError(
                f"fit got {name}, which {type(learner).__name__}.fit does not accept: "
                "correct the name, or leave it out."
            )
        if name == "eval_set" or name.endswith("__eval_set"):
            if value is not None:
                eval_sets[name] = _pairs(name, value)
        elif _is_by_row(value, n_rows):
            by_row[name] = value
        else:
            others[name] = value
    return FitParams(by_row, others, eval_sets)


def _with_pairs(params: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with ``eval_X`` and ``eval_y`` joined to an ``eval_set``."""
    joined = dict(params)
    for name in params:
        prefix = name.removesuffix("eval_X")
        if name in (prefix, f"{prefix}eval_y") or f"{prefix}eval_y" not in params:
            continue
        X, y = joined.pop(name), joined.pop(f"{prefix}eval_y")
        several = isinstance(X, tuple)
        joined[f"{prefix}eval_set"] = (
            list(zip(X, y, strict=True)) if several else [(X, y)]
        )
    return joined


def _pairs(name: str, value: Any) -> list[tuple[Any, Any]]:
    """The labelled rows of an ``eval_set``: a pair (X, y), or a list of pairs."""
    pairs = [value] if isinstance(value, tuple) else value
    if not isinstance(pairs, list) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        raise TypeError(
            f"{name} must be a list of pairs (X, y), not {type(value).__name__}: pass "
            "[(X_valid, y_valid)]."
        )
    return pairs


def _is_by_row(value: Any, n_rows: int) -> bool:
    if isinstance(value, str | bytes | Mapping) or not _is_arraylike(value):
        return False
    return getattr(value, "shape", None) != () and _num_samples(value) == n_rows


def add_to_router(router: Any, **members: Any) -> Any:
    """Route metadata of ``fit`` to the ``fit`` of inner estimators.

    Parameters
    ----------
    router : sklearn.utils.metadata_routing.MetadataRouter
        The router of an estimator.
    **members : estimators
        By name; those without metadata routing are left out.

    Returns
    -------
    router
        The same.
    """
    for name, member in members.items():
        try:
            member.get_metadata_routing()
        except (AttributeError, NotImplementedError):
            continue
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router.add(method_mapping=mapping, **{name: member})
    return router
