"""How sure the choice is, as plain values and in lines."""

from typing import Any

import pandas as pd

from softcost.cli.console import format_cost, format_params
from softcost.cli.results import finite_or_none
from softcost.soft import SoftCostClassifierCV


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
    softness = float(search.tradeoff_["softness"].iloc[row])
    return {"softness": softness, "params": search.candidate_params(row)}


def _price(one: pd.Series) -> dict[str, Any]:
    numbers = {name: finite_or_none(one[name]) for name in ("price", "low", "high")}
    rows = {
        name: None if pd.isna(one[name]) else int(one[name])
        for name in ("below", "above")
    }
    names = {"true": one["true"], "predicted": one["predicted"]}
    return names | numbers | rows | {"change": finite_or_none(one["change"])}


def lines_of(sure: dict[str, Any] | None) -> list[str]:
    """The same for people: the first price to turn the choice, and the differences."""
    if sure is None:
        return []
    first, lines = sure["first"], []
    if first is None:
        lines.append("would it change? not with any single price")
    else:
        side = "above" if first["at"] >= first["price"] else "below"
        then = f"softness {sure['then']['softness']:g}"
        if sure["then"]["params"]:
            then += f", {format_params(sure['then']['params'])}"
        lines.append(
            f"would it change? first with the price of {first['predicted']} for a true "
            f"{first['true']}, now {format_cost(first['price'])}: {side} "
            f"{format_cost(first['at'])} to {then}"
        )
    for one in sure["differences"]:
        if one["first"] != "chosen" or one["low"] == one["high"]:
            continue
        lines.append(
            f"cost of chosen less that of {one['second']}: "
            f"{format_cost(one['difference'])}, 95 % interval "
            f"{format_cost(one['low'])} to {format_cost(one['high'])}"
        )
    return lines
