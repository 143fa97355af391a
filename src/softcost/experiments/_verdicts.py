"""Tables in the paper's form, significance, and whether the paper's claims hold.

Pure functions, frames in and frames out. A *table* has one row per data set, kind of
costs, algorithm and metric with ``mean``, ``se`` and ``runs``, as `summarize` gives
it; `printed_table` puts the paper's numbers into that form, so that every function
works on both.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtr

from softcost.experiments._paper import printed
from softcost.metrics import compare

# Soft algorithms with their hard and regular siblings.
SIBLINGS = (
    ("soft-OSR", "OSR", "OVA"),
    ("soft-CSOVO", "CSOVO", "OVO"),
    ("soft-CSFT", "CSFT", "FT"),
    ("soft-CSZL", "CSZL", "OVO"),
)
_LARGE_IS_GOOD = ("recall_product", "g_mean", "emphasized_recall")
_PLACE = ["dataset", "costs", "metric"]


def printed_table(task: str, runs: int = 20) -> pd.DataFrame:
    """The paper's numbers for a task, in the form of `summarize`.

    Examples
    --------
    >>> printed_table("sers")[["algorithm", "mean", "se"]].values.tolist()[0]
    ['OVA', 23.0, 2.51]
    """
    table = printed()
    table = table[table["task"] == task].drop(columns="task")
    names = {"printed_mean": "mean", "printed_se": "se"}
    return (
        table.rename(columns=names)
        .assign(costs="printed", runs=runs)
        .reset_index(drop=True)
    )


def mark_best(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``star`` and ``bold``, as the paper marks its tables.

    Returns
    -------
    DataFrame
        The star goes to the lowest mean of a data set (the highest where large is
        good), bold to all that are within the standard error of the best of it. Equal
        means share the star.

    Examples
    --------
    >>> marked = mark_best(printed_table("sers"))
    >>> marked[marked.star & (marked.metric == "cost")]["algorithm"].tolist()
    ['soft-CSOVO']
    """
    out = table.copy()
    sign = np.where(out["metric"].isin(_LARGE_IS_GOOD), -1.0, 1.0)
    value = out["mean"] * sign
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

    For equal numbers of runs it is Student's test of two samples.

    Examples
    --------
    >>> round(p_value(18.79, 3.72, 20, 18.34, 4.48, 20), 3)
    0.939
    """
    difference, spread = mean_a - mean_b, float(np.hypot(se_a, se_b))
    if difference == 0 or spread == 0:
        return float(difference == 0)
    return float(2 * stdtr(runs_a + runs_b - 2, -abs(difference / spread)))


def significance(cells: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Soft algorithms against their siblings, by two tests on the same runs.

    Parameters
    ----------
    cells : DataFrame
        Cells of a store.
    level : float, default=0.05
        Two-sided. The paper's big tables behave as an unpaired test at .05.

    Returns
    -------
    DataFrame
        Columns dataset, costs, metric, soft, versus, runs, unpaired, paired; the
        last two say "better", "=" or "worse" of the soft one.
    """
    rows = []
    for (dataset, costs), part in cells.groupby(["dataset", "costs"], sort=False):
        by_run = part.pivot(index="run", columns="algorithm", values=["cost", "error"])
        for metric in ("cost", "error"):
            values = by_run[metric]
            for soft, versus in _pairs():
                if soft not in values or versus not in values:
                    continue
                both = values[[soft, versus]].dropna()
                if len(both) < 2:
                    continue
                a, b = both[soft].to_numpy(float), both[versus].to_numpy(float)
                answers = [_word(a, b, paired, level) for paired in (False, True)]
                rows.append((dataset, costs, metric, soft, versus, len(both), *answers))
    columns = [*_PLACE, "soft", "versus", "runs", "unpaired", "paired"]
    return pd.DataFrame(rows, columns=columns)


def _pairs() -> Iterator[tuple[str, str]]:
    for soft, hard, regular in SIBLINGS:
        yield soft, regular
        yield soft, hard


def _word(a, b, paired: bool, level: float) -> str:
    result = compare(a, b, paired=paired, tail=2, level=level)
    if not result.significant:
        return "="
    return "better" if result.direction == "lower" else "worse"


