"""The paper's printed numbers, as facts for comparison."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd


@cache
def _facts() -> dict[str, Any]:
    folder = files("softcost.experiments")
    return json.loads(folder.joinpath("paper.json").read_text("utf-8"))


def printed() -> pd.DataFrame:
    """Every printed mean and standard error.

    Returns
    -------
    DataFrame
        Columns task, metric, unit, dataset, algorithm, printed_mean, printed_se; the
        numbers as they are in print, in units of ``unit``: 0.001 for a cost printed
        times 1000, 0.01 for percent. What the paper calls G-mean is the product of
        the recalls, and its weighted error is a sum over the test part.

    Examples
    --------
    >>> table = printed()
    >>> len(table), table["printed_mean"].tolist()[:2]
    (1142, [18.34, 17.21])
    """
    return pd.DataFrame(
        [
            (table["task"], table["metric"], table["unit"], dataset, name, *numbers)
            for table in _facts()["tables"]
            for dataset, row in table["datasets"].items()
            for name, numbers in zip(table["algorithms"], row, strict=True)
        ],
        columns=[
            "task", "metric", "unit", "dataset", "algorithm", "printed_mean",
            "printed_se",
        ],
    )  # fmt: skip


def printed_tests() -> pd.DataFrame:
    """The printed significance symbols, soft algorithms against their siblings.

    Returns
    -------
    DataFrame
        Columns task, metric, dataset, soft, versus, printed ("=" or "better"). One
        symbol is missing in print.

    Examples
    --------
    >>> len(printed_tests())
    527
    """
    symbols = {"=": "=", "b": "better"}
    return pd.DataFrame(
        [
            (table["task"], table["metric"], dataset, *pair, symbols[symbol])
            for table in _facts()["tests"]
            for dataset, row in table["datasets"].items()
            for pair, symbol in zip(table["pairs"], row, strict=True)
            if symbol in symbols
        ],
        columns=["task", "metric", "dataset", "soft", "versus", "printed"],
    )
