"""Pages of the report: one per table or figure, and the first page."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from softcost.paper import result_tables
from softcost.paper.claim_verdicts import ABOVE, CHANCE, OPPOSITE, SHUFFLES
from softcost.paper.comparison import rank_agreement
from softcost.paper.document import (
    Block,
    Column,
    Figure,
    Heading,
    Link,
    Page,
    PageTable,
    Text,
    heading,
    mean_and_error,
    percent,
    signed,
)
from softcost.paper.findings import Overview

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
    blocks += result_tables.paper_tables(chapter.table)
    blocks += _agreement(chapter)
    blocks += _standings(chapter)
    blocks += _tests(chapter)
    chapter_claims = claims[claims["target"] == chapter.name]
    if len(chapter_claims):
        blocks.append(Heading("Claims"))
        blocks.append(result_tables.claims_table(chapter_claims, chapter.title))
    if chapter.sizes is not None:
        blocks.append(Heading("Class distributions"))
        blocks.append(result_tables.sizes_table(chapter.sizes))
    blocks.append(Heading("All numbers"))
    if chapter.table["published_mean"].notna().any():
        blocks.append(
            Text(
                "'off by' is ours minus the published mean, in combined standard "
                "errors: sqrt(ours^2 + published^2)."
            )
        )
    blocks.append(result_tables.beside_table(chapter.table))
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
        result_tables.agreement_table(chapter.agreement),
    ]
    if len(chapter.outside):
        blocks.append(result_tables.outside_table(chapter.outside))
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
        *result_tables.standings_tables(chapter.standings),
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
        *result_tables.significance_tables(chapter.tests),
    ]


# Pages that do not belong to a single table or figure.


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
        blocks.append(result_tables.claims_table(part, "The paper's claims"))
    blocks.append(Heading("Other answers"))
    blocks.append(result_tables.differs_table(claims))
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
        result_tables.front_table(artificial.front),
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
        result_tables.readings_summary(readings),
        result_tables.readings_table(readings),
    ]
    return Page("lambda", "lambda", blocks)


# The first page: what was run, and how close the results are to the published ones.


_ROWS = {
    "tables": "the tables here",
    "rule": "costs by class sizes on all sets, the rule of the paper's text",
    "all runs": "all runs in the file, more than the paper has",
}


def home_page(study: Study) -> Page:
    """Contents, agreement, choices and explanations, all counts from the results."""
    blocks: list[Block] = [Text(fact) for fact in study.facts]
    blocks.append(_contents(study))
    blocks += _near(study)
    blocks += _claims(study)
    blocks += _choices(study)
    blocks += _differences(study)
    return Page("index", study.title, blocks)


def _contents(study: Study) -> PageTable:
    rows = [
        (
            Link("artificial", "artificial"),
            "The introductory figures: lines between two classes.",
            "exact",
            "",
            "",
        )
    ]
    rows += [_line(chapter, study.claims) for chapter in study.chapters]
    if study.readings is not None:
        runs = str(study.readings["runs_inverse"].max())
        what = "The parameter lambda, read as C and as 1/C."
        rows.append((Link("lambda", "lambda"), what, runs, "", ""))
    return result_tables.contents_table(rows)


def _line(chapter: Chapter, claims: pd.DataFrame) -> tuple[Link, str, str, str, str]:
    near = chapter.agreement
    shares = [
        f"{row['metric'].replace('_', ' ')} {percent(row['share'])}"
        for row in near[near["what"] == "all"].to_dict("records")
    ]
    verdicts = claims[claims["target"] == chapter.name]["verdict"]
    n_testable = int(verdicts.isin([ABOVE, CHANCE, OPPOSITE]).sum())
    return (
        Link(chapter.name, chapter.name),
        chapter.title,
        result_tables.runs_of(chapter.table),
        ", ".join(shares),
        f"{int((verdicts == ABOVE).sum())} of {n_testable}" if n_testable else "",
    )


def _near(study: Study) -> list[Block]:
    near = study.overview.near
    if near.empty:
        return []
    places = list(dict.fromkeys(zip(near["target"], near["metric"], strict=True)))
    counts = {
        (row["what"], row["target"], row["metric"]): row
        for row in near.to_dict("records")
    }
    columns = [Column("", "left"), *(Column(f"{t}: {m}") for t, m in places)]
    rows = [
        [_ROWS[what], *(_share(counts.get((what, *place))) for place in places)]
        for what in dict.fromkeys(near["what"])
    ]
    return [
        Heading("How near it is"),
        Text(
            "Over OVA, OVO, OSR, soft-OSR, CSOVO and soft-CSOVO, whose details are all "
            "known, on the sets without rare classes: means within two combined "
            "standard errors of the published ones. If both are right, 95 % are by "
            "chance. More runs make standard errors smaller, so that smaller "
            "differences show. Each mean that is further off is on its page, with an "
            "explanation where there is one."
        ),
        PageTable("Means within two combined standard errors", columns, rows),
    ]


def _share(row: dict[Hashable, Any] | None) -> str:
    if row is None:
        return ""
    return f"{row['within']} of {row['cells']} ({percent(row['share'])})"


def _claims(study: Study) -> list[Block]:
    return [
        Heading("Which claims hold"),
        Text(
            f"The paper's {len(study.claims)} claims, numbered, are on the page of ",
            Link("verdicts", "verdicts"),
            f": {result_tables.verdict_counts(study.claims)}. In the contents, 'claims "
            "above chance' are out of those of which shuffling can tell.",
        ),
    ]


def _choices(study: Study) -> list[Block]:
    near = study.overview.near
    blocks: list[Block] = [
        Heading("What was chosen with the published numbers in view"),
        Text(
            "Three things that the paper does not say, or says in another way, were "
            "chosen here after a look at its numbers: the order of the leaves of "
            "filter trees, which is drawn in each run (benchmarks/leaf_order.py); "
            "costs drawn without class sizes ('plain') on the eight sets of the "
            "paper's short version; and the range of consistent costs, by the ratio of "
            "the larger class to the smaller, not the inverse one of the text."
        ),
    ]
    by_rule = near[near["what"] == "rule"] if len(near) else near
    if len(by_rule):
        counts = {row["metric"]: _share(row) for row in by_rule.to_dict("records")}
        blocks.append(
            Text(
                "With costs by class sizes on these eight sets, too, as the text has "
                "it, the table above would say of inconsistent costs: "
                + ", ".join(f"{metric} {count}" for metric, count in counts.items())
                + "."
            )
        )
    return blocks


def _differences(study: Study) -> list[Block]:
    parts = [*_usps(study), *_rare_classes(study), *_consistent(study)]
    parts += [*_lambda(study), *_kdd(study)]
    blocks: list[Block] = [Heading("What is behind the differences"), *parts]
    open_cells = study.overview.open_cells
    if len(open_cells):
        blocks.append(
            Text(
                f"{int(open_cells['cells'].sum())} means are more than two combined "
                "standard errors off, and none of the explanations holds for them:"
            )
        )
        blocks.append(_open_table(open_cells))
    return blocks if len(blocks) > 1 else []


def _open_table(open_cells: pd.DataFrame) -> PageTable:
    rows = [
        [
            str(target),
            str(part["cells"].sum()),
            ", ".join(f"{r['dataset']} {r['cells']}" for r in part.to_dict("records")),
        ]
        for target, part in open_cells.groupby("target", sort=False)
    ]
    columns = [Column("target", "left"), Column("means"), Column("on", "left")]
    return PageTable("Means without explanation", columns, rows)


def _mean_of(
    study: Study, target: str, dataset: str, algorithm: str, metric: str
) -> dict[Hashable, Any] | None:
    """The row of a chapter's table, where there is one as in the paper."""
    for chapter in study.chapters:
        table = chapter.table
        if chapter.name == target:
            rows = table[
                table["as_in_paper"]
                & (table["dataset"] == dataset)
                & (table["algorithm"] == algorithm)
                & (table["metric"] == metric)
            ].to_dict("records")
            return rows[0] if rows else None
    return None


