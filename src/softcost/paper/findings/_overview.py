"""How near it all is, in the numbers that the first page of a report tells."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from softcost.paper.findings._anomalies import UNEXPLAINED
from softcost.paper.findings._comparison import agreement
from softcost.paper.findings._error_costs import error_costs
from softcost.paper.findings._findings import CLOSEST, findings_of
from softcost.paper.run import BALANCED, PLAIN

_MAIN = ("inconsistent", "consistent")
_FAR = 2.0  # standard errors


@dataclass(frozen=True)
class Overview:
    """What the first page tells.

    Attributes
    ----------
    near : DataFrame
        How many means of the closest algorithms on sets without rare classes are
        within two combined standard errors: columns what ("tables", "rule" for costs
        by class sizes on all sets, "all runs"), target, metric, within, cells.
    error_costs : DataFrame
        What an error of OVA costs: columns target, dataset, costs, ours, published,
        ratio (published to ours), other (whether they differ clearly), and of its
        error: error, published_error, near.
    open_cells : DataFrame
        Columns target, dataset, cells: means that are far off without explanation.
    """

    near: pd.DataFrame
    error_costs: pd.DataFrame
    open_cells: pd.DataFrame


def overview(
    found: Mapping[str, Mapping[str, pd.DataFrame] | None], everything: pd.DataFrame
) -> Overview:
    """Summarise the findings of a report.

    Parameters
    ----------
    found : dict of target to findings, or None where it was not run
    everything : DataFrame
        All rows of the store, with the runs that the tables leave out.
    """
    main = {name: part for name in _MAIN if (part := found.get(name)) is not None}
    near, costs, open_cells = [], [], []
    for name, part in main.items():
        table = part["table"]
        own = table[table["as_in_paper"]]
        near.append(_near(own, "tables", name))
        near.append(_near(_by_rule(table), "rule", name))
        if everything["run"].max() >= table["runs"].max():
            more = findings_of(everything, name)
            if more is not None:
                wider = more["table"]
                near.append(_near(wider[wider["as_in_paper"]], "all runs", name))
        costs.append(_error_costs(own).assign(target=name))
    for name, found_part in found.items():
        if found_part is not None:
            far = found_part["outside"]
            counts = far[far["explanation"] == UNEXPLAINED].groupby("dataset").size()
            open_cells.append(counts.reset_index(name="cells").assign(target=name))
    return Overview(_joined(near), _joined(costs), _joined(open_cells))


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    full = [frame for frame in frames if len(frame)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame()


def _near(table: pd.DataFrame, what: str, target: str) -> pd.DataFrame:
    closest = table["dataset"].isin(BALANCED) & table["algorithm"].isin(CLOSEST)
    return agreement(table[closest], ["metric"]).assign(what=what, target=target)


def _by_rule(table: pd.DataFrame) -> pd.DataFrame:
    """Costs by class sizes on all sets, as the paper's rule says; or nothing."""
    by_size = table[table["costs"] == "class-ratio"]
    return by_size if set(PLAIN) <= set(by_size["dataset"]) else table.iloc[:0]


def _error_costs(table: pd.DataFrame) -> pd.DataFrame:
    costs = error_costs(table)
    errors = table[(table["algorithm"] == "OVA") & (table["metric"] == "error")]
    errors = errors.rename(
        columns={"mean": "error", "published_mean": "published_error"}
    )
    columns = ["dataset", "costs", "error", "published_error", "near"]
    costs = costs.merge(errors[columns], on=["dataset", "costs"])
    costs["ratio"] = np.exp(costs["log_ratio"])
    costs["other"] = costs["log_ratio"].abs() > _FAR * costs["se"]
    return costs.drop(columns=["log_ratio", "se"])
