"""The verdict on a model in words: savings with their intervals, and budgets."""

import math
from collections.abc import Mapping
from typing import Any

from softcost.metrics import MEASURES, Saving


def saving_facts(saving: Saving) -> dict[str, Any]:
    """A saving per row and its interval, also in percent, as plain data.

    Parameters
    ----------
    saving : Saving
        As returned by `softcost.metrics.paired_saving` and ``search.saving()``.

    Returns
    -------
    dict
        ``saving``, ``low`` and ``high``, the same with ``_percent`` (None if
        undefined), and whether the saving is significant (``shown``).

    See Also
    --------
    advice : The same in words.
    softcost.metrics.paired_saving : Computes savings.

    Examples
    --------
    >>> from softcost.metrics import paired_saving
    >>> from softcost.report import saving_facts
    >>> facts = saving_facts(paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2]))
    >>> round(facts["saving_percent"]), facts["shown"]
    (80, True)
    """
    facts: dict[str, Any] = {"shown": saving.shown}
    for name in ("saving", "low", "high"):
        value = getattr(saving, name)
        value = float(value) if math.isfinite(value) else None
        facts[name] = value
        facts[f"{name}_percent"] = None if value is None else saving.percent(value)
    return facts


def advice(
    label: str,
    constant: dict[str, Any],
    regular: dict[str, Any] | None = None,
    rows: str = "held-out rows of the cross-validation",
    *,
    currency: str = "",
) -> dict[str, Any]:
    """The verdict on the chosen model, for the terminal and the explorer page.

    Parameters
    ----------
    label : str
        The best constant answer.
    constant, regular : dict
        Savings against the constant answer and the regular model, as returned by
        `saving_facts`.
    rows : str
        The rows on which the savings were measured, in words.
    currency : str, default=""
        Written after amounts.

    Returns
    -------
    dict
        ``verdict`` ("better", "not shown to be better" or "not better" than the best
        constant answer) and ``sentences``.

    See Also
    --------
    saving_facts : The numbers behind it.
    softcost.search.SoftCostClassifierCV.saving : Savings of a search.

    Examples
    --------
    >>> from softcost.metrics import paired_saving
    >>> from softcost.report import advice, saving_facts
    >>> facts = saving_facts(paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2]))
    >>> advice("stays", facts)["verdict"]
    'better'
    """
    always = f"always answering {label}"
    amount = saving_words(constant, currency)
    if constant["shown"]:
        verdict = "better"
        first = f"Compared with {always}, it {amount}, on {rows}."
    elif (constant["saving"] or 0.0) > 0:
        verdict = "not shown to be better"
        first = (
            f"Compared with {always}, it {amount}, on {rows}. This may be chance: "
            "collect more rows or more informative columns."
        )
    else:
        verdict = "not better"
        costs = amount if constant["saving"] else "costs the same"
        first = (
            f"Not cheaper than {always}: it {costs} on {rows}. To minimise the cost, "
            f"always answer {label}."
        )
    sentences = [first]
    if regular is not None and verdict != "not better":
        amount = saving_words(regular, currency)
        worse = regular["high"] is not None and regular["high"] < 0
        clear = regular["shown"] or worse
        if clear or regular["saving"]:
            chance = "." if clear else ". This may be chance."
            sentences.append(f"Compared with the regular model, it {amount}{chance}")
    return {"verdict": verdict, "sentences": sentences}


def saving_words(facts: dict[str, Any], currency: str = "") -> str:
    """A saving as the end of a sentence; a negative saving is an extra cost.

    Parameters
    ----------
    facts : dict
        As returned by `saving_facts`.
    currency : str, default=""
        Written after the amount.

    Returns
    -------
    str
        Such as ``"saves 0.42 per row, 15% (95% CI 3 to 27%)"``.

    See Also
    --------
    advice : Whole sentences.

    Examples
    --------
    >>> from softcost.metrics import MEASURES, Saving
    >>> from softcost.report import saving_facts, saving_words
    >>> saving_words(saving_facts(Saving(saving=-0.5, low=-0.9, high=0.1, before=2)))
    'costs 0.5 more per row, 25% (95% CI -5 to 45%)'
    """
    unit = f" {currency}" if currency else ""
    sign, low, high = 1, "low", "high"
    text = f"saves {facts['saving']:.4g}{unit} per row"
    if facts["saving"] < 0:
        sign, low, high = -1, "high", "low"
        text = f"costs {-facts['saving']:.4g}{unit} more per row"
    if facts["low"] is None or facts["high"] is None:
        return text
    if facts["saving_percent"] is None:
        ends = [sign * facts[name] + 0.0 for name in (low, high)]  # 0, not -0
        return f"{text} (95% CI {ends[0]:.4g} to {ends[1]:.4g})"
    percent = [round(sign * facts[f"{name}_percent"]) for name in ("saving", low, high)]
    return f"{text}, {percent[0]}% (95% CI {percent[1]} to {percent[2]}%)"


def budget_words(guarantee: Mapping[str, Any]) -> str:
    """Whether the limits of a budget are met, and on what evidence, in one line.

    Parameters
    ----------
    guarantee : dict
        As in `softcost.search.Decision` and ``search.guarantee_``.

    Returns
    -------
    str
        Such as ``"budget met: error at most 5.00% (by cross-validation, without a
        guarantee)"``.

    See Also
    --------
    softcost.search.Budget : The rule that has limits.
    advice : The verdict on the chosen model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import Budget, OneSidedRegression, SoftCostClassifierCV
    >>> from softcost.report import budget_words
    >>> X, y = load_iris(return_X_y=True)
    >>> rule = Budget(error=0.2)
    >>> search = SoftCostClassifierCV(OneSidedRegression(), criterion=rule).fit(X, y)
    >>> budget_words(search.guarantee_)
    'budget met: error at most 20.00% (by cross-validation, without a guarantee)'
    """
    limits = []
    for limit in guarantee["limits"]:
        if limit["measure"] == "recall":
            name, bound = f"recall of {limit['label']}", f"{100 * limit['bound']:.2f}%"
        else:
            measure = MEASURES[limit["measure"]]
            name, bound = measure.heading, measure.format(limit["bound"])
        side = "at least" if limit["at_least"] else "at most"
        limits.append(f"{name} {side} {bound}")
    evidence = {
        "none": "by cross-validation, without a guarantee",
        "approximate": "approximately, by cross-validated predictions",
        "exact": f"shown on {guarantee['rows']} rows kept from training",
    }[guarantee["kind"]]
    if guarantee["confidence"] is not None:
        evidence = f"confidence {guarantee['confidence']:g}, {evidence}"
    met = "met" if guarantee["met"] else "NOT met"
    return f"budget {met}: {' and '.join(limits)} ({evidence})"
