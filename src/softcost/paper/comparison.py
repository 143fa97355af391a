"""Marks as in the paper's tables, significance, distance from published values.

Pure functions, frames in and frames out. A *table* has one row per data set, kind of
costs, algorithm and metric with ``mean``, ``se`` and ``runs``, as `summarize` gives
it; `published_table` puts the paper's numbers into that form, so that every function
works on both.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import kendalltau

from softcost.metrics import compare
from softcost.paper.anomalies import OTHER_RULES, UNEXPLAINED, explain
from softcost.paper.planning import (
    HARD_PAIRS,
    REGULAR,
    REGULAR_PAIRS,
    TARGETS,
    seed,
)
from softcost.paper.summary import published_values

# OVA ignores costs. If its error rate matches the paper's, its mean cost divided by its
# mean error shows whether the costs were drawn as in the paper.


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
    regular = table[(table["algorithm"] == "OVA") & table["published_mean"].notna()]
    rows = []
    for place, part in regular.groupby(["dataset", "costs"], sort=False):
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


LARGE_IS_GOOD = ("recall_product", "g_mean", "emphasized_recall")
_PLACE = ["dataset", "costs", "metric"]


def published_table(target: str, runs: int = 20) -> pd.DataFrame:
    """The paper's numbers for a target, in the form of `summarize`.

    Parameters
    ----------
    target : str
        One of `TARGETS`.
    runs : int, default=20
        How many the paper made.

    Returns
    -------
    DataFrame
        Columns as in `summarize`.

    See Also
    --------
    published_values : Every published mean and standard error.
    mark_best : Add ``star`` and ``bold``, as the paper marks its tables.

    Examples
    --------
    >>> from softcost.paper import published_table
    >>> published_table("sers")[["algorithm", "mean", "se"]].values.tolist()[0]
    ['OVA', 23.0, 2.51]
    """
    table = published_values()
    table = table[table["target"] == target].drop(columns="target")
    names = {"published_mean": "mean", "published_se": "se"}
    return (
        table.rename(columns=names)
        .assign(costs="published", runs=runs)
        .reset_index(drop=True)
    )


def without_rounding(means: pd.Series) -> pd.Series:
    """Means to 12 digits, so that sums in another order are equal."""
    return means.map(lambda mean: float(f"{mean:.12g}"))


def mark_best(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``star`` and ``bold``, as the paper marks its tables.

    Parameters
    ----------
    table : DataFrame
        From `summarize` or `published_table`.

    Returns
    -------
    DataFrame
        The star goes to the lowest mean of a data set (the highest where large is
        good), bold to all that are within the standard error of the best of it. Equal
        means share the star.

    See Also
    --------
    summarize : One row per data set, kind of costs, algorithm and metric.
    published_table : The paper's numbers for a target, in the form of `summarize`.

    Examples
    --------
    >>> from softcost.paper import mark_best, published_table
    >>> marked = mark_best(published_table("sers"))
    >>> marked[marked.star & (marked.metric == "cost")]["algorithm"].tolist()
    ['soft-CSOVO']
    """
    out = table.copy()
    sign = np.where(out["metric"].isin(LARGE_IS_GOOD), -1.0, 1.0)
    value = without_rounding(out["mean"]) * sign
    best = value.groupby([out[name] for name in _PLACE]).transform("min")
    out["star"] = value == best
    spread = out["se"].where(out["star"]).fillna(0.0)
    allowed = best + spread.groupby([out[name] for name in _PLACE]).transform("max")
    out["bold"] = value <= allowed
    return out


def p_value(
    mean_a: float, se_a: float, runs_a: float, mean_b: float, se_b: float, runs_b: float
) -> float:
    """Two-sided p of an unpaired t-test, from means and standard errors.

    For equal numbers of runs it is Student's test of two samples, for others nearly so.

    Examples
    --------
    >>> round(p_value(18.79, 3.72, 20, 18.34, 4.48, 20), 3)
    0.939
    """
    difference, spread = mean_a - mean_b, float(np.hypot(se_a, se_b))
    if difference == 0 or spread == 0:
        return float(difference == 0)
    return float(2 * stdtr(runs_a + runs_b - 2, -abs(difference / spread)))


def significance(
    cells: pd.DataFrame,
    pairs: Sequence[tuple[str, str]] = HARD_PAIRS + REGULAR_PAIRS,
    metrics: Sequence[str] = ("cost", "error"),
    level: float = 0.05,
) -> pd.DataFrame:
    """One algorithm against another, by three tests on the same runs.

    Parameters
    ----------
    cells : DataFrame
        Cells of a store.
    pairs : sequence of (str, str)
        Of algorithms; by default soft against hard, and soft against regular.
    metrics : sequence of str, default=("cost", "error")
        Those that the cells have.
    level : float, default=0.05
        Of the two-sided tests.

    Returns
    -------
    DataFrame
        Columns dataset, costs, metric, algorithm, versus, runs, unpaired, paired,
        stated; the last three say "better", "=" or "worse" of ``algorithm``: by two
        two-sided tests, and by the one that the paper states, paired and one-tailed
        at .1, asked in both directions. The symbols of the paper's large tables
        follow the unpaired test.

    See Also
    --------
    softcost.metrics.compare : One such test.
    verdicts : Every claim of the paper: our count, the published one, chance, a
        verdict.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.paper import significance
    >>> costs = {"soft-OSR": [1.0, 1.1, 0.9, 1.0], "OSR": [2.0, 2.2, 1.9, 2.1]}
    >>> cells = pd.DataFrame(
    ...     {"dataset": "iris", "costs": "plain", "algorithm": name, "run": run,
    ...      "cost": cost}
    ...     for name, values in costs.items()
    ...     for run, cost in enumerate(values)
    ... )
    >>> found = significance(cells, [("soft-OSR", "OSR")], ["cost"])
    >>> found[["algorithm", "versus", "paired"]].values.tolist()
    [['soft-OSR', 'OSR', 'better']]
    """
    rows = []
    measured = [metric for metric in metrics if metric in cells]
    for (dataset, costs), part in cells.groupby(["dataset", "costs"], sort=False):
        by_run = part.pivot(index="run", columns="algorithm", values=measured)
        for metric in measured:
            values = by_run[metric]
            for pair in pairs:
                if not set(pair) <= set(values):
                    continue
                both = values[list(pair)].dropna()
                if len(both) < 2:
                    continue
                a, b = both.to_numpy(float).T
                if metric in LARGE_IS_GOOD:
                    a, b = -a, -b
                answers = [_two_sided(a, b, paired, level) for paired in (False, True)]
                answers.append(_stated(a, b))
                rows.append((dataset, costs, metric, *pair, len(both), *answers))
    columns = [*_PLACE, "algorithm", "versus", "runs", "unpaired", "paired", "stated"]
    return pd.DataFrame(rows, columns=columns)


