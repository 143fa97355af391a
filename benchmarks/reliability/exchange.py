"""Models from one environment to another: the same predictions.

    python benchmarks/reliability/exchange.py make FOLDER    # in the one
    python benchmarks/reliability/exchange.py check FOLDER   # in the other

With other versions of numpy, scikit-learn and softcost in each, both ways round.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

import softcost
from softcost import OneSidedRegression
from softcost.linear import LinearClassifier, OneSidedLinear, OneSidedNystroem

PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]


def rows():
    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    table["word"] = np.array(["x", "y", "z"], dtype=object)[(np.arange(150) * 7) % 3]
    table.loc[3, "a"] = np.nan
    return table, np.array(["one", "three", "two"])[y]


def encoded(model):
    """As ``softcost fit`` puts it together."""
    numbers = Pipeline(
        [("fill", SimpleImputer(strategy="median")), ("scale", MinMaxScaler())]
    )
    words = Pipeline(
        [
            ("fill", SimpleImputer(strategy="constant", fill_value="?")),
            ("encode", OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
        ]
    )
    columns = [("numbers", numbers, ["a", "b", "c", "d"]), ("words", words, ["word"])]
    return Pipeline([("columns", ColumnTransformer(columns)), ("model", model)])


def models():
    reductions = {
        "osr": softcost.OneSidedRegression(),
        "csovo linear": softcost.CostSensitiveOneVsOne(LogisticRegression()),
        "csovr": softcost.RegressionOneVsAll(Ridge()),
        "csft": softcost.FilterTree(),
        "linear": softcost.OneSidedRegression(OneSidedLinear()),
        "linear pairs": softcost.CostSensitiveOneVsOne(LinearClassifier()),
        "landmarks": softcost.OneSidedRegression(OneSidedNystroem(n_landmarks=20)),
        "boosting": softcost.CostSensitiveOneVsOne(
            HistGradientBoostingClassifier(max_iter=5)
        ),
        "boosted costs": softcost.OneSidedRegression(
            HistGradientBoostingRegressor(max_iter=5)
        ),
        "one-sided boosting": softcost.OneSidedRegression(
            softcost.OneSidedBoosting(n_estimators=5)
        ),
        "gbse": softcost.StochasticEnsembleBoosting(n_rounds=4, random_state=0),
        "mec": softcost.MinimumExpectedCost(),
        "forest": softcost.MinimumExpectedCost(
            RandomForestClassifier(5, random_state=0)
        ),
        "neighbours": softcost.MinimumExpectedCost(KNeighborsClassifier()),
        "calibrated": softcost.MinimumExpectedCost(
            CalibratedClassifierCV(softcost.KernelSVC(), cv=3)
        ),
        "guess": softcost.MinimumExpectedCost(DummyClassifier(strategy="prior")),
    }
    found = {
        name: one.set_params(cost_matrix=PRICES, classes=["one", "three", "two"])
        for name, one in reductions.items()
    }
    found["search"] = softcost.SoftCostClassifierCV(
        OneSidedRegression(),
        cost_matrix=PRICES,
        classes=["one", "three", "two"],
        softness=3,
        cv=3,
        param_grid={"C": [1.0, 16.0]},
    )
    found["default"] = softcost.SoftCostClassifierCV(
        cost_matrix=PRICES, classes=["one", "three", "two"], softness=2, cv=2,
        random_state=0,
    )  # fmt: skip
    return found


def make(folder):
    X, y = rows()
    for name, model in models().items():
        fitted = encoded(model).fit(X, y)
        if name == "default":  # with all models of the front, as ``softcost fit`` does
            fitted[-1].keep_candidates()
        softcost.save(fitted, folder / f"{name}.softcost")
        np.save(folder / f"{name}.npy", fitted.decision_function(X))


def check(folder):
    X, _ = rows()
    files = sorted(folder.glob("*.softcost"))
    worst = 0.0
    for path in files:
        model = softcost.load(path)
        wanted = np.load(path.with_suffix(".npy"))
        found = model.decision_function(X)
        worst = max(worst, float(np.abs(found - wanted).max()))
        if not np.allclose(found, wanted, rtol=1e-6, atol=1e-8):
            raise SystemExit(f"{path.stem}: other scores")
    print(f"{len(files)} models, largest difference of scores {worst:.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["make", "check"])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    (make if options.what == "make" else check)(options.folder)
