"""All that a store says about a target, beside the print."""

import pandas as pd

from softcost.experiments._claims import verdicts
from softcost.experiments._comparison import (
    agreement,
    mark_best,
    outside,
    printed_table,
    significance,
)
from softcost.experiments._paper import printed_tests
from softcost.experiments._plan import COMPARABLE, FAMILIES, TARGETS, Request
from softcost.experiments._summary import select, summarize

_OTHER_DATA = ("sers",)  # synthetic here: no number of ours should be the printed one
_CLOSEST = ("OVA", "OVO", "OSR", "soft-OSR", "CSOVO", "soft-CSOVO")


def findings(rows: pd.DataFrame, target: str) -> dict[str, pd.DataFrame] | None:
    """Tables, tests, agreement and verdicts of a target.

    Parameters
    ----------
    rows : DataFrame
        All rows of a store.
    target : str

    Returns
    -------
    dict of DataFrame, or None where the store has none of its algorithms
        ``table`` (`summarize`, `mark_best`, and ``as_in_paper``: whether the costs
        are of the kind that the paper can have drawn), ``tests`` (`significance`,
        with ``printed`` answers and ``as_in_paper``), ``agreement``, ``outside`` and
        ``verdicts``; the last two are about costs as in the paper.
    """
    request, cells = select(rows, target, "both")
    if not cells["family"].isin(FAMILIES).any():
        return None
    table = mark_best(summarize(cells, request))
    table["as_in_paper"] = _as_in_paper(table, request)
    same = table[table["as_in_paper"]]
    comparable = table if target not in _OTHER_DATA else table.iloc[:0]
    return {
        "table": table,
        "tests": _tests(cells, request),
        "agreement": _agreements(comparable, target),
        "outside": outside(
            comparable[comparable["as_in_paper"]], target, _with_ova(rows, request)
        ),
        "verdicts": verdicts(same, printed_table(target), target),
    }


def _as_in_paper(frame: pd.DataFrame, request: Request) -> pd.Series:
    places = zip(frame["dataset"], frame["costs"], strict=True)
    kinds = request.target.kinds_of
    return pd.Series([costs in kinds(name) for name, costs in places], frame.index)


def _with_ova(rows: pd.DataFrame, request: Request) -> pd.DataFrame:
    """A table that has OVA under the costs of a target."""
    benchmark = request.target.costs == TARGETS["inconsistent"].costs
    name = "inconsistent" if benchmark else request.target.name
    same_costs, cells = select(rows, name)
    return summarize(cells, same_costs)


def _tests(cells: pd.DataFrame, request: Request) -> pd.DataFrame:
    target = request.target
    tests = significance(cells, target.pairs, target.metrics)
    known = printed_tests()
    known = known[known["task"] == target.name].drop(columns="task")
    known = known.rename(columns={"soft": "algorithm"})
    place = ["metric", "dataset", "algorithm", "versus"]
    tests = tests.merge(known, on=place, how="left")
    tests["as_in_paper"] = _as_in_paper(tests, request)
    tests["printed"] = tests["printed"].where(tests["as_in_paper"])
    order = {name: n for n, name in enumerate(request.datasets)}
    rank = 2 * tests["dataset"].map(order) + ~tests["as_in_paper"]
    return tests.loc[rank.sort_values(kind="stable").index].reset_index(drop=True)


def _agreements(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """Agreement over all cells, over those that should agree best, and over the rest.

    The twelve sets where costs can be drawn again, and the algorithms whose every
    detail is known, say most about whether this is the paper's method.
    """
    as_in_paper = table["as_in_paper"]
    parts = {"all": table[as_in_paper]}
    if target in ("inconsistent", "consistent"):
        closest = table["dataset"].isin(COMPARABLE) & table["algorithm"].isin(_CLOSEST)
        name = f"{', '.join(_CLOSEST)} on {', '.join(COMPARABLE)}"
        parts[name] = table[as_in_paper & closest]
    if not as_in_paper.all():
        parts["the same sets with costs by class sizes"] = table[~as_in_paper]
    frames = [
        agreement(part, ["metric"]).assign(what=what) for what, part in parts.items()
    ]
    return pd.concat(frames, ignore_index=True)
