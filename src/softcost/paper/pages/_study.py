"""The report of a study: what it shows, and the pages that are not of one table."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from softcost.paper.findings import SHUFFLES, Overview
from softcost.paper.pages import _claim_tables as claim_tables
from softcost.paper.pages import _tables as tables
from softcost.paper.pages._chapter import FOLDER, Chapter
from softcost.paper.pages._document import Block, Figure, Heading, Page, Text


@dataclass(frozen=True)
class Artificial:
    """The two introductory figures: examples, lines, and the best of the lines."""

    points: pd.DataFrame
    lines: pd.DataFrame
    front: pd.DataFrame


@dataclass(frozen=True)
class Study:
    """All that a report shows.

    Attributes
    ----------
    title : str
    chapters : sequence of Chapter
    artificial : Artificial
    claims : DataFrame
        From `verdicts`: every claim of the paper, in order.
    overview : Overview
        The numbers of the first page.
    readings : DataFrame or None
        The paper's lambda read as C and as 1/C: one row per data set, costs,
        algorithm and metric, with unit, published_mean, published_se, balanced (no rare
        class), and runs, mean, se, difference and near with the endings ``_c`` and
        ``_inverse``.
    facts : sequence of str
        Paragraphs of what was run.
    command : str
        What makes this report.
    """

    title: str
    chapters: Sequence[Chapter]
    artificial: Artificial
    claims: pd.DataFrame
    overview: Overview
    readings: pd.DataFrame | None = None
    facts: Sequence[str] = ()
    command: str = ""


def verdicts_page(claims: pd.DataFrame) -> Page:
    """Every claim of the paper in one table."""
    blocks: list[Block] = [
        Text(
            "Every claim is a question that a table of means and standard errors "
            "answers with yes or no for each data set; ours and the published table, "
            "without its known misprints, are asked the same. 'Clearly' means by an "
            "unpaired two-sided test at .05, which the paper's symbols follow; the "
            "column 'ours, stated test' has it by the test that its text states, "
            "paired and one-tailed at .1, which only runs can answer. 'In the text' "
            "are the counts that the paper tells."
        ),
        Text(
            "'Same answer' counts the data sets on which ours and the published "
            "numbers say the same, 'by chance' what is to be expected if our data sets "
            f"are shuffled ({SHUFFLES} times, with a fixed seed). A claim is 'clearly "
            "above chance' if fewer than 5 % of the shuffles have as many, 'opposite' "
            "if fewer than 5 % have as few. Shuffling cannot tell where no arrangement "
            "of these answers would be so rare, as when one side says yes on all sets: "
            "then the verdict is only whether the counts are the same. Of claims on "
            "which both agree by chance alone, one in twenty is called clearly above "
            "it."
        ),
        Text(
            "Where the paper has no numbers that can be asked, as it shows a figure or "
            "as they are misprints, it counts as claimed for every set; 'by chance' is "
            "then what a coin would give, where there is one."
        ),
    ]
    for target, part in claims.groupby("target", sort=False):
        blocks.append(Heading(str(target)))
        blocks.append(claim_tables.claims_table(part, "The paper's claims"))
    blocks.append(Heading("Other answers"))
    blocks.append(claim_tables.differs_table(claims))
    return Page("verdicts", "verdicts", blocks)


def artificial_page(artificial: Artificial) -> Page:
    """The introductory figures."""
    blocks: list[Block] = [
        Text(
            "Two Gaussian classes in the plane; to take a 2 for a 1 costs 30, the "
            "other mistake costs 1. Error and cost of every line are exact, nothing "
            "is estimated."
        ),
        Figure(
            f"{FOLDER}/artificial-classes.svg",
            "Examples of the two classes; the lines of least cost and of least error, "
            "and one between them.",
        ),
        Figure(
            f"{FOLDER}/artificial-lines.svg",
            "Error and cost of lines in all directions; the best line for each "
            "softness, with costs as they are and divided by 30.",
        ),
        tables.front_table(artificial.front),
    ]
    return Page("artificial", "artificial", blocks)


def readings_page(readings: pd.DataFrame) -> Page:
    """The paper's lambda, read in two ways."""
    blocks: list[Block] = [
        Text(
            "The paper chooses a parameter lambda from 2^-2, 2^1, ..., 2^10 and does "
            "not say whether it is the C of support vector machines or its inverse. "
            "All other pages read it as C; here is the table of inconsistent costs "
            "with both, on the same splits and costs, where both were run. If a "
            "reading is the paper's, the mean square of 'off by' should be about 1; "
            "where a class has a few examples only, costs differ too much to tell."
        ),
        tables.readings_summary(readings),
        tables.readings_table(readings),
    ]
    return Page("lambda", "lambda", blocks)
