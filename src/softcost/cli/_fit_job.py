"""The work behind ``softcost fit``."""

import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline

from softcost.cli._errors import BadInput, JobFailed, bad_input, say
from softcost.cli._learning import make_encoder, make_reduction
from softcost.cli._output import console, print_table, write_json
from softcost.cli._prices import check_worth, read_prices
from softcost.cli._progress import shown_progress
from softcost.cli._results import (
    amount,
    compared_rows,
    cross_validated,
    measured,
    percent,
    saving,
    share,
    short,
    some,
)
from softcost.cli._table import (
    Kind,
    column,
    find_kinds,
    like_identifiers,
    read_labels,
    read_table,
    typed,
)
from softcost.costs import raw_cost_vectors, resolve_classes
from softcost.models import plain, save
from softcost.soft import SoftCostClassifierCV


@dataclass(frozen=True)
class Job:
    """What the command line asked for; see ``softcost fit --help``."""

    data: str
    target: str
    costs: str | None
    cost_columns: str | None
    drop: tuple[str, ...]
    nominal: tuple[str, ...]
    reduction: str
    learner: str
    param: dict[str, list[Any]] | None
    criterion: str | None
    max_error: float | None
    tolerance: float | str | None
    error_weight: str | None
    softness: int | list[float]
    cv: int
    test_size: float | None
    test: str | None
    seed: int
    jobs: int
    model: str | None
    report: str | None
    as_json: bool
    quiet: bool


@dataclass(frozen=True)
class Rows:
    """Examples with what mistakes on them cost."""

    X: pd.DataFrame
    y: np.ndarray
    costs: pd.DataFrame | None

    def part(self, rows: np.ndarray) -> "Rows":
        costs = None if self.costs is None else self.costs.iloc[rows]
        return Rows(self.X.iloc[rows], self.y[rows], costs)


def run(job: Job) -> None:
    """Read, train, measure, write, tell."""
    job = _settled(job)
    with bad_input():
        for path in (job.model, job.report):
            check_place(path)
        matrix = None if job.costs is None else read_prices(job.costs)
        if matrix is not None:
            check_worth(matrix, str(job.costs))
        rows, kinds, left_out = _read(job)
        classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
        if len(np.unique(rows.y)) < 2:
            raise ValueError(
                f"--target {job.target!r} has one class only, {str(rows.y[0])!r}; "
                "there is nothing to tell apart."
            )
        train, test = _split(job, rows, kinds)
        reduction, learner = make_reduction(job.reduction, job.learner, len(train.y))
    model = _model(job, reduction, kinds, classes, matrix)
    with trained(), spoken_warnings(job.quiet), shown_progress("training", job.quiet):
        fit_params = {} if train.costs is None else {"search__costs": train.costs}
        model.fit(train.X, train.y, **fit_params)
        results = _results(model, train, test, matrix)
    about = _about(job, learner, kinds, left_out, train, test)
    with bad_input():
        _write(job, model, results, about)
    if job.as_json:
        write_json(plain(about | results | {"files": _files(job)}))
    else:
        _tell(job, about, results)


def check_place(path: str | None) -> None:
    """Refuse a place that cannot be written, before any work is done."""
    if path is None:
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no directory {folder} to write into.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{path} cannot be written: permission denied.")


@contextmanager
def trained() -> Iterator[None]:
    """Complaints of learners as one sentence."""
    try:
        with bad_input():
            yield
    except MemoryError as error:
        raise JobFailed(str(error) or "there is not enough memory.") from None


