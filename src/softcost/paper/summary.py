"""Means and standard errors of cells, beside the published ones."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from softcost.paper.cell import emphasized_class
from softcost.paper.planning import (
    FAMILIES,
    GRIDS,
    TARGETS,
    Request,
    Target,
    make_request,
    version_of,
)

# The paper's published numbers.


@cache
def _facts() -> dict[str, Any]:
    folder = files("softcost.paper")
    return json.loads(folder.joinpath("published.json").read_text("utf-8"))


def published_values() -> pd.DataFrame:
    """Every published mean and standard error.

    Returns
    -------
    DataFrame
        Columns target, metric, unit, dataset, algorithm, published_mean,
        published_se; the numbers as they are published, in units of ``unit``:
        0.001 for a cost published times 1000, 0.01 for percent. What the paper
        calls G-mean is the product of the recalls, and its weighted error is a sum
        over the test part.

    See Also
    --------
    published_table : The paper's numbers for a target, in the form of `summarize`.
    published_symbols : The published significance symbols, soft algorithms against
        their siblings.

    Examples
    --------
    >>> from softcost.paper import published_values
    >>> table = published_values()
    >>> len(table), table["published_mean"].tolist()[:2]
    (1142, [18.34, 17.21])
    """
    return pd.DataFrame(
        [
            (table["target"], table["metric"], table["unit"], dataset, name, *numbers)
            for table in _facts()["tables"]
            for dataset, row in table["datasets"].items()
            for name, numbers in zip(table["algorithms"], row, strict=True)
        ],
        columns=[
            "target", "metric", "unit", "dataset", "algorithm", "published_mean",
            "published_se",
        ],
    )  # fmt: skip


def published_symbols() -> pd.DataFrame:
    """The published significance symbols, soft algorithms against their siblings.

    Returns
    -------
    DataFrame
        Columns target, metric, dataset, soft, versus, published ("=" or "better"): all
        of the four large tables but one that is missing there, and of other tables
        those two that are known here; of the tests on SERS and kdd99 none is.

    See Also
    --------
    published_values : Every published mean and standard error.
    significance : One algorithm against another, by three tests on the same runs.

    Examples
    --------
    >>> from softcost.paper import published_symbols
    >>> len(published_symbols())
    529
    """
    symbols = {"=": "=", "b": "better"}
    return pd.DataFrame(
        [
            (table["target"], table["metric"], dataset, *pair, symbols[symbol])
            for table in _facts()["tests"]
            for dataset, row in table["datasets"].items()
            for pair, symbol in zip(table["pairs"], row, strict=True)
            if symbol in symbols
        ],
        columns=["target", "metric", "dataset", "soft", "versus", "published"],
    )


def published_class_sizes() -> pd.DataFrame:
    """The paper's class distributions of unbalanced sets.

    Returns
    -------
    DataFrame
        Columns dataset, rows, features, sizes (a tuple, one number per class).

    Examples
    --------
    >>> published_class_sizes()[["dataset", "sizes"]].iloc[1].tolist()
    ['wine', (59, 71, 48)]
    """
    return pd.DataFrame(
        [
            (name, rows, features, tuple(sizes))
            for name, (rows, features, sizes) in _facts()["class_sizes"].items()
        ],
        columns=["dataset", "rows", "features", "sizes"],
    )


UNITS = {
    "cost": 1e-3,
    "error": 1e-2,
    "weighted_error": 1.0,
    "recall_product": 1e-2,
    "g_mean": 1e-2,
    "normalized_cost": 1e-2,
    "emphasized_recall": 1e-2,
}


class MixedResults(ValueError):
    """A store has several results for the same cell of a table.

    See Also
    --------
    summarize : One row per data set, kind of costs, algorithm and metric.
    Store : A file of results.

    Examples
    --------
    Two versions of one's own algorithm in one store would be two rows of a table:

    >>> from softcost.paper import MixedResults
    >>> issubclass(MixedResults, ValueError)
    True
    """


def emphasized_recall(row: Any) -> float:
    """Recall of the class whose column is expensive, from the recalls of a cell."""
    recalls = row["recalls"].split()
    right, total = recalls[emphasized_class(row["run"], len(recalls))].split("/")
    return int(right) / int(total) if int(total) else float("nan")


def select(
    rows: pd.DataFrame, target: str, matrices: str = "paper", grid: str = "C"
) -> tuple[Request, pd.DataFrame]:
    """The cells of a target in a store, without a look at the data.

    Parameters
    ----------
    rows : DataFrame
        All rows of a store.
    target : str
        One of `TARGETS`.
    matrices : {"paper", "class-ratio", "both"}, default="paper"
        As in `reproduce`.
    grid : {"C", "1/C"}, default="C"
        As in `reproduce`.

    Returns
    -------
    request : Request
        For `summarize`: the data sets that are there, and added algorithms.
    cells : DataFrame
        Of this version of the code.

    See Also
    --------
    read_rows : All cells of a store, or of a file that was exported from one.
    summarize : One row per data set, kind of costs, algorithm and metric.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import read_rows, reproduce, select, summarize
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=2
    ...     )
    ...     request, cells = select(read_rows(store), "inconsistent")
    >>> request.datasets, len(cells)
    (('iris',), 6)
    >>> summarize(cells, request)["runs"].unique().tolist()
    [2]
    """
    default = make_request(target, matrices=matrices)
    elsewhere = _same_cells(default.target)
    present = [name for name in rows["dataset"].unique() if name not in elsewhere]
    wanted = list(dict.fromkeys([*default.datasets, *present]))
    kinds = {name: default.target.kinds_of(name, matrices) for name in wanted}
    families = {default.target.family_of(name) for name in default.algorithms}
    ours = rows["family"].isin(families) & rows["algorithm"].isin(default.algorithms)
    ours &= rows["made_of"] == GRIDS[grid]
    added = ~rows["family"].isin(FAMILIES)
    right_costs = pd.Series(
        [
            costs in kinds.get(name, ())
            for name, costs in zip(rows["dataset"], rows["costs"], strict=True)
        ],
        index=rows.index,
        dtype=bool,
    )
    cells = current(rows[(ours | added) & right_costs])
    place = ["dataset", "costs"]
    here = cells[cells["family"].isin(FAMILIES)][place].drop_duplicates()
    cells = cells.merge(here, on=place)  # added ones where there are others
    twice = cells.duplicated([*place, "algorithm", "run"])
    if twice.any():
        name = cells[twice].iloc[0]
        raise MixedResults(
            f"{name['algorithm']} on {name['dataset']} ({name['costs']} costs) is "
            "there twice: from other data, from a sample (--max-rows), or from another "
            "version of an added algorithm; keep them in stores of their own."
        )
    request = make_request(
        target,
        [name for name in wanted if name in set(cells["dataset"])],
        runs=max(1, int(cells["run"].max()) + 1) if len(cells) else 1,
        matrices=matrices,
        added=[(name, "") for name in cells["family"].unique() if name not in FAMILIES],
    )
    return request, cells.reset_index(drop=True)


def current(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that this version of the code computes."""
    return rows[rows["version"] == rows["family"].map(version_of)]


