"""Tables of claims, verdicts and standings."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from softcost.paper.findings import ABOVE
from softcost.paper.pages._document import Cell, Column, PageTable
from softcost.paper.pages._numbers import heading


def claims_table(claims: pd.DataFrame, caption: str) -> PageTable:
    """Numbered claims, with counts, the level of chance and a verdict."""
    columns = [
        Column("no."),
        Column("claim", "left"),
        Column("counts for", "left"),
        Column("ours"),
        Column("published numbers"),
        Column("in the text"),
        Column("ours, stated test"),
        Column("same answer"),
        Column("by chance"),
        Column("verdict", "left"),
    ]
    rows = [
        [
            str(row["number"]),
            row["claim"],
            _counted(row["subjects"]),
            _counts(row["ours"], row["of"]),
            _counts(row["published"], row["of"]),
            _counts(row["stated"]),
            _counts(row["tested"], row["of"]),
            ""
            if pd.isna(row["same"])
            else f"{row['same']:.0f} of {row['compared']:.0f}",
            "" if pd.isna(row["chance"]) else f"{row['chance']:.1f}",
            Cell(row["verdict"], bold=row["verdict"] == ABOVE),
        ]
        for row in claims.to_dict("records")
    ]
    return PageTable(caption, columns, rows)


def _counted(subjects: tuple[tuple[str, ...], ...]) -> str:
    return "/".join(subject[0] for subject in subjects) if len(subjects) > 1 else ""


def _counts(counts: Any, of: Any = None) -> str:
    """``15/15/14/11 of 22``, or ``12/16 of 16/22``."""
    if not isinstance(counts, tuple):
        return ""
    shown = "/".join(map(str, counts))
    if not isinstance(of, tuple):
        return shown
    asked = of[:1] if len(set(of)) == 1 else of
    return f"{shown} of {'/'.join(map(str, asked))}"


def differs_table(claims: pd.DataFrame) -> PageTable:
    """Where ours and the published numbers give other answers."""
    columns = [Column("no."), Column("other answers on", "left")]
    rows = [
        [str(row["number"]), row["differs"]]
        for row in claims.to_dict("records")
        if row["differs"]
    ]
    return PageTable("Where the answers are not the same", columns, rows)


def verdict_counts(claims: pd.DataFrame) -> str:
    """``5 clearly above chance; 2 opposite``, most frequent first."""
    words = Counter(str(word).partition(":")[0] for word in claims["verdict"])
    return "; ".join(f"{count} {word}" for word, count in words.most_common())


def standings_tables(standings: pd.DataFrame) -> Iterator[PageTable]:
    """Mean ranks and marks, a table per metric."""
    columns = [Column("algorithm", "left"), Column("mean rank")]
    columns += [Column("bold on"), Column("star on")]
    for metric, part in standings.groupby("metric", sort=False):
        rows = [
            [
                row["algorithm"],
                f"{row['rank']:.1f} ({row['rank_published']:.1f})",
                _beside(row, "bold"),
                _beside(row, "star"),
            ]
            for row in part.to_dict("records")
        ]
        yield PageTable(f"Standings in {heading(str(metric), 1.0)}", columns, rows)


def _beside(row: Mapping[Any, Any], name: str) -> str:
    return f"{row[name]} ({row[f'{name}_published']})"