def _usps(study: Study) -> Iterator[Text]:
    row = _mean_of(study, "inconsistent", "usps", "OVA", "error")
    if row is not None:
        yield Text(
            f"usps: OVA errs on {row['mean']:.2f} %, published is "
            f"{row['published_mean']:.2f} %. A Gaussian kernel errs as published, for "
            "six algorithms in both tables (benchmarks/other_kernel.py); the costs and "
            "the errors of filter trees and CSZL, which were not run with it, probably "
            "have the same reason. It is not so on mfeat and splice, run as a control. "
            "The tables have the perceptron kernel, which the paper names for all sets."
        )


def _rare_classes(study: Study) -> Iterator[Text]:
    costs = study.overview.error_costs
    if costs.empty:
        return
    by_size = costs[
        (costs["target"] == "inconsistent") & (costs["costs"] == "class-ratio")
    ]
    other = by_size[by_size["other"]]
    if other.empty:
        return
    far = by_size[~by_size["near"].astype(bool)]
    text = (
        f"Costs by class sizes: on {len(other)} of {len(by_size)} sets "
        f"({', '.join(other['dataset'])}) an error of OVA has another cost in the "
        f"paper, {other['ratio'].min():.2g} to {other['ratio'].max():.2g} times ours. "
        "Hard and soft algorithms see other costs there than the paper's. It looks as "
        "if the sizes had been attached to the wrong classes "
        "(benchmarks/class_sizes.py): a guess made after about a dozen other rules, "
        "with an order free for each set."
    )
    if len(far):
        errors = [
            f"{row['dataset']} {row['error']:.1f} % against "
            f"{row['published_error']:.1f}"
            for row in far.to_dict("records")
        ]
        text += f" OVA itself errs as published, but for {', '.join(errors)}."
    yield Text(text)


