"""The page of one table or figure of the paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from softcost.paper.findings import rank_agreement
from softcost.paper.pages import _claim_tables as claim_tables
from softcost.paper.pages import _tables as tables
from softcost.paper.pages._document import Block, Figure, Heading, Page, Text

FOLDER = "figures"


@dataclass(frozen=True)
class Chapter:
    """One table or figure of a paper, done again.

    Attributes
    ----------
    name, title : str
        Name of the page, and what it is about.
    table : DataFrame
        One row per data set, costs, algorithm and metric: unit, runs, mean, se, bold,
        star, published_mean, published_se, difference, near (to what is published),
        and as_in_paper: whether the row should be what is published.
    tests : DataFrame
        One row per data set, costs, metric and pair (algorithm, versus): unpaired,
        paired, stated, published, as_in_paper.
    agreement : DataFrame
        Columns what, metric, cells, within, share.
    outside : DataFrame
        Rows of the table that are far from the published values, with ``explanation``.
    standings : DataFrame, default=None
        Columns metric, algorithm; rank, bold, star, and the same ``_published``.
    sizes : DataFrame, default=None
        Columns dataset, rows, features, sizes, same: published class distributions,
        and whether ours are the same.
    notes : sequence of str
        Paragraphs that come first.
    figure : {"agreement", "emphasis", "curve"}
        What is drawn.
    """

    name: str
    title: str
    table: pd.DataFrame
    tests: pd.DataFrame
    agreement: pd.DataFrame
    outside: pd.DataFrame
    standings: pd.DataFrame | None = None
    sizes: pd.DataFrame | None = None
    notes: Sequence[str] = ()
    figure: Literal["agreement", "emphasis", "curve"] = "agreement"


def has_figure(chapter: Chapter) -> bool:
    """Whether there is something to draw."""
    compared = (chapter.agreement["what"] == "all").any()
    return chapter.figure != "agreement" or bool(compared)


_FIGURES = {
    "agreement": (
        "Our means against the published ones, with standard errors; a mean of zero is "
        "not drawn."
    ),
    "emphasis": (
        "Cost, error and recall of the expensive class against its cost; mean and "
        "standard error."
    ),
    "curve": "Test cost and error against softness; mean and standard error.",
}


def chapter_page(chapter: Chapter, claims: pd.DataFrame) -> Page:
    """Tables, agreement, tests and claims of a chapter."""
    blocks: list[Block] = [Text(note) for note in (chapter.title, *chapter.notes)]
    if has_figure(chapter):
        file = f"{FOLDER}/{chapter.name}.svg"
        blocks.append(Figure(file, _FIGURES[chapter.figure]))
    blocks.append(Heading("Results"))
    blocks.append(
        Text("A star marks the best mean, bold what is within its standard error.")
    )
    blocks += tables.paper_tables(chapter.table)
    blocks += _agreement(chapter)
    blocks += _standings(chapter)
    blocks += _tests(chapter)
    own = claims[claims["target"] == chapter.name]
    if len(own):
        blocks.append(Heading("Claims"))
        blocks.append(claim_tables.claims_table(own, chapter.title))
    if chapter.sizes is not None:
        blocks.append(Heading("Class distributions"))
        blocks.append(tables.sizes_table(chapter.sizes))
    blocks.append(Heading("All numbers"))
    if chapter.table["published_mean"].notna().any():
        blocks.append(
            Text(
                "'off by' is ours minus the published mean, in combined standard "
                "errors: sqrt(ours^2 + published^2)."
            )
        )
    blocks.append(tables.beside_table(chapter.table))
    return Page(chapter.name, chapter.name, blocks)


def _agreement(chapter: Chapter) -> list[Block]:
    if not len(chapter.agreement):
        return []
    blocks: list[Block] = [
        Heading("Agreement with the published values"),
        Text(
            "If both are right, 95 % of the means are within two combined standard "
            "errors by chance."
        ),
        tables.agreement_table(chapter.agreement),
    ]
    if len(chapter.outside):
        blocks.append(tables.outside_table(chapter.outside))
    return blocks


def _standings(chapter: Chapter) -> list[Block]:
    if chapter.standings is None:
        return []
    return [
        Heading("Standings"),
        Text(
            "The mean rank of every algorithm over the data sets, and on how many it "
            "is marked bold and with a star; in brackets what follows from the "
            "published numbers."
        ),
        *claim_tables.standings_tables(chapter.standings),
        Text(
            "Kendall's tau between our mean ranks and the published ones, and how "
            "often shuffled names of algorithms give as much: "
            + ", ".join(_tau(chapter.name, chapter.standings))
            + "."
        ),
    ]


def _tau(target: str, standings: pd.DataFrame) -> Iterator[str]:
    for metric, part in standings.groupby("metric", sort=False):
        tau, p = rank_agreement(part, f"{target} {metric}")
        yield f"{metric} {tau:.2f} ({100 * p:.1f} %)"


def _tests(chapter: Chapter) -> list[Block]:
    if not len(chapter.tests):
        return []
    return [
        Heading("Significance"),
        Text(
            "The symbols of the paper's four large tables follow the unpaired "
            "two-sided test at .05. The test that its text states is the last one, "
            "paired and one-tailed at .1; runs share splits and costs, so that it sees "
            "more."
        ),
        *tables.significance_tables(chapter.tests),
    ]
