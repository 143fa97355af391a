"""Compare exported ONNX graphs with the models themselves, on many new rows.

    python benchmarks/onnx_agreement.py [--rows 10000] [--only blend,OSR] [--spread 3]

Fits every supported combination of reduction and learner, exports it, and evaluates
new rows with softcost and with onnxruntime. Counts labels that differ, and prints the
largest difference of probabilities (or scores) and the median time of one row. Writes
``results/onnx_agreement.json``.

``--spread`` is the standard deviation of the last feature; the others have about 1.
Kernel machines in softcost compute in single precision, and graphs in double. Without
scaling, a feature of spread 20 makes the difference visible: for kernel="linear" some
labels differ.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from common import write_json
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import softcost
from softcost import (
    CostSensitiveOneVsOne,
    KernelSVC,
    LinearClassifier,
    MinimumExpectedCost,
    NystroemClassifier,
    OneSidedBoosting,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    OneSidedSVR,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.learners import BoostedTrees
from softcost.onnx import table_inputs
from softcost.reductions import BlendedClassifier, SoftmaxScores
from softcost.tables import TableEncoder

RESULTS = Path(__file__).resolve().parent / "results" / "onnx_agreement.json"
PACKAGES = ("softcost", "onnx", "onnxruntime", "scikit-learn", "lightgbm", "numpy")
N_TRAIN = 300
SPREAD = [0.8, 0.8, 1, 1, 3]  # of the features
CITIES = [f"city {number}" for number in range(30)]
# No multiples of each other: sums of few equal terms do not tie.
COSTS = {
    2: np.array([[0, 1.31], [6.73, 0]]),
    3: np.array([[0, 1.31, 4.57], [2.39, 0, 3.07], [8.11, 5.03, 0]]),
    4: np.array(
        [[0, 1.3, 4.6, 2.1], [2.4, 0, 3.1, 1.7], [8.1, 5.0, 0, 3.3], [1.1, 2.9, 6.7, 0]]
    ),
}
ASK = np.column_stack([COSTS[3], [0.83, 0.83, 0.83]])


def numbers(n, n_classes, seed, missing=False):
    """Rows of five numbers, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    angle = 2 * np.pi * y / n_classes
    X = rng.normal(size=(n, 5)) * SPREAD
    X[:, 0] += np.cos(angle)
    X[:, 1] += np.sin(angle)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def cells(n, seed):
    """A raw table of numbers, words, Booleans, dates and durations with gaps."""
    rng = np.random.default_rng(seed)
    X, y = numbers(n, 3, seed)
    day = np.datetime64("2014-01-01T00:00:00") + rng.integers(0, 3 * 10**8, n)
    city = rng.integers(0, len(CITIES), n)
    table = pd.DataFrame(
        {
            "size": [f"{x:.3f}".replace(".", ",") for x in X[:, 0]],
            "weight": X[:, 1] + (city % 3 == 0),
            "city": np.array(CITIES, object)[city],
            "grade": np.array(list("abcd"), object)[(y + rng.integers(0, 2, n)) % 4],
            "paid": np.array(["yes", "no"], object)[rng.integers(0, 2, n)],
            "new": np.array(["true", "FALSE"], object)[rng.integers(0, 2, n)],
            "when": [str(moment).replace("T", " ") for moment in day],
            "born": [str(moment)[:10] for moment in day - np.timedelta64(10**9, "s")],
            "took": [f"{h}:{m:02d}" for h, m in rng.integers(0, 60, (n, 2))],
            "costs": np.array(["low", "high"], object)[rng.integers(0, 2, n)],
        }
    )
    table = table.astype(dict.fromkeys(table, object))
    for name in table:
        table.loc[rng.random(n) < 0.05, name] = None
    if seed:  # words that the training rows do not have
        table.loc[rng.random(n) < 0.03, "city"] = "elsewhere"
    return table, np.array(["high", "low", "mid"])[y]


def _mec(learner, n_classes=3, missing=False, **params):
    def fitted():
        X, y = numbers(N_TRAIN, n_classes, 0, missing)
        model = MinimumExpectedCost(learner, cost_matrix=COSTS[n_classes], **params)
        return model.fit(X, y), lambda n: numbers(n, n_classes, 1, missing)[0]

    return fitted