def agreement(table: pd.DataFrame, limit: float = 2.0) -> pd.DataFrame:
    """How many means are within some combined standard errors of the printed ones.

    Parameters
    ----------
    table : DataFrame
        From `summarize`; only rows with a printed number count.
    limit : float, default=2

    Returns
    -------
    DataFrame
        Columns metric, costs, cells, within, share.
    """
    known = table[table["printed_mean"].notna() & table["se"].notna()]
    equal = known["mean"] == known["printed_mean"]
    within = (known["difference"].abs() <= limit) | equal
    groups = within.groupby([known["metric"], known["costs"]], sort=False)
    out = groups.agg(cells="size", within="sum", share="mean")
    return out.reset_index()


def claims(table: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """On how many data sets the paper's claims hold.

    Parameters
    ----------
    table : DataFrame
        With one kind of costs per data set.
    level : float, default=0.05
        Of unpaired two-sided tests: "clearly" means significantly.

    Returns
    -------
    DataFrame
        Columns claim, algorithm, holds, of, not_on: the number of data sets where it
        holds, of how many, and the names of the others.

    Examples
    --------
    >>> answer = claims(printed_table("inconsistent"))
    >>> answer[answer.algorithm == "soft-OSR"][["claim", "holds"]].values.tolist()[0]
    ['soft has a lower error than hard', 19]
    """
    values = table.set_index(["dataset", "metric", "algorithm"])
    if values.index.has_duplicates:
        raise ValueError("table has several kinds of costs for a data set; pick one.")
    known = values[["mean", "se", "runs"]].T.to_dict("list")
    datasets = list(dict.fromkeys(table["dataset"]))
    rows = []
    for claim, pair, algorithms, only, holds in _claims(level):
        for siblings in algorithms:
            first, second = siblings[pair[0]], siblings[pair[1]]
            found = {}
            for dataset in only or datasets:
                answer = holds(known, dataset, first, second)
                if answer is not None:
                    found[dataset] = answer
            others = [name for name, answer in found.items() if not answer]
            total = sum(found.values())
            rows.append((claim, first, total, len(found), ", ".join(others)))
    return pd.DataFrame(rows, columns=["claim", "algorithm", "holds", "of", "not_on"])


_Known = dict[Hashable, list[float]]
_Holds = Callable[[_Known, str, str, str], bool | None]
_SOFT, _HARD, _REGULAR = 0, 1, 2


def _claims(
    level: float,
) -> list[tuple[str, tuple[int, int], Sequence[tuple[str, ...]], tuple, _Holds]]:
    """Claim, which siblings it compares, of which families, on which sets, test."""

    def lower(metric: str, clearly: bool = False) -> _Holds:
        def holds(known, dataset, a, b):
            pair = _two(known, dataset, metric, a, b)
            if pair is None:
                return None
            difference, p = pair
            return bool(difference < 0 and (p < level or not clearly))

        return holds

    def similar(*metrics: str) -> _Holds:
        def holds(known, dataset, a, b):
            pairs = [_two(known, dataset, metric, a, b) for metric in metrics]
            if any(pair is None for pair in pairs):
                return None
            return all(p >= level for _, p in pairs)

        return holds

    def not_clearly_higher(known, dataset, a, b):
        pair = _two(known, dataset, "cost", a, b)
        return None if pair is None else bool(pair[0] <= 0 or pair[1] >= level)

    def higher(known, dataset, a, b):
        pair = _two(known, dataset, "cost", a, b)
        return None if pair is None else bool(pair[0] > 0)

    first, last = SIBLINGS[:3], SIBLINGS[3:]
    hard, regular = (_SOFT, _HARD), (_SOFT, _REGULAR)
    named = ("vowel", "dna")
    return [
        ("soft has a lower error than hard", hard, SIBLINGS, (), lower("error")),
        ("soft has a clearly lower error than hard", hard, SIBLINGS, (),
         lower("error", True)),
        ("... at a cost that is not clearly higher", hard, SIBLINGS, (),
         not_clearly_higher),
        ("soft has a lower cost than regular", regular, SIBLINGS, (), lower("cost")),
        ("soft has a clearly lower cost than regular", regular, SIBLINGS, (),
         lower("cost", True)),
        ("hard has a higher cost than regular", (_HARD, _REGULAR), first, named,
         higher),
        ("soft and hard are about equal in cost and error", hard, last, (),
         similar("cost", "error")),
    ]  # fmt: skip


def _two(known: _Known, dataset: str, metric: str, a: str, b: str):
    """Difference of two means and its p; None where one of them is missing."""
    one = known.get((dataset, metric, a))
    other = known.get((dataset, metric, b))
    if one is None or other is None:
        return None
    return one[0] - other[0], p_value(*one, *other)
