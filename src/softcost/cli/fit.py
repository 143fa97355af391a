"""``softcost fit``: from a table and a price list to a model."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from softcost.cli.console import (
    BudgetMissed,
    check_files,
    failed_job,
    measure_cells,
    print_importance,
    print_table,
    read_recalls,
    read_tolerance,
    say,
    say_note,
    show_progress,
    stdout_console,
    warnings_as_lines,
    write_json,
)
from softcost.formatting import format_cost, format_params, format_rate, format_saving
from softcost.reductions import CATALOGUE
from softcost.search.criteria import CRITERIA

if TYPE_CHECKING:
    from softcost.metrics import Measure
    from softcost.tables import ColumnSummary
    from softcost.workflow import FitOptions, Training

REDUCTIONS = ("auto", *CATALOGUE)
LEARNERS = ("auto", "svm", "linear", "nystroem", "boosting")


def _criteria_help() -> str:
    """The criteria in one line."""
    return "; ".join(f"{word}: {entry.summary}" for word, entry in CRITERIA.items())


def _reductions_help() -> str:
    """The reductions, and when to try each, for the end of the help."""
    width = max(map(len, REDUCTIONS))
    lines = [f"  {'auto':<{width}}  several families that suit the table"]
    for name, entry in CATALOGUE.items():
        words = entry.summary + ("; prices by class only" * entry.by_class_only)
        lines.append(f"  {name:<{width}}  {words}")
        lines.append(f"  {'':<{width}}  {entry.when}")
    return "\n".join(["\b", "Reductions:", *lines])


_AGAINST = "vs regular"  # what is paid, less or more
_MOST_SHOWN = 40  # columns; of more, only those with something to say


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


@click.command(epilog=_reductions_help())
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
    help=f"Selection rule [default: cost]. {_criteria_help()}.",
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
    from softcost.workflow import FitOptions, prepare_training

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    training = prepare_training(FitOptions(data=data, **options))
    if not quiet:
        _print_columns(training.data.columns, training.data.notes)
        _print_what_is_trained(training)
    with (
        failed_job(),
        warnings_as_lines(quiet),
        show_progress("training", quiet),
    ):
        results = training.run(say)
    with failed_job():
        training.write(results)
    if as_json:
        _write_json(training, results)
    else:
        _print_results(training.options, training.describe(), results)
    if results["budget_met"] is False:
        raise BudgetMissed(results["guarantee"]["missing"])


def _print_columns(columns: "Sequence[ColumnSummary]", notes: Sequence[str]) -> None:
    """Print how every column was read, on standard error."""
    for sentence in notes:
        say_note(sentence)
    shown = columns
    if len(columns) > _MOST_SHOWN:
        shown = [one for one in columns if one.left_out or one.remarks]
    if shown:
        headings = ("column", "read as", "missing", "examples", "remarks")
        print_table(
            [(one, "right" if one == "missing" else "left") for one in headings],
            [
                (
                    one.name,
                    "left out"
                    if one.left_out
                    else one.kind.replace("nominal", "words"),
                    str(one.missing or ""),
                    "; ".join(one.examples),
                    one.left_out or "; ".join(one.remarks),
                )
                for one in shown
            ],
            to_stderr=True,
        )
    rest = len(columns) - len(shown)
    if rest:
        say(f"{rest} more columns are read without a remark.")
    if any(one.left_out for one in columns):
        say(
            "columns that were left out can be kept by saying what they hold, with "
            "--number, --nominal or --date."
        )


def _print_what_is_trained(training: "Training") -> None:
    """Name the families; those of "auto" are printed when they are known."""
    if training.families and training.options.rows_at_once is None:
        names = (f"{one.reduction} with {one.learner}" for one in training.families)
        say(f"training {', '.join(names)}.")


def _write_json(training: "Training", results: dict[str, Any]) -> None:
    from softcost.persistence import json_value

    options = training.options
    files = {
        name: None if path is None else os.path.abspath(path)
        for name, path in (("model", options.model), ("report", options.report))
    }
    write_json(json_value(training.describe() | results | {"files": files}))


def _print_results(
    options: "FitOptions", about: dict[str, Any], results: dict[str, Any]
) -> None:
    from softcost.report import budget_words

    test = f", {about['test_rows']} test rows" if results["held_out"] else ""
    out = stdout_console()
    unit = f" {options.currency}" if options.currency else ""
    trained = f"{about['reduction']} with {about['learner']}"
    if about["reduction"] == "auto":
        trained = "families that suit the table"
    tried = f"{about['folds']}-fold cross-validation"
    if about["sample"] is not None:
        tried = f"tried on {about['folds']} samples of {about['sample']} rows"
    out.print(
        f"{about['rows']} rows, {len(about['columns'])} columns, "
        f"{len(about['classes'])} classes; {trained}, {tried} (mean ± standard error)"
        f"{test}",
        soft_wrap=True,
    )
    _print_comparison(results, options.currency)
    _print_families(results["families"])
    chosen = results["cross_validated"]["chosen"]
    by_cost = about["criterion"] == "cost"
    blended = _why_blended(results["families"], chosen) if by_cost else []
    for sentence in blended:
        out.print(sentence, soft_wrap=True)
    for sentence in results["advice"]["sentences"]:
        out.print(sentence, soft_wrap=True)
    for line in _action_lines(results["asked"], options.currency):
        out.print(line, soft_wrap=True)
    expected = results["expected"]
    if expected is not None:
        out.print(
            f"Chosen among {expected['candidates']} models, so flattered: "
            f"expect a cost of about {format_cost(expected['cost'])}{unit} on new rows "
            f"({format_cost(expected['low'])} to {format_cost(expected['high'])}).",
            soft_wrap=True,
        )
    if results["guarantee"] is not None:
        out.print(budget_words(results["guarantee"]), soft_wrap=True)
    for line in _sensitivity_lines(results["sensitivity"]):
        out.print(line, soft_wrap=True)
    if results["importance"] is not None:
        print_importance(results["importance"], options.currency)
    if options.model is not None:
        out.print(f"model:  {options.model}", soft_wrap=True)
    if options.report is not None:
        out.print(f"report: {options.report}", soft_wrap=True)
    if options.model is None and options.report is None:
        sys.stdout.flush()
        say("nothing was kept; --model OUT keeps the model, --report OUT.html a page.")


def _print_comparison(results: dict[str, Any], currency: str) -> None:
    from softcost.metrics import reported_measures

    held_out = results["held_out"]
    measures = reported_measures(
        "coverage" in results["cross_validated"]["chosen"], headline=True
    )
    heads = [
        f"{measure.heading}, {currency}"
        if currency and measure.unit == "cost"
        else measure.heading
        for measure in measures
    ]
    heads.append(_AGAINST)
    columns = [("", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [(name, "right") for name in heads]
    if held_out is not None:
        columns += [(f"test {name}", "right") for name in heads]
    rows, compared = [], results["cross_validated"]
    same = [name for name, one in compared.items() if _same(one, compared["chosen"])]
    for name, one in compared.items():
        if name in same[:-1]:  # the last of them is the chosen one, and is told once
            continue
        shown, softness = name, one["softness"]
        if name == "constant":
            shown = f"always {results['constant']}"
        elif name == "chosen" and len(same) > 1:
            shown = f"chosen, {' and '.join(same[:-1])}"
        row = [shown, "" if softness is None else f"{softness:g}"]
        family = {} if one.get("family") is None else {"family": one["family"]}
        row += [format_params(family | one["params"]), *_cells(name, one, measures)]
        if held_out is not None:
            row += _cells(name, held_out[name], measures)
        rows.append(row)
    print_table(columns, rows)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two are the same candidate."""
    named = ("softness", "family", "params")
    return all(one.get(name) == other.get(name) for name in named)


