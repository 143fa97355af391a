"""The report of a study: pages of tables, figures and verdicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from softcost.paper.pages import _figures as figures
from softcost.paper.pages import _tables as tables
from softcost.paper.pages._document import (
    STYLE,
    Block,
    Figure,
    Heading,
    Link,
    Page,
    Text,
    to_html,
    to_markdown,
)
from softcost.paper.pages._numbers import percent

_FOLDER = "figures"


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
        paired, published, as_in_paper.
    agreement : DataFrame
        Columns what, metric, cells, within, share.
    outside : DataFrame
        Rows of the table that are far from the published values, with ``explanation``.
    verdicts : DataFrame
        Columns claim, algorithm, versus, holds, published_holds, same, of, verdict,
        not_on.
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
    verdicts: pd.DataFrame
    notes: Sequence[str] = ()
    figure: Literal["agreement", "emphasis", "curve"] = "agreement"


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
    readings: pd.DataFrame | None = None
    facts: Sequence[str] = ()
    command: str = ""


def write_study(study: Study, directory: Any) -> list[Path]:
    """Write a report as Markdown and HTML, with figures as SVG.

    Parameters
    ----------
    study : Study
    directory : path-like
        Made where it does not exist; files of the same names are replaced.

    Returns
    -------
    list of Path
        The files.
    """
    if find_spec("matplotlib") is None:
        raise ImportError("a report needs matplotlib: pip install 'softcost[plot]'.")
    folder = Path(directory)
    (folder / _FOLDER).mkdir(parents=True, exist_ok=True)
    pages = [_index(study), _verdicts(study), _artificial(study)]
    pages += [_chapter(chapter) for chapter in study.chapters]
    if study.readings is not None:
        pages.append(_readings(study.readings))
    titles = [(page.name, page.name) for page in pages]
    written = [folder / STYLE, *_draw(study, folder)]
    style = files("softcost.paper.pages").joinpath("study.css")
    written[0].write_bytes(style.read_bytes())
    for page in pages:
        for ending, content in (
            ("md", to_markdown(page, study.command)),
            ("html", to_html(page, titles, study.command)),
        ):
            path = folder / f"{page.name}.{ending}"
            path.write_text(content, encoding="utf-8")
            written.append(path)
    return written


def _draw(study: Study, folder: Path) -> Iterator[Path]:
    own = study.artificial
    classes = folder / _FOLDER / "artificial-classes.svg"
    figures.save(classes, figures.classes_figure, own.points, own.front)
    lines = folder / _FOLDER / "artificial-lines.svg"
    figures.save(lines, figures.lines_figure, own.lines, own.front)
    yield from (classes, lines)
    kinds = {
        "agreement": figures.agreement_figure,
        "emphasis": figures.emphasis_figure,
        "curve": figures.curve_figure,
    }
    for chapter in study.chapters:
        if _has_figure(chapter):
            path = folder / _FOLDER / f"{chapter.name}.svg"
            figures.save(path, kinds[chapter.figure], chapter.table)
            yield path


def _has_figure(chapter: Chapter) -> bool:
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


def _chapter(chapter: Chapter) -> Page:
    blocks: list[Block] = [Text(note) for note in (chapter.title, *chapter.notes)]
    if _has_figure(chapter):
        file = f"{_FOLDER}/{chapter.name}.svg"
        blocks.append(Figure(file, _FIGURES[chapter.figure]))
    blocks.append(Heading("Results"))
    blocks.append(
        Text("A star marks the best mean, bold what is within its standard error.")
    )
    blocks += tables.paper_tables(chapter.table)
    if len(chapter.agreement):
        blocks.append(Heading("Agreement with the published values"))
        blocks.append(tables.agreement_table(chapter.agreement))
        if len(chapter.outside):
            blocks.append(tables.outside_table(chapter.outside))
    if len(chapter.tests):
        blocks.append(Heading("Significance"))
        blocks.append(
            Text(
                "The symbols of the paper's four big tables follow the unpaired test; "
                "runs share splits and costs, so that the paired one sees more."
            )
        )
        blocks += tables.significance_tables(chapter.tests)
    if len(chapter.verdicts):
        blocks.append(Heading("Claims"))
        blocks.append(tables.verdict_table(chapter.verdicts, chapter.title))
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


def _verdicts(study: Study) -> Page:
    blocks: list[Block] = [
        Text(
            "Every claim is a question that a table of means and standard errors "
            "answers with yes or no for each data set; ours and the published table, "
            "without its known misprints, are asked the same. 'Clearly' means by an "
            "unpaired two-sided test at .05. 'Same answer' counts the data sets on "
            "which both say the same, and the verdict is 'agrees' where these are more "
            "than half. What the paper shows in a figure has no published numbers and "
            "counts as claimed for every data set."
        )
    ]
    for chapter in study.chapters:
        if len(chapter.verdicts):
            blocks.append(Heading(chapter.name))
            blocks.append(tables.verdict_table(chapter.verdicts, chapter.title))
    return Page("verdicts", "verdicts", blocks)


def _artificial(study: Study) -> Page:
    front = study.artificial.front
    blocks: list[Block] = [
        Text(
            "Two Gaussian classes in the plane; to take a 2 for a 1 costs 30, the "
            "other mistake costs 1. Error and cost of every line are exact, nothing "
            "is estimated."
        ),
        Figure(
            f"{_FOLDER}/artificial-classes.svg",
            "Examples of the two classes; the lines of least cost and of least error, "
            "and one between them.",
        ),
        Figure(
            f"{_FOLDER}/artificial-lines.svg",
            "Error and cost of lines in all directions; the best line for each "
            "softness, with costs as they are and divided by 30.",
        ),
        tables.front_table(front),
    ]
    return Page("artificial", "artificial", blocks)


def _readings(readings: pd.DataFrame) -> Page:
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


def _index(study: Study) -> Page:
    blocks: list[Block] = [Text(fact) for fact in study.facts]
    rows = [
        (
            Link("artificial", "artificial"),
            "The introductory figures: lines between two classes.",
            "exact",
            "",
            "",
        )
    ]
    rows += [_contents(chapter) for chapter in study.chapters]
    if study.readings is not None:
        link = Link("lambda", "lambda")
        runs = study.readings["runs_inverse"].max()
        rows.append(
            (link, "The parameter lambda, read as C and as 1/C.", str(runs), "", "")
        )
    blocks.append(tables.contents_table(rows))
    blocks.append(
        Text(
            "Which claims of the paper hold in these runs: see ",
            Link("the verdicts", "verdicts"),
            ". 'Means near' are those within two combined standard errors; "
            "'questions answered alike' are claims on which ours and the published "
            "numbers agree, counted by algorithm.",
        )
    )
    return Page("index", study.title, blocks)


def _contents(chapter: Chapter) -> tuple[Link, str, str, str, str]:
    near = chapter.agreement
    shares = [
        f"{row['metric'].replace('_', ' ')} {percent(row['share'])}"
        for row in near[near["what"] == "all"].to_dict("records")
    ]
    agree = int((chapter.verdicts["verdict"] == "agrees").sum())
    total = len(chapter.verdicts)
    return (
        Link(chapter.name, chapter.name),
        chapter.title,
        tables.runs_of(chapter.table),
        ", ".join(shares),
        f"{agree} of {total}" if total else "",
    )