_STATED_LEVEL = 0.1


def _two_sided(a: NDArray[Any], b: NDArray[Any], paired: bool, level: float) -> str:
    result = compare(a, b, paired=paired, tail=2, level=level)
    if not result.significant:
        return "="
    return "better" if result.direction == "lower" else "worse"


def _stated(a: NDArray[Any], b: NDArray[Any]) -> str:
    for word, low, high in (("better", a, b), ("worse", b, a)):
        if compare(low, high, paired=True, tail=1, level=_STATED_LEVEL).significant:
            return word
    return "="


def agreement(
    table: pd.DataFrame,
    by: Sequence[str] = ("metric", "costs"),
    limit: float = 2.0,
) -> pd.DataFrame:
    """How many means are within some combined standard errors of the published ones.

    Parameters
    ----------
    table : DataFrame
        From `summarize`; only rows with a published number count.
    by : sequence of str, default=("metric", "costs")
        Columns of the table that make groups.
    limit : float, default=2
        In combined standard errors.

    Returns
    -------
    DataFrame
        The columns of ``by``, then cells, within, share.

    See Also
    --------
    summarize : One row per data set, kind of costs, algorithm and metric.
    outside : The rows that are not near the published values, each with an explanation.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.paper import agreement
    >>> table = pd.DataFrame(
    ...     {"metric": "error", "costs": "plain", "mean": [2.1, 3.5], "se": [0.1, 0.1],
    ...      "published_mean": [2.0, 3.0], "published_se": [0.2, 0.1],
    ...      "difference": [0.4, 3.5]}
    ... )
    >>> agreement(table)[["cells", "within", "share"]].values.tolist()
    [[2.0, 1.0, 0.5]]
    """
    comparable = table[_comparable(table)]
    within = near(comparable, limit)
    groups = within.groupby([comparable[name] for name in by], sort=False)
    return groups.agg(cells="size", within="sum", share="mean").reset_index()


def outside(
    table: pd.DataFrame,
    target: str,
    reference: pd.DataFrame | None = None,
    limit: float = 2.0,
) -> pd.DataFrame:
    """The rows that are not near the published values, each with an explanation.

    Parameters
    ----------
    table : DataFrame
        From `summarize`.
    target : str
        One of `TARGETS`.
    reference : DataFrame, default=None
        A table with OVA under the same costs; by default ``table`` itself.
    limit : float, default=2
        In combined standard errors.

    Returns
    -------
    DataFrame
        These rows with a column ``explanation``: what is known about how the published
        number was made; or that the costs differ, where an error of OVA has another
        cost (see `other_costs`) or where another rule of drawing them fits; or
        "unexplained". Costs do not explain the error of algorithms that do not look
        at them.

    See Also
    --------
    agreement : How many means are within some combined standard errors of the published
        ones.
    findings_of : Tables, tests and agreement of a target.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import outside, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce(
    ...         "inconsistent", f"{folder}/results.sqlite",
    ...         datasets=["iris"], algorithms=["OVA"], runs=2,
    ...     )
    >>> far = outside(found.table, "inconsistent", limit=50)
    >>> len(far), "explanation" in far
    (0, True)
    """
    comparable = table[_comparable(table)]
    far = comparable[~near(comparable, limit)].reset_index(drop=True)
    by_costs = other_costs(table if reference is None else reference, limit)
    explanations = []
    for row in far.to_dict("records"):
        place = (target, row["metric"], row["dataset"], row["algorithm"])
        text = explain(*place)
        blind = row["metric"] != "cost" and row["algorithm"] in REGULAR
        if text == UNEXPLAINED and not blind:
            other_rule = explain(*place, among=OTHER_RULES)
            text = by_costs.get((row["dataset"], row["costs"]), other_rule)
        explanations.append(text)
    return far.assign(explanation=explanations)


def _comparable(table: pd.DataFrame) -> pd.Series:
    return table["published_mean"].notna() & table["se"].notna()


def near(table: pd.DataFrame, limit: float = 2.0) -> pd.Series:
    """Which rows are within some combined standard errors of what is published."""
    equal = table["mean"] == table["published_mean"]
    return (table["difference"].abs() <= limit) | equal


# Standings: how often each algorithm is lowest or among the best, and its mean rank.


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
    common = set(ours["dataset"]) & set(published["dataset"])
    frames = []
    for part in (ours, published):
        part = mark_best(part[part["dataset"].isin(common)])
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
