"""What ``softcost fit`` writes and prints."""

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from softcost.cli.console import print_table, say, stdout_console, write_json
from softcost.cli.results import measure_cells, print_importance, write_page
from softcost.cli.train._asked import asked_lines
from softcost.cli.train._data import TrainingInput
from softcost.cli.train._families import print_families, why_blended
from softcost.cli.train._job import Job, n_folds, sample_size
from softcost.cli.train._reductions import Family
from softcost.cli.train._sensitivity import lines_of
from softcost.costs import actions_of
from softcost.formatting import format_cost, format_params, format_saving
from softcost.metrics import Measure, reported_measures
from softcost.persistence import json_value, save
from softcost.report import budget_words
from softcost.search import SoftCostClassifierCV

_AGAINST = "vs regular"  # what is paid, less or more


def describe_training(
    job: Job, families: list[Family], data: TrainingInput
) -> dict[str, Any]:
    """What was learnt from, as plain data."""
    learners = dict.fromkeys(one.learner for one in families)
    labels, counts = np.unique(data.train.y, return_counts=True)
    return {
        "data": job.data,
        "target": job.target,
        "rows": len(data.train.y),
        "test_rows": None if data.test is None else len(data.test.y),
        "holdout_rows": 0 if data.calibration is None else len(data.calibration),
        "columns": data.kinds,
        "left_out": data.left_out,
        "ids": [one.name for one in data.surveyed if one.names_rows],
        "column_report": [asdict(one) for one in data.surveyed],
        "missing": sorted(data.asked.tokens),
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        "reduction": ",".join(job.reduction),
        "learner": ",".join(learners) or "auto",
        "criterion": job.criterion,
        "folds": n_folds(job, len(data.train.y)),
        "sample": sample_size(job, data.train.y),
        "actions": [] if data.matrix is None else actions_of(data.matrix),
        "currency": job.currency,
    }


def write_files(
    job: Job, families: list[Family], model: Pipeline, results: dict, about: dict
) -> None:
    """Write the model and the page, where the job asks for them."""
    notes = about | results | {"cost_columns": job.cost_columns}
    notes["commands"] = _commands(job, families, model["search"])
    if job.model is not None:
        save(model, job.model, notes=notes)
    if job.report is not None:
        write_page(job.report, model, notes)


def _commands(
    job: Job, families: list[Family], search: SoftCostClassifierCV
) -> str | dict[str, str] | None:
    """The line that gets one candidate, of each family.

    Families that were chosen by the table are not named on the command line: models of
    their front are taken from the file, where they were written.
    """
    if not families and job.model is not None and hasattr(search, "candidates_"):
        words = ["softcost", "choose", job.model, "--max-error"]
        return shlex.join(words) + " {error} -o OTHER.softcost"
    if len(families) == 1:
        names = search.candidate_params(search.best_index_)
        return _command(job, families[0], names)
    rows = {name: row for row, name in enumerate(search.tradeoff_["family"])}
    return {
        one.name: _command(job, one, search.candidate_params(rows[one.name]))
        for one in families
        if one.name in rows  # a race may end before it was tried
    } or None


def _command(job: Job, family: Family, names: Iterable[str]) -> str:
    words = ["softcost", "fit", job.data, "--target", job.target]
    for option, value in (
        ("--currency", job.currency or None),
        ("--costs", job.costs),
        ("--cost-columns", job.cost_columns),
        ("--reduction", family.reduction),
        ("--learner", family.learner),
        ("--error-weight", job.error_weight),
    ):
        if value is not None:
            words += [option, value]
    for option, texts in (
        ("--drop", job.drop),
        ("--nominal", job.nominal),
        ("--number", job.number),
        ("--date", job.date),
        ("--missing", job.missing),
        ("--action", tuple(f"{name}:{price:g}" for name, price in job.action.items())),
        ("--decimal", (job.decimal,) if job.decimal else ()),
    ):
        for text in texts:
            words += [option, text]
    words += ["--seed", str(job.seed)]
    line = shlex.join(words) + " --softness {softness}"
    for name in names:
        line += f" --param {name}={{{name}}}"
    return f"{line} --model OUT.softcost"


