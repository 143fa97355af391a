"""Train a model on a table, compare it with the alternatives, and save it."""

import os
import shlex
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.pipeline import Pipeline

from softcost._extras import install_hint
from softcost._version import __version__
from softcost.errors import InputError, argument, input_errors
from softcost.metrics import MEASURES
from softcost.persistence import save
from softcost.report import ExplorerData, python_lines, write_explorer
from softcost.search import SoftCostClassifierCV
from softcost.search.time_limit import Deadline
from softcost.tables import TableEncoder, TableProfile
from softcost.tables.cells import Tell, silent
from softcost.workflow.assessment import compare_candidates
from softcost.workflow.blocks import (
    check_block_options,
    fitted_in_blocks,
    in_blocks,
    read_in_blocks,
)
from softcost.workflow.fit_options import (
    Family,
    FitOptions,
    check_actions,
    check_params,
    criterion_of,
    make_families,
    n_folds,
    sample_size,
    with_defaults,
    with_reduction,
)
from softcost.workflow.training_data import TrainingTable, read_training_table

# Share of a time limit for what follows the search: predictions for test rows,
# resampling, sensitivity, and files.
_AFTERWARDS = 0.1
_TINY = 1e-9  # seconds: the first setting always finishes


def make_model(options: FitOptions, families: list[Family], data: TrainingTable) -> Any:
    """The unfitted model: encoded columns, then the search; no families mean auto."""
    reduction: Any = "auto"
    param_grid: Any = options.param
    if len(families) == 1:
        reduction = families[0].model
    elif families:
        reduction = [(one.name, one.model) for one in families]
        param_grid = {one.name: one.grid(options.param) for one in families}
    search = SoftCostClassifierCV(
        reduction,
        cost_matrix=data.matrix,
        classes=data.classes,
        actions=data.actions if data.table_costs is not None else None,
        softness=options.softness,
        param_grid=param_grid,
        **criterion_of(options),
        holdout=data.holdout,
        error_weight=options.error_weight,
        cv=options.cv,
        time_limit=None if options.minutes is None else 60 * options.minutes,
        n_jobs=options.jobs if options.dask is None else None,
        random_state=options.seed,
    )
    encoder = TableEncoder(
        data.kinds,
        # The families of "auto" encode for themselves, inside the folds.
        output="features" if families else "codes",
        missing=tuple(sorted(data.overrides.tokens)),
    )
    return Pipeline([("columns", encoder), ("search", search)])


def rows_of_same_fit(search: SoftCostClassifierCV) -> list[int]:
    """Rows of the trade-off that the chosen model predicts without another fit."""
    if not search.best_estimator_.softness_at_predict:
        return [search.best_index_]
    chosen = {**search.best_params_, "softness": None}
    return [
        row
        for row, params in enumerate(search.cv_results_["params"])
        if {**params, "softness": None} == chosen
    ]


def fit_model(model: Any, data: TrainingTable) -> None:
    """Search, choose and refit.

    Cells were read and checked with the table, so the encoder is fitted to typed
    columns. Rows that are held out to test a budget do not take part in encoding.
    """
    encoder, search, train = model["columns"], model["search"], data.train
    kept = data.holdout
    seen = np.arange(len(train.y))
    if kept is not None:
        seen = np.delete(seen, kept)
    encoder.fit_typed(train.X.iloc[seen])
    features = encoder.encode(train.X)
    if encoder.output == "codes":
        categorical = np.flatnonzero(encoder.categorical_features_).tolist()
        search.set_params(categorical_features=categorical or None)
    with warnings.catch_warnings():
        # The caller reports a budget that is not met, whether warnings are shown or
        # not.
        warnings.filterwarnings("ignore", message="no candidate (has|was shown)")
        search.fit(features, train.y, costs=train.row_costs)
    if kept is not None:
        # A saved model has the share of held-out rows; their numbers mean nothing to
        # it.
        search.set_params(holdout=len(kept) / len(train.y))


