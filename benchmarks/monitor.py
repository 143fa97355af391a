"""False alarms and detection delay of ``softcost monitor``.

    python benchmarks/monitor.py --output benchmarks/results/monitor.json

Fits models to small tables of three classes and six columns. For each model, logs of 24
months are drawn from the same distribution, then from one that changes in month 13.
Counted are logs with an alarm although nothing has changed, and how many months pass
from a change to its alarm. Beside it are two usual rules on the same logs: a one-sided
t-test of each month's costs at 5 % against the expected cost, and a population
stability index above 0.2 in any month and column.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from common import print_row, write_json
from scipy.stats import ttest_1samp

from softcost.metrics import mean_interval
from softcost.tables import TableProfile
from softcost.tables.kinds import feature_kinds
from softcost.workflow import FitOptions, monitor_model, prepare_training
from softcost.workflow.stored_model import open_model

PACKAGES = ("softcost", "scikit-learn", "numpy", "scipy")
MONTHS, CHANGE = 24, 12
CLASSES = np.array(["a", "b", "c"])
PRICES = "true,a,b,c\na,0,1,2\nb,8,0,2\nc,20,3,0\n"
WORDS = np.array(["red", "green", "blue", "other"])
WIDTHS = (34, 8, 8, 12, 14, 12, 12, 12)


def draw_rows(rng, n, shares=(0.6, 0.3, 0.1)):
    """Rows whose first two columns depend on the class."""
    y = rng.choice(3, n, p=shares)
    columns = {f"x{place}": rng.normal(size=n) for place in range(5)}
    columns["x0"] = columns["x0"] + 1.2 * y
    columns["x1"] = columns["x1"] - 0.8 * y
    frame = pd.DataFrame({name: cells.round(4) for name, cells in columns.items()})
    frame["word"] = rng.choice(WORDS, n, p=[0.4, 0.3, 0.2, 0.1])
    frame["label"] = CLASSES[y]
    return frame


def swap_labels(share):
    """Labels no longer follow from the columns in a share of the rows."""

    def change(rng, rows):
        hit = rng.random(len(rows)) < share
        rows.loc[hit, "label"] = rng.permutation(rows.loc[hit, "label"].to_numpy())
        return rows

    return change


def move_column(distance):
    """A column that matters moves by a part of its standard deviation."""
    return lambda rng, rows: rows.assign(x0=rows["x0"] + distance)


def lose_cells(share):
    """Cells of a column go missing."""
    return lambda rng, rows: rows.assign(
        x2=rows["x2"].mask(rng.random(len(rows)) < share)
    )


def other_classes(rng, rows):
    """The expensive classes are twice as frequent."""
    return draw_rows(rng, len(rows), (0.3, 0.5, 0.2))


CHANGES = {
    "no change": None,
    "10 % of labels at random": swap_labels(0.1),
    "25 % of labels at random": swap_labels(0.25),
    "50 % of labels at random": swap_labels(0.5),
    "column moves by 0.25": move_column(0.25),
    "column moves by 0.5": move_column(0.5),
    "column moves by 1": move_column(1.0),
    "10 % of cells missing": lose_cells(0.1),
    "20 % of cells missing": lose_cells(0.2),
    "expensive classes more frequent": other_classes,
}


def draw_log(rng, rows_per_month, change):
    months = []
    for number in range(MONTHS):
        rows = draw_rows(rng, rows_per_month)
        if change is not None and number >= CHANGE:
            rows = change(rng, rows)
        months.append(
            rows.assign(day=f"{2024 + number // 12}-{number % 12 + 1:02d}-15")
        )
    return pd.concat(months, ignore_index=True)


def fit_model(rng, folder, n_train):
    data, prices = folder / "train.csv", folder / "prices.csv"
    draw_rows(rng, n_train).to_csv(data, index=False)
    prices.write_text(PRICES)
    options = FitOptions(
        str(data), "label", costs=str(prices), reduction=("mec",), learner=("linear",),
        softness=2, cv=5, model=str(folder / "model.softcost"),
    )  # fmt: skip
    training = prepare_training(options)
    training.write(training.run())
    return options.model


def usual_rules(stored, log, limit):
    """First months in which the usual rules raise an alarm."""
    profile = TableProfile.from_json(
        stored.manifest["notes"]["profile"], feature_kinds(stored.kinds)
    )
    predicted = stored.predict(stored.table(log, "log", 0, set()))
    matrix = stored.cost_matrix()
    places = [matrix.index.get_indexer(labels) for labels in (log["label"], predicted)]
    costs = matrix.to_numpy()[places[0], places[1]]
    first = {"t_test": None, "psi": None}
    for number, (_, rows) in enumerate(log.groupby("day", sort=True)):
        some = costs[rows.index]
        p_value = ttest_1samp(some, limit, alternative="greater").pvalue
        if first["t_test"] is None and p_value < 0.05:
            first["t_test"] = number
        index = max(
            stability_index(column.counts, column.count(rows[name]))
            for name, column in profile.columns.items()
        )
        if first["psi"] is None and index > 0.2:
            first["psi"] = number
    return first


def stability_index(before, now):
    then, new = ((counts + 0.5) / (counts + 0.5).sum() for counts in (before, now))
    return float(((new - then) * np.log(new / then)).sum())


def run_log(rng, folder, stored, rows_per_month, change):
    """First months with alarms: of any test, of costs, and of the usual rules."""
    log = draw_log(rng, rows_per_month, change)
    path = folder / "log.csv"
    log.to_csv(path, index=False)
    result = monitor_model(stored.path, str(path), "day", "label")
    names = [facts["period"] for facts in result["periods"]]
    firsts = {"any": None, "cost": None, "classes": None, "columns": None}
    for alarm in result["alarms"]:
        number = names.index(alarm["period"])
        for test in ("any", alarm["test"]):
            if firsts[test] is None or number < firsts[test]:
                firsts[test] = number
    return firsts | usual_rules(stored, log, result["limit"]["expected"])


def summary(name, rows_per_month, runs):
    """Shares of alarms and median delays; early alarms are false."""
    facts = {"change": name, "rows_per_month": rows_per_month, "logs": len(runs)}
    for test in runs[0]:
        months = np.array([np.inf if run[test] is None else run[test] for run in runs])
        begin = MONTHS if name == "no change" else CHANGE
        false = months < begin
        detected = (months >= begin) & np.isfinite(months)
        delays = np.where(np.isfinite(months), months - CHANGE + 1, np.inf)[~false]
        median = float(np.median(delays)) if len(delays) else np.inf
        low, high = mean_interval(false.astype(float), 0.0, 1.0)
        found_share = float(detected[~false].mean()) if (~false).any() else None
        facts[test] = {
            "false_alarms": int(false.sum()),
            "false_share": float(false.mean()),
            "false_share_interval": [low, high],
            "found_share": None if begin == MONTHS else found_share,
            "median_delay": None
            if begin == MONTHS or not np.isfinite(median)
            else median,
        }
    return facts


def run_models(arguments, rows_per_month):
    runs = {name: [] for name in CHANGES}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for seed in range(arguments.models):
            rng = np.random.default_rng([seed, rows_per_month])
            stored = open_model(fit_model(rng, folder, arguments.train))
            for name, change in CHANGES.items():
                count = arguments.unchanged if change is None else arguments.changed
                runs[name] += [
                    run_log(rng, folder, stored, rows_per_month, change)
                    for _ in range(count)
                ]
            print(f"model {seed + 1} of {arguments.models}", flush=True)
    return [summary(name, rows_per_month, logs) for name, logs in runs.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=25)
    parser.add_argument("--train", type=int, default=800, help="training rows")
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[100, 500], help="rows per month"
    )
    parser.add_argument("--unchanged", type=int, default=16, help="logs per model")
    parser.add_argument("--changed", type=int, default=4, help="the same, per change")
    parser.add_argument("--output")
    arguments = parser.parse_args()
    results = []
    for rows_per_month in arguments.rows:
        results += run_models(arguments, rows_per_month)
    heads = ("change", "rows", "logs", "found", "delay, months", "false", "t: false",
             "PSI: false")  # fmt: skip
    print_row(heads, WIDTHS)
    for facts in results:
        share, delay = facts["any"]["found_share"], facts["any"]["median_delay"]
        cells = [facts["change"], facts["rows_per_month"], facts["logs"]]
        cells += ["" if share is None else f"{100 * share:.0f} %"]
        cells += ["" if delay is None else f"{delay:.0f}"]
        for test in ("any", "t_test", "psi"):
            cells.append(f"{100 * facts[test]['false_share']:.1f} %")
        print_row(cells, WIDTHS)
    if arguments.output:
        write_json(arguments.output, PACKAGES, results)


if __name__ == "__main__":
    main()
