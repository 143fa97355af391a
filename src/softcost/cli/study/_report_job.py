"""From a file of results to a report."""

from pathlib import Path
from typing import Any

from softcost import experiments
from softcost.cli.console import BadInput, bad_input
from softcost.report import Artificial, Chapter, Study, write_study

_FIGURES: dict[str, Any] = {"emphasis": "emphasis", "softness-curve": "curve"}
_TITLE = "Soft cost-and-error sensitive classification, reproduced"


def write_report(store: Path, directory: Path) -> list[Path]:
    """Read the results, compare them with the published values, write the pages."""
    with bad_input():
        rows = experiments.read_rows(store)
    try:
        chapters = _chapters(rows)
        if not chapters:
            raise BadInput(
                f"{store} has no results of this version of the code; run 'softcost "
                "reproduce' first."
            )
        return write_study(_study(rows, chapters, store.name), directory)
    except (experiments.MixedResults, ImportError, OSError) as error:
        raise BadInput(str(error)) from error


def _chapters(rows: Any) -> list[Chapter]:
    return [
        Chapter(
            name,
            target.title,
            **found,
            notes=experiments.NOTES.get(name, ()),
            figure=_FIGURES.get(name, "agreement"),
        )
        for name, target in experiments.TARGETS.items()
        if (found := experiments.findings(rows, name)) is not None
    ]


def _study(rows: Any, chapters: list[Chapter], name: str) -> Study:
    return Study(
        _TITLE,
        chapters,
        Artificial(
            experiments.artificial_points(),
            experiments.artificial_lines(48, 61),
            experiments.artificial_front(),
        ),
        experiments.readings(experiments.current(rows)),
        facts=_facts(rows),
        command=f"softcost report {name}",
    )


def _facts(rows: Any) -> list[str]:
    cells = experiments.current(rows)
    facts = [
        "Every table and figure of the paper 'Soft Methodology for Cost-and-error "
        "Sensitive Classification' (Jan, Wang, Lin, Lin) that is in the file of "
        "results, computed with softcost, beside the printed numbers. The paper has "
        "20 runs everywhere; where there are fewer here, the tables say so.",
        "Cells (an algorithm on a data set, with one kind of costs, in one run): "
        f"{len(cells)}; data sets: {cells['dataset'].nunique()}.",
    ]
    sampled = cells[cells["rows"].notna()].groupby("dataset")["rows"].min()
    if len(sampled):
        parts = ", ".join(f"{name} ({rows:.0f})" for name, rows in sampled.items())
        facts.append(f"Of these sets only as many rows were used: {parts}.")
    added = sorted(set(cells["family"]) - set(experiments.FAMILIES))
    if added:
        facts.append(f"Added algorithms: {', '.join(added)}.")
    if len(cells) < len(rows):
        facts.append(
            f"Left out, as they were computed by older code: {len(rows) - len(cells)} "
            "cells."
        )
    return facts
