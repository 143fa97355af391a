"""How often every algorithm is the lowest or among the best, and its mean rank."""

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from softcost.paper.findings._comparison import (
    mark_best,
    published_table,
    without_rounding,
)
from softcost.paper.run import TARGETS, seed

_SHUFFLES = 999


def standings(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """Marks and mean ranks of the algorithms, ours and the published ones.

    Parameters
    ----------
    table : DataFrame
        From `summarize`: data and costs as in the paper.
    target : str

    Returns
    -------
    DataFrame
        Columns metric, algorithm; then ours and, with the ending ``_published``, the
        paper's: rank (mean over the data sets that both have), bold, star (on how
        many sets).
    """
    names = list(TARGETS[target].algorithms)
    published = published_table(target)
    ours = table[table["algorithm"].isin(names)]
    known = set(ours["dataset"]) & set(published["dataset"])
    frames = []
    for part in (ours, published):
        part = mark_best(part[part["dataset"].isin(known)])
        part["mean"] = without_rounding(part["mean"])
        groups = part.groupby(["dataset", "metric"])["mean"]
        part["rank"] = groups.rank()
        by = part.groupby(["metric", "algorithm"])
        frames.append(by.agg(rank=("rank", "mean"), bold=("bold", "sum"),
                             star=("star", "sum")))  # fmt: skip
    published_frame = frames[1].add_suffix("_published")
    both = frames[0].join(published_frame, how="inner").reset_index()
    order = {name: n for n, name in enumerate(names)}
    return both.sort_values(
        ["metric", "algorithm"],
        key=lambda column: column.map(order) if column.name == "algorithm" else column,
        ignore_index=True,
    )


def rank_agreement(ranks: pd.DataFrame, name: str) -> tuple[float, float]:
    """Kendall's tau of ours and the published ranks, and p from shuffled names."""
    ours = ranks["rank"].to_numpy(float)
    theirs = ranks["rank_published"].to_numpy(float)
    observed = float(kendalltau(ours, theirs).statistic)
    rng = np.random.default_rng(seed("shuffle", "ranks", name))
    shuffled = [
        kendalltau(rng.permutation(ours), theirs).statistic for _ in range(_SHUFFLES)
    ]
    as_high = np.sum(np.array(shuffled) >= observed - 1e-12)
    return observed, float((1 + as_high) / (1 + _SHUFFLES))
