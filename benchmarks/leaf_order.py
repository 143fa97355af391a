"""How much a filter tree depends on the order of its leaves.

    SOFTCOST_DATA=/path/to/data python benchmarks/leaf_order.py dna,splice,mfeat

The paper does not say in which order classes enter the tree. This trains FT (softness
1, C by cross-validated error) with the classes in sorted order and in an order drawn
for each split, and prints mean test error and standard error in percent.
"""

import argparse

import numpy as np
from common import mean_and_error, print_row, scaled_split, write_json

from softcost import FilterTree, SoftCostClassifierCV
from softcost.datasets import load

WIDTHS = (10, 6, 14, 14)


def error(data, run, order):
    """Test error of FT in one run."""
    X, X_test, y, y_test = scaled_split(data, run)
    search = SoftCostClassifierCV(
        FilterTree(order=order),
        classes=data.target_names,
        softness=[1.0],
        random_state=run,
    )
    return float(np.mean(search.fit(X, y).predict(X_test) != y_test))


def main():
    """Print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="?", default="iris,wine")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--output")
    options = parser.parse_args()
    print_row(("data set", "runs", "sorted", "drawn"), WIDTHS)
    results = []
    for name in options.datasets.split(","):
        data = load(name)
        row = {"dataset": name, "runs": options.runs}
        cells = []
        for kind in ("sorted", "drawn"):
            errors = [
                100
                * error(
                    data,
                    run,
                    data.target_names
                    if kind == "sorted"
                    else np.random.default_rng(run).permutation(data.target_names),
                )
                for run in range(options.runs)
            ]
            row[kind] = errors
            cells.append("{:.2f} ± {:.2f}".format(*mean_and_error(errors)))
        print_row((name, options.runs, *cells), WIDTHS)
        results.append(row)
    if options.output:
        write_json(options.output, ["softcost", "scikit-learn", "numpy"], results)


if __name__ == "__main__":
    main()
