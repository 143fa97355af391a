"""How sure the choice is, as plain values and in lines."""

from typing import Any

import pandas as pd

from softcost.cli.results import finite_or_none
from softcost.formatting import format_cost, format_params
from softcost.search import SoftCostClassifierCV


def how_sure(search: SoftCostClassifierCV) -> dict[str, Any] | None:
    """Prices that would turn the choice, nearest first, and intervals of differences.

    None where the rule cannot be followed along prices.
    """
    try:
        found = search.sensitivity()
    except ValueError:
        return None
    turning = found.prices[found.prices[["below", "above"]].notna().any(axis=1)]
    turning = turning.sort_values("change", kind="stable")
    return {
        "first": found.first,
        "then": None if found.first is None else _candidate(search, found.first["row"]),
        "prices": [_price(one) for _, one in turning.iterrows()],
        "differences": found.differences.to_dict("records"),
    }


def _candidate(search: SoftCostClassifierCV, row: int) -> dict[str, Any]:
    found = search.tradeoff_.iloc[row]
    family = str(found["family"]) if "family" in found else None
    params = search.candidate_params(row)
    return {"family": family, "softness": float(found["softness"]), "params": params}


def _price(one: pd.Series) -> dict[str, Any]:
    numbers = {name: finite_or_none(one[name]) for name in ("price", "low", "high")}
    rows = {
        name: None if pd.isna(one[name]) else int(one[name])
        for name in ("below", "above")
    }
    names = {"true": one["true"], "predicted": one["predicted"]}
    return names | numbers | rows | {"change": finite_or_none(one["change"])}


def lines_of(sure: dict[str, Any] | None) -> list[str]:
    """The same for people: the first price to turn the choice.

    Differences of cost are told as savings, once.
    """
    if sure is None:
        return []
    first = sure["first"]
    if first is None:
        return [
            "If a price is wrong: whatever a single one of them were, the same model "
            "would be chosen."
        ]
    side = "more" if first["at"] >= first["price"] else "less"
    then = f"softness {sure['then']['softness']:g}"
    if sure["then"]["family"] is not None:
        then = f"{sure['then']['family']}, {then}"
    if sure["then"]["params"]:
        then += f", {format_params(sure['then']['params'])}"
    return [
        "If a price is wrong: the first to matter is that of predicting "
        f"{first['predicted']} for a true {first['true']}, now "
        f"{format_cost(first['price'])}; at {side} than {format_cost(first['at'])} "
        f"another model would be chosen ({then})."
    ]