def _flat(reduction, learner, n_classes=4, softness=0.3, **params):
    def fitted():
        X, y = numbers(N_TRAIN, n_classes, 0)
        costs = COSTS[n_classes]
        model = reduction(learner, cost_matrix=costs, softness=softness, **params)
        return model.fit(X, y), lambda n: numbers(n, n_classes, 1)[0]

    return fitted


def _search(n_classes=3, missing=False, **params):
    def fitted():
        X, y = numbers(N_TRAIN, n_classes, 0, missing)
        model = SoftCostClassifierCV(
            cost_matrix=COSTS[n_classes], cv=3, random_state=0, **params
        )
        return model.fit(X, y), lambda n: numbers(n, n_classes, 1, missing)[0]

    return fitted


def _table_search(**params):
    def fitted():
        table, y = cells(N_TRAIN, 0)
        params.setdefault("cost_matrix", COSTS[3])
        model = SoftCostClassifierCV(cv=3, random_state=0, **params)
        return model.fit(table, y), lambda n: cells(n, 1)[0]

    return fitted


def _table_pipeline(model):
    def fitted():
        table, y = cells(N_TRAIN, 0)
        pipeline = make_pipeline(TableEncoder(missing=["-9"]), model)
        return pipeline.fit(table, y), lambda n: cells(n, 1)[0]

    return fitted


def _frozen():
    X, y = numbers(N_TRAIN, 3, 0)
    names = np.array(["b", "c", "a"])[y]
    learner = LogisticRegression(max_iter=1000).fit(X, names)
    model = MinimumExpectedCost(FrozenEstimator(learner), cost_matrix=COSTS[3])
    return model.fit(X, names), lambda n: numbers(n, 3, 1)[0]


def _rare_class():
    """A member that lacks a class, which has no row in its fit."""
    X, y = numbers(N_TRAIN, 3, 0)
    model = MinimumExpectedCost(
        LogisticRegression(max_iter=1000), cost_matrix=COSTS[4], classes=[0, 1, 2, 3]
    )
    return model.fit(X, y), lambda n: numbers(n, 3, 1)[0]


def _by_example():
    X, y = numbers(N_TRAIN, 3, 0)
    rng = np.random.default_rng(5)
    costs = COSTS[3][y] * rng.uniform(0.5, 2, (len(y), 1))
    model = MinimumExpectedCost(softness=0.25).fit(X, y, costs=costs)
    return model, lambda n: numbers(n, 3, 1)[0]


def _lgbm(cls, **params):
    return cls(n_estimators=20, num_leaves=7, n_jobs=1, verbose=-1, **params)


def _blend():
    members = [
        ("linear", LogisticRegression(max_iter=1000)),
        ("trees", RandomForestClassifier(9)),
    ]
    return BlendedClassifier(members, smoothing=0.1, random_state=0)


