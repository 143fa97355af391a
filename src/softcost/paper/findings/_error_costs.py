"""Whether costs were drawn as in the paper, seen from what an error of OVA costs.

OVA never looks at costs. Where it errs as in the paper, its mean cost divided by its
mean error tells how the costs were drawn.
"""

from typing import Any

import numpy as np
import pandas as pd


def error_costs(table: pd.DataFrame) -> pd.DataFrame:
    """What an error of OVA costs, in ours and in the paper.

    Parameters
    ----------
    table : DataFrame
        From `summarize`.

    Returns
    -------
    DataFrame
        Columns dataset, costs, ours, published, log_ratio (of published to ours)
        and its standard error, se, from the relative standard errors of the four
        means as if they were independent, which makes it rather too large.
    """
    known = table[(table["algorithm"] == "OVA") & table["published_mean"].notna()]
    rows = []
    for place, part in known.groupby(["dataset", "costs"], sort=False):
        by_metric = part.set_index("metric").to_dict("index")
        if not {"cost", "error"} <= set(by_metric):
            continue
        cost, error = by_metric["cost"], by_metric["error"]
        ours, published = (
            cost[mean] * cost["unit"] / (error[mean] * error["unit"])
            if error[mean] > 0
            else np.nan
            for mean in ("mean", "published_mean")
        )
        spread = [
            row[se] / row[mean] if row[mean] > 0 else np.nan
            for row in (cost, error)
            for mean, se in (("mean", "se"), ("published_mean", "published_se"))
        ]
        ratio = np.log(published / ours) if min(published, ours) > 0 else np.nan
        rows.append((*place, ours, published, ratio, float(np.hypot.reduce(spread))))
    columns = ["dataset", "costs", "ours", "published", "log_ratio", "se"]
    return pd.DataFrame(rows, columns=columns)


def other_costs(table: pd.DataFrame, limit: float = 2.0) -> dict[Any, str]:
    """The data sets whose costs differ from the paper's, each with a sentence.

    Parameters
    ----------
    table : DataFrame
        From `summarize`.
    limit : float, default=2
        By how many standard errors the cost of an error of OVA has to differ.

    Returns
    -------
    dict of (dataset, costs) to str
    """
    return {
        (row["dataset"], row["costs"]): (
            f"other costs, it seems: an error of OVA costs {row['published']:.2g} in "
            f"the paper, {row['ours']:.2g} here"
        )
        for row in error_costs(table).to_dict("records")
        if abs(row["log_ratio"]) > limit * row["se"]
    }
