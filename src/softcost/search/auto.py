"""What ``SoftCostClassifierCV("auto")`` does: families, folds and samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softcost.costs import RowCosts
from softcost.learners import BoostedTrees
from softcost.linear import NystroemClassifier
from softcost.reductions import (
    BlendedClassifier,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    Reduction,
    SoftmaxScores,
)
from softcost.search.problem import Fold
from softcost.tables import DenseFeatures

BLEND, CONSTANT = "blend", "constant"
FAMILIES = (
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
    "linear", "constant", "boosted-trees", "extra-trees", "kernel-margin",
    "kernel-logistic", "boosted-CSOVO",
)  # fmt: skip

# Distinct rows for kernel machines: their Gram matrix, 144 MB at this size, is held in
# memory.
_MOST_KERNEL_ROWS = 6_000
# Subproblems times squared distinct rows: the time of kernel machines grows with it.
_MOST_KERNEL_WORK = 4e8
# Trees of scikit-learn compute in single precision, whose largest number is about 3e38,
# and so do kernels of sparse features, which are not scaled: squares of much larger
# features overflow.
_LARGEST_FEATURE = 1e15
# Above this size a learner with probabilities has a single setting, since fits take
# long, and deep randomised trees, which help most on few rows, take too long.
_MANY_ROWS = 10_000
# Above this size kernel features take too long.
_MOST_ROWS = 50_000
# Classes times features: every boosting round searches every feature for every class.
# Above this product, boosting stops after 50 rounds.
_MOST_SPLITS = 2_000
# Boosting takes fewer and larger steps from this number of classes, and draws features
# from this number of them.
_SEVERAL_CLASSES, _SEVERAL_FEATURES = 5, 20
# Pairs of classes that each get boosted trees of their own.
_MOST_PAIRS = 10
# Early stopping holds out a tenth of the rows. With fewer rows than this, the trees are
# fitted again to all of them.
_ENOUGH_ROWS = 1_000
# Every training part needs enough rows of each class that those held out contain some.
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
    sparse, missing : bool
        Whether X is sparse, or has missing values.
    categorical : tuple of int
        Columns of category codes.
    largest : float
        Largest absolute value.
    rarest : int
        Number of rows of the rarest class in any training part, without absent classes.
    by_example : bool
        Whether there are costs by example.
    by_row : bool
        Whether there is a cost matrix for every row, known when it is decided.
    """

    n_rows: int
    n_distinct: int
    n_features: int
    n_classes: int
    sparse: bool
    missing: bool
    categorical: tuple[int, ...]
    largest: float
    rarest: int
    by_example: bool
    by_row: bool = False

    @classmethod
    def of(
        cls, X: Any, rows: RowCosts, folds: list[Fold], categorical: tuple[int, ...]
    ) -> "TableFacts":
        """Facts about a matrix of numbers and category codes."""
        values = np.asarray(X.data if sparse.issparse(X) else X, float)
        present = values[~np.isnan(values)]
        largest = float(np.abs(present).max(initial=0.0))
        if not np.isfinite(largest):
            raise ValueError(
                "X holds infinity, which reduction='auto' does not take: replace it by "
                "a number, or by NaN for a missing value."
            )
        return cls(
            n_rows=len(rows.y),
            n_distinct=len(rows.y) if sparse.issparse(X) else _distinct_rows(X),
            n_features=X.shape[1],
            n_classes=rows.n_classes,
            sparse=sparse.issparse(X),
            missing=len(present) < values.size,
            categorical=categorical,
            largest=largest,
            rarest=min(_rarest(rows.y[train]) for train, _ in folds),
            by_example=rows.by_example,
            by_row=rows.raw_matrices is not None,
        )


