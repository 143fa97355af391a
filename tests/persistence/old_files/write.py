"""Write model files with the installed version, for later versions to load.

    python tests/persistence/old_files/write.py OUT.zip

``before_restructuring.zip`` was written at commit 848c9b9, before modules, parameters
and fitted attributes were renamed. Never overwrite an archive: add one for each version
whose files must stay readable. The models cover every kind of part that a schema
describes, and are small: every sixth row of iris.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softcost
from softcost import Budget, MinimumExpectedCost, OneSidedRegression
from softcost.reductions import BlendedClassifier, ClippedTargetRegressor, SoftmaxScores

NAMES = ["setosa", "versicolor", "virginica"]
COSTS = [[0, 1, 5], [2, 0, 5], [9, 8, 0.0]]


def rows():
    """Training rows: a table of numbers, and labels."""
    X, y = load_iris(return_X_y=True)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    return pd.DataFrame(X[::6], columns=names), np.array(NAMES)[y[::6]]


def messy_rows():
    """The same with a column of words and with gaps, as files have them."""
    X, y = rows()
    words = np.array(["wet", "dry", "shady"], dtype=object)[np.arange(len(X)) * 7 % 3]
    X = X.assign(soil=words, seen=[f"2024-0{1 + i % 9}-11" for i in range(len(X))])
    X.loc[::9, "soil"] = None
    X.loc[::11, "petal_width"] = np.nan
    return X, y


def reductions():
    """Every reduction, and every kind of learner."""
    few = {"max_iter": 4, "min_samples_leaf": 2}
    neighbours = KNeighborsClassifier()
    svc = softcost.KernelSVC(C=4.0)
    return {
        "one_sided_regression": OneSidedRegression(),
        "rbf": OneSidedRegression(softcost.OneSidedSVR(kernel="rbf")),
        "linear": OneSidedRegression(softcost.OneSidedLinear()),
        "nystroem": OneSidedRegression(softcost.OneSidedNystroem(n_landmarks=9)),
        "hist_regressor": OneSidedRegression(HistGradientBoostingRegressor(**few)),
        "one_sided_boosting": OneSidedRegression(
            softcost.OneSidedBoosting(n_estimators=3, min_child_samples=2)
        ),
        "clipped": OneSidedRegression(ClippedTargetRegressor(Ridge(), n_refits=1)),
        "one_vs_one": softcost.CostSensitiveOneVsOne(softcost.LinearClassifier()),
        "nystroem_pairs": softcost.CostSensitiveOneVsOne(
            softcost.NystroemClassifier(n_landmarks=7)
        ),
        "one_vs_all": softcost.RegressionOneVsAll(Ridge()),
        "all_pairs": softcost.WeightedAllPairs(),
        "filter_tree": softcost.FilterTree(),
        "rescaling": softcost.ZhouLiuRescaling(softcost.KernelSVC(kernel="stump")),
        "ensemble_boosting": softcost.StochasticEnsembleBoosting(
            n_rounds=2, random_state=0
        ),
        "metacost": softcost.MetaCost(n_resamples=2, random_state=0),
        "costing": softcost.Costing(n_draws=2, random_state=0),
        "expected_cost": MinimumExpectedCost(),
        "temperature": MinimumExpectedCost(svc, calibration="temperature"),
        "isotonic": MinimumExpectedCost(LogisticRegression(), calibration="isotonic"),
        "sigmoid": MinimumExpectedCost(GaussianNB(), calibration="sigmoid"),
        "forest": MinimumExpectedCost(
            RandomForestClassifier(3, max_depth=3, random_state=0)
        ),
        "extra_trees": MinimumExpectedCost(
            ExtraTreesClassifier(3, max_depth=3, random_state=0)
        ),
        "hist": MinimumExpectedCost(HistGradientBoostingClassifier(**few)),
        "scaled": MinimumExpectedCost(
            make_pipeline(StandardScaler(), LogisticRegression())
        ),
        "neighbours": MinimumExpectedCost(neighbours),
        "platt": MinimumExpectedCost(CalibratedClassifierCV(svc, cv=2)),
        "dummy": MinimumExpectedCost(DummyClassifier(strategy="prior")),
        "blend": MinimumExpectedCost(
            BlendedClassifier(
                [
                    ("a", LogisticRegression()),
                    ("b", KNeighborsClassifier(3)),
                    ("scores", SoftmaxScores(softcost.KernelSVC())),
                    ("never", DummyClassifier()),
                ],
                weights=[0.5, 0.3, 0.2, 0.0],
                power=1.5,
                doubt=[0.0, 0.05, 0.0, 0.0],
            )
        ),
    }


def searches():
    """Searches as people run them; the default one is run by ``softcost fit``."""
    options = {"cost_matrix": COSTS, "classes": NAMES, "random_state": 0}
    search = softcost.SoftCostClassifierCV
    small = {"softness": 3, "cv": 2} | options
    budget = Budget(error=0.3, confidence=0.8)
    grid = {"C": [1.0, 16.0]}
    return {
        "search_grid": search(OneSidedRegression(), param_grid=grid, **small),
        "search_budget": search(
            OneSidedRegression(), criterion=budget, holdout=0.3, **small
        ),
        "search_families": search(
            [
                ("kernel", softcost.CostSensitiveOneVsOne()),
                ("probabilities", MinimumExpectedCost(LogisticRegression())),
            ],
            criterion=softcost.Tolerance("1se"),
            **small,
        ),
        "search_actions": search(
            OneSidedRegression(),
            **small | {"cost_matrix": [[*row, 0.4] for row in COSTS]},
            actions=["ask"],
            action_error=0.1,
        ),
    }


def fitted_models():
    """(name, model) of everything that is fitted in Python."""
    X, y = rows()
    for name, reduction in reductions().items():
        yield name, reduction.set_params(cost_matrix=COSTS, classes=NAMES).fit(X, y)
    for name, search in searches().items():
        search.fit(X, y)
        if name == "search_budget":  # as ``softcost fit`` does
            search.keep_candidates()
        yield name, search
    yield "by_example", OneSidedRegression().fit(X, y, costs=by_example(y))
    yield "frozen", MinimumExpectedCost(
        FrozenEstimator(LogisticRegression().fit(X, y)),
        cost_matrix=COSTS, classes=NAMES,
    ).fit(X, y)  # fmt: skip


def by_example(y):
    """Costs that grow from row to row."""
    of_class = np.array(COSTS)[np.searchsorted(NAMES, y)]
    return of_class * np.linspace(1, 2, len(y))[:, None]


def scores(model, X):
    """The decision values; None for a model that has none."""
    if not hasattr(model, "decision_function"):
        return None
    return np.asarray(model.decision_function(X), float).tolist()


def run(*arguments):
    command = [sys.executable, "-m", "softcost", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, text=True)


def write_command_line_model(folder):
    """A model of ``softcost fit`` on a file with words, dates and gaps."""
    X, y = messy_rows()
    X.assign(kind=y).to_csv(folder / "rows.csv", index=False)
    X.to_csv(folder / "new.csv", index=False)
    pd.DataFrame(COSTS, NAMES, NAMES).to_csv(folder / "costs.csv")
    run(
        "fit", folder / "rows.csv", "--target", "kind", "--costs", folder / "costs.csv",
        "--softness", 2, "--cv", 2, "--keep", "chosen",
        "--model", folder / "command_line.softcost",
    )  # fmt: skip
    run(
        "predict", folder / "command_line.softcost", folder / "new.csv",
        "-o", folder / "command_line.csv",
    )  # fmt: skip


def main(out):
    if Path(out).exists():
        raise SystemExit(f"{out} exists: old files are not to change.")
    X, _ = rows()
    expected = {"rows": X.to_numpy().tolist(), "columns": list(X.columns), "models": {}}
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        for name, model in fitted_models():
            softcost.save(model, folder / f"{name}.softcost")
            expected["models"][name] = {
                "predictions": model.predict(X).tolist(),
                "scores": scores(model, X),
            }
        write_command_line_model(folder)
        with ZipFile(out, "w", ZIP_LZMA) as file:
            file.writestr("expected.json", json.dumps(expected))
            for path in sorted(folder.iterdir()):
                file.write(path, path.name)
                print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1])
