"""``softcost fit``: from a table and a price list to a model."""

from typing import Any

import click

from softcost.cli.console import check_files, read_recalls, read_tolerance
from softcost.cli.train._names import (
    LEARNERS,
    REDUCTIONS,
    criteria_help,
    reductions_help,
)
from softcost.search.criteria import CRITERIA


def _softness(context: Any, option: Any, text: str) -> int | list[float]:
    """``11`` asks for eleven values, ``0,0.3,1`` for these; 0 and 1 are values."""
    try:
        if text.strip().isdecimal() and int(text) > 1:
            return int(text)
        values = sorted({float(part) for part in text.split(",") if part.strip()})
        if values and all(0 <= value <= 1 for value in values):
            return values
    except ValueError:
        pass
    raise click.BadParameter(
        f"{text!r} is neither a count such as 11 nor values from 0 to 1 such as 0,0.3,1"
    )


def _names_of(known: tuple[str, ...]) -> Any:
    """A callback for one of the known names, or several with commas between them."""

    def parse(context: Any, option: Any, text: str | None) -> tuple[str, ...]:
        if text is None:
            return ()
        names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        for name in names:
            if name not in known:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(known)}")
        if "auto" in names and len(names) > 1:
            raise click.BadParameter("auto stands for itself, without other names")
        return names

    return parse


def _test_size(context: Any, option: Any, value: float | None) -> float | None:
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"{value:g} is not a share between 0 and 1")
    return value


def _actions(context: Any, option: Any, texts: tuple[str, ...]) -> dict[str, float]:
    """``ask:0.3``, as often as there are actions."""
    actions: dict[str, float] = {}
    for text in texts:
        name, colon, price = text.rpartition(":")
        try:
            value = float(price)
        except ValueError:
            value = float("inf")
        if not colon or not name.strip() or not abs(value) < float("inf"):
            raise click.BadParameter(f"{text!r} is not of the form NAME:PRICE")
        if name.strip() in actions:
            raise click.BadParameter(f"{name.strip()!r} has two prices; give one")
        actions[name.strip()] = value
    return actions


def _confidence(context: Any, option: Any, value: float | None) -> float | None:
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"{value:g} is not between 0 and 1, such as 0.95")
    return value


def _params(
    context: Any, option: Any, texts: tuple[str, ...]
) -> dict[str, list[Any]] | None:
    """``C=16`` or ``C=1,16``, as often as there are parameters."""
    grid = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE[,VALUE]")
        grid[name.strip()] = [_value(part) for part in values.split(",")]
    return grid or None


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    words = {"true": True, "false": False, "none": None}
    return words.get(text.strip().lower(), text.strip())