def _consistent(study: Study) -> Iterator[Text]:
    costs = study.overview.error_costs
    consistent = costs[costs["target"] == "consistent"] if len(costs) else costs
    if len(consistent):
        yield Text(
            f"Consistent costs: on {int(consistent['other'].sum())} of "
            f"{len(consistent)} sets an error of OVA has another cost in the paper. "
            "Class weights that were drawn once for each set would scatter like that "
            "(benchmarks/consistent_costs.py); they are drawn in each run here, and "
            "the paper's cannot be known."
        )


def _lambda(study: Study) -> Iterator[Text]:
    if study.readings is None:
        return
    errors = study.readings[study.readings["balanced"]]
    errors = errors[errors["metric"] == "error"]
    if len(errors):
        yield Text(
            "lambda may be C or 1/C: ",
            Link("both", "lambda"),
            " were run on sets without rare classes. With C "
            f"{int(errors['near_c'].sum())} of {len(errors)} mean errors are within "
            "two combined standard errors, with 1/C "
            f"{int(errors['near_inverse'].sum())}.",
        )


def _kdd(study: Study) -> Iterator[Text]:
    if not any(chapter.name == "kdd99" for chapter in study.chapters):
        yield Text("kdd99 and kdd99-balanced: not run yet.")
        return
    for metric in ("error", "cost"):
        row = _mean_of(study, "kdd99", "kdd99", "soft-OSR", metric)
        if row is not None:
            yield Text(
                f"kdd99, soft-OSR, {heading(metric, row['unit'])}: "
                f"{mean_and_error(row['mean'], row['se'])} in {row['runs']} runs, "
                f"{mean_and_error(row['published_mean'], row['published_se'])} is "
                f"published, off by {signed(row['difference'])} combined standard "
                "errors."
            )
