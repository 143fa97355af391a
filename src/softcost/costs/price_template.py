"""Price list templates to fill in, as CSV text or as a protected Excel workbook."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from softcost.errors import argument
from softcost.files import atomic_write

CORNER = "true \\ predicted"
ACTION_PRICE = 0.25  # less than a guess between two classes


def check_actions(actions: Sequence[str], counts: dict[str, int]) -> None:
    """Refuse names that a price list cannot have."""
    option = argument("action")
    for name in actions:
        if not name.strip() or name != name.strip():
            raise ValueError(
                f"{option} {name!r} is empty or has spaces around it; write a name."
            )
        if name in counts:
            raise ValueError(
                f"{option} {name!r} is a class of the table, which already has a "
                "column; choose another name."
            )
        if actions.count(name) > 1:
            raise ValueError(f"{option} {name!r} is given twice; give it once.")


def template_matrix(
    counts: dict[str, int], actions: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """The template as plain data, by true class and answer."""
    return {
        true: {name: float(name != true) for name in counts}
        | dict.fromkeys(actions, ACTION_PRICE)
        for true in counts
    }


def write_template(
    path: str,
    counts: dict[str, int],
    actions: Sequence[str] = (),
    reads: Sequence[str] = (),
) -> None:
    """Write the template as a CSV or Excel file, by the ending of its name."""
    with atomic_write(path, reads=reads) as place:
        if path.lower().endswith(".xlsx"):
            with place.open("wb") as file:
                template_workbook(counts, actions).save(file)
        else:
            text = template_text(counts, actions)
            place.write_text(text, encoding="utf-8", newline="")


def template_text(counts: dict[str, int], actions: Sequence[str] = ()) -> str:
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


def template_workbook(counts: dict[str, int], actions: Sequence[str] = ()) -> Any:
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
