"""Tables of a study: in the paper's form, beside published values, tests, verdicts."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from softcost.paper.claim_verdicts import ABOVE
from softcost.paper.document import (
    Cell,
    Column,
    Link,
    PageTable,
    heading,
    mean_and_error,
    percent,
    signed,
)

_NAMES = [Column("data set", "left"), Column("costs", "left")]
_ANSWERS = ("better", "=", "worse")


def paper_tables(table: pd.DataFrame) -> Iterator[PageTable]:
    """One table per metric: a row per data set, a column per algorithm.

    Parameters
    ----------
    table : DataFrame
        One row per data set, costs, algorithm and metric, with mean, se, runs, bold
        and star.
    """
    algorithms = list(dict.fromkeys(table["algorithm"]))
    units = dict(zip(table["metric"], table["unit"], strict=True))
    columns = [*_NAMES, Column("runs"), *(Column(name) for name in algorithms)]
    for metric, part in table.groupby("metric", sort=False):
        rows = []
        for names, own in part.groupby(["dataset", "costs"], sort=False):
            by_name = own.set_index("algorithm").to_dict("index")
            cells = [_marked(by_name.get(name)) for name in algorithms]
            rows.append([*map(str, names), runs_of(own), *cells])
        name = heading(str(metric), units[str(metric)])
        yield PageTable(f"{name}, mean ± standard error", columns, rows)


def _marked(row: Mapping[Any, Any] | None) -> Cell | str:
    if row is None:
        return ""
    shown = mean_and_error(row["mean"], row["se"])
    return Cell(shown, bold=bool(row["bold"]), star=bool(row["star"]))


def runs_of(part: pd.DataFrame) -> str:
    """How many runs the rows of a table have: ``20``, or ``5-20``."""
    least, most = part["runs"].min(), part["runs"].max()
    return str(least) if least == most else f"{least}-{most}"


def beside_table(table: pd.DataFrame) -> PageTable:
    """A row per data set and algorithm: ours, the published values, the difference.

    Parameters
    ----------
    table : DataFrame
        From `summarize`.

    Returns
    -------
    PageTable
        To be set as Markdown or HTML.

    See Also
    --------
    summarize : One row per data set, kind of costs, algorithm and metric.
    write_report : Read results, compare them with the published values, write the
        pages.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import beside_table, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce(
    ...         "inconsistent", f"{folder}/results.sqlite",
    ...         datasets=["iris"], algorithms=["OVA"], runs=1,
    ...     )
    >>> len(beside_table(found.table).rows)
    1
    """
    metrics = dict(zip(table["metric"], table["unit"], strict=True))
    in_paper = {
        metric: bool(table["published_mean"][table["metric"] == metric].notna().any())
        for metric in metrics
    }
    columns = [*_NAMES, Column("algorithm", "left"), Column("runs")]
    for metric, unit in metrics.items():
        columns.append(Column(heading(metric, unit)))
        if in_paper[metric]:
            columns += [Column("published"), Column("off by")]
    rows: list[list[Cell | str]] = []
    for names, part in table.groupby(["dataset", "costs", "algorithm"], sort=False):
        by_metric = part.set_index("metric").to_dict("index")
        line: list[Cell | str] = [*map(str, names), runs_of(part)]
        for metric, known in in_paper.items():
            row = by_metric[metric]
            line.append(mean_and_error(row["mean"], row["se"]))
            if known:
                line.append(mean_and_error(row["published_mean"], row["published_se"]))
                line.append(signed(row["difference"]))
        rows.append(line)
    caption = "Ours beside the published numbers" if any(in_paper.values()) else "Ours"
    return PageTable(caption, columns, rows)


def agreement_table(agreement: pd.DataFrame) -> PageTable:
    """How many means are near the published ones."""
    columns = [
        Column("cells", "left"),
        Column("metric", "left"),
        Column("number"),
        Column("within two"),
        Column("share"),
        Column("by chance"),
    ]
    rows = [
        [
            row["what"],
            heading(row["metric"], 1.0),
            str(row["cells"]),
            str(row["within"]),
            percent(row["share"]),
            "95 %",
        ]
        for row in agreement.to_dict("records")
    ]
    return PageTable("Within two combined standard errors", columns, rows)


def outside_table(outside: pd.DataFrame) -> PageTable:
    """The cells that are not, each with a line of explanation."""
    columns = [
        *_NAMES,
        Column("algorithm", "left"),
        Column("metric", "left"),
        Column("runs"),
        Column("ours"),
        Column("published"),
        Column("off by"),
        Column("explanation", "left"),
    ]
    rows = [
        [
            row["dataset"],
            row["costs"],
            row["algorithm"],
            heading(row["metric"], row["unit"]),
            str(row["runs"]),
            mean_and_error(row["mean"], row["se"]),
            mean_and_error(row["published_mean"], row["published_se"]),
            signed(row["difference"]),
            row["explanation"],
        ]
        for row in outside.to_dict("records")
    ]
    return PageTable("More than two combined standard errors off", columns, rows)


def significance_tables(tests: pd.DataFrame) -> Iterator[PageTable]:
    """Three tables per metric: unpaired tests, with published answers, and two paired.

    Parameters
    ----------
    tests : DataFrame
        Columns dataset, costs, metric, algorithm, versus, unpaired, paired, stated,
        published, as_in_paper.
    """
    captions = {
        "unpaired": "unpaired t-test, two-sided .05",
        "paired": "paired t-test, two-sided .05",
        "stated": "the stated test: paired, one-tailed .1",
    }
    for metric, part in tests.groupby("metric", sort=False):
        for test, words in captions.items():
            caption = f"{heading(str(metric), 1.0)}, {words}"
            yield _test_table(part, test, caption)


def _test_table(part: pd.DataFrame, test: str, caption: str) -> PageTable:
    pairs = list(dict.fromkeys(zip(part["algorithm"], part["versus"], strict=True)))
    rows: list[list[Cell | str]] = []
    for names, own in part.groupby(["dataset", "costs"], sort=False):
        answers = {
            (row["algorithm"], row["versus"]): row for row in own.to_dict("records")
        }
        cells = [_answer(answers.get(pair), test) for pair in pairs]
        rows.append([*map(str, names), *cells])
    counted = part[part["as_in_paper"]].groupby(["algorithm", "versus"])
    counts = counted[test].value_counts()
    summary = [
        ", ".join(f"{counts.get((*pair, word), 0)} {word}" for word in _ANSWERS)
        for pair in pairs
    ]
    if part["as_in_paper"].any():
        rows.append(["all", "as in the paper", *summary])
    columns = [*_NAMES, *(Column(f"{a} against {b}", "left") for a, b in pairs)]
    return PageTable(caption, columns, rows)


def _answer(row: Mapping[Any, Any] | None, test: str) -> str:
    if row is None:
        return ""
    said, published = row[test], row["published"]
    differs = test == "unpaired" and isinstance(published, str) and published != said
    return f"{said} (published {published})" if differs else said


def sizes_table(sizes: pd.DataFrame) -> PageTable:
    """The paper's class distributions, and whether ours are the same."""
    columns = [Column("data set", "left"), Column("rows"), Column("features")]
    columns += [Column("rows of each class", "left"), Column("ours", "left")]
    rows = [
        [
            row["dataset"],
            str(row["rows"]),
            str(row["features"]),
            ", ".join(map(str, row["sizes"])),
            "the same" if row["same"] else "different",
        ]
        for row in sizes.to_dict("records")
    ]
    return PageTable("Published class distributions", columns, rows)


