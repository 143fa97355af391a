"""The work behind ``softcost compare``."""

from typing import Any

import numpy as np

from softcost.cli.console import (
    BadInput,
    bad_input,
    print_table,
    stdout_console,
    write_json,
)
from softcost.cli.results import measure, measure_cells
from softcost.cli.stored_model import (
    KnownRows,
    StoredModel,
    answer_known_rows,
    check_one_price_list,
    open_model,
    price_list,
)
from softcost.files import STREAM
from softcost.formatting import quoted_names
from softcost.metrics import paired_saving, reported_measures
from softcost.report import saving_facts, saving_words


def run(
    first: str,
    second: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
) -> None:
    """Answer with both, then compare row by row."""
    check_one_price_list(costs, cost_columns)
    if data == STREAM:
        raise BadInput("DATA is read twice and must be a file, not standard input.")
    with bad_input():
        stored = [open_model(path) for path in (first, second)]
        _check_same_answers(*stored)
        prices = price_list(stored[0], target, costs, cost_columns)
    found = [answer_known_rows(one, data, target, prices) for one in stored]
    result = {"data": data, "prices": prices.words}
    result |= _compared(first, second, *found)
    if as_json:
        write_json(result)
    else:
        _print_result(result)


def _check_same_answers(first: StoredModel, second: StoredModel) -> None:
    names = [{str(name) for name in one.answers.tolist()} for one in (first, second)]
    odd = sorted(names[0] ^ names[1])
    if odd:
        raise ValueError(
            f"{first.path} and {second.path} do not have the same answers: "
            f"{quoted_names(odd)} only in one of them; compare models of one target."
        )


def _compared(
    first: str, second: str, before: KnownRows, after: KnownRows
) -> dict[str, Any]:
    """Measures of both, and what the second saves of cost and of errors."""
    every = np.arange(len(before.labels))
    paid = [one.costs[every, one.answers()] for one in (before, after)]
    wrong = [(one.predicted != one.labels).astype(float) for one in (before, after)]
    models = [
        {
            "model": path,
            **measure(one.labels, one.predicted, one.costs, one.classes, one.actions),
        }
        for path, one in ((first, before), (second, after))
    ]
    return {
        "rows": len(every),
        "different_answers": int((before.predicted != after.predicted).sum()),
        "models": models,
        "cost_saving": saving_facts(paired_saving(*paid)),
        "error_saving": saving_facts(paired_saving(*wrong)),
    }


def _print_result(result: dict[str, Any]) -> None:
    measures = reported_measures(False, headline=True)
    print_table(
        [("", "left"), *((measure.heading, "right") for measure in measures)],
        [(one["model"], *measure_cells(one, measures)) for one in result["models"]],
    )
    out = stdout_console()
    out.print(
        f"{result['rows']} rows, {result['different_answers']} of them answered "
        f"differently; prices {result['prices']}.",
        soft_wrap=True,
    )
    first, second = (one["model"] for one in result["models"])
    for sentence in _sentences(first, second, result):
        out.print(sentence, soft_wrap=True)


def _sentences(first: str, second: str, result: dict[str, Any]) -> list[str]:
    cost, error = result["cost_saving"], result["error_saving"]
    saved = f"{second} {saving_words(cost)}."
    if cost["shown"]:
        words = f"{second} is cheaper than {first}: {saved}"
    elif cost["high"] is not None and cost["high"] < 0:
        words = f"{second} is more expensive than {first}: {saved}"
    else:
        words = f"Neither is shown to be cheaper: {saved}"
    return [words, f"It makes {_errors(error)} in 100 rows."]


def _errors(facts: dict[str, Any]) -> str:
    """How many fewer, or more."""
    fewer, low, high = (facts[name] for name in ("saving", "low", "high"))
    word = "fewer" if fewer >= 0 else "more"
    sign = 100 if fewer >= 0 else -100
    text = f"{sign * fewer:.4g} {word} errors"
    if low is None or high is None:
        return text
    ends = sorted((sign * low, sign * high))
    return f"{text} (95 % interval {ends[0]:.4g} to {ends[1]:.4g})"
