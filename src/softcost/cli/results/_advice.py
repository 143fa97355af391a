"""Whether to use a model, as its savings and their intervals say."""

from typing import Any

from softcost.cli.results._measures import finite_or_none
from softcost.metrics import Saving


def saving_facts(found: Saving) -> dict[str, Any]:
    """A saving per row and its interval, also in percent, as plain data."""
    facts: dict[str, Any] = {"shown": found.shown}
    for name in ("saving", "low", "high"):
        value = finite_or_none(getattr(found, name))
        facts[name] = value
        facts[f"{name}_percent"] = None if value is None else found.percent(value)
    return facts


def advice(
    label: str, constant: dict[str, Any], regular: dict[str, Any] | None, rows: str
) -> dict[str, Any]:
    """What to make of the chosen model.

    Parameters
    ----------
    label : str
        The best single answer.
    constant, regular : dict
        What the model saves against always giving that answer and against the regular
        model, as `saving_facts` has it.
    rows : str
        On which rows that was measured.

    Returns
    -------
    dict
        ``verdict``: "better", "not shown to be better" or "not better", each than the
        best single answer; ``sentences``.
    """
    always = f"always answering {label}"
    amount = _amount(constant)
    if constant["shown"]:
        verdict = "better"
        first = f"Cheaper than {always}: it saves {amount} on {rows}."
    elif (constant["saving"] or 0.0) > 0:
        verdict = "not shown to be better"
        first = (
            f"Not shown to be better than {always}: it saves {amount} on {rows}, which "
            "may be chance. More rows or better columns would tell."
        )
    else:
        verdict = "not better"
        first = (
            f"No model is cheaper than {always}, on {rows}: do not use this one for "
            "its cost."
        )
    sentences = [first]
    if regular is not None and verdict != "not better":
        if regular["shown"]:
            sentences.append(f"Against the regular model it saves {_amount(regular)}.")
        elif regular["saving"]:
            sentences.append(
                "It is not shown to be cheaper than the regular model: it saves "
                f"{_amount(regular)}."
            )
    return {"verdict": verdict, "sentences": sentences}


def _amount(facts: dict[str, Any]) -> str:
    """``0.42 per row, 15 % (95 % interval 3 to 27 %)``."""
    text = f"{facts['saving']:.4g} per row"
    if facts["saving_percent"] is not None and facts["low"] is not None:
        return (
            f"{text}, {facts['saving_percent']:.0f} % (95 % interval "
            f"{facts['low_percent']:.0f} to {facts['high_percent']:.0f} %)"
        )
    if facts["low"] is not None:
        return f"{text} (95 % interval {facts['low']:.4g} to {facts['high']:.4g})"
    return text
