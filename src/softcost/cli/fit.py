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
    merge_option,
    print_importance,
    print_table,
    read_recalls,
    read_tolerance,
    say,
    say_note,
    show_progress,
    stdout_console,
    table_options,
    warnings_as_lines,
    write_json,
)
from softcost.formatting import (
    counted,
    format_cost,
    format_model,
    format_rate,
    format_saving,
)
from softcost.reductions import CATALOGUE
from softcost.search.criteria import CRITERIA

if TYPE_CHECKING:
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


_AGAINST = "vs regular"  # the cost, compared with the regular model
_WIDEST = 78  # columns of the main table, in any terminal
_MOST_SHOWN = 40  # columns; of more, only those with something to say


def _softness(context: Any, option: Any, text: str) -> int | list[float]:
    """``11`` stands for eleven values, ``0,0.3,1`` for these; 0 and 1 are values."""
    if text.strip().isdecimal() and int(text) > 1:
        return int(text)
    from softcost.search.prepare import softness_values

    try:
        values = {float(part) for part in text.split(",")}
        return softness_values(sorted(values)).tolist()
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a number of values, such as 11, nor values from 0 to "
            "1, such as 0,0.3,1"
        ) from None


def _names_of(choices: tuple[str, ...]) -> Any:
    """A callback for one of the choices, or several with commas between them."""

    def parse(context: Any, option: Any, text: str | None) -> tuple[str, ...]:
        if text is None:
            return ()
        names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        for name in names:
            if name not in choices:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(choices)}")
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
    "--cost",
    multiple=True,
    metavar="FORMULA",
    help="Cost by row, from columns that are known when a row is decided, e.g. "
    "'good>bad = 0.75 * balance', '*>ask = 2', for two classes 'fn = amount'. "
    "Repeatable.",
)
@click.option(
    "--positive",
    metavar="CLASS",
    help="Positive class of tn, fp, fn and tp [default: the rarer class].",
)
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Costs by row, in columns called PREFIX and the name of a class (known for "
    "training rows only), or PREFIX and true>predicted or tn, fp, fn, tp.",
)
@click.option(
    "--action",
    multiple=True,
    callback=_actions,
    metavar="NAME:PRICE",
    help="Add an action other than predicting a class, with its cost, e.g. ask:0.3. "
    "Repeatable.",
)
@click.option(
    "--drop", multiple=True, metavar="COLS", help="Leave out columns, e.g. a,b."
)
@click.option("--nominal", multiple=True, metavar="COLS", help="Read columns as words.")
@click.option(
    "--number", multiple=True, metavar="COLS", help="Read columns as numbers."
)
@click.option(
    "--date",
    multiple=True,
    metavar="COLS[=ORDER]",
    help="Read columns as dates; ORDER is dmy, mdy or ymd.",
)
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="Decimal separator [default: detected].",
)
@click.option(
    "--missing",
    multiple=True,
    metavar="WORDS",
    help="Values to treat as missing, e.g. -9,none.",
)
@table_options(labels=True)
@merge_option
@click.option(
    "--reduction",
    callback=_names_of(REDUCTIONS),
    metavar="NAMES",
    help="One or more of the algorithms below [default: auto, or one that suits "
    "--learner and --param].",
)
@click.option(
    "--learner",
    default="auto",
    show_default=True,
    callback=_names_of(LEARNERS),
    metavar="NAMES",
    help="One or more of svm, linear, nystroem and boosting; auto picks one for each "
    "reduction, svm up to 15,000 rows.",
)
@click.option(
    "--param",
    multiple=True,
    callback=_params,
    metavar="NAME=VALUES",
    help="Values of a learner parameter to search, e.g. C=1,16. Repeatable.",
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
    help="Choose the lowest cost with at most this error, e.g. 0.05.",
)
@click.option(
    "--min-recall",
    multiple=True,
    callback=read_recalls,
    metavar="CLASS=RATE",
    help="Choose the lowest cost that finds this share of a class, e.g. fraud=0.9. "
    "Repeatable.",
)
@click.option(
    "--confidence",
    type=float,
    callback=_confidence,
    metavar="RATE",
    help="Probability with which --max-error and --min-recall must hold, e.g. 0.95.",
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
    help="Choose the lowest error within this fraction (or 1se) of the lowest cost.",
)
@click.option(
    "--error-weight",
    type=click.Choice(["balanced"]),
    help="Weigh errors by class, so rare classes count more.",
)
@click.option(
    "--softness",
    default="11",
    show_default=True,
    callback=_softness,
    metavar="N|LIST",
    help="Number of values from 0 (hard) to 1 (regular), or the values, e.g. 0,0.3,1.",
)
@click.option(
    "--cv",
    type=click.IntRange(2),
    metavar="N",
    help="Cross-validation folds [default: 5; above 50,000 rows 3, or 3 samples of "
    "30,000 rows if several families are searched].",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="Time limit in minutes; fast families run first.",
)
@click.option(
    "--test-size",
    type=float,
    callback=_test_size,
    metavar="SHARE",
    help="Share of the rows to hold out for a test, e.g. 0.3.",
)
@click.option("--test", metavar="FILE", help="Test on the rows of another file.")
@click.option(
    "--rows-at-once",
    type=click.IntRange(2),
    metavar="N",
    help="Read DATA in blocks of N rows and keep only the target in memory; needs "
    "--learner linear [default: if DATA is too large for memory].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Random seed.",
)
@click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Parallel jobs; -1 uses all cores.",
)
@click.option(
    "--currency", default="", metavar="NAME", help="Currency of the prices, e.g. EUR."
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Search on the workers of a Dask scheduler, e.g. tcp://host:8786.",
)
@click.option("--model", metavar="OUT", help="Save the model to this file.")
@click.option(
    "--keep",
    type=click.Choice(["auto", "front", "chosen"]),
    default="auto",
    show_default=True,
    help="Models to save: the whole front, for 'softcost choose', or the chosen one; "
    "auto saves the front up to 2,000 rows.",
)
@click.option(
    "--candidate",
    type=click.IntRange(0),
    metavar="N",
    help="Choose the candidate with this number, as on the explorer page of the same "
    "search.",
)
@click.option(
    "--report", metavar="OUT.html", help="Write the explorer page to this file."
)
@click.option(
    "--details",
    is_flag=True,
    help="Print all measures with standard errors, and the best of each family.",
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.option("--quiet", is_flag=True, help="Print no progress and no warnings.")
def fit(data: str, **options: Any) -> None:
    """Train on a table and a price list, and choose on the trade-off.

    DATA is a CSV (.csv, .csv.gz, .tsv), Excel (.xlsx), Parquet or LIBSVM file. softcost
    prints how it read each column; correct it with --number, --nominal, --date,
    --decimal, --missing or --drop. The model handles empty cells, words and numbers of
    any scale. A price list has true classes in rows and predicted classes in columns;
    'softcost costs template' writes one to fill in.

    A --cost formula has numbers, columns (`odd names` in backticks), + - * /, min, max,
    abs and if(a > b, c, d). * stands for any class; correct answers are free unless a
    formula gives their cost. Put labels with > or = in quotes. The model keeps the
    formulas, so 'softcost predict' needs their columns. They are also features, unless
    you --drop them.
    """
    check_files(data, options["costs"], options["test"])
    from softcost.workflow import FitOptions, prepare_training

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    details = options.pop("details")
    training = prepare_training(FitOptions(data=data, **options))
    if not quiet:
        _print_columns(training.data.columns, training.data.notes)
        _print_what_is_trained(training)
        for sentence in training.data.warnings:
            say(f"warning: {sentence}")
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
        _print_results(training.options, training.describe(), results, details)
    if results["budget_met"] is False:
        raise BudgetMissed(results["guarantee"]["missing"])


def _print_columns(columns: "Sequence[ColumnSummary]", notes: Sequence[str]) -> None:
    """Print how every column was read, on standard error."""
    for sentence in notes:
        say_note(sentence)
    shown = columns
    if len(columns) > _MOST_SHOWN:
        shown = [column for column in columns if column.left_out or column.remarks]
    if shown:
        headings = ("column", "read as", "missing", "examples", "remarks")
        print_table(
            [
                (heading, "right" if heading == "missing" else "left")
                for heading in headings
            ],
            [
                (
                    column.name,
                    "left out"
                    if column.left_out
                    else column.kind.replace("nominal", "words"),
                    str(column.missing or ""),
                    "; ".join(column.examples),
                    column.left_out or "; ".join(column.remarks),
                )
                for column in shown
            ],
            to_stderr=True,
        )
    rest = len(columns) - len(shown)
    if rest:
        say(f"{rest} more columns were read without remarks.")
    if any(column.left_out for column in columns):
        say(
            "to use a column that was left out, pass its name with --number, --nominal "
            "or --date."
        )


def _print_what_is_trained(training: "Training") -> None:
    """Name the families; those of "auto" are printed when they are known."""
    if training.families and training.options.rows_at_once is None:
        names = (
            f"{family.reduction} with {family.learner}" for family in training.families
        )
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
    options: "FitOptions",
    about: dict[str, Any],
    results: dict[str, Any],
    details: bool = False,
) -> None:
    out = stdout_console()
    method = f"{about['reduction']} with {about['learner']}, "
    if about["reduction"] == "auto":
        method = ""
    folds = f"{about['folds']}-fold cross-validation"
    if about["sample"] is not None:
        folds = f"{about['folds']} samples of {about['sample']} rows"
    out.print(
        f"{about['rows']} rows, {counted(len(about['columns']), 'column')}, "
        f"{len(about['classes'])} classes; {method}{folds}",
        soft_wrap=True,
    )
    _print_comparison(results, results["cross_validated"], options.currency)
    if results["held_out"] is not None:
        out.print()
        out.print(f"{about['test_rows']} test rows")
        _print_comparison(results, results["held_out"], options.currency)
    if details:
        out.print()
        _print_details(results)
        _print_families(results["families"])
    for line in _result_lines(options, results):
        out.print(line, soft_wrap=True)
    if results["importance"] is not None:
        print_importance(results["importance"], options.currency)
    if options.model is not None:
        out.print(f"model:  {options.model}", soft_wrap=True)
    if options.report is not None:
        out.print(f"report: {options.report}", soft_wrap=True)
    if options.model is None and options.report is None:
        sys.stdout.flush()
        say("nothing was saved; --model OUT saves the model, --report OUT.html a page.")