@contextmanager
def spoken_warnings(quiet: bool) -> Iterator[None]:
    """Warnings as one line each on standard error, at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    heard = dict.fromkeys(str(one.message).partition("\n")[0] for one in caught)
    for text in [] if quiet else list(heard)[:5]:
        say(f"warning: {text}")


def _settled(job: Job) -> Job:
    """Fill in what follows from other options, and refuse what contradicts them."""
    if (job.costs is None) == (job.cost_columns is None):
        wrong = "not both" if job.costs else "one of them"
        raise BadInput(
            f"give --costs FILE or --cost-columns PREFIX, {wrong}; 'softcost costs "
            f"template {job.data} --target {job.target}' writes a list to fill in."
        )
    if job.test is not None and job.test_size is not None:
        raise BadInput("give --test FILE or --test-size SHARE, not both.")
    if job.max_error is not None and job.tolerance is not None:
        raise BadInput("give --max-error or --tolerance, not both.")
    implied = "cost"
    if job.max_error is not None:
        implied = "constrained"
    elif job.tolerance is not None:
        implied = "tolerance"
    criterion = job.criterion or implied
    needed = {"constrained": "--max-error", "tolerance": "--tolerance"}
    if criterion != implied:
        if implied in needed:
            raise BadInput(
                f"--criterion {criterion} and {needed[implied]} contradict each other; "
                "leave one out."
            )
        if criterion in needed:
            raise BadInput(
                f"--criterion {criterion} needs {needed[criterion]}; give it."
            )
    if job.jobs == 0:
        raise BadInput("--jobs must be 1 or more, or -1 for all cores, not 0.")
    return Job(**{**vars(job), "criterion": criterion})


def _read(job: Job) -> tuple[Rows, dict[str, Kind], list[str]]:
    """The rows, what their columns hold, and which columns are left out."""
    raw = read_table(job.data)
    y = read_labels(column(raw, job.target, "--target", job.data), "--target", job.data)
    for option, names in (("--drop", job.drop), ("--nominal", job.nominal)):
        for name in names:
            column(raw, name, option, job.data)
    costs = _cost_columns(raw, job, job.data)
    taken = {job.target, *job.drop}
    if costs is not None:
        taken |= {f"{job.cost_columns}{name}" for name in costs.columns}
    features = raw[[name for name in raw.columns if name not in taken]]
    features.columns = [str(name) for name in features.columns]
    kinds = find_kinds(features, job.nominal)
    X = typed(features, kinds, job.data)
    odd = like_identifiers(X)
    if odd and not job.quiet:
        say(
            f"warning: {some(odd)} has a different text in every row, like an "
            "identifier, and is left out; --drop it to say so yourself."
        )
    kinds = {name: kind for name, kind in kinds.items() if name not in odd}
    if not kinds:
        raise ValueError(f"{job.data} has no column to learn from but the target.")
    return Rows(X[list(kinds)], y, costs), kinds, [*job.drop, *odd]


def _cost_columns(raw: pd.DataFrame, job: Job, path: str) -> pd.DataFrame | None:
    if job.cost_columns is None:
        return None
    return read_cost_columns(raw, job.cost_columns, path)


def read_cost_columns(raw: pd.DataFrame, prefix: str, path: str) -> pd.DataFrame:
    """Prices by row, in columns that begin with a prefix."""
    found = [name for name in raw.columns if str(name).startswith(prefix)]
    if len(found) < 2:
        raise ValueError(
            f"--cost-columns {prefix!r} begins the name of {len(found)} columns of "
            f"{path}; give one such column per class."
        )
    kinds: dict[str, Kind] = dict.fromkeys(map(str, found), "number")
    costs = typed(raw, kinds, path)
    costs.columns = [name[len(prefix) :].strip() for name in map(str, found)]
    return costs


def _split(job: Job, rows: Rows, kinds: dict[str, Kind]) -> tuple[Rows, Rows | None]:
    if job.test is not None:
        raw = read_table(job.test)
        y = read_labels(
            column(raw, job.target, "--target", job.test), "--target", job.test
        )
        test = Rows(typed(raw, kinds, job.test), y, _cost_columns(raw, job, job.test))
        return rows, test
    if job.test_size is None:
        return rows, None
    _, counts = np.unique(rows.y, return_counts=True)
    held_out = round(job.test_size * len(rows.y))
    enough = counts.min() >= 2 and min(held_out, len(rows.y) - held_out) >= len(counts)
    train, test = train_test_split(
        np.arange(len(rows.y)),
        test_size=job.test_size,
        random_state=job.seed,
        stratify=rows.y if enough else None,
    )
    return rows.part(np.sort(train)), rows.part(np.sort(test))


def _model(job: Job, reduction, kinds, classes, matrix) -> Pipeline:
    search = SoftCostClassifierCV(
        reduction,
        cost_matrix=matrix,
        classes=classes,
        softness=job.softness,
        param_grid=job.param,
        criterion=job.criterion,
        max_error=job.max_error,
        tolerance=job.tolerance,
        error_weight=job.error_weight,
        cv=job.cv,
        n_jobs=job.jobs,
        random_state=job.seed,
    )
    return Pipeline([("columns", make_encoder(kinds)), ("search", search)])


def _results(
    model: Pipeline, train: Rows, test: Rows | None, matrix: pd.DataFrame | None
) -> dict[str, Any]:
    """Cross-validated results of regular, hard and chosen; held-out ones as well."""
    search = model["search"]
    weighted = search.error_weight is not None
    rows = compared_rows(search.tradeoff_, search.best_index_, weighted)
    table = search.tradeoff_
    validated = {
        name: cross_validated(table, row, search._params[row])
        for name, row in rows.items()
    }
    held_out = None if test is None else _held_out(model, rows, test, matrix)
    regular = validated.get("regular", {}).get("cost")
    for name, values in validated.items():
        values["saving_percent"] = saving(values["cost"], regular)
        if held_out is not None and "regular" in held_out:
            values = held_out[name]
            values["saving_percent"] = saving(
                values["cost"], held_out["regular"]["cost"]
            )
    return {"cross_validated": validated, "held_out": held_out}


def _held_out(
    model: Pipeline, rows: dict[str, int], test: Rows, matrix: pd.DataFrame | None
) -> dict[str, dict[str, Any]]:
    search = model["search"]
    prices = raw_cost_vectors(
        test.y, cost_matrix=matrix, costs=test.costs, classes=search.classes_
    )
    X = model["columns"].transform(test.X)
    known: dict[int, dict[str, Any]] = {}
    for row in rows.values():
        if row not in known:
            own = row == search.best_index_
            candidate = search if own else search._refit(row)
            known[row] = measured(test.y, candidate.predict(X), prices, search.classes_)
    return {name: dict(known[row]) for name, row in rows.items()}


def _about(job: Job, learner, kinds, left_out, train, test) -> dict[str, Any]:
    labels, counts = np.unique(train.y, return_counts=True)
    return {
        "data": job.data,
        "target": job.target,
        "rows": len(train.y),
        "test_rows": None if test is None else len(test.y),
        "columns": kinds,
        "left_out": left_out,
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        "reduction": job.reduction,
        "learner": learner,
        "criterion": job.criterion,
    }


def _write(job: Job, model: Pipeline, results: dict, about: dict) -> None:
    if job.model is not None:
        notes = about | results | {"cost_columns": job.cost_columns}
        save(model, job.model, notes=notes)
    if job.report is not None:
        held_out = results["held_out"]
        test = None if held_out is None else pd.DataFrame(held_out).T
        if test is not None:
            test = test[["cost", "error", "weighted_error", "g_mean"]]
        model["search"].to_html(
            job.report,
            title=f"{os.path.basename(job.data)}: {job.target}",
            test=test,
            n_test=about["test_rows"],
            command=_command(job, model["search"], about["learner"]),
        )


def _command(job: Job, search: SoftCostClassifierCV, learner: str) -> str:
    """The line that trains one candidate."""
    words = ["softcost", "fit", job.data, "--target", job.target]
    for option, value in (
        ("--costs", job.costs),
        ("--cost-columns", job.cost_columns),
        ("--reduction", job.reduction),
        ("--learner", learner),
        ("--error-weight", job.error_weight),
    ):
        if value is not None:
            words += [option, value]
    for option, names in (("--drop", job.drop), ("--nominal", job.nominal)):
        for name in names:
            words += [option, name]
    words += ["--seed", str(job.seed)]
    line = shlex.join(words) + " --softness {softness}"
    for name in search.best_params_:
        line += f" --param {name}={{{name}}}"
    return f"{line} --model OUT.softcost"


def _files(job: Job) -> dict[str, str | None]:
    return {
        name: None if path is None else os.path.abspath(path)
        for name, path in (("model", job.model), ("report", job.report))
    }


def _tell(job: Job, about: dict[str, Any], results: dict[str, Any]) -> None:
    held_out = results["held_out"]
    columns = [("", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [(name, "right") for name in ("cost", "error", "G-mean", "saving")]
    if held_out is not None:
        columns += [
            (f"test {name}", "right") for name in ("cost", "error", "G-mean", "saving")
        ]
    rows = []
    for name, one in results["cross_validated"].items():
        row = [name, f"{one['softness']:g}", short(one["params"])]
        row += _cells(one)
        if held_out is not None:
            row += _cells(held_out[name])
        rows.append(row)
    out = console()
    out.print(
        f"{about['rows']} rows, {len(about['columns'])} columns, "
        f"{len(about['classes'])} classes; {about['reduction']} with "
        f"{about['learner']}, {job.cv}-fold cross-validation (mean ± standard error)"
        + (f", {about['test_rows']} test rows" if held_out is not None else ""),
        soft_wrap=True,
    )
    print_table(columns, rows)
    if job.model is not None:
        out.print(f"model:  {job.model}", soft_wrap=True)
    if job.report is not None:
        out.print(f"report: {job.report}", soft_wrap=True)
    if job.model is None and job.report is None:
        sys.stdout.flush()
        say("nothing was kept; --model OUT keeps the model, --report OUT.html a page.")


def _cells(one: dict[str, Any]) -> list[str]:
    return [
        amount(one["cost"], one.get("cost_se")),
        share(one["error"], one.get("error_se")),
        amount(one["g_mean"], one.get("g_mean_se")),
        percent(one.get("saving_percent")),
    ]