def write_results(job: Job, about: dict[str, Any], results: dict[str, Any]) -> None:
    """Results on standard output, as JSON or as a table."""
    if job.as_json:
        write_json(json_value(about | results | {"files": _files(job)}))
    else:
        _print_results(job, about, results)


def _files(job: Job) -> dict[str, str | None]:
    return {
        name: None if path is None else os.path.abspath(path)
        for name, path in (("model", job.model), ("report", job.report))
    }


def _print_results(job: Job, about: dict[str, Any], results: dict[str, Any]) -> None:
    test = f", {about['test_rows']} test rows" if results["held_out"] else ""
    out = stdout_console()
    unit = f" {job.currency}" if job.currency else ""
    trained = f"{about['reduction']} with {about['learner']}"
    if about["reduction"] == "auto":
        trained = "families that suit the table"
    tried = f"{about['folds']}-fold cross-validation"
    if about["sample"] is not None:
        tried = f"tried on {about['folds']} samples of {about['sample']} rows"
    out.print(
        f"{about['rows']} rows, {len(about['columns'])} columns, "
        f"{len(about['classes'])} classes; {trained}, {tried} (mean ± standard error)"
        f"{test}",
        soft_wrap=True,
    )
    _print_comparison(results, job.currency)
    print_families(results["families"])
    chosen = results["cross_validated"]["chosen"]
    by_cost = about["criterion"] == "cost"
    blended = why_blended(results["families"], chosen) if by_cost else []
    for sentence in blended:
        out.print(sentence, soft_wrap=True)
    for sentence in results["advice"]["sentences"]:
        out.print(sentence, soft_wrap=True)
    for line in asked_lines(results["asked"], job.currency):
        out.print(line, soft_wrap=True)
    expected = results["expected"]
    if expected is not None:
        out.print(
            f"Chosen among {expected['candidates']} models, so flattered: "
            f"expect a cost of about {format_cost(expected['cost'])}{unit} on new rows "
            f"({format_cost(expected['low'])} to {format_cost(expected['high'])}).",
            soft_wrap=True,
        )
    if results["guarantee"] is not None:
        out.print(budget_words(results["guarantee"]), soft_wrap=True)
    for line in lines_of(results["sensitivity"]):
        out.print(line, soft_wrap=True)
    if results["importance"] is not None:
        print_importance(results["importance"], job.currency)
    if job.model is not None:
        out.print(f"model:  {job.model}", soft_wrap=True)
    if job.report is not None:
        out.print(f"report: {job.report}", soft_wrap=True)
    if job.model is None and job.report is None:
        sys.stdout.flush()
        say("nothing was kept; --model OUT keeps the model, --report OUT.html a page.")


def _print_comparison(results: dict[str, Any], currency: str) -> None:
    held_out = results["held_out"]
    measures = reported_measures(
        "coverage" in results["cross_validated"]["chosen"], headline=True
    )
    heads = [
        f"{measure.heading}, {currency}"
        if currency and measure.unit == "cost"
        else measure.heading
        for measure in measures
    ]
    heads.append(_AGAINST)
    columns = [("", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [(name, "right") for name in heads]
    if held_out is not None:
        columns += [(f"test {name}", "right") for name in heads]
    rows, compared = [], results["cross_validated"]
    same = [name for name, one in compared.items() if _same(one, compared["chosen"])]
    for name, one in compared.items():
        if name in same[:-1]:  # the last of them is the chosen one, and is told once
            continue
        shown, softness = name, one["softness"]
        if name == "constant":
            shown = f"always {results['constant']}"
        elif name == "chosen" and len(same) > 1:
            shown = f"chosen, {' and '.join(same[:-1])}"
        row = [shown, "" if softness is None else f"{softness:g}"]
        family = {} if one.get("family") is None else {"family": one["family"]}
        row += [format_params(family | one["params"]), *_cells(name, one, measures)]
        if held_out is not None:
            row += _cells(name, held_out[name], measures)
        rows.append(row)
    print_table(columns, rows)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two are the same candidate."""
    named = ("softness", "family", "params")
    return all(one.get(name) == other.get(name) for name in named)


def _cells(
    name: str, results: dict[str, Any], measures: Sequence[Measure]
) -> list[str]:
    saving = "" if name == "regular" else format_saving(results.get("saving_percent"))
    return [*measure_cells(results, measures), saving]
