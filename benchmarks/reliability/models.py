"""Damaged and crafted model files, each loaded in a process with limited memory."""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, SGDRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import softcost
from softcost import OneSidedRegression
from softcost.linear import LinearClassifier, NystroemClassifier, OneSidedLinear
from softcost.reductions import BlendedClassifier, SoftmaxScores

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "models"))
from crafted import crafted, outcomes

PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
AT_ONCE = 500


def rows():
    X, y = load_iris(return_X_y=True)
    return X[::3], y[::3]


def contents():
    """The bytes of files of all kinds of models."""
    X, y = rows()
    models = [
        softcost.SoftCostClassifierCV(
            OneSidedRegression(),
            cost_matrix=PRICES,
            softness=2,
            cv=2,
            param_grid={"C": [1.0]},
        ),
        softcost.KernelSVC(kernel="rbf"),
        softcost.OneSidedRegression(cost_matrix=PRICES),
        softcost.FilterTree(cost_matrix=PRICES),
        softcost.CostSensitiveOneVsOne(LogisticRegression(max_iter=500)),
        softcost.StochasticEnsembleBoosting(n_rounds=3, cost_matrix=PRICES),
        softcost.MinimumExpectedCost(RandomForestClassifier(3, random_state=0)),
        softcost.CostSensitiveOneVsOne(
            HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)
        ),
        softcost.OneSidedRegression(
            softcost.OneSidedBoosting(n_estimators=3, min_child_samples=5)
        ),
        softcost.MinimumExpectedCost(CalibratedClassifierCV(softcost.KernelSVC())),
        softcost.MinimumExpectedCost(KNeighborsClassifier()),
        softcost.MinimumExpectedCost(DummyClassifier(strategy="prior")),
        softcost.RegressionOneVsAll(Lasso(0.01), cost_matrix=PRICES),
        softcost.OneSidedRegression(OneSidedLinear(), cost_matrix=PRICES),
        NystroemClassifier(n_landmarks=9),
        softcost.MinimumExpectedCost(calibration="temperature"),
        softcost.MinimumExpectedCost(softcost.KernelSVC(), calibration="isotonic"),
        softcost.CostSensitiveOneVsOne(
            cost_matrix=[[*row, 0.5] for row in PRICES], actions=["ask"]
        ),
        softcost.MinimumExpectedCost(
            BlendedClassifier(
                [
                    ("linear", LogisticRegression(max_iter=500)),
                    ("tree", DecisionTreeClassifier(max_depth=2)),
                ],
                random_state=0,
            )
        ),
        softcost.MinimumExpectedCost(
            SoftmaxScores(softcost.OneSidedRegression(softness=1.0))
        ),
        make_pipeline(
            make_column_transformer(
                (make_pipeline(SimpleImputer(), MinMaxScaler()), [0, 1]),
                (OneHotEncoder(max_categories=3, sparse_output=False), [3]),
            ),
            LogisticRegression(max_iter=500),
        ),
    ]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            path = Path(folder) / "model"
            softcost.save(model.fit(X, y), path)
            found.append(path.read_bytes())
        for search in searches(X, y):
            softcost.save(search.keep_candidates(), path)
            found.append(path.read_bytes())
        softcost.save(fed_in_blocks(X, y), path)
        found.append(path.read_bytes())
    return found


def searches(X, y):
    """Of families by name with costs by example, of a race with a budget, of "auto"."""
    pairs = softcost.CostSensitiveOneVsOne(LinearClassifier())
    several = [
        ("pairs", pairs),
        ("tree", softcost.MinimumExpectedCost(DecisionTreeClassifier())),
    ]
    grid = {"pairs": {"C": [1.0]}, "tree": {}}
    yield softcost.SoftCostClassifierCV(several, softness=2, cv=2, param_grid=grid).fit(
        X, y, costs=np.array(PRICES)[y]
    )
    race = softcost.SoftCostClassifierCV(
        pairs, cost_matrix=PRICES, softness=2, cv=2, param_grid=grid["pairs"],
        criterion=softcost.Budget(error=0.9), time_limit=600,
    ).fit(X, y)  # fmt: skip
    race.mix(0.9)
    yield race
    yield softcost.SoftCostClassifierCV(
        cost_matrix=PRICES, softness=2, cv=2, random_state=0
    ).fit(X, y)


def fed_in_blocks(X, y):
    """A model that has learnt from one block of rows after the other."""
    model = softcost.RegressionOneVsAll(SGDRegressor(random_state=0))
    for start in range(3):
        model.partial_fit(X[start::3], y[start::3], classes=[0, 1, 2])
    return model


def damaged(content, seed):
    """A file with bytes changed, cut off, repeated, moved or put in."""
    rng = np.random.default_rng(seed)
    raw = bytearray(content)
    how = rng.integers(5)
    if how == 0:
        for place in rng.integers(0, len(raw), rng.integers(1, 9)):
            raw[place] ^= 1 << rng.integers(8)
    elif how == 1:
        del raw[rng.integers(len(raw)) :]
    elif how == 2:
        start = rng.integers(len(raw))
        raw[start : start + 512] = bytes(512)
    elif how == 3:
        start, other = rng.integers(0, len(raw) - 64, 2)
        raw[start : start + 64] = raw[other : other + 64]
    else:
        place = rng.integers(len(raw))
        raw[place:place] = rng.bytes(rng.integers(1, 300))
    return bytes(raw)


def run(how, count):
    """How many files came to what: refused, a model that predicts, or a failure.

    A damaged file that predicts is a failure, unless its bytes are the good ones.
    """
    X, _ = rows()
    good, tally = contents(), Counter()
    make = {"damaged": damaged, "crafted": crafted}[how]
    expected = ("refused", "predicts", "raises")
    if how == "damaged":
        expected = ("refused", "unchanged")
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, count, AT_ONCE):
            same, paths = {}, []
            for seed in range(start, min(start + AT_ONCE, count)):
                original = good[seed % len(good)]
                content = make(original, seed)
                paths.append(Path(folder) / str(seed))
                paths[-1].write_bytes(content)
                same[paths[-1]] = content == original
            for path, one in zip(paths, outcomes(paths, X), strict=True):
                if how == "damaged" and one == "predicts" and same[path]:
                    one = "unchanged"
                tally[one] += 1
                if one not in expected:
                    print(f"{how} {path.name}: {one}", file=sys.stderr)
                path.unlink()
    failures = sum(n for one, n in tally.items() if one not in expected)
    return count, failures, dict(tally)


def damaged_files(count):
    """Bytes changed, whatever they mean."""
    return run("damaged", count)


def crafted_files(count):
    """Made on purpose."""
    return run("crafted", count)
