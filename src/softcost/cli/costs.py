"""``softcost costs``: make a price list, or check one."""

import csv
import io
import sys
from typing import TYPE_CHECKING, Any

import click

from softcost.cli.console import (
    BadInput,
    bad_input,
    check_files,
    failed_job,
    merge_option,
    say_note,
    stdout_console,
    table_options,
    write_json,
)
from softcost.files import STREAM, atomic_write, check_output
from softcost.formatting import quoted_names

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame

CORNER = "true \\ predicted"
ACTION_PRICE = 0.25  # less than a guess between two classes


@click.group()
def costs() -> None:
    """Make a price list, or check one."""


@costs.command()
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="OUT",
    help="CSV (.csv) or Excel (.xlsx) file; - for standard output.",
)
@click.option(
    "--action",
    "actions",
    multiple=True,
    metavar="NAME",
    help='An answer that is no class, such as "ask a person"; may be repeated.',
)
@table_options()
@merge_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def template(
    data: str,
    target: str,
    output: str,
    actions: tuple[str, ...],
    as_json: bool,
    **reading: Any,
) -> None:
    """Write a price list to fill in, with the classes of a table.

    A table with true classes in rows and predicted classes in columns; every mistake
    costs 1 until you change it. Comments show how many rows each class has. An action
    is one more column, with a price for every true class. In an Excel workbook only
    prices can be edited, and a selected cell explains its price. A price may be a
    range, such as "5 to 20".
    """
    check_files(data)
    _run_template(data, target, output, actions, as_json, reading)


