"""``softcost costs``: make a price list, or check one."""

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
from softcost.files import STREAM, check_output
from softcost.formatting import quoted_names

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame


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
    help='Add an action other than predicting a class, e.g. "ask". Repeatable.',
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
    from softcost.costs.price_template import (
        check_actions,
        template_matrix,
        template_text,
        write_template,
    )
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
    if as_json:
        matrix = template_matrix(counts, actions)
        write_json({"class_counts": counts, "actions": actions, "costs": matrix})
    elif output == STREAM:
        click.echo(template_text(counts, actions), nl=False)
    else:
        with failed_job():
            write_template(output, counts, actions, reads=[data])


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
    for dominated in facts["dominated"]:
        words.append(
            f"Predicting {dominated['class']!r} is never cheaper than predicting "
            f"{dominated['by']!r}, whatever is true."
        )
    beaten = {dominated["class"] for dominated in facts["dominated"]}
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
