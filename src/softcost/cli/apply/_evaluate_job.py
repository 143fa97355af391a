"""The work behind ``softcost evaluate``."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply._model_file import StoredModel, open_model, read_pieces
from softcost.cli.console import (
    BadInput,
    bad_input,
    failed_job,
    format_cost,
    format_rate,
    print_table,
    quoted_names,
    say_note,
    stdout_console,
    write_json,
)
from softcost.cli.inputs import (
    column,
    match_classes,
    read_cost_columns,
    read_cost_file,
    read_labels,
)
from softcost.cli.results import confusion, measure, most_expensive_mistakes
from softcost.costs import raw_cost_vectors

_MOST_CLASSES_SHOWN = 12
_COLUMNS = ("rows", "cost", "error", "weighted error", "G-mean", "prices")


def run(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
) -> None:
    """Predict in pieces, then measure."""
    if costs is not None and cost_columns is not None:
        raise BadInput("give --costs FILE or --cost-columns PREFIX, not both.")
    with bad_input():
        matrix = None if costs is None else read_cost_file(costs, say_note)
        stored = open_model(model)
        if matrix is not None and costs is not None:
            names = [str(name) for name in stored.classes.tolist()]
            where = {"data": model, "target": target, "path": costs}
            matrix = match_classes(matrix, names, tell=say_note, **where)
        if costs is None and cost_columns is None:
            matrix, cost_columns = _own_costs(stored)
    with failed_job():
        labels, predicted, by_row = _predict(stored, data, target, cost_columns)
    classes = np.array([str(name) for name in stored.classes.tolist()])
    actions = np.array([str(name) for name in stored.actions.tolist()], dtype=str)
    with bad_input():
        vectors = raw_cost_vectors(
            labels,
            cost_matrix=matrix,
            costs=by_row,
            classes=classes,
            actions=actions if len(actions) else None,
        )
    result = _result(model, data, labels, predicted, vectors, classes, actions)
    if by_row is not None:
        result["prices"] = "by row"
    else:
        result["prices"] = "0/1" if matrix is None else "by class"
    if as_json:
        write_json(result)
    else:
        _print_result(result)


def _own_costs(stored: StoredModel) -> tuple[pd.DataFrame | None, str | None]:
    """The model's own costs: a matrix, or the prefix of columns with costs by row."""
    prefix = stored.manifest["notes"].get("cost_columns")
    if prefix is None and stored.manifest["costs"] == "by example":
        raise ValueError(
            f"{stored.path} was trained with prices by row: give --cost-columns PREFIX "
            "or --costs FILE."
        )
    return (stored.cost_matrix() if prefix is None else None), prefix


def _predict(
    stored: StoredModel, data: str, target: str, cost_columns: str | None
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame | None]:
    """True labels, predicted labels and costs by row, of all rows of a file."""
    labels, predicted, costs = [], [], []
    for raw, X in read_pieces(stored, data, without={target}):
        with bad_input():
            labels.append(_known_labels(stored, raw, target, data))
            if cost_columns is not None:
                costs.append(read_cost_columns(raw, cost_columns, data))
        with stored.refusing_rows():
            predicted.append(stored.predict(X).astype(str))
    by_row = pd.concat(costs, ignore_index=True) if costs else None
    return np.concatenate(labels), np.concatenate(predicted), by_row


def _known_labels(
    stored: StoredModel, raw: pd.DataFrame, target: str, data: str
) -> np.ndarray:
    if len(raw) == 0:
        raise ValueError(f"{data} has no rows; give a table with a header and rows.")
    labels = read_labels(column(raw, target, "--target", data), "--target", data)
    known = {str(name) for name in stored.classes.tolist()}
    unknown = sorted(set(labels.tolist()) - known)
    if unknown:
        raise ValueError(
            f"--target {target!r} of {data} has classes that the model does not know, "
            f"{quoted_names(unknown)}; it knows {quoted_names(sorted(known))}."
        )
    return labels


def _result(model, data, labels, predicted, costs, classes, actions) -> dict[str, Any]:
    counts = confusion(labels, predicted, classes, actions)
    sizes = counts.sum(axis=1)
    names = classes.tolist()
    return {
        "model": model,
        "data": data,
        "rows": len(labels),
        **measure(labels, predicted, costs, classes, actions),
        "recall": {
            name: float(counts[i, i] / sizes[i]) if sizes[i] else None
            for i, name in enumerate(names)
        },
        "classes": names,
        "actions": actions.tolist(),
        "confusion": counts.tolist(),
        "most_expensive_mistakes": most_expensive_mistakes(
            labels, predicted, costs, classes, actions
        ),
    }


def _print_result(result: dict[str, Any]) -> None:
    out = stdout_console()
    columns, cells = (
        list(_COLUMNS),
        [
            str(result["rows"]),
            format_cost(result["cost"]),
            format_rate(result["error"]),
            format_cost(result["weighted_error"]),
            format_cost(result["g_mean"]),
            result["prices"],
        ],
    )
    if result["actions"]:
        columns += ["coverage", "error answered"]
        cells += [format_rate(result[name]) for name in ("coverage", "error_answered")]
    print_table([(name, "right") for name in columns], [cells])
    out.print()
    names, counts = result["classes"], result["confusion"]
    wide = len(names) > _MOST_CLASSES_SHOWN
    headings = [("true class", "left"), ("rows", "right"), ("recall", "right")]
    if not wide:
        answers = [*names, *result["actions"]]
        headings += [(f"→ {name}", "right") for name in answers]
    print_table(
        headings,
        [
            (
                name,
                str(sum(row)),
                format_rate(result["recall"][name]),
                *([] if wide else map(str, row)),
            )
            for name, row in zip(names, counts, strict=True)
        ],
    )
    out.print()
    if not result["most_expensive_mistakes"]:
        out.print("No mistake cost anything.")
        return
    total = result["cost"] * result["rows"]
    out.print("The mistakes that cost most:")
    for one in result["most_expensive_mistakes"]:
        part = f", {100 * one['cost'] / total:.0f} % of all" if total > 0 else ""
        out.print(
            f"  {one['times']} x predicted {one['predicted']} for a true "
            f"{one['true']}: {one['cost']:.4g}{part}",
            soft_wrap=True,
        )
