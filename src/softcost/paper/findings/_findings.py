"""All that a store says about a target, beside the published values."""

import pandas as pd

from softcost.datasets import info
from softcost.paper.findings._comparison import (
    agreement,
    mark_best,
    near,
    outside,
    significance,
)
from softcost.paper.findings._published import published_class_sizes, published_symbols
from softcost.paper.findings._summary import select, summarize
from softcost.paper.run import (
    BALANCED,
    FAMILIES,
    GRIDS,
    PLAIN,
    SAMPLES,
    TARGETS,
    Request,
)

_OTHER_DATA = ("sers",)  # synthetic here: no number of ours should be the published one
CLOSEST = ("OVA", "OVO", "OSR", "soft-OSR", "CSOVO", "soft-CSOVO")


def findings_of(rows: pd.DataFrame, target: str) -> dict[str, pd.DataFrame] | None:
    """Tables, tests and agreement of a target.

    Parameters
    ----------
    rows : DataFrame
        All rows of a store.
    target : str
        One of `TARGETS`.

    Returns
    -------
    dict of DataFrame, or None where the store has none of its algorithms
        ``table`` (`summarize`, `mark_best`, ``near``, and ``as_in_paper``: whether
        the data and the kind of costs are the paper's), ``tests`` (`significance`,
        with ``published`` answers and ``as_in_paper``), ``agreement`` and ``outside``,
        the last about data and costs as in the paper.

    See Also
    --------
    read_rows : All cells of a store, or of a file that was exported from one.
    verdicts : Every claim of the paper: our count, the published one, chance, a
        verdict.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import findings_of, read_rows, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=2
    ...     )
    ...     rows = read_rows(store)
    >>> findings = findings_of(rows, "inconsistent")
    >>> list(findings)
    ['table', 'tests', 'agreement', 'outside']
    >>> findings_of(rows, "sers") is None
    True
    """
    request, cells = select(rows, target, "both")
    if not cells["family"].isin(FAMILIES).any():
        return None
    sampled = _sampled(cells)
    table = mark_best(summarize(cells, request))
    table["as_in_paper"] = _as_in_paper(table, request, sampled)
    if target in _OTHER_DATA:
        table = table.assign(as_in_paper=False, difference=float("nan"))
    table["near"] = near(table)
    tests = _tests(cells, request, sampled)
    if target in _OTHER_DATA:
        tests = tests.assign(as_in_paper=False, published=None)
    same = table[table["as_in_paper"]]
    return {
        "table": table,
        "tests": tests,
        "agreement": _agreements(table, target),
        "outside": outside(same, target, _with_ova(rows, request)),
    }


def _as_in_paper(frame: pd.DataFrame, request: Request, sampled: set[str]) -> pd.Series:
    target = request.target
    whole = set(target.datasets) - sampled
    places = zip(frame["dataset"], frame["costs"], strict=True)
    return pd.Series(
        [name in whole and costs in target.kinds_of(name) for name, costs in places],
        frame.index,
        dtype=bool,
    )


def _sampled(cells: pd.DataFrame) -> set[str]:
    """Data sets of which a smaller part was used than by the paper."""
    least = cells[cells["rows"].notna()].groupby("dataset")["rows"].min()
    return {str(name) for name, n in least.items() if n != SAMPLES.get(str(name))}


def _with_ova(rows: pd.DataFrame, request: Request) -> pd.DataFrame:
    """A table that has OVA under the costs of a target."""
    benchmark = request.target.costs == TARGETS["inconsistent"].costs
    name = "inconsistent" if benchmark else request.target.name
    same_costs, cells = select(rows, name)
    return summarize(cells, same_costs)


def _tests(cells: pd.DataFrame, request: Request, sampled: set[str]) -> pd.DataFrame:
    target = request.target
    tests = significance(cells, target.pairs, target.metrics)
    known = published_symbols()
    known = known[known["target"] == target.name].drop(columns="target")
    known = known.rename(columns={"soft": "algorithm"})
    place = ["metric", "dataset", "algorithm", "versus"]
    tests = tests.merge(known, on=place, how="left")
    tests["as_in_paper"] = _as_in_paper(tests, request, sampled)
    tests["published"] = tests["published"].where(tests["as_in_paper"])
    order = {name: n for n, name in enumerate(request.datasets)}
    rank = 2 * tests["dataset"].map(order) + ~tests["as_in_paper"]
    return tests.loc[rank.sort_values(kind="stable").index].reset_index(drop=True)


def _agreements(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """Agreement over all cells, on balanced sets, and with costs of the other kind.

    The twelve sets without rare classes, where costs do not hang on a few examples,
    and the algorithms whose every detail is known say most about whether this is the
    paper's method.
    """
    as_in_paper = table["as_in_paper"]
    parts = {"all": table[as_in_paper]}
    if target in ("inconsistent", "consistent"):
        closest = table["dataset"].isin(BALANCED) & table["algorithm"].isin(CLOSEST)
        name = f"{', '.join(CLOSEST)} on {', '.join(BALANCED)}"
        parts[name] = table[as_in_paper & closest]
    other = table["dataset"].isin(PLAIN) & (table["costs"] == "class-ratio")
    if other.any():
        parts["costs by class sizes, where the paper's were plain"] = table[other]
    frames = [
        agreement(part, ["metric"]).assign(what=what) for what, part in parts.items()
    ]
    return pd.concat(frames, ignore_index=True)


def class_sizes() -> pd.DataFrame:
    """The published class distributions, and whether our data sets have the same.

    Returns
    -------
    DataFrame
        Columns dataset, rows, features, sizes, same.
    """
    table = published_class_sizes()
    known = [info(name) for name in table["dataset"]]
    same = [
        (own.rows, own.features, sorted(own.class_counts.values()))
        == (row["rows"], row["features"], sorted(row["sizes"]))
        for own, row in zip(known, table.to_dict("records"), strict=True)
    ]
    return table.assign(same=same)


def readings(rows: pd.DataFrame, target: str = "inconsistent") -> pd.DataFrame | None:
    """The paper's lambda read as C and as 1/C, where a store has both.

    Returns
    -------
    DataFrame or None
        Columns dataset, costs, algorithm, metric, unit, published_mean, published_se,
        balanced (whether the set has no rare class), and for each reading, with the
        ending ``_c`` or ``_inverse``: runs, mean, se, difference, near.
    """
    tables = []
    for grid in GRIDS:
        request, cells = select(rows, target, grid=grid)
        if not cells["family"].isin(FAMILIES).any():
            return None
        table = summarize(cells, request)
        table["near"] = near(table)
        tables.append(table[table["algorithm"].isin(request.algorithms)])
    keys = ["dataset", "costs", "algorithm", "metric", "unit"]
    keys += ["published_mean", "published_se"]
    both = tables[0].merge(tables[1], on=keys, suffixes=("_c", "_inverse"))
    return both.assign(balanced=both["dataset"].isin(BALANCED))