@dataclass(frozen=True)
class Training:
    """A table and options that were read and checked: `run`, then `write`.

    Attributes
    ----------
    options : FitOptions
        With defaults filled in.
    data : TrainingTable
    families : list of Family
        Empty for "auto".
    model : Pipeline
        ``columns``, a `softcost.tables.TableEncoder`, then ``search``, a
        `softcost.SoftCostClassifierCV`.
    deadline : Deadline or None
        The end of ``options.minutes``.

    See Also
    --------
    softcost.workflow.prepare_training : Returns one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from softcost.workflow import FitOptions, prepare_training
    >>> with TemporaryDirectory() as name:
    ...     rows, prices = Path(name) / "rows.csv", Path(name) / "prices.csv"
    ...     lines = [f"{size},{'ham' if size < 9 else 'spam'}" for size in range(20)]
    ...     _ = rows.write_text("\\n".join(["size,kind", *lines]))
    ...     _ = prices.write_text(",ham,spam\\nham,0,9\\nspam,1,0\\n")
    ...     options = FitOptions(str(rows), "kind", costs=str(prices), param={"C": [1]})
    ...     training = prepare_training(options)
    >>> list(training.data.kinds), training.families[0].name
    (['size'], 'osr-svm')
    """

    options: FitOptions
    data: TrainingTable
    families: list[Family]
    model: Any
    deadline: Deadline | None = None

    def run(self, tell: Tell = silent) -> dict[str, Any]:
        """Search, refit, and compare the choice with the alternatives.

        Parameters
        ----------
        tell : callable, default=silent
            Called with a sentence about anything unusual.

        Returns
        -------
        dict
            Cross-validated and held-out results of the constant, regular, hard and
            chosen model, savings, families, importance, as plain data.
        """
        options, data = self.options, self.data
        with on_cluster(options.dask, tell):
            if options.rows_at_once is not None:
                with fitted_in_blocks(options, self.model, data):
                    self._choose_candidate()
                    return compare_candidates(self.model, data, options.currency)
            self._fit()
            self._choose_candidate()
            in_time = self.deadline is None or self.deadline.left() > 0
            results = compare_candidates(
                self.model, data, options.currency, with_importance=in_time
            )
            if options.keeps_front(len(data.train.y)):
                search = self.model["search"]
                # Within a time limit, only candidates that need no further fit.
                rows = None if self.deadline is None else rows_of_same_fit(search)
                search.keep_candidates(rows)
            return results

    def _fit(self) -> None:
        """Fit the model in the time that reading the table has left."""
        search, deadline = self.model["search"], self.deadline
        if deadline is not None:
            left = deadline.left() - _AFTERWARDS * deadline.seconds
            search.set_params(time_limit=max(left, _TINY))
        fit_model(self.model, self.data)
        if deadline is not None:
            search.set_params(time_limit=deadline.seconds)

    def _choose_candidate(self) -> None:
        """Replace the choice of the criterion by the candidate of the options."""
        number, search = self.options.candidate, self.model["search"]
        if number is None or number == search.best_index_:
            return
        if number >= len(search.tradeoff_):
            raise InputError(
                f"{argument('candidate')} {number} does not exist: the search has the "
                f"candidates 0 to {len(search.tradeoff_) - 1}."
            )
        search.choose(lambda table: number)

    def describe(self) -> dict[str, Any]:
        """What the model was trained on, as plain data.

        Returns
        -------
        dict
        """
        return describe_training(self.options, self.families, self.data)

    def write(self, results: dict[str, Any]) -> None:
        """Write the model and the explorer page, if the options name files for them.

        Parameters
        ----------
        results : dict
            What `run` returned.
        """
        costs = self.data.table_costs
        about = self.describe() | {
            "fingerprint": self.data.fingerprint.to_json(),
            "profile": TableProfile.of(self.data.train.X, self.data.kinds).to_json(),
            "cost_formulas": None if costs is None else costs.to_json(),
        }
        write_files(self.options, self.families, self.model, results, about)


