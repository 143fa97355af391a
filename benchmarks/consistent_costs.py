"""Which way of drawing consistent costs gives the costs that the paper publishes.

    SOFTCOST_DATA=/path/to/data python benchmarks/consistent_costs.py

The paper draws "increasing" class weights w, larger for rarer classes, and one triangle
of the matrix; it does not say how exactly. OVA and OVO never look at costs, so what one
of their errors costs tells how they were drawn. For each reading this draws the costs
of many studies of 20 runs for the errors that OVA makes, and prints the mean cost of
an error and how far the published one lies from it, in standard deviations between
studies.

A reading is weights/interval. Weights: *sorted* uniform numbers, *rising* (each uniform
between the last and 1) or *equal*, drawn in each run; *once* is *sorted*, but drawn
once for a data set. The cost of taking the rarer class y for the more frequent k is
uniform up to N_k/N_y (*inverse*), N_y/N_k (*published*) or 1 (*plain*).

The last two columns ask whether costs were drawn anew in each run: the relative
standard error of the published cost beyond that of the error, and the same for
sorted/inverse.
"""

import argparse

import numpy as np
from common import (
    beyond,
    cost_of_an_error,
    errors_of_ova,
    mean_and_error,
    print_row,
    write_json,
)

from softcost.datasets import load
from softcost.paper import TARGETS

READINGS = (
    ("sorted", "inverse"),
    ("once", "inverse"),
    ("sorted", "plain"),
    ("sorted", "published"),
    ("rising", "inverse"),
    ("equal", "inverse"),
)
STUDIES = 500
RUNS = 20  # of a study
WIDTHS = (10, 9, *(15 for _ in READINGS), 7, 7)
LARGE = 4000  # rows, from which a quarter of the splits is enough


def draw_weights(kind, n_classes, rng):
    """Of the runs of a study, increasing along the last axis."""
    uniform = 1.0 - rng.random((1 if kind == "once" else RUNS, n_classes))
    if kind == "rising":
        return 1.0 - np.cumprod(1.0 - uniform, axis=1)
    return np.ones_like(uniform) if kind == "equal" else np.sort(uniform)


def draw_matrices(sizes, weights, interval, rng):
    """Consistent matrices of a study, in the order of the classes.

    Parameters
    ----------
    sizes : ndarray of shape (runs, n_classes)
    weights, interval : str
    rng : Generator
    """
    ranks = np.argsort(np.argsort(-sizes, axis=1, kind="stable"), axis=1)
    drawn_weights = draw_weights(weights, sizes.shape[1], rng)
    w = np.take_along_axis(np.broadcast_to(drawn_weights, sizes.shape), ranks, axis=1)
    ratio = sizes[:, np.newaxis, :] / sizes[:, :, np.newaxis]
    limits = {"inverse": ratio, "published": 1 / ratio, "plain": np.ones_like(ratio)}
    rarer = ranks[:, :, np.newaxis] > ranks[:, np.newaxis, :]
    uniform = 1.0 - rng.random(ratio.shape)
    drawn = np.where(rarer, limits[interval] * uniform, 0.0)
    mirrored = np.swapaxes(drawn, 1, 2) * (w[:, :, np.newaxis] / w[:, np.newaxis, :])
    matrices = drawn + mirrored
    return matrices / matrices.max(axis=(1, 2), keepdims=True)


def simulate(splits, reading, rng):
    """Cost of an error and its standard deviation between studies; spread of cost."""
    sizes, wrong = (np.array(part) for part in zip(*splits, strict=True))
    found, spreads = [], []
    for _ in range(STUDIES):
        runs = rng.integers(len(splits), size=RUNS)
        matrices = draw_matrices(sizes[runs], *reading, rng)
        cost = np.sum(matrices * wrong[runs], axis=(1, 2))
        error = np.sum(wrong[runs], axis=(1, 2))
        if error.any():
            found.append(cost.mean() / error.mean())
            means_and_errors = (mean_and_error(values) for values in (cost, error))
            spreads.append(beyond(*(se / mean for mean, se in means_and_errors)))
    return np.mean(found), np.std(found), float(np.median(spreads))


def main():
    """Print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    # On nursery two rows are a class: a cost of .00 is published.
    sets = [name for name in TARGETS["consistent"].datasets if name != "nursery"]
    parser.add_argument("datasets", nargs="?", default=",".join(sets))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--output")
    options = parser.parse_args()
    names = ["/".join(reading) for reading in READINGS]
    print_row(("data set", "published", *names, "varies", "here"), WIDTHS)
    rng = np.random.default_rng(0)
    results = []
    for name in options.datasets.split(","):
        data = load(name)
        runs = options.runs if len(data.target) < LARGE else -(-options.runs // 4)
        splits = [errors_of_ova(data, run) for run in range(runs)]
        published, varies = cost_of_an_error("consistent", name)
        row = {
            "dataset": name,
            "published": published,
            "varies": varies,
            "readings": {},
        }
        cells = []
        for reading, title in zip(READINGS, names, strict=True):
            mean, sd, spread = simulate(splits, reading, rng)
            off = float(np.log(published / mean) / (sd / mean))
            row["readings"][title] = {
                "cost": float(mean),
                "between_studies": float(sd),
                "off": off,
                "varies": spread,
            }
            cells.append(f"{mean:.3f} ({off:+.1f})")
        here = row["readings"]["sorted/inverse"]["varies"]
        spreads = (f"{varies:.3f}", f"{here:.3f}")
        print_row((name, f"{published:.3f}", *cells, *spreads), WIDTHS)
        results.append(row)
    off = {
        title: np.array([row["readings"][title]["off"] for row in results])
        for title in names
    }
    within = [int(np.sum(np.abs(values) <= 2)) for values in off.values()]
    print_row(("within 2", len(results), *within, "", ""), WIDTHS)
    squares = [f"{np.sum(values**2):.0f}" for values in off.values()]
    print_row(("squares", len(results), *squares, "", ""), WIDTHS)
    if options.output:
        write_json(options.output, ["softcost", "scikit-learn", "numpy"], results)


if __name__ == "__main__":
    main()
