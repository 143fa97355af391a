"""Compute some of the committed cells anew, and compare.

Whether a change of the code still gives the committed results: a random sample of
cells of ``docs/results``, computed as `softcost reproduce` does. Counts, chosen
candidates and errors must be equal; costs to rounding.

    SOFTCOST_DATA=/path/to/data python benchmarks/recompute_cells.py --cells 60
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

from softcost.paper.cell import run_unit
from softcost.paper.planning import Unit

RESULTS = Path(__file__).parents[1] / "docs" / "results"
LARGE = {
    "usps", "satimage", "nursery", "optdigits", "pendigit", "pageblock", "kdd99",
}  # fmt: skip
EXACT = ("error", "recalls", "softness", "params")
ROUNDED = (
    "cost", "weighted_error", "recall_product", "g_mean", "normalized_cost", "cv_cost",
    "cv_error",
)  # fmt: skip


def unit_of(row: pd.Series) -> Unit:
    return Unit(
        dataset=row["dataset"],
        costs=row["costs"],
        family=row["family"],
        run=int(row["run"]),
        rows=None if pd.isna(row["rows"]) else int(row["rows"]),
        data=row["data"],
        algorithm="" if pd.isna(row["made_of"]) else row["made_of"],
        version=int(row["version"]),
    )


def same(ours: dict, kept: pd.Series) -> bool:
    exact = all(str(ours[name]) == str(kept[name]) for name in EXACT)
    near = all(
        np.isclose(float(ours[name]), float(kept[name]), rtol=1e-12, atol=1e-15)
        for name in ROUNDED
    )
    return exact and near


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", action="store_true", help="large sets, too")
    options = parser.parse_args()
    rows = pd.read_csv(next(RESULTS.glob("rows.csv*")))
    if not options.large:
        rows = rows[~rows["dataset"].isin(LARGE)]
    sample = rows.sample(options.cells, random_state=options.seed)
    different = []
    for _, kept in sample.iterrows():
        unit = unit_of(kept)
        cells = {cell["algorithm"]: cell for cell in run_unit(unit)}
        if not same(cells[kept["algorithm"]], kept):
            different.append(f"{unit} {kept['algorithm']}")
    print(json.dumps({"cells": options.cells, "different": different}, indent=2))


if __name__ == "__main__":
    main()
