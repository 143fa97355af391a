"""Whether to use a model, as its savings and their intervals say."""

import math
from typing import Any

from softcost.metrics import Saving


def saving_facts(found: Saving) -> dict[str, Any]:
    """A saving per row and its interval, also in percent, as plain data.

    Parameters
    ----------
    found : Saving
        As `softcost.metrics.paired_saving` and ``search.saving()`` give it.

    Returns
    -------
    dict
        ``saving``, ``low`` and ``high``, the same with ``_percent`` (None where there
        is no such number), and whether it is ``shown`` beyond chance.

    See Also
    --------
    advice : The same in words.
    softcost.metrics.paired_saving : Where savings come from.

    Examples
    --------
    >>> from softcost.metrics import paired_saving
    >>> from softcost.report import saving_facts
    >>> facts = saving_facts(paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2]))
    >>> round(facts["saving_percent"]), facts["shown"]
    (80, True)
    """
    facts: dict[str, Any] = {"shown": found.shown}
    for name in ("saving", "low", "high"):
        value = getattr(found, name)
        value = float(value) if math.isfinite(value) else None
        facts[name] = value
        facts[f"{name}_percent"] = None if value is None else found.percent(value)
    return facts


def advice(
    label: str,
    constant: dict[str, Any],
    regular: dict[str, Any] | None = None,
    rows: str = "held-out rows of the cross-validation",
    *,
    currency: str = "",
) -> dict[str, Any]:
    """What to make of the chosen model, in the words of terminal and page.

    Parameters
    ----------
    label : str
        The best single answer.
    constant, regular : dict
        What the model saves against always giving that answer and against the regular
        model, as `saving_facts` has it.
    rows : str
        On which rows that was measured.
    currency : str, default=""
        Written after amounts.

    Returns
    -------
    dict
        ``verdict``: "better", "not shown to be better" or "not better", each than the
        best single answer; ``sentences``.

    See Also
    --------
    saving_facts : What it is made of.
    softcost.soft.SoftCostClassifierCV.saving : Savings of a search.

    Examples
    --------
    >>> from softcost.metrics import paired_saving
    >>> from softcost.report import advice, saving_facts
    >>> facts = saving_facts(paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2]))
    >>> advice("stays", facts)["verdict"]
    'better'
    """
    always = f"always answering {label}"
    amount = _amount(constant, currency)
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
            saves = _amount(regular, currency)
            sentences.append(f"Against the regular model it saves {saves}.")
        elif regular["saving"]:
            sentences.append(
                "It is not shown to be cheaper than the regular model: it saves "
                f"{_amount(regular, currency)}."
            )
    return {"verdict": verdict, "sentences": sentences}


def _amount(facts: dict[str, Any], currency: str) -> str:
    """``0.42 per row, 15 % (95 % interval 3 to 27 %)``."""
    unit = f" {currency}" if currency else ""
    text = f"{facts['saving']:.4g}{unit} per row"
    if facts["saving_percent"] is not None and facts["low"] is not None:
        return (
            f"{text}, {facts['saving_percent']:.0f} % (95 % interval "
            f"{facts['low_percent']:.0f} to {facts['high_percent']:.0f} %)"
        )
    if facts["low"] is not None:
        return f"{text} (95 % interval {facts['low']:.4g} to {facts['high']:.4g})"
    return text