def _same_cells(target: Target) -> set[str]:
    """Data sets of targets that have the same cells: there, not here."""
    return {
        name
        for other in TARGETS.values()
        if (other.families, other.costs) == (target.families, target.costs)
        for name in other.datasets
    }


def summarize(cells: pd.DataFrame, request: Request) -> pd.DataFrame:
    """One row per data set, kind of costs, algorithm and metric.

    Parameters
    ----------
    cells : DataFrame
        Cells of the request.
    request : Request
        From `make_request` or `select`.

    Returns
    -------
    DataFrame
        Columns dataset, costs, algorithm, metric, unit, runs, mean, se, published_mean,
        published_se, difference. Numbers are in units of ``unit``, that of the paper;
        ``se`` is the standard error of the mean; ``difference`` is ours minus
        published, in combined standard errors.

    See Also
    --------
    select : The cells of a target in a store, without a look at the data.
    agreement : How many means are within some combined standard errors of the published
        ones.
    mark_best : Add ``star`` and ``bold``, as the paper marks its tables.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import reproduce, summarize
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce(
    ...         "inconsistent", f"{folder}/results.sqlite",
    ...         datasets=["iris"], algorithms=["OVA"], runs=2,
    ...     )
    >>> table = summarize(found.cells, found.request)
    >>> table[["algorithm", "metric", "runs", "published_mean"]].values.tolist()[1]
    ['OVA', 'error', 2, 4.21]
    """
    target = request.target
    names = [*request.algorithms, *(name for name, _ in request.added)]
    paper = published_values()
    paper = paper[paper["target"] == target.name]
    units = UNITS | dict(zip(paper["metric"], paper["unit"], strict=True))
    wide = cells[cells["algorithm"].isin(names)].copy()
    if "emphasized_recall" in target.metrics:
        wide["emphasized_recall"] = [
            emphasized_recall(row) for row in wide.to_dict("records")
        ]
    tall = wide.melt(
        id_vars=["dataset", "costs", "algorithm", "run"],
        value_vars=list(target.metrics),
        var_name="metric",
        value_name="value",
    )
    tall["unit"] = tall["metric"].map(units).astype(float)
    tall["value"] /= tall["unit"]
    groups = tall.groupby(["dataset", "costs", "algorithm", "metric", "unit"])["value"]
    table = groups.agg(runs="count", mean="mean", se="sem").reset_index()
    table = table.merge(
        paper.drop(columns=["target", "unit"]),
        on=["dataset", "algorithm", "metric"],
        how="left",
    )
    spread = (table["se"] ** 2 + table["published_se"] ** 2) ** 0.5
    table["difference"] = (table["mean"] - table["published_mean"]) / spread.where(
        spread > 0
    )
    order = {
        "dataset": {name: n for n, name in enumerate(request.datasets)},
        "algorithm": {name: n for n, name in enumerate(names)},
        "metric": {name: n for n, name in enumerate(target.metrics)},
    }
    kinds = list(dict.fromkeys(k for d in request.datasets for k in _kinds(request, d)))
    order["costs"] = {name: n for n, name in enumerate(kinds)}
    return table.sort_values(
        ["dataset", "costs", "algorithm", "metric"],
        key=lambda column: column.map(order[str(column.name)]),
        ignore_index=True,
    )


def _kinds(request: Request, dataset: str) -> tuple[str, ...]:
    return request.target.kinds_of(dataset, request.matrices)