def _result_lines(options: "FitOptions", results: dict[str, Any]) -> list[str]:
    """The results in sentences."""
    from softcost.report import budget_words

    lines = list(results["advice"]["sentences"])
    lines += _why_not_chosen(results["not_chosen"])
    lines += _action_lines(results["asked"], options.currency)
    expected = results["expected"]
    if expected is not None:
        unit = f" {options.currency}" if options.currency else ""
        lines.append(
            f"Picking the best of {expected['candidates']} models is optimistic; "
            f"expect a cost of about {format_cost(expected['cost'])}{unit} on new rows "
            f"({format_cost(expected['low'])} to {format_cost(expected['high'])})."
        )
    if results["guarantee"] is not None:
        lines.append(budget_words(results["guarantee"]))
    return lines + _sensitivity_lines(results["sensitivity"])


def _shown_models(
    results: dict[str, Any], short: bool = False
) -> list[tuple[str, str, dict[str, Any]]]:
    """Key, name and cross-validated facts of every model to show, each once."""
    compared = results["cross_validated"]
    same = [
        name for name, facts in compared.items() if _same(facts, compared["chosen"])
    ]
    models = []
    for name, facts in compared.items():
        if name in same[:-1]:  # the chosen model, which is the last of them
            continue
        words = name
        if name == "constant":
            words = f"always {results['constant']}"
        elif name == "chosen" and len(same) > 1:
            words = f"chosen = {' = '.join(same[:-1])}"
        if not short and name != "constant":
            words = f"{words}: {format_model(facts)}"
        models.append((name, words, facts))
    return models