def _cells(
    name: str, results: dict[str, Any], measures: "Sequence[Measure]"
) -> list[str]:
    saving = "" if name == "regular" else format_saving(results.get("saving_percent"))
    return [*measure_cells(results, measures), saving]


def _action_lines(asked: dict[str, Any] | None, currency: str) -> list[str]:
    """The same in words."""
    if asked is None:
        return []
    unit = f" {currency}" if currency else ""
    lines = [
        f"{count:g} of {asked['rows']:g} rows ({100 * count / asked['rows']:.1f} %) go "
        f"to {name}."
        for name, count in asked["actions"].items()
    ]
    saving = asked["saving"]
    if saving is not None:
        sure = "" if saving["shown"] else ", which may be chance"
        lines.append(
            "The cheapest model that answers every row itself costs "
            f"{format_cost(saving['cost'])}{unit} per row: this one saves "
            f"{format_cost(saving['saving'])}{unit} (95 % interval "
            f"{format_cost(saving['low'])} to {format_cost(saving['high'])}){sure}."
        )
    return lines


def _why_blended(
    facts: list[dict[str, Any]] | None, chosen: dict[str, Any]
) -> list[str]:
    """Why a blend was chosen that is not the cheapest of all, in a sentence."""
    if facts is None or chosen.get("family") != "blend":
        return []
    best = facts[0]
    if best["family"] == "blend" or not best["cost"] < chosen["cost"]:
        return []
    return [
        f"{best['family']} looks cheaper ({format_cost(best['cost'])}), but of many "
        "costs the least is partly luck: the blend is steadier, and is taken unless a "
        "family outside it is clearly cheaper. --reduction and --learner take another."
    ]


def _print_families(facts: list[dict[str, Any]] | None) -> None:
    """A table of families, the cheapest first."""
    if not facts:
        return
    columns = [("family", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [("cost", "right"), ("error", "right"), ("left out", "left")]
    rows = []
    for one in facts:
        tried = "cost" in one
        rows.append(
            [
                one["family"],
                f"{one['softness']:g}" if tried else "",
                format_params(one["params"]) if tried else "",
                format_cost(one["cost"], one["cost_se"]) if tried else "-",
                format_rate(one["error"], one["error_se"]) if tried else "-",
                one["skipped"] or "",
            ]
        )
    print_table(columns, rows)


def _sensitivity_lines(sure: dict[str, Any] | None) -> list[str]:
    """The same for people: the first price to turn the choice.

    Differences of cost are told as savings, once.
    """
    if sure is None:
        return []
    first = sure["first"]
    if first is None:
        return [
            "If a price is wrong: whatever a single one of them were, the same model "
            "would be chosen."
        ]
    side = "more" if first["at"] >= first["price"] else "less"
    then = f"softness {sure['then']['softness']:g}"
    if sure["then"]["family"] is not None:
        then = f"{sure['then']['family']}, {then}"
    if sure["then"]["params"]:
        then += f", {format_params(sure['then']['params'])}"
    return [
        "If a price is wrong: the first to matter is that of predicting "
        f"{first['predicted']} for a true {first['true']}, now "
        f"{format_cost(first['price'])}; at {side} than {format_cost(first['at'])} "
        f"another model would be chosen ({then})."
    ]