def prepare_training(options: FitOptions) -> Training:
    """Read and check everything that a training needs.

    Parameters
    ----------
    options : FitOptions
        Files, and how to train.

    Returns
    -------
    Training
        Call its ``run`` and ``write``.

    See Also
    --------
    softcost.tables.TableEncoder : The same inside a scikit-learn pipeline.

    Examples
    --------
    >>> from softcost.workflow import FitOptions, prepare_training
    >>> prepare_training(FitOptions("no-such-file.csv", "class", costs="prices.csv"))
    Traceback (most recent call last):
    softcost.errors.InputError: ...
    """
    options = with_defaults(with_reduction(in_blocks(options)))
    deadline = None if options.minutes is None else Deadline(60 * options.minutes)
    with input_errors():
        if options.rows_at_once is None:
            data = read_training_table(options)
        else:
            check_block_options(options)
            options = replace(options, learner=("linear",))
            data = read_in_blocks(options)
        families = make_families(options, len(data.train.y))
        for family in families:
            check_actions(options, family, data.actions)
    for family in families:
        own = options.param if len(families) == 1 else family.grid(options.param)
        check_params(family.model, own, len(data.classes))
    model = make_model(options, families, data)
    return Training(options, data, families, model, deadline)


# What is saved.


def describe_training(
    options: FitOptions, families: list[Family], data: TrainingTable
) -> dict[str, Any]:
    """What was learnt from, as plain data."""
    learners = dict.fromkeys(one.learner for one in families)
    labels, counts = np.unique(data.train.y, return_counts=True)
    return {
        "data": options.data,
        "target": options.target,
        "rows": len(data.train.y),
        "test_rows": None if data.test is None else len(data.test.y),
        "holdout_rows": 0 if data.holdout is None else len(data.holdout),
        "columns": data.kinds,
        "left_out": data.left_out,
        "ids": [one.name for one in data.columns if one.names_rows],
        "column_report": [asdict(one) for one in data.columns],
        "missing": sorted(data.overrides.tokens),
        "merge": options.merge,
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        "reduction": ",".join(options.reduction),
        "learner": ",".join(learners) or "auto",
        "criterion": options.criterion,
        "folds": n_folds(options, len(data.train.y)),
        "sample": sample_size(options, data.train.y),
        "actions": data.actions,
        "currency": options.currency,
        "warnings": data.warnings,
    }


def write_files(
    options: FitOptions,
    families: list[Family],
    model: Any,
    results: dict[Any, Any],
    about: dict[Any, Any],
) -> None:
    """Write the model and the page, if the options name files for them."""
    by_formulas = about["cost_formulas"] is not None
    cost_columns = None if by_formulas else options.cost_columns
    notes = about | results | {"cost_columns": cost_columns}
    notes["commands"] = _candidate_command(options)
    notes["refit_command"] = _refit_command(options)
    if options.model is not None:
        save(model, options.model, notes=notes)
    if options.report is not None:
        write_page(options.report, model, notes, options.model)


# Commands that the page shows.


EDITED_PRICES = "edited-prices.csv"  # not the name of a file that fit has read
_SELECTION = ("criterion", "max_error", "min_recall", "tolerance")
_OUTPUTS = ("model", "report", "keep", "candidate")


def _candidate_command(options: FitOptions) -> str | None:
    """The command that trains one candidate, with ``{index}`` for its number.

    It repeats the search, so it has all options that matter to training. The table of
    a search with a time limit cannot be repeated.
    """
    if options.minutes is not None:
        return None
    # With a confidence, limits decide which rows are held out from training.
    without = () if options.confidence is not None else _SELECTION
    words = _fit_words(options, {*without, *_OUTPUTS})
    return f"{shlex.join(words)} --candidate {{index}} --model OUT.softcost"