def _distinct_rows(X: NDArray[Any]) -> int:
    return int(pd.util.hash_pandas_object(pd.DataFrame(X), index=False).nunique())


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
    choices = [
        _linear(facts), _kernel_logistic(facts), _kernel_margin(facts),
        _randomised(facts), _boosted(facts),
    ]  # fmt: skip
    if facts.by_example:
        choices.append(_boosted_pairs(facts))
    return [*choices, _blend(choices), _constant(facts)]


def portfolio_table(choices: list[Choice]) -> pd.DataFrame:
    """The choices as ``portfolio_``: ``family``, ``used`` and ``why``."""
    return pd.DataFrame(
        {
            "family": [choice.name for choice in choices],
            "used": [choice.reduction is not None for choice in choices],
            "why": [choice.why for choice in choices],
        }
    )


def _no_machines(facts: TableFacts, subproblems: int) -> str:
    cannot = _no_kernels(facts)
    if not cannot and (
        facts.n_distinct > _MOST_KERNEL_ROWS
        or subproblems * facts.n_distinct**2 > _MOST_KERNEL_WORK
    ):
        return (
            f"too much work for kernel machines: {facts.n_distinct} distinct rows, "
            f"{facts.n_classes} classes"
        )
    return cannot


def _no_kernels(facts: TableFacts) -> str:
    if facts.sparse and facts.missing:
        return "X is sparse and has missing values"
    if facts.sparse and facts.largest > _LARGEST_FEATURE:
        return _too_large(facts)
    return ""


def _too_large(facts: TableFacts) -> str:
    return f"X has values around {facts.largest:.0e}: scale the features"


def _one_of(facts: TableFacts, few: list[float], many: float) -> list[float]:
    """Candidate values: several for few rows, one for many."""
    return few if facts.n_rows <= _MANY_ROWS else [many]


def _on_dense_features(facts: TableFacts, learner: Any, scaling: str = "robust") -> Any:
    """A learner of scaled features, without gaps and categories.

    Sparse features are used as they are: centring would fill them.
    """
    if facts.sparse:
        return learner
    dense = DenseFeatures(facts.categorical or None, scaling=scaling)
    return make_pipeline(dense, learner)


def _parameter(facts: TableFacts, learner: Any, name: str) -> str:
    """The name of a parameter of such a learner."""
    return name if facts.sparse else f"{type(learner).__name__.lower()}__{name}"


def _boosted_learner(facts: TableFacts) -> tuple[BoostedTrees, str]:
    settings: dict[str, Any] = {"early_stopping": 10, "n_estimators": 500}
    how = "early stopping"
    if facts.n_classes >= _SEVERAL_CLASSES:
        # A round has a tree for every class. The last rounds of a slow learner gain
        # little: on development data, fewer and larger steps are as good in a tenth of
        # the time.
        settings |= {"learning_rate": 0.2, "n_estimators": 100}
        if facts.n_features >= _SEVERAL_FEATURES:
            settings["colsample"] = 0.4
    elif facts.n_rows > _MANY_ROWS:
        settings["learning_rate"] = 0.15  # fewer rounds: each takes long
    if facts.rarest < _ENOUGH_OF_A_CLASS or _many_splits(facts):
        settings |= {"early_stopping": None, "n_estimators": 50}
        how = "50 rounds"
    elif facts.n_rows < _ENOUGH_ROWS:
        settings |= {"refit": True, "validation_fraction": 0.2}
    if facts.n_rows < _ENOUGH_ROWS:
        settings["min_child_samples"] = 10
    return BoostedTrees(categorical_features=facts.categorical or None, **settings), how


def _many_splits(facts: TableFacts) -> bool:
    """Whether a boosting round is slow."""
    return facts.n_classes * facts.n_features > _MOST_SPLITS


def _boosted(facts: TableFacts) -> Choice:
    learner, how = _boosted_learner(facts)
    grid = {"num_leaves": [7 if facts.n_rows <= _MANY_ROWS else 15]}
    why = f"{_bayes(facts)}; {how}"
    return Choice("boosted-trees", why, MinimumExpectedCost(learner), grid)


