"""What to train: options, families of models, and whether they go together."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression

from softcost.errors import InputError, argument
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.reductions import CATALOGUE, OneSidedBoosting, Reduction
from softcost.search import Budget, SoftCostClassifierCV
from softcost.search.auto import default_folds, default_samples
from softcost.search.criteria import CRITERIA
from softcost.svm import KernelSVC, OneSidedSVR
from softcost.tables.layout import HeaderRow

MOST_ROWS_OF_FRONT = 2_000  # up to which "auto" saves all models of the front
MOST_ROWS_OF_SVM = 15_000  # beyond, "auto" uses learners that are faster, less exact


@dataclass(frozen=True)
class FitOptions:
    """What to train on which table: the options of ``softcost fit``.

    Parameters
    ----------
    data : str
        The table, a CSV, Excel, Parquet or LIBSVM file.
    target : str
        Its column with the classes.
    costs : str, default=None
        A price list by class.
    cost_columns : str, default=None
        How the names of columns with costs by row begin. They go on with the name of an
        answer, for its cost given the row's true class, or with ``true>predicted`` (for
        two classes tn, fp, fn, tp), for a whole cost matrix by row.
    cost : tuple of str, default=()
        Formulas for the costs of each row, such as ``"fn = 0.75 * balance"``, see
        `softcost.costs.CostFormula`.
    positive : str, default=None
        The positive class of tn, fp, fn and tp; by default the rarer class.
    action : dict of str to float, default={}
        Actions other than predicting a class, with their costs.
    drop, nominal, number, date, missing : tuple of str, default=()
        Column names, several in one text if separated by commas.
    decimal : {".", ","}, default=None
        Decimal separator; None detects it.
    sheet : str, default=None
        Sheet of an Excel workbook, by name or number; None detects it.
    header_row : int or pair of int, default=None
        Row with the column names, beginning with 1, or the first and the last of
        several; None detects it.
    skip_unlabelled : bool, default=False
        Whether rows without a label are left out; else they are refused.
    merge : dict of str to str, default={}
        Labels to replace by others; "" takes a label for missing.
    reduction, learner : tuple of str
        Names, see ``softcost fit --help``.
    param : dict of str to list, default=None
        Values of the learner's parameters to search.
    criterion, max_error, tolerance, error_weight, softness, cv
        As in `softcost.SoftCostClassifierCV`.
    min_recall : dict of str to float, default=None
        Recalls to reach, by class.
    confidence, holdout : float, default=None
        For a budget that is tested, and the share of rows to test it on.
    minutes : float, default=None
        Time limit, from reading the table to the comparison of models.
    test_size : float, default=None
        Share of the rows to hold out.
    test : str, default=None
        Another table to evaluate on.
    rows_at_once : int, default=None
        Read the table in blocks of this many rows; None if it fits into memory.
    seed, jobs : int, default=0 and 1
        Seed, and number of workers.
    currency : str, default=""
        Unit of the costs.
    dask : str, default=None
        Address of a Dask scheduler to search on.
    model, report : str, default=None
        Where to write the model and the explorer page.
    keep : {"auto", "front", "chosen"}, default="auto"
        Models to write.
    candidate : int, default=None
        Row of the trade-off table to choose, instead of a choice by ``criterion``.

    See Also
    --------
    softcost.workflow.prepare_training : Reads the table and checks the options.

    Examples
    --------
    >>> from softcost.workflow import FitOptions
    >>> FitOptions("rows.csv", "class", costs="prices.csv", max_error=0.05).max_error
    0.05
    """

    data: str
    target: str
    costs: str | None = None
    cost_columns: str | None = None
    cost: tuple[str, ...] = ()
    positive: str | None = None
    action: dict[str, float] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    decimal: Literal[".", ","] | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    header_row: HeaderRow | None = None
    skip_unlabelled: bool = False
    merge: dict[str, str] = field(default_factory=dict)
    reduction: tuple[str, ...] = ()
    learner: tuple[str, ...] = ("auto",)
    param: dict[str, list[Any]] | None = None
    criterion: str | None = None
    max_error: float | None = None
    min_recall: dict[str, float] | None = None
    confidence: float | None = None
    holdout: float | None = None
    tolerance: float | str | None = None
    error_weight: str | None = None
    softness: int | list[float] = 11
    cv: int | None = None
    minutes: float | None = None
    test_size: float | None = None
    test: str | None = None
    rows_at_once: int | None = None
    seed: int = 0
    jobs: int = 1
    currency: str = ""
    dask: str | None = None
    model: str | None = None
    keep: Literal["auto", "front", "chosen"] = "auto"
    report: str | None = None
    candidate: int | None = None

    def keeps_front(self, n_rows: int) -> bool:
        """Whether to save all models of the front, not only the chosen one.

        Parameters
        ----------
        n_rows : int
            Number of training rows.

        Returns
        -------
        bool
        """
        if self.model is None or self.keep == "chosen":
            return False
        return self.keep == "front" or n_rows <= MOST_ROWS_OF_FRONT


def with_reduction(options: FitOptions) -> FitOptions:
    """The options with a reduction, which other options may imply.

    "auto", unless the learner or its parameters are set or the table is read in
    blocks.
    """
    if options.reduction:
        return options
    if options.rows_at_once is not None:
        name = "osr"
    elif options.learner == ("boosting",):
        name = "mec"  # one fit serves every softness
    else:
        name = "osr" if options.learner != ("auto",) or options.param else "auto"
    return replace(options, reduction=(name,))


def n_folds(options: FitOptions, n_rows: int) -> int:
    """How many folds or samples the search has."""
    return options.cv or default_folds(n_rows)


def sample_size(options: FitOptions, labels: np.ndarray) -> int | None:
    """Training rows of a sample, if the search evaluates candidates on samples."""
    auto = with_reduction(options).reduction == ("auto",)
    if not auto or options.cv is not None or options.confidence is not None:
        return None
    samples = default_samples(labels, len(labels), options.seed)
    return None if samples is None else samples.train_size


def with_defaults(options: FitOptions) -> FitOptions:
    """Refuse options that contradict each other; fill in what follows from others."""
    _check_costs(options)
    if options.test is not None and options.test_size is not None:
        raise InputError(
            f"give {argument('test')} FILE or {argument('test_size')} SHARE, not both."
        )
    if options.action and options.cost_columns is not None:
        raise InputError(
            f"{argument('action')} adds a price for all rows to {argument('costs')}; "
            f"with {argument('cost_columns')} add a column {options.cost_columns}NAME "
            "to the table."
        )
    if options.jobs == 0:
        raise InputError(
            f"{argument('jobs')} must be 1 or more, or -1 for all cores, not 0."
        )
    if options.dask is not None and options.jobs != 1:
        raise InputError(
            f"{argument('jobs')} is for this machine; leave it out, {argument('dask')} "
            "uses all of the cluster."
        )
    if options.reduction == ("auto",) and (
        options.learner != ("auto",) or options.param
    ):
        raise InputError(
            f"{argument('reduction')} auto chooses learners and their parameters "
            f"itself: leave out {argument('learner')} and {argument('param')}, or name "
            "reductions, such as osr,mec."
        )
    return replace(options, criterion=_criterion(options))


def _check_costs(options: FitOptions) -> None:
    sources = (options.costs, options.cost_columns, options.cost or None)
    count = sum(source is not None for source in sources)
    if count != 1:
        wrong = "only one of them" if count else "one of them"
        raise InputError(
            f"give {argument('costs')} FILE, {argument('cost')} FORMULA or "
            f"{argument('cost_columns')} PREFIX, {wrong}; 'softcost costs template "
            f"{options.data} --target {options.target}' writes a list to fill in."
        )


def _criterion(options: FitOptions) -> str:
    """The criterion, which its own option may imply."""
    budget = options.max_error is not None or options.min_recall is not None
    if budget and options.tolerance is not None:
        limit = (
            argument("max_error")
            if options.max_error is not None
            else argument("min_recall")
        )
        raise InputError(f"give {limit} or {argument('tolerance')}, not both.")
    for option, value in (
        (argument("confidence"), options.confidence),
        (argument("holdout"), options.holdout),
    ):
        if value is not None and not budget:
            raise InputError(
                f"{option} goes with a limit to test; give {argument('max_error')} or "
                f"{argument('min_recall')}."
            )
    if options.holdout is not None and options.confidence is None:
        raise InputError(
            f"{argument('holdout')} is for a test; give {argument('confidence')}, "
            "such as 0.95."
        )
    implied = "cost"
    if budget:
        implied = "constrained"
    elif options.tolerance is not None:
        implied = "tolerance"
    criterion = options.criterion or implied
    if criterion == implied:
        return criterion
    needed = {
        word: argument(entry.argument)
        for word, entry in CRITERIA.items()
        if entry.argument
    }
    if implied in needed:
        raise InputError(
            f"{argument('criterion')} {criterion} and {needed[implied]} contradict "
            "each other; leave one out."
        )
    if criterion in needed:
        raise InputError(
            f"{argument('criterion')} {criterion} needs {needed[criterion]}; give it."
        )
    return criterion


# Families of models, from the names of a reduction and a learner.


@dataclass(frozen=True)
class Family:
    """A reduction with its learner, under the names that the user gave them."""

    reduction: str
    learner: str
    model: Reduction

    @property
    def name(self) -> str:
        return f"{self.reduction}-{self.learner}"

    def grid(self, param: dict[str, list[Any]] | None) -> dict[str, list[Any]] | None:
        """Those of the parameters that this family has; None for its default."""
        known = {*self.model.get_params(deep=False)}
        known |= {*self.model.chosen_learner().get_params()}
        own = {
            name: values
            for name, values in (param or {}).items()
            if name.removeprefix("learner__") in known
        }
        return own or None


def make_families(options: FitOptions, n_rows: int) -> list[Family]:
    """Every reduction with every learner that goes with it; none for auto."""
    if options.reduction == ("auto",):
        return []
    pairs = list(product(options.reduction, options.learner))
    if len(pairs) == 1:
        return [make_family(options, *pairs[0], n_rows)]
    found: dict[str, Family] = {}
    for pair in pairs:
        try:
            family = make_family(options, *pair, n_rows)
        except ValueError as error:  # these two do not go together
            reason = error
        else:
            found.setdefault(family.name, family)
    if not found:
        raise reason
    for name in options.param or {}:
        if not any(one.grid({name: []}) is not None for one in found.values()):
            raise ValueError(
                f"{argument('param')} {name} is a parameter of none of "
                f"{', '.join(found)}; leave it out."
            )
    return list(found.values())


def make_family(options: FitOptions, reduction: str, name: str, n_rows: int) -> Family:
    """A reduction with its learner, both by name."""
    entry = CATALOGUE[reduction]
    if options.costs is None and entry.by_class_only:
        raise ValueError(
            f"{argument('reduction')} {reduction} needs costs by class: give "
            f"{argument('costs')} FILE instead of costs by row, or choose another "
            "reduction."
        )
    if name == "auto":
        name = default_learner(entry.needs, n_rows)
    if name in ("svm", "nystroem") and entry.needs == "probabilities":
        raise ValueError(
            f"{argument('reduction')} {reduction} needs probabilities, which "
            f"{argument('learner')} {name} does not have; choose {argument('learner')} "
            "linear or boosting."
        )
    return Family(reduction, name, entry.load()(make_learner(name, entry.needs)))


def default_learner(kind: str, n_rows: int) -> str:
    """What "auto" stands for.

    With probabilities, one fit serves every softness: boosting is quick enough. All
    others need a fit for each, which machines with a path make together.
    """
    many = n_rows > MOST_ROWS_OF_SVM
    if kind == "probabilities":
        return "boosting" if many else "linear"
    return "nystroem" if many else "svm"


def make_learner(name: str, kind: str) -> Any:
    """A learner of a kind by its name."""
    values = kind in ("one-sided", "regressor")
    if name == "svm":
        return OneSidedSVR() if values else KernelSVC()
    if name == "linear":
        if kind == "probabilities":
            return LogisticRegression(max_iter=1000)
        return OneSidedLinear() if values else LinearClassifier()
    if name == "nystroem":
        return OneSidedNystroem() if values else NystroemClassifier()
    if kind == "one-sided" and find_spec("lightgbm") is not None:
        return OneSidedBoosting()
    if values:
        return HistGradientBoostingRegressor()
    return HistGradientBoostingClassifier()


# Budgets: from options to a rule.


# What --confidence keeps of the rows for its test, where nothing else is asked for.
HOLDOUT = 0.2


def criterion_of(options: FitOptions) -> dict[str, Any]:
    """How the search is to choose, as its arguments."""
    if options.min_recall is None and options.confidence is None:
        return {
            "criterion": options.criterion,
            "max_error": options.max_error,
            "tolerance": options.tolerance,
        }
    budget = Budget(
        error=options.max_error,
        recall=options.min_recall,
        confidence=options.confidence,
    )
    return {"criterion": budget}


def holdout_rows(options: FitOptions, n_rows: int) -> np.ndarray | None:
    """Rows to keep from training, drawn at random, if the options ask for some."""
    share = options.holdout
    if share is None and options.confidence is not None:
        share = HOLDOUT
    if not share:
        return None
    kept = round(share * n_rows)
    if not 0 < kept < n_rows:
        raise ValueError(
            f"{argument('holdout')} {share:g} holds out {kept} of {n_rows} rows; "
            "choose a share that leaves most rows for training."
        )
    return np.sort(np.random.default_rng(options.seed).permutation(n_rows)[:kept])


def check_recalls(options: FitOptions, classes: np.ndarray) -> None:
    """Refuse recalls of classes that there are not."""
    names = [str(name) for name in classes.tolist()]
    for label in options.min_recall or {}:
        if label not in names:
            raise ValueError(
                f"{argument('min_recall')} names {label!r}, which is not a class; the "
                f"classes are {', '.join(map(repr, names[:6]))}."
            )


# Everything that a user can get wrong is found before any training, so an exception
# in training is a bug in softcost.


_TRIAL_ROWS = 60


def check_two_classes(options: FitOptions, labels: np.ndarray) -> None:
    """Refuse rows of one class only."""
    if len(np.unique(labels)) < 2:
        raise ValueError(
            f"{argument('target')} {options.target!r} has one class only, "
            f"{str(labels[0])!r}; there is nothing to tell apart."
        )


def check_folds(options: FitOptions, labels: np.ndarray) -> None:
    """Refuse more folds than the largest class has rows."""
    largest = int(np.unique(labels, return_counts=True)[1].max())
    folds = n_folds(options, len(labels))
    if folds > largest:
        raise ValueError(
            f"{argument('cv')} {folds} asks for more folds than the largest class has "
            f"rows to learn from, {largest}; ask for fewer, or give more rows."
        )


def check_actions(options: FitOptions, family: Family, actions: Sequence[str]) -> None:
    """Refuse actions where the reduction answers with classes only."""
    if actions and not family.model.takes_actions:
        raise ValueError(
            f"{options.costs or argument('cost')} has the answer {actions[0]!r}, which "
            f"is not a class, and {argument('reduction')} {family.reduction} only "
            "predicts classes; drop that answer, or choose mec, csovo or osr."
        )


def check_params(
    reduction: Reduction, param_grid: dict[str, list[Any]] | None, n_classes: int
) -> None:
    """Refuse values of ``--param`` that the learner does not take.

    Learners check some of their parameters, and how these go together, in ``fit``
    only. So a small search is made on made-up rows. Where it fails with parameters of
    ours, too, the user's are not to blame.
    """
    if not param_grid:
        return
    try:
        _search_made_up_rows(reduction, param_grid, n_classes)
    except Exception as error:  # learners have exceptions of their own
        _search_made_up_rows(reduction, None, n_classes)
        given = " ".join(
            f"{argument('param')} {name}={','.join(map(str, values))}"
            for name, values in param_grid.items()
        )
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{given} does not suit the learner: {reason}") from error


def _search_made_up_rows(
    reduction: Reduction, param_grid: dict[str, list[Any]] | None, n_classes: int
) -> None:
    X = np.random.default_rng(0).random((_TRIAL_ROWS, 2))
    y = np.arange(_TRIAL_ROWS) % min(n_classes, 3)
    search = SoftCostClassifierCV(
        clone(reduction), param_grid=param_grid, softness=[0.0], cv=2, refit=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
