"""Whether the published costs look as if class sizes stood at the wrong classes.

    SOFTCOST_DATA=/path/to/data python benchmarks/class_sizes.py

The paper draws inconsistent costs by class sizes: taking class y for k costs a uniform
number up to N_k / N_y, divided by the largest cost. On sets with rare classes its
numbers do not look like that. This asks whether they do if the sizes were attached to
the classes in another, unknown order. Rules: *published*, the sizes where they belong;
*once*, in an order drawn at random once for all runs of a study; *each*, in an order
drawn in each run.

The first part draws the costs of many studies of 20 runs for the errors that OVA makes,
which never looks at costs, and tells whether the published cost of an error lies in the
central 95 % of them. The second part trains hard one-sided regression under *published*
and *each* and compares its weighted error, a sum over the test part, with the published
one: who learns from sizes at the wrong classes gives up the rare ones.

This was found after about a dozen other rules had been tried, and it leaves an order
free for each set, so that it fits more easily than any fixed rule. No order was chosen
to fit, and no table of results uses it.
"""

import argparse

import numpy as np
from common import (
    cost_of_an_error,
    errors_of_ova,
    mean_and_error,
    print_row,
    scaled_split,
    write_json,
)
from sklearn.model_selection import StratifiedKFold

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.costs import error_weights, inconsistent
from softcost.datasets import load
from softcost.metrics import weighted_error
from softcost.paper import TARGETS, published_values
from softcost.paper.planning import PLAIN, UNBALANCED

SETS = tuple(name for name in TARGETS["inconsistent"].datasets if name not in PLAIN)
RARE = tuple(name for name in UNBALANCED if name in SETS and name != "splice")
RULES = ("published", "once", "each")
STUDIES = 2000
RUNS = 20  # of a study
LARGE = 4000  # rows, from which a quarter of the splits is enough
WIDTHS = (10, 9, *(24 for _ in RULES))


def draw_orders(rule, n_classes, rng):
    """For every run of a study, which class each class gets its size from."""
    if rule == "published":
        return np.tile(np.arange(n_classes), (RUNS, 1))
    if rule == "once":
        return np.tile(rng.permutation(n_classes), (RUNS, 1))
    return rng.permuted(np.tile(np.arange(n_classes), (RUNS, 1)), axis=1)


def draw_matrices(sizes, rng):
    """Inconsistent costs for class sizes of shape (runs, n_classes)."""
    ratio = sizes[:, np.newaxis, :] / sizes[:, :, np.newaxis]
    drawn = ratio * rng.random(ratio.shape) * (1 - np.eye(sizes.shape[1]))
    return drawn / drawn.max(axis=(1, 2), keepdims=True)


def simulate(splits, rule, rng):
    """Cost of an error in each of many studies."""
    sizes, wrong = (np.array(part) for part in zip(*splits, strict=True))
    found = []
    for _ in range(STUDIES):
        runs = rng.integers(len(splits), size=RUNS)
        orders = draw_orders(rule, sizes.shape[1], rng)
        shown = np.take_along_axis(sizes[runs], orders, axis=1).astype(float)
        cost = np.sum(draw_matrices(shown, rng) * wrong[runs])
        error = np.sum(wrong[runs])
        if error > 0:
            found.append(cost / error)
    return np.array(found)


def costs_of_errors(names, runs):
    """The first part, a row per data set."""
    print_row(("data set", "published", *RULES), WIDTHS)
    rng = np.random.default_rng(0)
    results = []
    for name in names:
        data = load(name)
        count = runs if len(data.target) < LARGE else -(-runs // 4)
        splits = [errors_of_ova(data, run) for run in range(count)]
        published = cost_of_an_error("inconsistent", name)[0]
        row = {"dataset": name, "published": published, "splits": count, "rules": {}}
        cells = []
        for rule in RULES:
            low, middle, high = np.quantile(
                simulate(splits, rule, rng), [0.025, 0.5, 0.975]
            )
            within = bool(low <= published <= high)
            row["rules"][rule] = {
                "low": float(low),
                "median": float(middle),
                "high": float(high),
                "within": within,
            }
            cells.append(f"{low:.3g} to {high:.3g} {'yes' if within else 'no '}")
        print_row((name, f"{published:.3g}", *cells), WIDTHS)
        results.append(row)
    within = [sum(row["rules"][rule]["within"] for row in results) for rule in RULES]
    print_row(("within", len(results), *within), WIDTHS)
    return results


def weighted_error_of_osr(data, run, rule):
    """Hard one-sided regression under costs of a rule: its weighted error."""
    X, X_test, y, y_test = scaled_split(data, run)
    sizes = np.array([np.sum(y == label) for label in data.target_names])
    rng = np.random.default_rng([run, RULES.index(rule)])
    shown = sizes if rule == "published" else rng.permutation(sizes)
    search = SoftCostClassifierCV(
        OneSidedRegression(),
        cost_matrix=inconsistent(shown, rng),
        classes=data.target_names,
        softness=[0.0],
        cv=StratifiedKFold(5, shuffle=True, random_state=run),
    ).fit(X, y)
    weights = error_weights(y, "balanced", data.target_names)
    return weighted_error(
        y_test,
        search.predict(X_test),
        error_weight=dict(zip(data.target_names, weights, strict=True)),
        reduce="sum",
        classes=data.target_names,
    )


def weighted_errors(names, runs):
    """The second part, a row per data set."""
    table = published_values()
    table = table[(table["target"] == "unbalanced") & (table["algorithm"] == "OSR")]
    table = table[table["metric"] == "weighted_error"].set_index("dataset")
    print_row(("data set", "published", "published rule", "", "each"), WIDTHS)
    results = []
    for name in names:
        data = load(name)
        count = runs if len(data.target) < LARGE else -(-runs // 2)
        mean, se = table.loc[name, ["published_mean", "published_se"]]
        row = {"dataset": name, "published": mean, "se": se, "runs": count, "rules": {}}
        cells = []
        for rule in ("published", "each"):
            values = [weighted_error_of_osr(data, run, rule) for run in range(count)]
            own, own_se = mean_and_error(values)
            off = float((own - mean) / np.hypot(own_se, se))
            row["rules"][rule] = {"mean": own, "se": own_se, "off": off}
            cells.append(f"{own:.2f} ± {own_se:.2f} ({off:+.1f})")
        print_row((name, f"{mean:.2f}", cells[0], "", cells[1]), WIDTHS)
        results.append(row)
    return results


def main():
    """Print two tables, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--output")
    options = parser.parse_args()
    results = {
        "costs": costs_of_errors(SETS, options.runs),
        "weighted_errors": weighted_errors(RARE, options.runs),
    }
    if options.output:
        write_json(options.output, ["softcost", "scikit-learn", "numpy"], results)


if __name__ == "__main__":
    main()
