"""Train a model on a table, compare it with the alternatives, and save it."""

import os
import shlex
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.pipeline import Pipeline

from softcost._version import __version__
from softcost.costs.price_list import actions_of
from softcost.errors import InputError, argument, input_errors
from softcost.metrics import MEASURES
from softcost.persistence import save
from softcost.report import ExplorerData, python_lines, write_explorer
from softcost.search import SoftCostClassifierCV
from softcost.tables import TableEncoder
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


def make_model(
    options: FitOptions, families: list[Family], data: TrainingTable
) -> Pipeline:
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
    encoder = TableEncoder(data.kinds, missing=tuple(sorted(data.overrides.tokens)))
    return Pipeline([("columns", encoder), ("search", search)])


def fit_model(model: Pipeline, data: TrainingTable) -> None:
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
    features = encoder.transformer_.transform(train.X)
    with warnings.catch_warnings():
        # The caller reports a budget that is not met, whether warnings are shown or
        # not.
        warnings.filterwarnings("ignore", message="no candidate (has|was shown)")
        search.fit(features, train.y, costs=train.costs)
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
    model: Pipeline

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
                    return compare_candidates(self.model, data, options.currency)
            fit_model(self.model, data)
            results = compare_candidates(self.model, data, options.currency)
            if options.keeps_front(len(data.train.y)):
                self.model["search"].keep_candidates()
            return results

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
        about = self.describe()
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
    with input_errors():
        if options.rows_at_once is None:
            data = read_training_table(options)
        else:
            check_block_options(options)
            options = replace(options, learner=("linear",))
            data = read_in_blocks(options)
        families = make_families(options, len(data.train.y))
        for family in families:
            check_actions(options, family, data.matrix)
    for family in families:
        own = options.param if len(families) == 1 else family.grid(options.param)
        check_params(family.model, own, len(data.classes))
    return Training(options, data, families, make_model(options, families, data))


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
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        "reduction": ",".join(options.reduction),
        "learner": ",".join(learners) or "auto",
        "criterion": options.criterion,
        "folds": n_folds(options, len(data.train.y)),
        "sample": sample_size(options, data.train.y),
        "actions": [] if data.matrix is None else actions_of(data.matrix),
        "currency": options.currency,
    }


def write_files(
    options: FitOptions,
    families: list[Family],
    model: Pipeline,
    results: dict,
    about: dict,
) -> None:
    """Write the model and the page, if the options name files for them."""
    notes = about | results | {"cost_columns": options.cost_columns}
    notes["commands"] = _commands(options, families, model["search"])
    if options.model is not None:
        save(model, options.model, notes=notes)
    if options.report is not None:
        write_page(options.report, model, notes)


def _commands(
    options: FitOptions, families: list[Family], search: SoftCostClassifierCV
) -> str | dict[str, str] | None:
    """The line that gets one candidate, of each family.

    Families that were chosen by the table are not named on the command line: models of
    their front are taken from the file, where they were written.
    """
    if not families and options.model is not None and hasattr(search, "candidates_"):
        words = ["softcost", "choose", options.model, "--max-error"]
        return shlex.join(words) + " {error} -o OTHER.softcost"
    if len(families) == 1:
        names = search.candidate_params(search.best_index_)
        return _command(options, families[0], names)
    rows = {name: row for row, name in enumerate(search.tradeoff_["family"])}
    return {
        one.name: _command(options, one, search.candidate_params(rows[one.name]))
        for one in families
        if one.name in rows  # a race may end before it was tried
    } or None


def _command(options: FitOptions, family: Family, names: Iterable[str]) -> str:
    words = ["softcost", "fit", options.data, "--target", options.target]
    for option, value in (
        ("--currency", options.currency or None),
        ("--costs", options.costs),
        ("--cost-columns", options.cost_columns),
        ("--reduction", family.reduction),
        ("--learner", family.learner),
        ("--error-weight", options.error_weight),
    ):
        if value is not None:
            words += [option, value]
    for option, texts in (
        ("--drop", options.drop),
        ("--nominal", options.nominal),
        ("--number", options.number),
        ("--date", options.date),
        ("--missing", options.missing),
        (
            "--action",
            tuple(f"{name}:{price:g}" for name, price in options.action.items()),
        ),
        ("--decimal", (options.decimal,) if options.decimal else ()),
    ):
        for text in texts:
            words += [option, text]
    words += ["--seed", str(options.seed)]
    line = shlex.join(words) + " --softness {softness}"
    for name in names:
        line += f" --param {name}={{{name}}}"
    return f"{line} --model OUT.softcost"


# The explorer page of a model, from what its training noted.


_EXPECTED = ("cost", "low", "high")
_TEST = ("cost", "error")


def write_page(path: str, model: Pipeline, notes: dict[str, Any]) -> None:
    """Write the page of a model that ``softcost fit`` trained.

    Parameters
    ----------
    path : str
    model : Pipeline
        Columns, then the search.
    notes : dict
        What was learnt from and what came of it, as a saved model has them.
    """
    write_explorer(path, page_data(model, notes))


def page_data(model: Pipeline, notes: dict[str, Any]) -> ExplorerData:
    """What such a page shows; a ValueError where notes are not as fit writes them."""
    if not _are_sound(notes):
        raise ValueError("the notes of the model are odd.")
    search = model["search"]
    details: dict[str, Any] = {
        "title": f"{os.path.basename(notes['data'])}: {notes['target']}",
        "command": notes["commands"],
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
        and (expected is None or _has_numbers(expected, _EXPECTED))
        and _is_importance(notes.get("importance"))
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
            f"{argument('dask')} needs dask and distributed: pip install "
            "'softcost[dask]'."
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