def _print_comparison(
    results: dict[str, Any], measured: dict[str, dict[str, Any]], currency: str
) -> None:
    """Cost, error and saving of each model, in at most 78 columns."""
    cost = f"cost, {currency}" if currency else "cost"
    with_actions = "coverage" in results["cross_validated"]["chosen"]
    heads = [cost, "error", *(["answered"] if with_actions else []), _AGAINST]
    rows = []
    for name, words, _ in _shown_models(results):
        facts = measured[name]
        cells = [words, format_cost(facts["cost"]), format_rate(facts["error"])]
        if with_actions:
            cells.append(format_rate(facts["coverage"]))
        saving = facts.get("saving_percent")
        rows.append([*cells, "" if name == "regular" else format_saving(saving)])
    columns = [("model", "left"), *((head, "right") for head in heads)]
    print_table(columns, rows, most_width=_WIDEST)


def _print_details(results: dict[str, Any]) -> None:
    """All measures, with standard errors: a column per model."""
    from softcost.metrics import reported_measures

    models = _shown_models(results, short=True)
    measures = reported_measures("coverage" in results["cross_validated"]["chosen"])
    tables = {"cross-validated": results["cross_validated"]}
    if results["held_out"] is not None:
        tables["test rows"] = results["held_out"]
    for title, measured in tables.items():
        rows = []
        for measure in measures:
            facts = [measured[name] for name, _, _ in models]
            rows.append(
                [
                    measure.heading,
                    *(measure.format(fact[measure.name]) for fact in facts),
                ]
            )
            errors = [fact.get(measure.standard_error) for fact in facts]
            if any(error is not None for error in errors):
                rows.append(["  ± standard error", *map(measure.format, errors)])
        heads = [(words, "right") for _, words, _ in models]
        print_table([(title, "left"), *heads], rows)
        stdout_console().print()