def _refit_command(options: FitOptions) -> str:
    """The command that repeats the training with the prices of the page."""
    if options.costs is not None:
        options = replace(options, costs=EDITED_PRICES, action={})  # it has all prices
    return f"{shlex.join(_fit_words(options, {*_OUTPUTS}))} --model OUT.softcost"


def _fit_words(options: FitOptions, without: set[str]) -> list[str]:
    """The command line of options that differ from the defaults."""
    words = ["softcost", "fit", options.data]
    implied: dict[str, Any] = {"reduction": ("auto",)}
    if options.criterion == "cost" or any(
        value is not None
        for value in (options.max_error, options.min_recall, options.tolerance)
    ):
        implied["criterion"] = options.criterion
    for entry in fields(options):
        value = getattr(options, entry.name)
        default = entry.default
        if entry.name in ("data", *without) or value in (default, None, {}):
            continue
        if entry.name in implied and value == implied[entry.name]:
            continue
        flag = f"--{entry.name.replace('_', '-')}"
        for text in _option_texts(entry.name, value):
            words += [flag] if text is None else [flag, text]
    return words


def _option_texts(name: str, value: Any) -> list[str | None]:
    """The texts of an option that may be repeated; None for a flag."""
    if value is True:
        return [None]
    if name == "header_row" and isinstance(value, tuple):
        return ["{}-{}".format(*value)]
    if name == "action":
        return [f"{action}:{price!r}" for action, price in value.items()]
    if name in ("reduction", "learner"):
        return [",".join(value)]
    if name == "header_row" and isinstance(value, tuple):
        return ["-".join(map(str, value))]
    if isinstance(value, dict):
        return [f"{key}={_listed(values)}" for key, values in value.items()]
    if isinstance(value, tuple):
        return list(value)
    return [_listed(value)]


def _listed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


# The explorer page of a model, from what its training noted.


_EXPECTED = ("cost", "low", "high")
_TEST = ("cost", "error")


def write_page(
    path: str, model: Any, notes: dict[str, Any], model_file: str | None = None
) -> None:
    """Write the page of a model that ``softcost fit`` trained.

    Parameters
    ----------
    path : str
    model : Pipeline
        Columns, then the search.
    notes : dict
        The training and its results, as in the manifest of a saved model.
    model_file : str, default=None
        Where the model is saved, for the commands on the page.
    """
    write_explorer(path, page_data(model, notes, model_file))


def page_data(
    model: Any, notes: dict[str, Any], model_file: str | None = None
) -> ExplorerData:
    """The contents of such a page; a ValueError if ``notes`` are not of ``fit``."""
    if not _are_sound(notes):
        raise ValueError("the notes of the model are odd.")
    search = model["search"]
    details: dict[str, Any] = {
        "title": f"{os.path.basename(notes['data'])}: {notes['target']}",
        "command": _training_command(notes["commands"]),
        "refit_command": notes.get("refit_command"),
        "model_file": model_file,
        "kept": sorted(getattr(search, "candidates_", [search.best_index_])),
        "n_features": len(notes["columns"]),
        "currency": notes["currency"],
        "advice": notes["advice"],
    }
    expected = notes["expected"]
    if expected is not None:
        details["expected"] = tuple(expected[name] for name in _EXPECTED)
    if notes["held_out"] is not None:
        test = pd.DataFrame(notes["held_out"]).T
        counts = notes["held_out_confusion"]
        details |= {
            "test": test[[name for name in test.columns if name in MEASURES]],
            "n_test": notes["test_rows"],
            "test_confusion": np.array([counts[name] for name in test.index], float),
        }
    # A saved search has no held-out rows to compare candidates on.
    details["not_chosen"] = notes.get("not_chosen") or []
    importance = notes.get("importance")  # older models have none
    if importance is not None:
        details["importance"] = importance["columns"]
        details["importance_rows"] = importance["rows"]
    if "family" in search.tradeoff_:
        details["python"] = None  # there is no search at hand to take a model from
    else:
        params = list(search.candidate_params(search.best_index_))
        details["python"] = python_lines(search, params, model["columns"])
    return ExplorerData.from_search(search, **details)


