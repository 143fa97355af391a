"""The paper's published numbers, as facts for comparison."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd


@cache
def _facts() -> dict[str, Any]:
    folder = files("softcost.paper.findings")
    return json.loads(folder.joinpath("paper.json").read_text("utf-8"))


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