def readings_summary(readings: pd.DataFrame) -> PageTable:
    """How near both readings are to the paper, on sets without rare classes."""
    columns = [
        Column("algorithm", "left"),
        Column("metric", "left"),
        Column("cells"),
        Column("C: within two"),
        Column("1/C: within two"),
        Column("C: mean square off by"),
        Column("1/C: mean square off by"),
        Column("1/C is nearer"),
    ]
    known = readings[readings["balanced"]]
    groups = list(known.groupby(["algorithm", "metric"], sort=False))
    groups += [
        (("all", metric), part) for metric, part in known.groupby("metric", sort=False)
    ]
    rows = []
    for names, part in groups:
        c, inverse = part["difference_c"], part["difference_inverse"]
        rows.append(
            [
                *map(str, names),
                str(len(part)),
                str(part["near_c"].sum()),
                str(part["near_inverse"].sum()),
                f"{(c**2).mean():.1f}",
                f"{(inverse**2).mean():.1f}",
                str((inverse.abs() < c.abs()).sum()),
            ]
        )
    return PageTable("The two readings, on sets without rare classes", columns, rows)


def readings_table(readings: pd.DataFrame) -> PageTable:
    """Both readings beside the paper's, a row per data set, algorithm and metric."""
    columns = [*_NAMES, Column("algorithm", "left"), Column("metric", "left")]
    columns += [Column("C"), Column("off by"), Column("1/C"), Column("off by")]
    columns.append(Column("published"))
    rows = [
        [
            row["dataset"],
            row["costs"],
            row["algorithm"],
            heading(row["metric"], row["unit"]),
            mean_and_error(row["mean_c"], row["se_c"]),
            signed(row["difference_c"]),
            mean_and_error(row["mean_inverse"], row["se_inverse"]),
            signed(row["difference_inverse"]),
            mean_and_error(row["published_mean"], row["published_se"]),
        ]
        for row in readings.to_dict("records")
    ]
    return PageTable("Both readings beside the published values", columns, rows)


def front_table(front: pd.DataFrame) -> PageTable:
    """The best line for every softness, by scale of the costs."""
    columns = [Column("costs", "left"), Column("softness"), Column("offset")]
    columns += [Column("error"), Column("cost")]
    scales = {"raw": "as they are", "divided": "/ 30"}
    rows = [
        [
            scales[row["scale"]],
            f"{row['softness']:g}",
            *(f"{row[name]:.5f}" for name in ("b", "error", "cost")),
        ]
        for row in front.to_dict("records")
    ]
    return PageTable("The best line for every softness", columns, rows)


def contents_table(rows: list[tuple[Link, str, str, str, str]]) -> PageTable:
    """What the report has: page, runs, agreement and verdicts of every target."""
    columns = [
        Column("target", "left"),
        Column("what it is", "left"),
        Column("runs"),
        Column("means within two"),
        Column("claims above chance"),
    ]
    return PageTable("Contents", columns, [[Cell(row[0]), *row[1:]] for row in rows])


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