COMBINATIONS = {
    "search: default": _search(),
    "search: default, 2 classes": _search(2),
    "search: default, 4 classes": _search(4),
    "search: default, missing values": _search(missing=True),
    "search: default, raw table": _table_search(),
    "search: default, raw table with an action": _table_search(
        cost_matrix=ASK, actions=["ask"]
    ),
    "search: OSR": _search(reduction=OneSidedRegression()),
    "search: CSOVO linear": _search(
        reduction=CostSensitiveOneVsOne(LinearClassifier())
    ),
    "pipeline: TableEncoder, search": _table_pipeline(
        SoftCostClassifierCV(cost_matrix=COSTS[3], cv=3, random_state=0)
    ),
    "pipeline: TableEncoder, OSR": _table_pipeline(
        OneSidedRegression(cost_matrix=COSTS[3])
    ),
    "MEC: default": _mec(None),
    "MEC: softened": _mec(None, softness=0.4, error_weight="balanced"),
    "MEC: prior decides": _mec(None, decide_by="prior"),
    "MEC: frozen learner": _frozen,
    "MEC: absent class": _rare_class,
    "MEC: costs by example": _by_example,
    "MEC: logistic, 2 classes": _mec(LogisticRegression(max_iter=1000), 2),
    "MEC: logistic, 4 classes": _mec(LogisticRegression(max_iter=1000), 4),
    "MEC: tree": _mec(DecisionTreeClassifier(min_samples_leaf=7)),
    "MEC: random forest": _mec(RandomForestClassifier(31, random_state=0)),
    "MEC: forest, missing values": _mec(
        RandomForestClassifier(31, random_state=0), missing=True
    ),
    "MEC: extra trees": _mec(ExtraTreesClassifier(31, random_state=0), 4),
    "MEC: histogram boosting": _mec(HistGradientBoostingClassifier(max_iter=20)),
    "MEC: histogram boosting, missing values, 2 classes": _mec(
        HistGradientBoostingClassifier(max_iter=20), 2, missing=True
    ),
    "MEC: LightGBM": _mec(_lgbm(LGBMClassifier)),
    "MEC: LightGBM, missing values": _mec(_lgbm(LGBMClassifier), missing=True),
    "MEC: LightGBM, 2 classes": _mec(_lgbm(LGBMClassifier), 2),
    "MEC: boosted trees": _mec(BoostedTrees(n_estimators=20)),
    "MEC: boosted trees, 2 classes": _mec(BoostedTrees(n_estimators=20), 2),
    "MEC: linear machine": _mec(LinearClassifier(loss="logistic")),
    "MEC: linear machine, 2 classes": _mec(LinearClassifier(loss="logistic"), 2),
    "MEC: Nystroem perceptron": _mec(
        NystroemClassifier(loss="logistic", n_landmarks=40, random_state=0)
    ),
    "MEC: Nystroem rbf": _mec(
        NystroemClassifier(
            loss="logistic", kernel="rbf", n_landmarks=40, random_state=0
        )
    ),
    "MEC: softmax of kernel SVC": _mec(SoftmaxScores(KernelSVC())),
    "MEC: softmax of kernel SVC, 2 classes": _mec(SoftmaxScores(KernelSVC()), 2),
    "MEC: temperature": _mec(LinearSVC(), calibration="temperature"),
    "MEC: sigmoid": _mec(LinearSVC(), calibration="sigmoid"),
    "MEC: sigmoid, 2 classes": _mec(LinearSVC(), 2, calibration="sigmoid"),
    "MEC: sigmoid of a forest": _mec(
        RandomForestClassifier(31, random_state=0), calibration="sigmoid"
    ),
    "MEC: blend with smoothing": _mec(_blend()),
    "MEC: constant": _mec(DummyClassifier(strategy="prior")),
    "MEC: imputer, scaler, PCA": _mec(
        make_pipeline(
            SimpleImputer(strategy="median"),
            MinMaxScaler(),
            PCA(3),
            LogisticRegression(max_iter=1000),
        ),
        missing=True,
    ),
    **{
        f"OSR: {kernel}": _flat(OneSidedRegression, OneSidedSVR(kernel=kernel))
        for kernel in (
            "perceptron",
            "stump",
            "laplacian",
            "exponential",
            "rbf",
            "linear",
        )
    },
    "OSR: 2 classes": _flat(OneSidedRegression, None, 2),
    "OSR: linear machine": _flat(OneSidedRegression, OneSidedLinear()),
    "OSR: Nystroem": _flat(
        OneSidedRegression, OneSidedNystroem(n_landmarks=40, random_state=0)
    ),
    "OSR: one-sided boosting": _flat(OneSidedRegression, OneSidedBoosting()),
    "OSR: ridge": _flat(OneSidedRegression, make_pipeline(RobustScaler(), Ridge())),
    "OSR: forest": _flat(OneSidedRegression, RandomForestRegressor(21, random_state=0)),
    "OSR: tree": _flat(OneSidedRegression, DecisionTreeRegressor(min_samples_leaf=9)),
    "OSR: LightGBM": _flat(OneSidedRegression, _lgbm(LGBMRegressor)),
    "OSR: histogram boosting": _flat(
        OneSidedRegression, HistGradientBoostingRegressor(max_iter=20)
    ),
    "CSOVR: ridge": _flat(RegressionOneVsAll, None),
    "CSOVR: extra trees": _flat(
        RegressionOneVsAll, ExtraTreesRegressor(21, random_state=0)
    ),
    "CSOVO: perceptron": _flat(CostSensitiveOneVsOne, None),
    "CSOVO: rbf, first class in ties": _flat(
        CostSensitiveOneVsOne, KernelSVC(kernel="rbf"), tie_break="first"
    ),
    "CSOVO: 2 classes": _flat(CostSensitiveOneVsOne, None, 2),
    "CSOVO: linear machine": _flat(CostSensitiveOneVsOne, LinearClassifier()),
    "CSOVO: logistic": _flat(
        CostSensitiveOneVsOne,
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    ),
    "CSOVO: linear SVC": _flat(CostSensitiveOneVsOne, LinearSVC()),
    "CSOVO: Nystroem": _flat(
        CostSensitiveOneVsOne, NystroemClassifier(n_landmarks=40, random_state=0)
    ),
    "CSOVO: tree": _flat(
        CostSensitiveOneVsOne, DecisionTreeClassifier(max_depth=4, random_state=0)
    ),
    "CSOVO: forest": _flat(
        CostSensitiveOneVsOne, RandomForestClassifier(21, random_state=0)
    ),
    "CSOVO: LightGBM": _flat(CostSensitiveOneVsOne, _lgbm(LGBMClassifier)),
    "CSOVO: boosted trees": _flat(CostSensitiveOneVsOne, BoostedTrees(n_estimators=20)),
    "CSOVO: histogram boosting": _flat(
        CostSensitiveOneVsOne, HistGradientBoostingClassifier(max_iter=20)
    ),
    "WAP: perceptron": _flat(WeightedAllPairs, None),
    "WAP: logistic": _flat(WeightedAllPairs, LogisticRegression(max_iter=1000)),
    "CSZL: perceptron": _flat(ZhouLiuRescaling, None),
    "CSZL: linear machine": _flat(ZhouLiuRescaling, LinearClassifier()),
}


