"""The work behind ``softcost costs check``: a price list in sentences."""

import sys
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import BadInput, bad_input, stdout_console, write_json
from softcost.cli.costs._classes import class_counts
from softcost.costs import (
    check_not_free,
    check_priced,
    match_classes,
    matrix_facts,
    read_cost_file,
)
from softcost.formatting import quoted_names


def run_check(file: str, data: str | None, target: str | None, as_json: bool) -> None:
    """Say what a price list means."""
    if (data is None) != (target is None):
        raise BadInput("--data and --target go together; give both or neither.")
    with bad_input():
        notes: list[str] = []
        frame = read_cost_file(file, notes.append)
        counts = None
        if data is not None and target is not None:
            counts = class_counts(data, target, notes.append)
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
    frame: pd.DataFrame,
    notes: list[str],
    data: str,
    target: str,
    file: str,
) -> pd.DataFrame:
    """The price list with the table's names, if it has prices for all of them."""
    where = {"data": data, "target": target, "path": file}
    try:
        return match_classes(frame, counts, tell=notes.append, **where)
    except ValueError:  # to be told after all that is to be said of the prices
        return frame


def _refusal(
    frame: pd.DataFrame,
    counts: dict[str, int] | None,
    data: str | None,
    target: str | None,
    file: str,
) -> str | None:
    """Why 'softcost fit' would refuse a price list; None where it would not."""
    try:
        check_not_free(frame, file)
        if counts is not None:
            where = {"data": str(data), "target": str(target), "path": file}
            check_priced(counts, frame.index, **where)
    except ValueError as error:
        return str(error)
    return None


def matrix_words(frame: pd.DataFrame, facts: dict[str, Any]) -> list[str]:
    """The same in sentences."""
    size = len(facts["classes"])
    classes = quoted_names(facts["classes"], 10)
    words = [f"{size} x {size} prices for the classes {classes}."]
    words.append("Rows are true classes, columns predicted ones:")
    words += _examples(frame[frame.index])
    for name, (low, high) in facts["actions"].items():
        price = f"{low:g}" if low == high else f"from {low:g} to {high:g}"
        words.append(f"Besides the classes there is the answer {name!r}, at {price}.")
    if facts["largest"] == 0:
        words.append("No mistake costs anything: there is nothing to learn from this.")
        return words
    ratio = facts["largest"] / facts["smallest"]
    words.append(
        f"Mistakes cost from {facts['smallest']:g} to {facts['largest']:g}, a factor "
        f"of {ratio:.3g}."
    )
    if ratio > 1000:
        words.append("That is a wide range: check the units of the largest prices.")
    if facts["free_mistakes"]:
        words.append(f"{facts['free_mistakes']} mistakes are free.")
    if facts["right_costs"]:
        names = quoted_names(facts["right_costs"])
        words.append(
            f"Being right costs something for {names}: only what mistakes cost beyond "
            "that matters for learning."
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
            words.append(f"Predicting {name!r} is never the one best choice.")
    return words + _comparison(facts)


def _examples(frame: pd.DataFrame, most: int = 3, few: int = 6) -> list[str]:
    """All mistakes where there are few, true class by true class.

    Else the most expensive ones, and the first of them the other way round.
    """
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
    costs: np.ndarray, names: list[str], cells: list[tuple[int, int]]
) -> list[str]:
    return [
        f"  predicting {names[j]!r} for a true {names[i]!r} costs {costs[i, j]:g}"
        for i, j in cells
    ]


def _symmetry(facts: dict[str, Any]) -> str:
    if facts["all_equal"]:
        return "All mistakes cost the same: this is plain classification."
    if facts["symmetric"]:
        return "Symmetric: a mistake costs the same either way round."
    return "Not symmetric: it matters which class is the true one."


def _consistency(facts: dict[str, Any]) -> str:
    if not facts["consistent"]:
        return "Not consistent: no weights of classes can stand for these prices."
    weights = ", ".join(
        f"{name!r} {weight:.3g}" for name, weight in list(facts["weights"].items())[:10]
    )
    return f"Consistent: weights of classes can stand for these prices ({weights})."


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