@costs.command()
@click.argument("file")
@click.option("--data", metavar="DATA", help="Compare with the classes of a table.")
@click.option("--target", metavar="COL", help="Its column with the classes.")
@table_options()
@merge_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def check(
    file: str,
    data: str | None,
    target: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Explain a price list in words, and point out what is odd."""
    check_files(file, data)
    _run_check(file, data, target, as_json, reading)


def _run_template(
    data: str,
    target: str,
    output: str,
    actions: tuple[str, ...],
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Write a matrix of ones, and a column for each action."""
    from softcost.workflow.training_data import class_counts

    if as_json and output != STREAM:
        raise BadInput("--json goes to standard output; leave out -o.")
    with bad_input():
        if output != STREAM:
            if not output.lower().endswith((".csv", ".xlsx")):
                raise ValueError(
                    f"{output} must end with .csv or .xlsx; the template is a CSV or "
                    "Excel file."
                )
            check_output(output, reads=[data])
        counts = class_counts(data, target, say_note, **reading)
        check_actions(actions, counts)
    text = template_text(counts, actions)
    if as_json:
        matrix = {
            true: {name: float(name != true) for name in counts}
            | dict.fromkeys(actions, ACTION_PRICE)
            for true in counts
        }
        write_json({"class_counts": counts, "actions": actions, "costs": matrix})
    elif output == STREAM:
        click.echo(text, nl=False)
    else:
        with failed_job(), atomic_write(output, reads=[data]) as place:
            if output.lower().endswith(".xlsx"):
                with place.open("wb") as file:
                    template_workbook(counts, actions).save(file)
            else:
                place.write_text(text, encoding="utf-8", newline="")


def check_actions(actions: tuple[str, ...], counts: dict[str, int]) -> None:
    """Refuse names that a price list cannot have."""
    for name in actions:
        if not name.strip() or name != name.strip():
            raise ValueError(
                f"--action {name!r} is empty or has spaces around it; write a name."
            )
        if name in counts:
            raise ValueError(
                f"--action {name!r} is a class of the table; classes have columns "
                "already."
            )
        if actions.count(name) > 1:
            raise ValueError(f"--action {name!r} is given twice; give it once.")


def template_text(counts: dict[str, int], actions: tuple[str, ...] = ()) -> str:
    """The template as CSV, with comments before the header."""
    names = list(counts)
    first, second = names[0], names[1]
    lines = [
        "# Costs of mistakes. Rows are true classes, columns predicted classes:",
        f"# the number in row {_line(first)}, column {_line(second)} is the price of "
        f"predicting {_line(second)} for a true {_line(first)}.",
        *(
            f"# Column {_line(name)}: the price of that answer, by true class."
            for name in actions
        ),
        "# Rows of each class in the data:",
        *(f"#   {_line(name)}: {count}" for name, count in counts.items()),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([CORNER, *names, *actions])
    for true in names:
        prices = [int(name != true) for name in names]
        writer.writerow([true, *prices, *(ACTION_PRICE for _ in actions)])
    return "\n".join(lines) + "\n" + out.getvalue()


_HEADER_ROW = 4  # of the workbook
_MOST_EXPLAINED = 2_000  # cells; Excel opens more explanations slowly
_LONGEST_PROMPT = 250


def template_workbook(counts: dict[str, int], actions: tuple[str, ...] = ()) -> Any:
    """The template as a workbook, in which only prices can be edited."""
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Font, PatternFill, Protection
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet = book.active
    sheet.title = "Prices"
    names, answers = list(counts), [*counts, *actions]
    bold, grey = Font(bold=True), PatternFill("solid", fgColor="DDDDDD")
    sheet["A1"] = "Costs of mistakes: fill in the white cells."
    sheet["A1"].font = bold
    sheet["A2"] = (
        "Rows are true classes, columns predictions. A price is a number, or a range "
        "such as 5 to 20. Correct predictions cost 0."
    )
    for place, text in enumerate([CORNER, *answers], start=1):
        cell = sheet.cell(_HEADER_ROW, place, text)
        cell.data_type, cell.font, cell.fill = "s", bold, grey
    for row, true in enumerate(names, start=_HEADER_ROW + 1):
        cell = sheet.cell(row, 1, true)
        cell.data_type, cell.font, cell.fill = "s", bold, grey  # never a formula
        cell.comment = Comment(f"{counts[true]} rows of the data", "softcost")
        for place, answer in enumerate(answers, start=2):
            price = ACTION_PRICE if answer in actions else int(answer != true)
            cell = sheet.cell(row, place, price)
            if answer == true:
                cell.fill = grey
                continue
            cell.protection = Protection(locked=False)
            if len(names) * len(answers) <= _MOST_EXPLAINED:
                _explain(sheet, cell.coordinate, true, answer, answer in actions)
    sheet.protection.sheet = True
    sheet.freeze_panes = sheet.cell(_HEADER_ROW + 1, 2)
    widths = [max(map(len, [CORNER, *names])), *map(len, answers)]
    for place, width in enumerate(widths, start=1):
        letter = get_column_letter(place)
        sheet.column_dimensions[letter].width = min(max(width + 2, 10), 40)
    return book


def _explain(sheet: Any, cell: str, true: str, answer: str, action: bool) -> None:
    """Show what a price means when its cell is selected."""
    from openpyxl.worksheet.datavalidation import DataValidation

    what = f"choosing {_line(answer)!r}" if action else f"predicting {_line(answer)!r}"
    prompt = f"Cost of {what} when the truth is {_line(true)!r}."
    note = DataValidation(showInputMessage=True, allow_blank=True)
    note.promptTitle, note.prompt = "Price", prompt[:_LONGEST_PROMPT]
    note.add(cell)
    sheet.add_data_validation(note)


def _line(name: str) -> str:
    return " ".join(name.split())


def _run_check(
    file: str,
    data: str | None,
    target: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Say what a price list means."""
    from softcost.costs import read_costs
    from softcost.costs.price_list import matrix_facts
    from softcost.workflow.training_data import class_counts

    if (data is None) != (target is None):
        raise BadInput("--data and --target belong together; give both or neither.")
    with bad_input():
        notes: list[str] = []
        frame = read_costs(file, notes.append)
        counts = None
        if data is not None and target is not None:
            counts = class_counts(data, target, notes.append, **reading)
            frame = _with_names_of(counts, frame, notes, data, target, file)
    facts = matrix_facts(frame, counts)
    refusal = _refusal(frame, counts, data, target, file)
    if as_json:
        write_json({"file": file, "refused": refusal, "notes": notes, **facts})
    else:
        out = stdout_console()
        for line in (*notes, *matrix_words(frame, facts)):
            out.print(line, soft_wrap=True)
        sys.stdout.flush()
    if refusal is not None:
        raise BadInput(f"'softcost fit' would refuse this: {refusal}")


def _with_names_of(
    counts: dict[str, int],
    frame: "DataFrame",
    notes: list[str],
    data: str,
    target: str,
    file: str,
) -> "DataFrame":
    """The price list with the table's names, if it has prices for all of them."""
    from softcost.costs.price_list import match_classes

    where = {"data": data, "target": target, "path": file}
    try:
        return match_classes(frame, counts, tell=notes.append, **where)
    except ValueError:  # to be told after all that is to be said of the prices
        return frame


def _refusal(
    frame: "DataFrame",
    counts: dict[str, int] | None,
    data: str | None,
    target: str | None,
    file: str,
) -> str | None:
    """Why 'softcost fit' would refuse a price list; None where it would not."""
    from softcost.costs.price_list import check_not_free, check_priced

    try:
        check_not_free(frame, file)
        if counts is not None:
            where = {"data": str(data), "target": str(target), "path": file}
            check_priced(counts, frame.index, **where)
    except ValueError as error:
        return str(error)
    return None


def matrix_words(frame: "DataFrame", facts: dict[str, Any]) -> list[str]:
    """The same in sentences."""
    size = len(facts["classes"])
    classes = quoted_names(facts["classes"], 10)
    words = [f"{size} x {size} prices for the classes {classes}."]
    words.append("Rows are true classes, columns predicted classes:")
    words += _examples(frame[frame.index])
    for name, (low, high) in facts["actions"].items():
        price = f"{low:g}" if low == high else f"from {low:g} to {high:g}"
        words.append(f"The action {name!r} costs {price}.")
    if facts["largest"] == 0:
        words.append("No mistake costs anything, so there is nothing to learn.")
        return words
    ratio = facts["largest"] / facts["smallest"]
    words.append(
        f"Mistakes cost from {facts['smallest']:g} to {facts['largest']:g}, a factor "
        f"of {ratio:.3g}."
    )
    if ratio > 1000:
        words.append("This is a wide range. Check the units of the largest prices.")
    if facts["free_mistakes"]:
        words.append(f"{facts['free_mistakes']} mistakes are free.")
    if facts["right_costs"]:
        names = quoted_names(facts["right_costs"])
        words.append(
            f"Correct predictions of {names} cost something; only the extra cost of "
            "mistakes matters for training."
        )
    words.append(_symmetry(facts))
    words.append(_consistency(facts))
    for one in facts["dominated"]:
        words.append(
            f"Predicting {one['class']!r} is never cheaper than predicting "
            f"{one['by']!r}, whatever is true."
        )
    beaten = {one["class"] for one in facts["dominated"]}
    for name in facts["never_worthwhile"] or ():
        if name not in beaten:
            words.append(f"Predicting {name!r} is never the single best choice.")
    return words + _comparison(facts)


def _examples(frame: "DataFrame", most: int = 3, few: int = 6) -> list[str]:
    """All mistakes where there are few, true class by true class.

    Else the most expensive ones, and the first of them the other way round.
    """
    import numpy as np

    costs, names = frame.to_numpy(), [str(name) for name in frame.index]
    number = len(costs) * (len(costs) - 1)
    if number <= few:
        every = [(i, j) for i, j in np.ndindex(costs.shape) if i != j]
        return _read_aloud(costs, names, every)
    mistakes = ~np.eye(len(costs), dtype=bool)
    order = np.argsort(-np.where(mistakes, costs, -np.inf), axis=None, kind="stable")
    cells = [divmod(int(place), len(costs)) for place in order[: most - 1]]
    chosen = [(i, j) for i, j in cells if i != j]
    chosen += [(j, i) for i, j in chosen[:1] if (j, i) not in chosen]
    left = f"  and {number - len(chosen)} more"
    return [*_read_aloud(costs, names, chosen), left]


def _read_aloud(
    costs: "np.ndarray", names: list[str], cells: list[tuple[int, int]]
) -> list[str]:
    return [
        f"  predicting {names[j]!r} for a true {names[i]!r} costs {costs[i, j]:g}"
        for i, j in cells
    ]


def _symmetry(facts: dict[str, Any]) -> str:
    if facts["all_equal"]:
        return "All mistakes cost the same: this is plain classification."
    if facts["symmetric"]:
        return "Symmetric: a mistake costs the same in both directions."
    return "Not symmetric: it matters which class is the true one."


def _consistency(facts: dict[str, Any]) -> str:
    if not facts["consistent"]:
        return "Not consistent: class weights cannot express these costs."
    weights = ", ".join(
        f"{name!r} {weight:.3g}" for name, weight in list(facts["weights"].items())[:10]
    )
    return f"Consistent: class weights can express these costs ({weights})."


def _comparison(facts: dict[str, Any]) -> list[str]:
    if facts["class_counts"] is None:
        return []
    words = []
    if facts["missing_classes"]:
        names = quoted_names(facts["missing_classes"])
        words.append(f"The data have classes without prices, {names}: add them.")
    if facts["unknown_classes"]:
        names = quoted_names(facts["unknown_classes"])
        words.append(f"The data have no rows of {names}.")
    if not words:
        words.append("The classes are those of the data.")
    return words
