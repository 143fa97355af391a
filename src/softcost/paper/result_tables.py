"""Tables of a study: in the paper's form, beside published values, tests, verdicts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

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

Row = Mapping[Any, Any]
# Heading of a column, its alignment, and its cell, given a row of a frame.
Field = tuple[str, Literal["left", "right"], Callable[[Row], Cell | str]]
_PLACE: list[Field] = [
    ("data set", "left", lambda row: row["dataset"]),
    ("costs", "left", lambda row: row["costs"]),
    ("algorithm", "left", lambda row: row["algorithm"]),
    ("metric", "left", lambda row: heading(row["metric"], row["unit"])),
]
_PUBLISHED: Field = (
    "published",
    "right",
    lambda row: mean_and_error(row["published_mean"], row["published_se"]),
)


def _table(caption: str, frame: pd.DataFrame, fields: Sequence[Field]) -> PageTable:
    """A table with one line per row of a frame."""
    return PageTable(
        caption,
        [Column(name, align) for name, align, _ in fields],
        [[cell(row) for _, _, cell in fields] for row in frame.to_dict("records")],
    )


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
        for names, group in part.groupby(["dataset", "costs"], sort=False):
            by_name = group.set_index("algorithm").to_dict("index")
            cells = [_marked(by_name.get(name)) for name in algorithms]
            rows.append([*map(str, names), runs_of(group), *cells])
        name = heading(str(metric), units[str(metric)])
        yield PageTable(f"{name}, mean ± standard error", columns, rows)


def _marked(row: Row | None) -> Cell | str:
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
        for metric, is_published in in_paper.items():
            row = by_metric[metric]
            line.append(mean_and_error(row["mean"], row["se"]))
            if is_published:
                line.append(mean_and_error(row["published_mean"], row["published_se"]))
                line.append(signed(row["difference"]))
        rows.append(line)
    caption = "Ours beside the published numbers" if any(in_paper.values()) else "Ours"
    return PageTable(caption, columns, rows)


def agreement_table(agreement: pd.DataFrame) -> PageTable:
    """How many means are near the published ones."""
    fields: list[Field] = [
        ("cells", "left", lambda row: row["what"]),
        ("metric", "left", lambda row: heading(row["metric"], 1.0)),
        ("number", "right", lambda row: str(row["cells"])),
        ("within two", "right", lambda row: str(row["within"])),
        ("share", "right", lambda row: percent(row["share"])),
        ("by chance", "right", lambda row: "95 %"),
    ]
    return _table("Within two combined standard errors", agreement, fields)


def outside_table(outside: pd.DataFrame) -> PageTable:
    """The cells that are not, each with a line of explanation."""
    fields: list[Field] = [
        *_PLACE,
        ("runs", "right", lambda row: str(row["runs"])),
        ("ours", "right", lambda row: mean_and_error(row["mean"], row["se"])),
        _PUBLISHED,
        ("off by", "right", lambda row: signed(row["difference"])),
        ("explanation", "left", lambda row: row["explanation"]),
    ]
    return _table("More than two combined standard errors off", outside, fields)


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
    for names, group in part.groupby(["dataset", "costs"], sort=False):
        answers = {
            (row["algorithm"], row["versus"]): row for row in group.to_dict("records")
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


def _answer(row: Row | None, test: str) -> str:
    if row is None:
        return ""
    said, published = row[test], row["published"]
    differs = test == "unpaired" and isinstance(published, str) and published != said
    return f"{said} (published {published})" if differs else said


def sizes_table(sizes: pd.DataFrame) -> PageTable:
    """The paper's class distributions, and whether ours are the same."""
    fields: list[Field] = [
        ("data set", "left", lambda row: row["dataset"]),
        ("rows", "right", lambda row: str(row["rows"])),
        ("features", "right", lambda row: str(row["features"])),
        ("rows of each class", "left", lambda row: ", ".join(map(str, row["sizes"]))),
        ("ours", "left", lambda row: "the same" if row["same"] else "different"),
    ]
    return _table("Published class distributions", sizes, fields)


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
    balanced = readings[readings["balanced"]]
    groups = list(balanced.groupby(["algorithm", "metric"], sort=False))
    groups += [
        (("all", metric), part)
        for metric, part in balanced.groupby("metric", sort=False)
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
    fields = [
        *_PLACE,
        ("C", "right", lambda row: mean_and_error(row["mean_c"], row["se_c"])),
        ("off by", "right", lambda row: signed(row["difference_c"])),
        (
            "1/C",
            "right",
            lambda row: mean_and_error(row["mean_inverse"], row["se_inverse"]),
        ),
        ("off by", "right", lambda row: signed(row["difference_inverse"])),
        _PUBLISHED,
    ]
    return _table("Both readings beside the published values", readings, fields)


def front_table(front: pd.DataFrame) -> PageTable:
    """The best line for every softness, by scale of the costs."""
    scales = {"raw": "as they are", "divided": "/ 30"}
    fields: list[Field] = [
        ("costs", "left", lambda row: scales[row["scale"]]),
        ("softness", "right", lambda row: f"{row['softness']:g}"),
        ("offset", "right", lambda row: f"{row['b']:.5f}"),
        ("error", "right", lambda row: f"{row['error']:.5f}"),
        ("cost", "right", lambda row: f"{row['cost']:.5f}"),
    ]
    return _table("The best line for every softness", front, fields)


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
    fields: list[Field] = [
        ("no.", "right", lambda row: str(row["number"])),
        ("claim", "left", lambda row: row["claim"]),
        ("counts for", "left", lambda row: _counted(row["subjects"])),
        ("ours", "right", lambda row: _counts(row["ours"], row["of"])),
        (
            "published numbers",
            "right",
            lambda row: _counts(row["published"], row["of"]),
        ),
        ("in the text", "right", lambda row: _counts(row["stated"])),
        ("ours, stated test", "right", lambda row: _counts(row["tested"], row["of"])),
        ("same answer", "right", _same_answer),
        ("by chance", "right", _by_chance),
        ("verdict", "left", lambda r: Cell(r["verdict"], bold=r["verdict"] == ABOVE)),
    ]
    return _table(caption, claims, fields)


def _same_answer(row: Row) -> str:
    if pd.isna(row["same"]):
        return ""
    return f"{row['same']:.0f} of {row['compared']:.0f}"


def _by_chance(row: Row) -> str:
    return "" if pd.isna(row["chance"]) else f"{row['chance']:.1f}"


def _counted(subjects: tuple[tuple[str, ...], ...]) -> str:
    return "/".join(subject[0] for subject in subjects) if len(subjects) > 1 else ""


def _counts(counts: Any, of: Any = None) -> str:
    """``15/15/14/11 of 22``, or ``12/16 of 16/22``."""
    if not isinstance(counts, tuple):
        return ""
    shown = "/".join(map(str, counts))
    if not isinstance(of, tuple):
        return shown
    totals = of[:1] if len(set(of)) == 1 else of
    return f"{shown} of {'/'.join(map(str, totals))}"


def differs_table(claims: pd.DataFrame) -> PageTable:
    """Where ours and the published numbers give other answers."""
    fields: list[Field] = [
        ("no.", "right", lambda row: str(row["number"])),
        ("other answers on", "left", lambda row: row["differs"]),
    ]
    different = claims[claims["differs"].astype(bool)]
    return _table("Where the answers are not the same", different, fields)


def verdict_counts(claims: pd.DataFrame) -> str:
    """``5 clearly above chance; 2 opposite``, most frequent first."""
    words = Counter(str(word).partition(":")[0] for word in claims["verdict"])
    return "; ".join(f"{count} {word}" for word, count in words.most_common())


def standings_tables(standings: pd.DataFrame) -> Iterator[PageTable]:
    """Mean ranks and marks, a table per metric."""
    fields: list[Field] = [
        ("algorithm", "left", lambda row: row["algorithm"]),
        (
            "mean rank",
            "right",
            lambda r: f"{r['rank']:.1f} ({r['rank_published']:.1f})",
        ),
        ("bold on", "right", lambda row: _beside(row, "bold")),
        ("star on", "right", lambda row: _beside(row, "star")),
    ]
    for metric, part in standings.groupby("metric", sort=False):
        yield _table(f"Standings in {heading(str(metric), 1.0)}", part, fields)


def _beside(row: Row, name: str, form: str = "") -> str:
    return f"{row[name]:{form}} ({row[f'{name}_published']:{form}})"
