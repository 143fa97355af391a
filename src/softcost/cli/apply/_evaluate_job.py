"""The work behind ``softcost evaluate``."""

from typing import Any

import numpy as np

from softcost.cli.console import bad_input, print_table, stdout_console, write_json
from softcost.cli.results import (
    confusion,
    measure,
    measure_cells,
    most_expensive_mistakes,
)
from softcost.cli.stored_model import (
    KnownRows,
    answer_known_rows,
    check_one_price_list,
    open_model,
    price_list,
)
from softcost.formatting import format_cost, format_rate
from softcost.metrics import paired_saving, reported_measures
from softcost.report import advice, saving_facts

_MOST_CLASSES_SHOWN = 12


def run(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
) -> None:
    """Predict in pieces, then measure."""
    check_one_price_list(costs, cost_columns)
    with bad_input():
        stored = open_model(model)
        prices = price_list(stored, target, costs, cost_columns)
    found = answer_known_rows(stored, data, target, prices)
    result = _result(
        model,
        data,
        found.labels,
        found.predicted,
        found.costs,
        found.classes,
        found.actions,
    )
    result["prices"] = prices.words
    result |= _against_best_answer(found)
    if as_json:
        write_json(result)
    else:
        _print_result(result)


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


def _against_best_answer(found: KnownRows) -> dict[str, Any]:
    """The single answer that is cheapest on these rows, and what the model saves.

    Nobody knows that answer before: it is a little too good, and the saving is not.
    """
    paid = found.costs[np.arange(len(found.labels)), found.answers()]
    best = int(found.costs.sum(axis=0).argmin())
    label = str([*found.classes.tolist(), *found.actions.tolist()][best])
    facts = saving_facts(paired_saving(found.costs[:, best], paid))
    error = float(paid.std(ddof=1) / np.sqrt(len(paid))) if len(paid) > 1 else None
    return {
        "cost_se": error,
        "constant": {"label": label, "cost": float(found.costs[:, best].mean())},
        "saving": facts,
        "advice": advice(label, facts, rows="these rows"),
    }


def _print_result(result: dict[str, Any]) -> None:
    out = stdout_console()
    measures = reported_measures(bool(result["actions"]))
    columns = ["rows", *(measure.heading for measure in measures), "prices"]
    cells = [str(result["rows"]), *measure_cells(result, measures), result["prices"]]
    print_table([(name, "right") for name in columns], [cells])
    always = result["constant"]
    out.print(
        f"Always answering {always['label']} costs {format_cost(always['cost'])}, the "
        "least that a single answer can here.",
        soft_wrap=True,
    )
    for sentence in result["advice"]["sentences"]:
        out.print(sentence, soft_wrap=True)
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