@click.command(epilog=reductions_help())
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option("--costs", metavar="FILE", help="Price list by class: CSV, JSON, ...")
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Prices by row, in columns called PREFIX and the name of a class.",
)
@click.option(
    "--action",
    multiple=True,
    callback=_actions,
    metavar="NAME:PRICE",
    help="What else may be done than answer, and its price, such as ask:0.3.",
)
@click.option("--drop", multiple=True, metavar="COLS", help="Leave columns out: a,b.")
@click.option("--nominal", multiple=True, metavar="COLS", help="Read them as words.")
@click.option("--number", multiple=True, metavar="COLS", help="Read them as numbers.")
@click.option(
    "--date",
    multiple=True,
    metavar="COLS[=ORDER]",
    help="Read them as dates; ORDER is dmy, mdy or ymd.",
)
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="What 1.234 and 1,234 mean; found out where it is not said.",
)
@click.option(
    "--missing", multiple=True, metavar="WORDS", help="Cells that say nothing: -9,none."
)
@click.option(
    "--reduction",
    callback=_names_of(REDUCTIONS),
    metavar="NAMES",
    help="Which algorithm, or several; they are listed below. By default auto, or one "
    "that goes with --learner and --param.",
)
@click.option(
    "--learner",
    default="auto",
    show_default=True,
    callback=_names_of(LEARNERS),
    metavar="NAMES",
    help="svm, linear, nystroem, boosting, or several; auto: one for each reduction, "
    "svm up to 15000 rows.",
)
@click.option(
    "--param",
    multiple=True,
    callback=_params,
    metavar="NAME=VALUES",
    help="Values of the learner's parameter to try, such as C=1,16.",
)
@click.option(
    "--criterion",
    type=click.Choice(tuple(CRITERIA)),
    help=f"Selection rule [default: cost]. {criteria_help()}.",
)
@click.option(
    "--max-error",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="The least cost with at most this error, such as 0.05.",
)
@click.option(
    "--min-recall",
    multiple=True,
    callback=read_recalls,
    metavar="CLASS=RATE",
    help="The least cost that finds this share of a class, such as fraud=0.9.",
)
@click.option(
    "--confidence",
    type=float,
    callback=_confidence,
    metavar="RATE",
    help="Test --max-error and --min-recall, to hold with this probability.",
)
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="SHARE",
    help="Share of rows held out for that test; 0 makes it approximate [default: 0.2].",
)
@click.option(
    "--tolerance",
    callback=read_tolerance,
    metavar="FRACTION",
    help="The least error within this fraction (or 1se) of the least cost.",
)
@click.option(
    "--error-weight",
    type=click.Choice(["balanced"]),
    help="Count errors by class, rare ones more.",
)
@click.option(
    "--softness",
    default="11",
    show_default=True,
    callback=_softness,
    metavar="N|LIST",
    help="How many values from 0 (hard) to 1 (regular), or which: 0,0.3,1.",
)
@click.option(
    "--cv",
    type=click.IntRange(2),
    metavar="N",
    help="Folds of the cross-validation; by default 5, above 50000 rows 3, and where "
    "families are tried 3 samples of 30000 rows.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="A race: try what suits the table, the quickest first, for so long.",
)
@click.option(
    "--test-size",
    type=float,
    callback=_test_size,
    metavar="SHARE",
    help="Hold out this share of the rows.",
)
@click.option("--test", metavar="FILE", help="Measure on the rows of another file.")
@click.option(
    "--rows-at-once",
    type=click.IntRange(2),
    metavar="N",
    help="Read DATA in blocks of N rows, several times, and keep no column of it in "
    "memory but the target; with --learner linear. By itself where DATA is too large "
    "for memory.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="-1: all cores.")
@click.option("--currency", default="", metavar="NAME", help="Of prices: EUR, $, ...")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Search on the workers of a Dask scheduler, such as tcp://host:8786.",
)
@click.option("--model", metavar="OUT", help="Write the model here.")
@click.option(
    "--keep",
    type=click.Choice(["auto", "front", "chosen"]),
    default="auto",
    show_default=True,
    help="Models to write: all of the front, for 'softcost choose', or one; auto: the "
    "front up to 2000 rows.",
)
@click.option("--report", metavar="OUT.html", help="Write the explorer page here.")
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
def fit(data: str, **options: Any) -> None:
    """Train on a table and a price list, and choose on the trade-off.

    DATA is a CSV (.csv, .csv.gz, .tsv), Excel (.xlsx), Parquet or LIBSVM file. Before
    training it is told how every column was read, and how to say otherwise. Empty
    cells, words and numbers of any scale are dealt with inside the model. Prices by
    class are a table with the true classes in rows and the predicted ones in columns;
    'softcost costs template' writes one to fill in.
    """
    check_files(data, options["costs"], options["test"])
    from softcost.cli.train._fit_job import run
    from softcost.cli.train._job import Job, with_reduction
    from softcost.cli.train._large_job import in_blocks, run_in_blocks

    job = with_reduction(in_blocks(Job(data=data, **options)))
    if job.rows_at_once is None:
        run(job)
    else:
        run_in_blocks(job)
