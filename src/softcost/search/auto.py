"""What ``SoftCostClassifierCV("auto")`` does: families, folds and samples."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softcost.costs import RowCosts
from softcost.linear import NystroemClassifier
from softcost.reductions import (
    BlendedClassifier,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    Reduction,
    SoftmaxScores,
)
from softcost.search.problem import Fold, JointProblem
from softcost.search.rules import LeastCost

BLEND, CONSTANT = "blend", "constant"
FAMILIES = (
    "soft-OSR",
    "soft-CSOVO",
    "linear",
    "kernel-logistic",
    "kernel-margin",
    "extra-trees",
    "boosted-trees",
    "boosted-CSOVO",
    BLEND,
    CONSTANT,
)

# By the time they take on many rows; with few rows all are fast.
QUICKEST_FIRST = (
    "linear", "constant", "extra-trees", "kernel-margin", "kernel-logistic",
    "boosted-trees", "soft-OSR", "soft-CSOVO", "boosted-CSOVO",
)  # fmt: skip

# Distinct rows for kernel machines: their Gram matrix, 144 MB at this size, is held in
# memory.
_MOST_KERNEL_ROWS = 6_000
# Subproblems times squared distinct rows: the time of kernel machines grows with it.
_MOST_KERNEL_WORK = 4e8
# Kernels and trees compute in single precision, whose largest number is about 3e38:
# squares of much larger features overflow.
_LARGEST_FEATURE = 1e15
# Up to this size every row may be a landmark of the Nystroem features, so that they
# represent the kernel exactly.
_FEW_ROWS = 1_000
# Above this size a learner with probabilities has a single setting: fits take long.
_MANY_ROWS = 10_000
# Above this size deep randomised trees and kernel features take too long.
_MOST_ROWS = 50_000
# Classes times features: every boosting round searches every feature for every class.
# Above this product, boosting stops after 50 rounds.
_MOST_SPLITS = 2_000
# Pairs of classes that each get boosted trees of their own.
_MOST_PAIRS = 10
# Early stopping holds out a tenth of the rows. It needs enough rows for a stable score,
# and in every training part enough rows of each class that the tenth contains some.
_ENOUGH_ROWS = 1_000
_ENOUGH_OF_A_CLASS = 20

# How rows are held out by default. Above ``MANY_ROWS`` the standard errors of
# cross-validated costs are small even with fewer folds, and a family's ranking on
# samples agrees with its ranking on all rows.
MANY_ROWS = 50_000
SAMPLE_ROWS, SAMPLE_TEST_ROWS = 30_000, 20_000


def default_folds(n_rows: int) -> int:
    """Number of cross-validation folds if ``cv`` is None."""
    return 5 if n_rows <= MANY_ROWS else 3


def default_samples(
    y: NDArray[Any], n_rows: int, random_state: Any
) -> StratifiedShuffleSplit | None:
    """Stratified samples on which "auto" evaluates candidates; None to use all rows.

    The chosen candidate is fitted on all rows afterwards. Stratified samples need two
    rows of every class.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of the rows to split.
    n_rows : int
        Number of rows of the table.
    random_state : int, RandomState instance or None
    """
    if len(y) <= MANY_ROWS:
        return None
    counts = np.unique(y, return_counts=True)[1]
    if counts.min() < 2 or len(counts) > SAMPLE_TEST_ROWS:
        return None
    return StratifiedShuffleSplit(
        default_folds(n_rows),
        train_size=SAMPLE_ROWS,
        test_size=SAMPLE_TEST_ROWS,
        random_state=random_state,
    )


@dataclass(frozen=True)
class TableFacts:
    """Facts about a table that decide which families are used.

    Attributes
    ----------
    n_rows, n_distinct, n_features, n_classes : int
    sparse, missing, categories : bool
        Whether X is sparse, has missing values, or pandas columns of categories.
    has_empty_column : bool
        Whether a column has only missing values in some training part.
    largest : float
        Largest absolute value.
    rarest : int
        Number of rows of the rarest class in any training part, without absent classes.
    by_example : bool
        Whether there are costs by example.
    """

    n_rows: int
    n_distinct: int
    n_features: int
    n_classes: int
    sparse: bool
    missing: bool
    categories: bool
    has_empty_column: bool
    largest: float
    rarest: int
    by_example: bool

    @classmethod
    def of(cls, X: Any, rows: RowCosts, folds: list[Fold]) -> "TableFacts":
        """Facts about a table that `Reduction.check_data` has checked."""
        values, categories = _numbers(X)
        present = values[~np.isnan(values)]
        largest = float(np.abs(present).max(initial=0.0))
        if not np.isfinite(largest):
            raise ValueError(
                "X holds infinity, which reduction='auto' does not take: replace it by "
                "a number, or by NaN for a missing value."
            )
        missing = len(present) < values.size
        return cls(
            n_rows=len(rows.y),
            n_distinct=len(rows.y) if sparse.issparse(X) else _distinct_rows(X),
            n_features=X.shape[1],
            n_classes=rows.n_classes,
            sparse=sparse.issparse(X),
            missing=missing,
            categories=categories,
            has_empty_column=missing
            and _has_empty_column(X, [train for train, _ in folds]),
            largest=largest,
            rarest=min(_rarest(rows.y[train]) for train, _ in folds),
            by_example=rows.by_example,
        )


def _numbers(X: Any) -> tuple[NDArray[np.float64], bool]:
    """The numbers of a table, and whether it also has columns of categories."""
    if sparse.issparse(X):
        return np.asarray(X.data, float), False
    table = X if isinstance(X, pd.DataFrame) else None
    if table is None and getattr(X, "ndim", 1) == 2 and np.asarray(X).dtype.kind != "O":
        table = pd.DataFrame(np.asarray(X))
    if table is None:
        raise TypeError(
            f"reduction='auto' needs a table of numbers, not {type(X).__name__}: "
            "encode X first, or give the reductions to try."
        )
    nominal = [isinstance(kind, pd.CategoricalDtype) for kind in table.dtypes]
    numeric = table.loc[:, ~np.array(nominal, bool)]
    for name, kind in numeric.dtypes.items():
        if not (pd.api.types.is_numeric_dtype(kind) and kind.kind in "biuf"):
            raise TypeError(
                f"reduction='auto' needs numbers, and column {name!r} of X holds "
                f"{kind}: encode it, or make it a category."
            )
    return numeric.to_numpy(float, na_value=np.nan), any(nominal)


def _has_empty_column(X: Any, parts: list[NDArray[np.intp]]) -> bool:
    """Whether a column has only missing values in one of the parts."""
    if sparse.issparse(X):
        return False
    absent = pd.DataFrame(X).isna().to_numpy()
    return any(bool(absent[part].all(axis=0).any()) for part in parts)


def _distinct_rows(X: Any) -> int:
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    return int(pd.util.hash_pandas_object(table, index=False).nunique())


def _rarest(y: NDArray[np.intp]) -> int:
    counts = np.bincount(y)
    return int(counts[counts > 0].min())


@dataclass(frozen=True)
class Choice:
    """One family: whether it is used, and why.

    Attributes
    ----------
    name : str
        One of `FAMILIES`.
    why : str
        Shown in ``portfolio_``.
    reduction : Reduction or None
        None if the family does not suit the table.
    param_grid : dict or None
        None for the learner's default grid.
    blends : tuple of str
        Families whose probabilities it averages.
    """

    name: str
    why: str
    reduction: Reduction | None = None
    param_grid: dict[str, list[Any]] | None = None
    blends: tuple[str, ...] = ()


def choose_portfolio(facts: TableFacts) -> list[Choice]:
    """All families, and whether they suit the table."""
    choices = list(_kernel_machines(facts))
    with_kernels = any(choice.reduction is not None for choice in choices)
    choices += [
        _linear(facts), _kernel_logistic(facts), _kernel_margin(facts),
        _randomised(facts), _boosted(facts),
    ]  # fmt: skip
    if facts.by_example and not with_kernels:
        choices.append(_boosted_pairs(facts))
    return [*choices, _blend(choices), _constant()]


def portfolio_table(choices: list[Choice]) -> pd.DataFrame:
    """The choices as ``portfolio_``: ``family``, ``used`` and ``why``."""
    return pd.DataFrame(
        {
            "family": [choice.name for choice in choices],
            "used": [choice.reduction is not None for choice in choices],
            "why": [choice.why for choice in choices],
        }
    )


def _kernel_machines(facts: TableFacts) -> Iterator[Choice]:
    pairs = facts.n_classes * (facts.n_classes - 1) // 2
    for name, reduction, subproblems in (
        ("soft-OSR", OneSidedRegression(), facts.n_classes),
        ("soft-CSOVO", CostSensitiveOneVsOne(), pairs),
    ):
        cannot = _no_machines(facts, subproblems)
        if cannot:
            yield Choice(name, cannot)
        else:
            why = f"kernel machines, one path for all candidates: {_size(facts)}"
            yield Choice(name, why, reduction)


def _no_machines(facts: TableFacts, subproblems: int) -> str:
    cannot = _no_kernels(facts)
    if not cannot and (
        facts.n_distinct > _MOST_KERNEL_ROWS
        or subproblems * facts.n_distinct**2 > _MOST_KERNEL_WORK
    ):
        return f"too much work for kernel machines: {_size(facts)}"
    return cannot


def _size(facts: TableFacts) -> str:
    return f"{facts.n_distinct} distinct rows, {facts.n_classes} classes"


def _no_kernels(facts: TableFacts) -> str:
    if facts.missing:
        return "X has missing values"
    if facts.categories:
        return "X has columns of categories"
    if facts.largest > _LARGEST_FEATURE:
        return f"X has values around {facts.largest:.0e}: scale the features"
    return ""


def _some(facts: TableFacts, values: list[Any]) -> list[Any]:
    """Candidate values; for many rows only the middle one."""
    return values if facts.n_rows <= _MANY_ROWS else [values[len(values) // 2]]


def _no_boosting(facts: TableFacts) -> str:
    if facts.sparse:
        return "X is sparse"
    if facts.has_empty_column:  # scikit-learn's boosting raises an error
        return "X has a column without any value in a training part: drop it"
    return ""


def _boosted_learner(facts: TableFacts) -> tuple[HistGradientBoostingClassifier, str]:
    settings: dict[str, Any] = {"early_stopping": False, "max_iter": 50}
    how = "50 rounds"
    if facts.n_rows >= _ENOUGH_ROWS and facts.rarest >= _ENOUGH_OF_A_CLASS:
        settings = {"early_stopping": True, "max_iter": 200, "l2_regularization": 1.0}
        how = "early stopping"
    if facts.n_rows > _MANY_ROWS:
        settings["learning_rate"] = 0.15  # fewer rounds: each takes long
    if facts.n_rows < _ENOUGH_ROWS:
        settings["min_samples_leaf"] = 5
    if _many_splits(facts):
        settings["max_iter"] = 50
    return HistGradientBoostingClassifier(**settings), how


def _many_splits(facts: TableFacts) -> bool:
    """Whether a boosting round is slow."""
    return facts.n_classes * facts.n_features > _MOST_SPLITS


def _boosted(facts: TableFacts) -> Choice:
    cannot = _no_boosting(facts)
    if cannot:
        return Choice("boosted-trees", cannot)
    learner, how = _boosted_learner(facts)
    leaves = [7, 31] if facts.n_rows <= _MANY_ROWS else [15]
    if _many_splits(facts) or facts.n_rows < _ENOUGH_ROWS:
        leaves = [7]
    grid = {"max_leaf_nodes": leaves}
    why = f"{_bayes(facts)}; {how}"
    return Choice("boosted-trees", why, MinimumExpectedCost(learner), grid)


def _randomised(facts: TableFacts) -> Choice:
    if facts.categories:
        return Choice("extra-trees", "X has columns of categories")
    if facts.largest > _LARGEST_FEATURE:
        return Choice("extra-trees", _no_kernels(facts))
    if facts.n_rows > _MOST_ROWS:
        why = f"too much work for deep trees: {facts.n_rows} rows"
        return Choice("extra-trees", why)
    learner = ExtraTreesClassifier()
    leaf = [1] if facts.n_rows > _MANY_ROWS else [1, 5]
    grid = {"min_samples_leaf": leaf}
    return Choice("extra-trees", _bayes(facts), MinimumExpectedCost(learner), grid)


def _linear(facts: TableFacts) -> Choice:
    if facts.missing or facts.categories:
        return Choice("linear", _no_kernels(facts))
    learner = make_pipeline(
        StandardScaler(with_mean=not facts.sparse), LogisticRegression(max_iter=1000)
    )
    grid = {"logisticregression__C": _some(facts, [0.01, 1.0, 100.0])}
    return Choice("linear", _bayes(facts), MinimumExpectedCost(learner), grid)


def _kernel_logistic(facts: TableFacts) -> Choice:
    name, cannot = "kernel-logistic", _no_kernels(facts)
    if cannot:
        return Choice(name, cannot)
    if facts.n_rows > _MOST_ROWS:
        return Choice(name, f"too much work for kernel features: {facts.n_rows} rows")
    few = facts.n_rows <= _FEW_ROWS
    learner = NystroemClassifier(loss="logistic", n_landmarks=1000 if few else 400)
    powers = [2, 6, 10, 14] if few else [-4, 2, 8]
    grid = {"C": _some(facts, [2.0**power for power in powers])}
    return Choice(name, _bayes(facts), MinimumExpectedCost(learner), grid)


def _kernel_margin(facts: TableFacts) -> Choice:
    """The regular kernel machines, one for each class, as probabilities."""
    name, cannot = "kernel-margin", _no_machines(facts, facts.n_classes)
    if cannot:
        return Choice(name, cannot)
    machine = OneSidedRegression().default_learner().set_params(C=64.0)
    learner = SoftmaxScores(OneSidedRegression(machine, softness=1.0))
    return Choice(name, _bayes(facts), MinimumExpectedCost(learner), {})


def _blend(choices: list[Choice]) -> Choice:
    """All families with probabilities together."""
    members = {
        choice.name: choice.reduction.chosen_learner()
        for choice in choices
        if isinstance(choice.reduction, MinimumExpectedCost)
    }
    if len(members) < 2:
        return Choice(BLEND, "fewer than two families with probabilities")
    why = f"minimum expected cost by the average of {', '.join(members)}"
    reduction = MinimumExpectedCost(BlendedClassifier(list(members.items())))
    return Choice(BLEND, why, reduction, {}, tuple(members))


def _constant() -> Choice:
    """Always the answer that is cheapest on average: a baseline."""
    learner = DummyClassifier(strategy="prior")
    why = "always the same answer, where no model is cheaper"
    return Choice(CONSTANT, why, MinimumExpectedCost(learner), {})


def _bayes(facts: TableFacts) -> str:
    prices = " at the mean prices of each class" if facts.by_example else ""
    return f"minimum expected cost{prices}, one fit per fold for every softness"


def _boosted_pairs(facts: TableFacts) -> Choice:
    """A family that learns from costs by example, if kernel machines cannot."""
    pairs = facts.n_classes * (facts.n_classes - 1) // 2
    cannot = _no_boosting(facts)
    if cannot:
        return Choice("boosted-CSOVO", cannot)
    if pairs > _MOST_PAIRS:
        return Choice("boosted-CSOVO", f"too many pairs of classes: {pairs}")
    learner, how = _boosted_learner(facts)
    why = f"learns from the prices of every example; {how}"
    grid = {"max_leaf_nodes": [15]}
    return Choice("boosted-CSOVO", why, CostSensitiveOneVsOne(learner), grid)


# The least of hundreds of cross-validated costs is partly luck, especially with few
# rows. The blend (`softcost.reductions.BlendedClassifier`) varies least between
# samples: it has one setting, and its weights solve a convex problem. At the lowest
# softness it minimises the expected cost, and if its probabilities are right, nothing
# is cheaper. So "auto" chooses it, unless another candidate has a clear lead.

# Standard errors that a family outside the blend must lead by. About a hundred
# candidates are compared with the blend. If one of two models makes m mistakes of equal
# cost that the other avoids, the lead is about sqrt(m) standard errors: three need more
# than nine such rows.
CLEAR = 3.0
# Standard errors for the blend at another softness and for the constant answer: there
# are only a few of these candidates, and they are as stable as the blend.
CLOSE = 1.0


@dataclass(frozen=True)
class PenalisedLeastCost(LeastCost):
    """The least of ``cost_i + penalty_i``: the criterion "cost" of "auto".

    Let b be the candidate of the blend with the lowest softness. Its penalty is zero,
    and the penalty of another candidate i is

        d + z sqrt(se(c_i - c_b)^2 + d^2)

    where se is the standard error of the mean cost difference over the held-out rows,
    and d is the cost of one more held-out row on which i costs more by the largest
    difference of two costs: rare and expensive mistakes may be missing from the
    held-out rows by chance. The factor z is

    - 1 for the blend at another softness, and for the constant answer;
    - 3 for a family that is not part of the blend.

    The penalty of a family in the blend is the largest difference of two costs, since
    the blend could have given it all the weight.

    Attributes
    ----------
    penalty : array of shape (n_candidates,)
        One value for each row of the trade-off table.
    """

    penalty: NDArray[np.float64]

    def compared(self, table: pd.DataFrame) -> NDArray[np.float64]:
        return super().compared(table) + self.penalty

    def describe(self) -> str:
        return "the least cost, the blend unless another family is clearly cheaper"

    def on_rows(self, rows: NDArray[np.intp]) -> "PenalisedLeastCost":
        """The same rule for a table of some of the rows."""
        return PenalisedLeastCost(self.penalty[rows])


def selection_penalties(
    problem: JointProblem, predicted: list[NDArray[np.intp]], table: pd.DataFrame
) -> NDArray[np.float64]:
    """The penalty of every candidate, see `PenalisedLeastCost`."""
    family = table["family"].to_numpy()
    inside = np.flatnonzero(family == problem.blend)
    best = inside[table["softness"].to_numpy(float)[inside].argmin()]
    rows = problem.rows
    row = np.concatenate(problem.tests)
    share = rows.weight[row] / rows.weight[row].sum()
    numbers = np.concatenate(predicted, axis=1)
    best_cost = rows.realised_cost(numbers[best], row)
    largest = _largest_difference(rows, row)
    unseen = largest / len(row)
    penalty = np.full(len(table), largest)
    for candidate in np.flatnonzero(~np.isin(family, problem.blended)):
        more = rows.realised_cost(numbers[candidate], row) - best_cost
        spread = (more - share @ more) * share
        errors = CLOSE if family[candidate] in (problem.blend, CONSTANT) else CLEAR
        penalty[candidate] = unseen + errors * np.sqrt(spread @ spread + unseen**2)
    penalty[best] = 0.0
    return penalty


def _largest_difference(rows: RowCosts, row: NDArray[np.intp]) -> float:
    """The largest difference of two costs that the rows have."""
    if rows.raw_costs is not None:
        return float(np.ptp(rows.raw_costs[row]))
    assert rows.raw_matrix is not None
    return float(np.ptp(rows.raw_matrix[np.unique(rows.y[row])]))