def session_of(graph):
    """A session on one thread, which suits single rows."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # costs are an input with a default: no warning
    return onnxruntime.InferenceSession(graph.SerializeToString(), options)


def compare(name, n_rows):
    """Differences of a combination on new rows."""
    model, rows = COMBINATIONS[name]()
    X = rows(n_rows)
    session = session_of(softcost.to_onnx(model))
    inputs = table_inputs(session, X)
    outputs = dict(
        zip(
            [output.name for output in session.get_outputs()],
            session.run(None, inputs),
            strict=True,
        )
    )
    labels = model.predict(X)
    record = {
        "combination": name,
        "rows": n_rows,
        "labels": int((outputs["label"] != labels).sum()),
        "classes": len(np.unique(labels)),
    }
    if "probabilities" in outputs:
        expected = model.predict_proba(X)
        record["probabilities"] = _largest(outputs["probabilities"], expected)
        last = model[-1] if hasattr(model, "steps") else model
        rest = model[:-1].transform(X) if hasattr(model, "steps") else X
        costs = last.expected_costs(rest)
        record["expected_costs"] = _largest(outputs["expected_costs"], costs)
    else:
        scores = model.decision_function(X)
        found = outputs["scores"]
        found = found[:, 1] - found[:, 0] if scores.ndim == 1 else found
        record["scores"] = _largest(found, scores)
    single = {key: value[:1] for key, value in inputs.items()}
    times = []
    for _ in range(50):
        started = time.perf_counter()
        session.run(None, single)
        times.append(time.perf_counter() - started)
    return record | {"one_row_ms": float(np.median(times) * 1e3)}


def _largest(found, expected):
    return float(np.abs(found - expected).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", default="", help="Parts of names, with commas.")
    parser.add_argument("--spread", type=float, default=SPREAD[-1])
    options = parser.parse_args()
    SPREAD[-1] = options.spread
    parts = options.only.split(",")
    records = []
    for name in COMBINATIONS:
        if not any(part in name for part in parts):
            continue
        record = compare(name, options.rows)
        records.append(record)
        size = record.get("probabilities", record.get("scores"))
        print(
            f"{name:55} {record['labels']:3d} labels differ, {size:.1e}, "
            f"{record['one_row_ms']:.3f} ms",
            flush=True,
        )
    if not options.only:
        write_json(RESULTS, PACKAGES, records)


if __name__ == "__main__":
    main()
