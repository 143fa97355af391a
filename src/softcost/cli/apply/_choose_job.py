"""The work behind ``softcost choose``."""

import warnings
from typing import Any

from softcost.cli.console import (
    BadInput,
    BudgetMissed,
    bad_input,
    failed_job,
    print_table,
    stdout_console,
    write_json,
)
from softcost.cli.results import finite_or_none, measure_cells
from softcost.cli.stored_model import open_model
from softcost.files import check_output
from softcost.formatting import format_params
from softcost.metrics import reported_measures
from softcost.persistence import ModelFileError, final_step, save
from softcost.search import Budget, SoftCostClassifierCV

# What was measured of the model that was chosen before.
_OF_THE_OLD = (
    "expected", "held_out", "held_out_confusion", "savings", "advice", "sensitivity",
    "guarantee", "importance", "asked",
)  # fmt: skip


def run(
    path: str,
    max_error: float | None,
    min_recall: dict[str, float] | None,
    tolerance: float | str | None,
    output: str,
    as_json: bool,
) -> None:
    """Choose among the models of a file, and write the choice."""
    if tolerance is not None and (max_error is not None or min_recall is not None):
        raise BadInput("give --tolerance or limits, not both.")
    with bad_input():
        check_output(output, reads=[path])
        stored = open_model(path)
        search = final_step(stored.model)
        if not isinstance(search, SoftCostClassifierCV) or not hasattr(
            search, "candidates_"
        ):
            raise ModelFileError(
                f"{path} holds one model only: write those of the front, too, with "
                "'softcost fit --keep front --model OUT'."
            )
        before = _facts(search)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="no candidate has")
            search.choose(**_criterion(search, max_error, min_recall, tolerance))
    after = _facts(search)
    notes = stored.manifest["notes"] | dict.fromkeys(_OF_THE_OLD)
    with failed_job():
        save(stored.model, output, notes=notes)
    if as_json:
        write_json({"model": output, "before": before, "chosen": after})
    else:
        _print(before, after, output)
    guarantee = search.guarantee_
    if guarantee is not None and not guarantee["met"]:
        raise BudgetMissed(guarantee["missing"])


def _criterion(
    search: SoftCostClassifierCV,
    max_error: float | None,
    min_recall: dict[str, float] | None,
    tolerance: float | str | None,
) -> dict[str, Any]:
    if tolerance is not None:
        return {"criterion": "tolerance", "tolerance": tolerance}
    if min_recall is None:
        criterion = "cost" if max_error is None else "constrained"
        return {"criterion": criterion, "max_error": max_error}
    labels = {str(label): label for label in search.classes_.tolist()}
    for name in min_recall:
        if name not in labels:
            raise ValueError(
                f"--min-recall names {name!r}, which is no class; the classes are "
                f"{', '.join(map(repr, labels))}."
            )
    recall = {labels[name]: rate for name, rate in min_recall.items()}
    return {"criterion": Budget(error=max_error, recall=recall)}


def _facts(search: SoftCostClassifierCV) -> dict[str, Any]:
    row = search.tradeoff_.iloc[search.best_index_]
    facts: dict[str, Any] = {
        "softness": float(row["softness"]),
        "params": search.candidate_params(search.best_index_),
    }
    if "family" in row:
        facts["family"] = str(row["family"])
    for measure in reported_measures(False, headline=True):
        facts[measure.name] = finite_or_none(row[measure.name])
        if measure.headline == "always":
            facts[measure.standard_error] = finite_or_none(row[measure.standard_error])
    return facts


def _print(before: dict[str, Any], after: dict[str, Any], output: str) -> None:
    measures = reported_measures(False, headline=True)
    columns = [("", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [(measure.heading, "right") for measure in measures]
    rows = []
    for name, one in (("before", before), ("chosen", after)):
        family = {"family": one["family"]} if "family" in one else {}
        rows.append(
            [
                name,
                f"{one['softness']:g}",
                format_params(family | one["params"]),
                *measure_cells(one, measures),
            ]
        )
    print_table(columns, rows)
    out = stdout_console()
    if before == after:
        out.print("This is the model that was chosen before.")
    out.print(f"model:  {output}", soft_wrap=True)
