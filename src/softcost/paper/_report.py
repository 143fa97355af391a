"""From a file of results to the pages of a report."""

from pathlib import Path
from typing import Any

import pandas as pd

from softcost.paper.findings import (
    NOTES,
    artificial_front,
    artificial_lines,
    artificial_points,
    current,
    findings_of,
    readings,
)
from softcost.paper.pages import Artificial, Chapter, Study, write_study
from softcost.paper.run import FAMILIES, TARGETS, read_rows

_FIGURES: dict[str, Any] = {"emphasis": "emphasis", "softness-curve": "curve"}
_TITLE = "Soft cost-and-error sensitive classification, reproduced"


def write_report(store: Any, directory: Any) -> list[Path]:
    """Read results, compare them with the published values, write the pages.

    Parameters
    ----------
    store : path-like
        A store, or a file that was exported from one.
    directory : path-like
        Made where it does not exist; files of the same names are replaced.

    Returns
    -------
    list of Path
        The files.
    """
    rows = read_rows(store)
    chapters = _chapters(rows)
    if not chapters:
        raise ValueError(
            f"{store} has no results of this version of the code; run 'softcost "
            "reproduce' first."
        )
    return write_study(_study(rows, chapters, Path(store).name), directory)


def _chapters(rows: pd.DataFrame) -> list[Chapter]:
    return [
        Chapter(
            name,
            target.title,
            **found,
            notes=NOTES.get(name, ()),
            figure=_FIGURES.get(name, "agreement"),
        )
        for name, target in TARGETS.items()
        if (found := findings_of(rows, name)) is not None
    ]


def _study(rows: pd.DataFrame, chapters: list[Chapter], name: str) -> Study:
    return Study(
        _TITLE,
        chapters,
        Artificial(artificial_points(), artificial_lines(48, 61), artificial_front()),
        readings(current(rows)),
        facts=_facts(rows),
        command=f"softcost report {name}",
    )


def _facts(rows: pd.DataFrame) -> list[str]:
    cells = current(rows)
    facts = [
        "Every table and figure of the paper 'Soft Methodology for Cost-and-error "
        "Sensitive Classification' (Jan, Wang, Lin, Lin) that is in the file of "
        "results, computed with softcost, beside the published numbers. The paper has "
        "20 runs everywhere; where there are fewer here, the tables say so.",
        "Cells (an algorithm on a data set, with one kind of costs, in one run): "
        f"{len(cells)}; data sets: {cells['dataset'].nunique()}.",
    ]
    sampled = cells[cells["rows"].notna()].groupby("dataset")["rows"].min()
    if len(sampled):
        parts = ", ".join(f"{name} ({rows:.0f})" for name, rows in sampled.items())
        facts.append(f"Of these sets only as many rows were used: {parts}.")
    added = sorted(set(cells["family"]) - set(FAMILIES))
    if added:
        facts.append(f"Added algorithms: {', '.join(added)}.")
    if len(cells) < len(rows):
        facts.append(
            f"Left out, as they were computed by older code: {len(rows) - len(cells)} "
            "cells."
        )
    return facts
