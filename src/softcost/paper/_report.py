"""From a file of results to the pages of a report."""

from pathlib import Path
from typing import Any

import pandas as pd

from softcost.paper.findings import (
    NOTES,
    artificial_front,
    artificial_lines,
    artificial_points,
    class_sizes,
    current,
    findings_of,
    overview,
    readings,
    standings,
    verdicts,
)
from softcost.paper.pages import Artificial, Chapter, Study, write_study
from softcost.paper.run import FAMILIES, SAMPLES, TARGETS, read_rows

_FIGURES: dict[str, Any] = {"emphasis": "emphasis", "softness-curve": "curve"}
_RANKED = ("inconsistent", "consistent")
_TITLE = "Soft cost-and-error sensitive classification, reproduced"


def write_report(store: Any, directory: Any, *, runs: int = 20) -> list[Path]:
    """Read results, compare them with the published values, write the pages.

    Parameters
    ----------
    store : path-like
        A store, or a file that was exported from one.
    directory : path-like
        Made where it does not exist; files of the same names are replaced.
    runs : int, default=20
        How many runs the tables use at most: the first ones, as many as in the paper.

    Returns
    -------
    list of Path
        The files.

    See Also
    --------
    findings_of : Tables, tests and agreement of a target.
    verdicts : Every claim of the paper: our count, the published one, chance, a
        verdict.
    reproduce : Rerun a table or figure of the paper, from where the store has got to.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import reproduce, write_report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=2
    ...     )
    ...     names = [path.name for path in write_report(store, f"{folder}/report")]
    >>> "inconsistent.md" in names
    True
    """
    everything = read_rows(store)
    rows = everything[everything["run"] < runs].reset_index(drop=True)
    found = {name: findings_of(rows, name) for name in TARGETS}
    chapters = [
        _chapter(name, part) for name, part in found.items() if part is not None
    ]
    if not chapters:
        raise ValueError(
            f"{store} has no results of this version of the code; run 'softcost "
            "reproduce' first."
        )
    study = Study(
        _TITLE,
        chapters,
        Artificial(artificial_points(), artificial_lines(36, 41), artificial_front()),
        verdicts(found),
        overview(found, everything),
        readings(current(rows)),
        facts=_facts(rows),
        command=f"softcost reproduce pages {Path(store).name}",
    )
    return write_study(study, directory)


def _chapter(name: str, found: dict[str, pd.DataFrame]) -> Chapter:
    table = found["table"]
    own = table[table["as_in_paper"]]
    return Chapter(
        name,
        TARGETS[name].title,
        **found,
        standings=standings(own, name) if name in _RANKED and len(own) else None,
        sizes=class_sizes() if name == "unbalanced" else None,
        notes=NOTES.get(name, ()),
        figure=_FIGURES.get(name, "agreement"),
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
        parts = ", ".join(
            f"{name} ({size:.0f} rows"
            f"{', as in the paper' if size == SAMPLES.get(str(name)) else ''})"
            for name, size in sampled.items()
        )
        facts.append(f"Of these sets a random sample was used: {parts}.")
    added = sorted(set(cells["family"]) - set(FAMILIES))
    if added:
        facts.append(f"Added algorithms: {', '.join(added)}.")
    if len(cells) < len(rows):
        facts.append(
            f"Left out, as they were computed by older code: {len(rows) - len(cells)} "
            "cells."
        )
    return facts