def _randomised(facts: TableFacts) -> Choice:
    """Randomised trees, to which category codes are numbers."""
    if facts.largest > _LARGEST_FEATURE:
        return Choice("extra-trees", _too_large(facts))
    if facts.n_rows > _MANY_ROWS:
        why = f"too much work for deep trees: {facts.n_rows} rows"
        return Choice("extra-trees", why)
    # Every tree takes time for every prediction. On fresh splits of six sets, 100 trees
    # cost 1.008 of 50; only the log loss of glass was lower.
    learner = ExtraTreesClassifier(50)
    return Choice("extra-trees", _bayes(facts), MinimumExpectedCost(learner), {})


def _linear(facts: TableFacts) -> Choice:
    if facts.sparse and facts.missing:
        return Choice("linear", _no_kernels(facts))
    model = LogisticRegression(max_iter=1000)
    learner = _on_dense_features(facts, model)
    if facts.sparse:
        learner = make_pipeline(StandardScaler(with_mean=False), model)
    grid = {"logisticregression__C": _one_of(facts, [0.03, 0.3, 3.0, 30.0], 3.0)}
    return Choice("linear", _bayes(facts), MinimumExpectedCost(learner), grid)


def _kernel_logistic(facts: TableFacts) -> Choice:
    name, cannot = "kernel-logistic", _no_kernels(facts)
    if cannot:
        return Choice(name, cannot)
    if facts.n_rows > _MOST_ROWS:
        return Choice(name, f"too much work for kernel features: {facts.n_rows} rows")
    if not _no_machines(facts, facts.n_classes):
        return Choice(name, "kernel-margin is more accurate, and fast enough here")
    machine = NystroemClassifier(loss="logistic", n_landmarks=200)
    values = _one_of(facts, [2.0, 32.0], 4.0)
    grid = {_parameter(facts, machine, "C"): values}
    learner = _on_dense_features(facts, machine)
    return Choice(name, _bayes(facts), MinimumExpectedCost(learner), grid)


def _kernel_margin(facts: TableFacts) -> Choice:
    """The regular kernel machines, one for each class, as probabilities."""
    name, cannot = "kernel-margin", _no_machines(facts, facts.n_classes)
    if cannot:
        return Choice(name, cannot)
    machine = OneSidedRegression().default_learner().set_params(C=64.0)
    scores = SoftmaxScores(OneSidedRegression(machine, softness=1.0))
    # On development data, margins are better with features in [0, 1], as in the paper;
    # probabilities of linear and kernel features are better with robust ones.
    learner = _on_dense_features(facts, scores, "range")
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


def _constant(facts: TableFacts) -> Choice:
    """Always the answer that is cheapest on average: a baseline.

    With a cost matrix for every row, the answer that is cheapest for the row if only
    the class frequencies are known.
    """
    learner = DummyClassifier(strategy="prior")
    why = "always the same answer, where no model is cheaper"
    if facts.by_row:
        why = "decides by the costs of each row and the class frequencies alone"
    return Choice(CONSTANT, why, MinimumExpectedCost(learner), {})


def _bayes(facts: TableFacts) -> str:
    costs = " at the mean costs of each class" if facts.by_example else ""
    if facts.by_row:
        costs = " at the costs of each row"
    return f"minimum expected cost{costs}, one fit per fold for every softness"


def _boosted_pairs(facts: TableFacts) -> Choice:
    """A family that learns from costs by example."""
    pairs = facts.n_classes * (facts.n_classes - 1) // 2
    if pairs > _MOST_PAIRS:
        return Choice("boosted-CSOVO", f"too many pairs of classes: {pairs}")
    learner, how = _boosted_learner(facts)
    why = f"learns from the prices of every example; {how}"
    grid = {"num_leaves": [15]}
    return Choice("boosted-CSOVO", why, CostSensitiveOneVsOne(learner), grid)
