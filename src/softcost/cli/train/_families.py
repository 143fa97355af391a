"""The best of each family, and what was not tried."""

from collections.abc import Sequence
from typing import Any

from softcost.cli.console import print_table, say
from softcost.cli.results import finite_or_none
from softcost.cli.train._reductions import Family
from softcost.formatting import format_cost, format_params, format_rate
from softcost.search import SoftCostClassifierCV


def tell_families(families: Sequence[Family]) -> None:
    """Say what will be trained; what suits the table is said once it is known."""
    if families:
        told = (f"{one.reduction} with {one.learner}" for one in families)
        say(f"training {', '.join(told)}.")


def family_facts(search: SoftCostClassifierCV) -> list[dict[str, Any]] | None:
    """One entry per family: its cheapest candidate, or why there is none.

    None for a search over one family without a time limit.
    """
    table, skipped = search.tradeoff_, getattr(search, "skipped_", None)
    if "family" not in table and skipped is None:
        return None
    named = table["family"] if "family" in table else table["cost"].map(lambda _: "")
    facts = []
    for family in dict.fromkeys(named):
        row = int(table["cost"][named == family].idxmin())
        facts.append(
            {
                "family": family,
                "softness": float(table["softness"][row]),
                "params": search.candidate_params(row),
                "candidates": int((named == family).sum()),
            }
            | {
                name: finite_or_none(table[name][row])
                for name in ("cost", "cost_se", "error", "error_se")
            }
            | {"skipped": _why(skipped, family, tried=True)}
        )
    facts.sort(key=lambda one: one["cost"])
    tried = {one["family"] for one in facts}
    left = [] if skipped is None else dict.fromkeys(skipped["family"].fillna(""))
    facts += [
        {"family": family, "skipped": _why(skipped, family)}
        for family in left
        if family not in tried
    ]
    portfolio = getattr(search, "portfolio_", None)
    if portfolio is not None:
        unsuited = portfolio[~portfolio["used"]]
        facts += [
            {"family": family, "skipped": f"does not suit this table: {why}"}
            for family, why in zip(unsuited["family"], unsuited["why"], strict=True)
        ]
    return facts


def why_blended(
    facts: list[dict[str, Any]] | None, chosen: dict[str, Any]
) -> list[str]:
    """Why a blend was chosen that is not the cheapest of all, in a sentence."""
    if facts is None or chosen.get("family") != "blend":
        return []
    best = facts[0]
    if best["family"] == "blend" or not best["cost"] < chosen["cost"]:
        return []
    return [
        f"{best['family']} looks cheaper ({format_cost(best['cost'])}), but of many "
        "costs the least is partly luck: the blend is steadier, and is taken unless a "
        "family outside it is clearly cheaper. --reduction and --learner take another."
    ]


def _why(skipped: Any, family: str, tried: bool = False) -> str | None:
    """Which settings of a family were left out, in words."""
    if skipped is None:
        return None
    own = skipped[skipped["family"].fillna("") == family]
    if own.empty:
        return None
    names = [text for text in own["params"] if text]
    what = f"without {'; '.join(names)}: " if tried and names else ""
    return what + "; ".join(dict.fromkeys(own["why"]))


def print_families(facts: list[dict[str, Any]] | None) -> None:
    """A table of families, the cheapest first."""
    if not facts:
        return
    columns = [("family", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [("cost", "right"), ("error", "right"), ("left out", "left")]
    rows = []
    for one in facts:
        tried = "cost" in one
        rows.append(
            [
                one["family"],
                f"{one['softness']:g}" if tried else "",
                format_params(one["params"]) if tried else "",
                format_cost(one["cost"], one["cost_se"]) if tried else "-",
                format_rate(one["error"], one["error_se"]) if tried else "-",
                one["skipped"] or "",
            ]
        )
    print_table(columns, rows)
