"""The work behind ``softcost costs``."""

import csv
import io
from typing import Any

import click
import numpy as np
import pandas as pd

from softcost.cli._errors import BadInput, bad_input
from softcost.cli._fit_job import check_place
from softcost.cli._output import console, write_json
from softcost.cli._prices import read_prices
from softcost.cli._results import some
from softcost.cli._table import STREAM, column, read_labels, read_table
from softcost.costs import consistency_weights, is_consistent
from softcost.files import atomic_write

CORNER = "true \\ predicted"
_MANY = 50  # classes, or one row in two a class: perhaps not a column of classes


def class_counts(data: str, target: str) -> dict[str, int]:
    """How many rows each class has."""
    raw = read_table(data)
    labels = read_labels(column(raw, target, "--target", data), "--target", data)
    names, counts = np.unique(labels, return_counts=True)
    if len(names) < 2:
        raise ValueError(
            f"--target {target!r} has one class only, {str(names[0])!r}; there is no "
            "mistake to price."
        )
    if len(names) > max(_MANY, len(labels) // 2):
        raise ValueError(
            f"--target {target!r} has {len(names)} different values in {len(labels)} "
            "rows, too many for classes; name the column with the classes."
        )
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def run_template(data: str, target: str, output: str, as_json: bool) -> None:
    """Write a matrix of ones."""
    if as_json and output != STREAM:
        raise BadInput("--json goes to standard output; leave out -o.")
    with bad_input():
        if output != STREAM:
            if not output.lower().endswith(".csv"):
                raise ValueError(f"{output} must end with .csv; the template is a CSV.")
            check_place(output)
        counts = class_counts(data, target)
        if as_json:
            matrix = {
                true: {name: float(name != true) for name in counts} for true in counts
            }
            write_json({"class_counts": counts, "costs": matrix})
            return
        text = template_text(counts)
        if output == STREAM:
            click.echo(text, nl=False)
            return
        with atomic_write(output) as place:
            place.write_text(text, encoding="utf-8", newline="")


def template_text(counts: dict[str, int]) -> str:
    """The template as CSV, with comments before the header."""
    names = list(counts)
    first, second = names[0], names[1]
    lines = [
        "# What each mistake costs. Rows are true classes, columns predicted ones:",
        f"# the number in row {_line(first)}, column {_line(second)} is the price of "
        f"predicting {_line(second)} for a true {_line(first)}.",
        "# Rows of each class in the data:",
        *(f"#   {_line(name)}: {count}" for name, count in counts.items()),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([CORNER, *names])
    for true in names:
        writer.writerow([true, *(int(name != true) for name in names)])
    return "\n".join(lines) + "\n" + out.getvalue()


def _line(name: str) -> str:
    return " ".join(name.split())


def run_check(file: str, data: str | None, target: str | None, as_json: bool) -> None:
    """Say what a price list means."""
    if (data is None) != (target is None):
        raise BadInput("--data and --target go together; give both or neither.")
    with bad_input():
        frame = read_prices(file)
        counts = None
        if data is not None and target is not None:
            counts = class_counts(data, target)
    facts = matrix_facts(frame, counts)
    if as_json:
        write_json({"file": file, **facts})
        return
    out = console()
    for line in matrix_words(frame, facts):
        out.print(line, soft_wrap=True)


def matrix_facts(frame: pd.DataFrame, counts: dict[str, int] | None) -> dict[str, Any]:
    """What there is to say of a matrix, as plain data."""
    prices = frame.to_numpy()
    extra = prices - np.diagonal(prices)[:, None]
    mistakes = extra[~np.eye(len(extra), dtype=bool)]
    names = [str(name) for name in frame.index]
    consistent = len(names) > 1 and is_consistent(frame)
    positive = mistakes[mistakes > 0]
    facts: dict[str, Any] = {
        "classes": names,
        "largest": float(mistakes.max(initial=0.0)),
        "smallest": float(positive.min(initial=np.inf)) if len(positive) else 0.0,
        "free_mistakes": int((mistakes == 0).sum()),
        "right_costs": [
            name
            for name, one in zip(names, np.diagonal(prices), strict=True)
            if one > 0
        ],
        "symmetric": bool(np.array_equal(prices, prices.T)),
        "all_equal": bool(len(mistakes) and (mistakes == mistakes[0]).all()),
        "consistent": bool(consistent),
        "weights": dict(zip(names, consistency_weights(frame).tolist(), strict=True))
        if consistent
        else None,
        "dominated": _dominated(prices, names),
        "never_worthwhile": _never_worthwhile(prices, names),
        "class_counts": counts,
        "missing_classes": None,
        "unknown_classes": None,
    }
    if counts is not None:
        facts["missing_classes"] = [name for name in counts if name not in names]
        facts["unknown_classes"] = [name for name in names if name not in counts]
    return facts


def _dominated(prices: np.ndarray, names: list[str]) -> list[dict[str, str]]:
    """Classes never cheaper to predict than another one, whatever is true."""
    out = []
    for one, name in enumerate(names):
        for other, better in enumerate(names):
            below = prices[:, other] <= prices[:, one]
            if (
                other != one
                and below.all()
                and (prices[:, other] < prices[:, one]).any()
            ):
                out.append({"class": name, "by": better})
                break
    return out


def _never_worthwhile(prices: np.ndarray, names: list[str]) -> list[str]:
    """Classes that no probabilities make the only cheapest prediction.

    Class k is worthwhile iff some probabilities p make ``p @ (C_j - C_k)`` positive for
    all j: a linear program, whose best margin is zero or less otherwise.
    """
    from scipy.optimize import linprog

    size = len(names)
    if size < 2:
        return []
    scale = float(prices.max()) or 1.0
    out = []
    for one, name in enumerate(names):
        others = [other for other in range(size) if other != one]
        gain = (prices[:, others] - prices[:, [one]]).T / scale
        found = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.c_[-gain, np.ones(len(others))],
            b_ub=np.zeros(len(others)),
            A_eq=[np.r_[np.ones(size), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * size + [(None, None)],
        )
        if found.status == 0 and -found.fun <= 1e-9:
            out.append(name)
    return out


def matrix_words(frame: pd.DataFrame, facts: dict[str, Any]) -> list[str]:
    """The same in sentences."""
    names = facts["classes"]
    size = len(names)
    words = [f"{size} x {size} prices for the classes {some(names, 10)}."]
    words.append("Rows are true classes, columns predicted ones:")
    words += _examples(frame)
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
        words.append(
            f"Being right costs something for {some(facts['right_costs'])}: only what "
            "mistakes cost beyond that matters for learning."
        )
    words.append(_symmetry(facts))
    words.append(_consistency(facts))
    for one in facts["dominated"]:
        words.append(
            f"Predicting {one['class']!r} is never cheaper than predicting "
            f"{one['by']!r}, whatever is true."
        )
    beaten = {one["class"] for one in facts["dominated"]}
    for name in facts["never_worthwhile"]:
        if name not in beaten:
            words.append(f"Predicting {name!r} is never the one best choice.")
    return words + _comparison(facts)


def _examples(frame: pd.DataFrame, most: int = 3) -> list[str]:
    """The dearest mistakes, and the dearest one the other way round."""
    prices, names = frame.to_numpy(), [str(name) for name in frame.index]
    cells = [
        (-prices[i, j], i, j)
        for i in range(len(names))
        for j in range(len(names))
        if i != j
    ]
    chosen = [(i, j) for _, i, j in sorted(cells)[: most - 1]]
    chosen += [(j, i) for i, j in chosen[:1] if (j, i) not in chosen]
    return [
        f"  predicting {names[j]!r} for a true {names[i]!r} costs {prices[i, j]:g}"
        for i, j in chosen
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
        words.append(
            f"The data have classes without prices, {some(facts['missing_classes'])}: "
            "add them, or 'softcost fit' will refuse."
        )
    if facts["unknown_classes"]:
        words.append(f"The data have no rows of {some(facts['unknown_classes'])}.")
    if not words:
        words.append("The classes are those of the data.")
    return words