def _same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether two are the same candidate."""
    named = ("softness", "family", "params")
    return all(first.get(name) == second.get(name) for name in named)


def _action_lines(asked: dict[str, Any] | None, currency: str) -> list[str]:
    """The same in words."""
    if asked is None:
        return []
    unit = f" {currency}" if currency else ""
    lines = [
        f"{count:g} of {asked['rows']:g} rows ({100 * count / asked['rows']:.1f}%) go "
        f"to {name}."
        for name, count in asked["actions"].items()
    ]
    saving = asked["saving"]
    if saving is not None:
        names = " and ".join(asked["actions"])
        chance = "" if saving["shown"] else ". This may be chance"
        sign = 1 if saving["saving"] >= 0 else -1
        ends = sorted(sign * saving[name] for name in ("low", "high"))
        more = "more" if sign > 0 else "less"
        lines.append(
            f"Without {names}, the cheapest model costs {format_cost(saving['cost'])}"
            f"{unit} per row, {format_cost(sign * saving['saving'])}{unit} {more} "
            f"(95% CI {format_cost(ends[0])} to {format_cost(ends[1])}){chance}."
        )
    return lines


def _why_not_chosen(listed: list[dict[str, Any]]) -> list[str]:
    """Why a candidate of another family was not chosen although it looks better."""
    if not listed:
        return []
    best = listed[0]
    others = ", ".join(candidate["family"] for candidate in listed[1:])
    also = f" The same holds for {others}." if others else ""
    return [
        f"{best['family']} looks better (cost {format_cost(best['cost'])}), but its "
        f"lead of {format_cost(best['difference'])} has a standard error of "
        f"{format_cost(best['difference_se'])} and may be chance. softcost prefers the "
        f"blend unless another family leads by {format_cost(best['required_lead'])}."
        + also
    ]


def _print_families(facts: list[dict[str, Any]] | None) -> None:
    """A table of families, the cheapest first."""
    if not facts:
        return
    columns = [("cheapest of each family", "left"), ("cost", "right"), ("±", "right")]
    columns += [("error", "right"), ("±", "right"), ("left out", "left")]
    rows = []
    for family in facts:
        if "cost" not in family:
            rows.append([family["family"], "-", "", "-", "", family["skipped"] or ""])
            continue
        rows.append(
            [
                format_model(family),
                format_cost(family["cost"]),
                "" if family["cost_se"] is None else f"{family['cost_se']:.2g}",
                format_rate(family["error"]),
                "" if family["error_se"] is None else format_rate(family["error_se"]),
                family["skipped"] or "",
            ]
        )
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    print_table(columns, rows)


def _sensitivity_lines(sure: dict[str, Any] | None) -> list[str]:
    """The price whose change would change the choice first, and the regret."""
    if sure is None:
        return []
    first = sure["first"]
    lines = _regret_lines(sure.get("regret"))
    if first is None:
        return [*lines, "No change of a single price would change the choice."]
    side = "above" if first["at"] >= first["price"] else "below"
    return [
        f"Most sensitive price: predicting {first['predicted']} for a true "
        f"{first['true']} costs {format_cost(first['price'])}; {side} "
        f"{format_cost(first['at'])}, softcost would choose "
        f"{format_model(sure['then'])}.",
        *lines,
    ]


def _regret_lines(regret: dict[str, Any] | None) -> list[str]:
    """How much the choice may cost above the best one if prices are in ranges."""
    if regret is None or regret["chosen"] is None:
        return []
    words = (
        "Whatever the prices within their ranges, this model costs at most "
        f"{format_cost(regret['chosen'])} per row more than the best candidate"
    )
    if regret["is_chosen"] or not regret["least"] < regret["chosen"]:
        return [f"{words}; no candidate does better."]
    return [
        f"{words}. The least regret, {format_cost(regret['least'])}, has candidate "
        f"{regret['row']}: {format_model(regret['candidates'][0])}."
    ]