def _training_command(commands: Any) -> str | None:
    """The command that trains a candidate; older models have others."""
    if isinstance(commands, str) and commands.startswith("softcost fit "):
        return commands
    return None


def _are_sound(notes: dict[str, Any]) -> bool:
    """Whether notes have the types that the page relies on: files may say anything."""
    texts = (notes.get(name) for name in ("data", "target", "currency"))
    advice, commands = notes.get("advice"), notes.get("commands")
    expected, held_out = notes.get("expected"), notes.get("held_out")
    if isinstance(commands, dict):
        commands = list(commands.values())
    return (
        all(isinstance(text, str) for text in texts)
        and (advice is None or _is_advice(advice))
        and (commands is None or isinstance(commands, str) or _are_texts(commands))
        and isinstance(notes.get("refit_command", ""), str)
        and isinstance(notes.get("columns"), dict)
        and (expected is None or _has_numbers(expected, _EXPECTED))
        and _is_importance(notes.get("importance"))
        and _are_not_chosen(notes.get("not_chosen"))
        and (
            held_out is None
            or (
                _has_numbers(notes, ["test_rows"])
                and isinstance(held_out, dict)
                and all(
                    _has_numbers(one, ["cost", "error"]) for one in held_out.values()
                )
                and isinstance(notes.get("held_out_confusion"), dict)
            )
        )
    )


def _is_importance(value: Any) -> bool:
    """None, or numbers by column; a single row has no interval."""
    if value is None:
        return True
    columns = value.get("columns") if isinstance(value, dict) else None
    return (
        isinstance(columns, list)
        and isinstance(value.get("rows"), int)
        and all(
            isinstance(one, dict)
            and isinstance(one.get("column"), str)
            and isinstance(one.get("saving"), int | float)
            and isinstance(one.get("shown"), bool)
            and all(
                one.get(name) is None or isinstance(one[name], int | float)
                for name in ("low", "high")
            )
            for one in columns
        )
    )


def _are_not_chosen(value: Any) -> bool:
    names = ("cost", "difference", "difference_se", "required_lead")
    rows = [] if value is None else value  # older models have none
    return isinstance(rows, list) and all(_has_numbers(row, names) for row in rows)


def _is_advice(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("verdict"), str)
        and _are_texts(value.get("sentences"))
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _has_numbers(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), int | float) for name in names
    )


# A Dask cluster.


_PATIENCE = 30  # seconds for a scheduler to answer, and for a first worker


@contextmanager
def on_cluster(address: str | None, tell: Tell = silent) -> Iterator[None]:
    """Have searches inside the block work on a Dask cluster; None is this machine."""
    if address is None:
        yield
        return
    with _connected(address) as client, parallel_config(backend="dask"):
        _check_workers(client, address, tell)
        yield


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            f"{argument('dask')} needs dask and distributed: {install_hint('dask')}."
        ) from None
    try:
        return Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise InputError(
            f"{argument('dask')} {address} does not answer; 'dask scheduler' starts a "
            "scheduler, and says its address."
        ) from error


def _check_workers(client: Any, address: str, tell: Tell) -> None:
    """Refuse workers that could not do the work, before it is sent to them."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except OSError as error:
        raise InputError(
            f"{argument('dask')} {address} has no workers; 'dask worker {address}' "
            "starts one."
        ) from error
    try:
        versions = set(client.run(softcost_version).values())
    except Exception as error:  # whatever the other side has to say
        raise InputError(
            f"the workers of {argument('dask')} {address} cannot use softcost "
            f"({error}); install softcost {__version__} there."
        ) from error
    others = sorted(versions - {__version__})
    if others:
        tell(
            f"warning: workers have softcost {', '.join(others)} and this machine has "
            f"{__version__}; results may differ."
        )


def softcost_version() -> str:
    """The version on a worker."""
    return __version__
