"""Reductions that go on learning, one block of rows after the other."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if

from softcost.costs import (
    CostProblem,
    check_softness,
    is_labelled,
    resolve_classes,
)
from softcost.learners import FittedModels, Subproblem, feed_subproblems
from softcost.reductions._base import Reduction
from softcost.reductions._data import TrainingData


def _goes_on_learning(reduction: Any) -> bool:
    if not reduction.row_by_row:
        raise AttributeError(
            f"{type(reduction).__name__} needs all rows at once: use fit, or another "
            "reduction, such as CostSensitiveOneVsOne."
        )
    learner = reduction.working_learner()
    if hasattr(learner, "partial_fit"):
        return True
    raise AttributeError(
        f"learner {type(reduction.chosen_learner()).__name__} has no partial_fit: use "
        "fit, or choose a learner that has it, such as SGDClassifier or SGDRegressor."
    )


class LearnsInBlocks(Reduction):
    """What lets a reduction be fitted to more rows than memory holds.

    A subclass has ``row_by_row`` and ``subproblems``, as a `FlatReduction`.
    """

    __metadata_request__partial_fit: ClassVar = {
        "classes": True,
        "costs": True,
        "sample_weight": True,
    }
    row_by_row: ClassVar[bool]
    solutions_: Any

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for."""
        raise NotImplementedError

    @available_if(_goes_on_learning)
    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        costs: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on learning from a block of rows, with a learner that can.

        For tables that do not fit into memory and for streams: the learner, such as
        `sklearn.linear_model.SGDClassifier`, has ``partial_fit``, too. The first call
        fixes the classes and the scale of costs: a price list is divided by its
        largest entry, costs by example by the largest of the first block.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The block.
        y : array-like of shape (n,)
            True labels; a block may lack some of the classes.
        costs : array-like or table of shape (n, A), default=None
            What each answer would cost, for every example of the block.
        classes : array-like of shape (K,), default=None
            All classes, in any order. Needed at the first call, unless the parameter
            ``classes`` or a labelled ``cost_matrix`` names them.
        sample_weight : array-like of shape (n,), default=None
            Rows of weight zero are as if absent.

        Returns
        -------
        self
            The same estimator, which knows the block, too.
        """
        known = self._all_classes(classes)
        first = not hasattr(self, "classes_")
        if not first:
            self._check_same_prices(costs)
        if isinstance(self.error_weight, str):
            raise ValueError(
                f"error_weight={self.error_weight!r} counts all rows, which blocks do "
                "not show: pass a dict of labels and weights."
            )
        softness = check_softness(self.softness)
        data = self.check_data(X, y, costs, sample_weight, known=known, reset=first)
        if not first:
            data = self._as_before(data)
        if data.rows.n_classes > 1:
            self.solutions_ = feed_subproblems(
                self.working_learner(),
                self._models_before(),
                data.X,
                list(self.subproblems(data.rows.problem(softness))),
                n_jobs=self.n_jobs,
                rng=self._rng(),
            )
        if first:
            self._keep_facts(data)
        return self

    def _all_classes(self, classes: ArrayLike | None) -> NDArray[Any] | None:
        """The classes of all blocks, sorted; None where the price list names them."""
        given = None if classes is None else np.sort(_each_once(classes))
        known = getattr(self, "classes_", None)
        if known is None and self.classes is not None:
            known = np.sort(_each_once(self.classes))
        if (
            known is None
            and given is None
            and not is_labelled(cost_matrix=self.cost_matrix)
        ):
            raise ValueError(
                "classes is missing: later blocks may have other labels, so pass all "
                "of them to the first call of partial_fit, or a cost_matrix with names."
            )
        if known is not None and given is not None and set(known) != set(given):
            raise ValueError(
                f"classes={given.tolist()} differ from those known before, "
                f"{known.tolist()}: pass the same, or none after the first call."
            )
        return given if known is None else known

    def _check_same_prices(self, costs: Any) -> None:
        """Refuse prices of another sort than those of the blocks before."""
        if (costs is not None) != self.costs_by_example_:
            asked = "misses" if self.costs_by_example_ else "has"
            raise ValueError(
                f"this block {asked} costs, by example, other than the first one: pass "
                "costs with every block, or with none."
            )
        self._refuse_new_prices()

    def _as_before(self, data: TrainingData) -> TrainingData:
        """A block with the scale and the answers of the first one."""
        if not np.array_equal(data.rows.actions, self.actions_):
            raise ValueError(
                f"costs are of the answers {data.rows.actions.tolist()}, those of the "
                f"first block of {self.actions_.tolist()}: pass all blocks alike."
            )
        if data.rows.by_example:
            scaled = replace(data.rows, given_scale=self.cost_scale_)
            return replace(data, rows=scaled)
        return data

    def _models_before(self) -> FittedModels | None:
        """Models of the blocks before; `fit` may have made some that cannot go on."""
        before = getattr(self, "solutions_", None)
        return before if isinstance(before, FittedModels) else None


def _each_once(classes: ArrayLike) -> NDArray[Any]:
    """A list of classes, checked."""
    labels = np.asarray(classes)
    return resolve_classes(labels, classes=labels, argument="classes")
