"""Check that two checkouts give the same results, to the last bit.

    python benchmarks/equivalence.py /path/to/other/checkout --only 'search*'

This checkout and the other one run the same cases at the same time, each in a process
with one thread: fits, searches, command-line calls, public names. Every difference is
printed. The exit code is 1 if a difference is not in ``EXPECTED`` or if a case fails.

Cases use new names. ``RENAMED`` lists the old ones, so either checkout may be older.
Finally this checkout predicts with the model files of the other one.
"""

import argparse
import fnmatch
import hashlib
import importlib
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from common import write_json
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

# Old name: new name. Modules by their path, parameters and attributes by their class,
# options by their command, keys of JSON output by "JSON".
RENAMED = {
    "softcost.soft": "softcost.search",
    "softcost.selection": "softcost.search",
    "softcost.sensitivity": "softcost.search",
    "softcost.models": "softcost.persistence",
    "SoftCostClassifierCV.calibration": "SoftCostClassifierCV.holdout",
    "SoftCostClassifierCV.handicap_": "SoftCostClassifierCV.selection_penalty_",
    "SoftCostClassifierCV.kept_": "SoftCostClassifierCV.candidates_",
    "SoftCostClassifierCV.keep": "SoftCostClassifierCV.keep_candidates",
    "SoftCostClassifierCV.candidates": "SoftCostClassifierCV.fit_candidates",
    "SoftCostClassifierCV.paid_": "SoftCostClassifierCV.realised_cost_",
    "SoftCostClassifierCV.calibration_confusion_": (
        "SoftCostClassifierCV.holdout_confusion_"
    ),
    "JSON.calibration_rows": "JSON.holdout_rows",
    "JSON.paid": "JSON.realisedCost",
    "fit --calibration": "fit --holdout",
    "predict --riskiest": "predict --top",
    "BlendedClassifier.power": "BlendedClassifier.inverse_temperature",
    "BlendedClassifier.power_": "BlendedClassifier.inverse_temperature_",
    "BlendedClassifier.doubt": "BlendedClassifier.smoothing",
    "BlendedClassifier.doubt_": "BlendedClassifier.smoothing_",
}

# Pattern of "case: field", as printed: why the results may differ.
EXPECTED: dict[str, str] = {
    "*: described.final": "the manifest names a class by its module",
    "*: described.model": "the manifest names a class by its module",
    **dict.fromkeys(
        (
            "public names: softcost.tables*", "public names: softcost.workflow*",
            "public names: softcost.costs.read_costs*", "public names: Training.*",
            "public names: FitOptions*", "public names: TableEncoder*",
            "public names: RowParser*", "public names: DriftMonitor*",
            "public names: ColumnOverrides*", "public names: ColumnSummary*",
        ),
        "the analyst's workflow is public",
    ),
    **dict.fromkeys(
        (
            "public names: *.MEASURES*", "public names: *.ACTION_MEASURES*",
            "public names: *Measure*", "public names: *measures*",
            "public names: *.CRITERIA*", "public names: *Criterion*",
            "public names: softcost.search.make_rule*",
            "public names: softcost.search.choose_row*",
            "public names: Limit.limits_costs*",
        ),
        "measures and criteria are registries",
    ),
    **dict.fromkeys(
        (
            "public names: *FitsMany*", "public names: *FitsKinds*",
            "public names: *WalksPath*", "public names: *WalksInLockstep*",
            "public names: *LockstepFold*", "public names: *Supports*",
            "public names: *BatchedFold*", "public names: *Evidence*",
            "public names: *ExplorerData*", "public names: *RowCosts*",
            "public names: softcost.costs.*", "public names: softcost.learners.*",
            "public names: softcost.reductions.*",
            "public names: softcost.report.saving_facts*",
        ),
        "renamed",
    ),
    **dict.fromkeys(
        (
            "public names: *.check_features*", "public names: *.check_data*",
            "public names: MinimumExpectedCost.decide_each*",
            "public names: MinimumExpectedCost.soft_matrices*",
        ),
        "a search checks its data once",
    ),
    "command *: *.html.measures.*": "a page contains its measures' names and formats",
    "public names: *SoftCostClassifierCV*": "holdout, and cv=None samples large tables",
}  # fmt: skip

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
# Timings, versions, and facts about the machine.
IGNORED = re.compile(
    r"(_time|_seconds|\.html\.version|\bmade_with\.[\w-]+|^described\.softcost"
    r"|^JSON\.checks\.found)$"
)
SCALARS = (bool, int, float, str, type(None))
METHODS = (
    "predict", "decision_function", "predict_proba", "predict_log_proba",
    "expected_costs", "pairwise_decision",
)  # fmt: skip


# --- names, old and new


def new_name(owner, name):
    """The new name of a member, or its name if it has not been renamed."""
    return RENAMED.get(f"{owner}.{name}", f"{owner}.{name}").removeprefix(f"{owner}.")


def old_name(owner, name):
    """The old name of a member, or its name if it has not been renamed."""
    names = {new: old for old, new in RENAMED.items()}
    return names.get(f"{owner}.{name}", f"{owner}.{name}").removeprefix(f"{owner}.")


def new_module(path):
    """The new path of a module."""
    return RENAMED.get(path, path)


def attribute(thing, name):
    """An attribute by its new name, else by its old one."""
    owner = type(thing).__name__
    if hasattr(thing, name):
        return getattr(thing, name)
    return getattr(thing, old_name(owner, name))


def find(module, name):
    """A name of a module by its new path, else from the modules it was made of."""
    paths = [module, *(old for old, new in RENAMED.items() if new == module)]
    for path in paths:
        try:
            return getattr(importlib.import_module(path), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"{name} is in none of {', '.join(paths)}")


def make(class_name, *values, **params):
    """An object of a public class, with parameters by their new names."""
    import softcost

    cls = getattr(softcost, class_name)
    known = inspect.signature(cls).parameters
    names = {name: name if name in known else old_name(class_name, name)
             for name in params}  # fmt: skip
    return cls(*values, **{names[name]: value for name, value in params.items()})


# --- data


def costs_for(n_classes, n_actions=0, seed=0):
    """Asymmetric costs; actions cost little and the same for every class."""
    costs = np.random.RandomState(seed).uniform(1, 10, (n_classes, n_classes)).round(2)
    np.fill_diagonal(costs, 0.0)
    actions = np.tile(0.6 + 0.3 * np.arange(n_actions), (n_classes, 1))
    return np.hstack([costs, actions])


def iris():
    return load_iris(return_X_y=True)


def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


def digits(n_rows=350):
    X, y = load_digits(return_X_y=True)
    return X[:n_rows] / 16, y[:n_rows]


def synthetic(n_rows=240, n_classes=4, seed=0):
    return make_classification(
        n_rows, 8, n_informative=5, n_classes=n_classes, flip_y=0.1, random_state=seed
    )


def two_classes():
    return synthetic(200, 2, 1)


def example_costs(y, n_classes, seed=3):
    """Costs for every row, zero for its own class."""
    costs = np.random.RandomState(seed).uniform(0.5, 8, (len(y), n_classes)).round(3)
    costs[np.arange(len(y)), y] = 0.0
    return costs


# --- what is recorded


def flatten(value, path=""):
    """Pairs of path and array or scalar, of anything made of plain values."""
    value = as_plain(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flatten(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for number, item in enumerate(value):
            yield from flatten(item, f"{path}[{number}]")
    elif isinstance(value, (np.ndarray, *SCALARS)):
        yield path, value
    elif isinstance(value, BaseEstimator):
        yield path, type(value).__name__


def as_plain(value):
    """Tables and records as dicts, lists of scalars as arrays."""
    if is_dataclass(value) and not isinstance(value, type):
        return vars(value)
    if isinstance(value, pd.DataFrame):
        return {str(name): value[name].to_numpy() for name in value}
    if isinstance(value, np.ma.MaskedArray):
        return {"data": value.tolist(), "mask": np.ma.getmaskarray(value)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pd.Series):
        value = value.to_numpy()
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, (list, tuple)) and len(value):
        value = list(value)
        if all(type(item) in (int, float) for item in value):
            return np.array(value, dtype=float)
        if all(isinstance(item, SCALARS) for item in value):
            return np.array([repr(item) for item in value])
        if all(isinstance(item, dict) for item in value):
            keys = dict.fromkeys(key for item in value for key in item)
            return {key: [item.get(key, "absent") for item in value] for key in keys}
    return value


def fitted_attributes(model):
    """Public fitted attributes, by their new names."""
    owner = type(model).__name__
    return {
        new_name(owner, name): value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and "time" not in name
    }


def outputs(model, X):
    """Outputs of every prediction method that the model has."""
    return {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}


def record(model, X):
    """Fitted attributes and outputs of a model."""
    return {**fitted_attributes(model), **outputs(model, X)}


# --- fits and searches


def fitted(class_name, data, *learner, fit=None, **params):
    """Fit on two thirds of the rows, and predict all of them."""
    X, y = data
    train = np.arange(len(X)) % 3 != 0
    if class_name not in ("KernelSVC", "LinearClassifier", "NystroemClassifier"):
        params.setdefault("cost_matrix", costs_for(len(np.unique(y))))
    model = make(class_name, *learner, **params)
    fit = {name: values[train] for name, values in (fit or {}).items()}
    return record(model.fit(X[train], y[train], **fit), X)


def searched(data, reduction=None, fit=None, then=None, **params):
    """Search on all rows, and predict them."""
    X, y = data
    params.setdefault("cost_matrix", costs_for(len(np.unique(y))))
    params.setdefault("random_state", 0)
    model = make("SoftCostClassifierCV", reduction, **params).fit(X, y, **(fit or {}))
    return {
        **record(model, X),
        "reference_rows": model.reference_rows(),
        "params": model.candidate_params(model.best_index_),
        **(then(model, X) if then else {}),
    }


def follow_up(model, X):
    """Everything a search offers after its fit."""
    pair = model.mix(0.04)
    kept = attribute(attribute(model, "keep_candidates")(), "candidates_")
    results = {
        "optimism()": model.optimism(50),
        "saving()": model.saving(),
        "saving(regular)": model.saving("regular"),
        "sensitivity()": vars(model.sensitivity()),
        "candidate(3)": outputs(model.candidate(3), X),
        "keep()": {row: outputs(reduction, X) for row, reduction in kept.items()},
        "mix_": record(pair, X),
        "score": model.score(X, iris()[1]),
    }
    for number, rule in enumerate(
        [
            find("softcost.search", "LeastError")(),
            make("Budget", recall={2: 0.97}),
            make("Tolerance", cost=0.2),
            make("MaxOfBoth"),
        ]
    ):
        model.choose(rule)
        results[f"choose({number})"] = {
            "row": model.best_index_, **outputs(model, X)
        }  # fmt: skip
    return results


def saved(model, X):
    """Outputs of the model after a trip to the disk, and its description."""
    import softcost

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.softcost"
        softcost.save(model, path)
        described = find("softcost.persistence", "describe")(path)
        described.pop("checksums", None)
        loaded = softcost.load(path)
    return {"described": described, "loaded": record(loaded, X)}


def wine_labels():
    X, y = wine()
    return X, np.array(["red", "amber", "white"])[y]


def labelled_costs():
    names = ["white", "amber", "red"]
    return pd.DataFrame(costs_for(3), index=names, columns=names)


def families():
    """Families of one's own: kernel machines, a linear one, and trees."""
    return [
        ("kernel", make("CostSensitiveOneVsOne")),
        ("linear", make("OneSidedRegression", make("OneSidedLinear"))),
        ("tree", make("MinimumExpectedCost", tree())),
    ]


def tree(depth=4):
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def weights(y):
    return np.random.RandomState(5).uniform(0.2, 3, len(y)).round(2)


def direct(kernel):
    """Kernel machines on their own: three classes, and a regression with sides."""
    X, y = wine()
    machine = make("OneSidedSVR", kernel, C=4.0)
    side = np.where(np.arange(len(y)) % 2, 1, -1)
    machine.fit(X, y / 2.0, side=side, sample_weight=weights(y))
    return {
        "KernelSVC": fitted("KernelSVC", (X, y), kernel, C=8.0),
        "OneSidedSVR": record(machine, X),
    }


def linear_machines():
    """Linear and Nystroem machines on their own."""
    X, y = wine()
    side = np.where(np.arange(len(y)) % 2, 1, -1)
    logistic, hinge = (
        fitted("LinearClassifier", (X, y), loss=loss)
        for loss in ("logistic", "squared_hinge")
    )
    return {
        "logistic": logistic,
        "hinge": hinge,
        "nystroem": fitted("NystroemClassifier", (X, y), n_landmarks=40),
        "OneSidedLinear": record(make("OneSidedLinear").fit(X, y, side=side), X),
        "OneSidedNystroem": record(
            make("OneSidedNystroem", n_landmarks=40).fit(X, y, side=side), X
        ),
    }


def blended():
    """The blend of two classifiers, alone and under expected costs."""
    blend = find("softcost.reductions", "BlendedClassifier")
    members = [("linear", LogisticRegression(max_iter=500)), ("bayes", GaussianNB())]
    X, y = wine()
    name = "smoothing"
    if name not in inspect.signature(blend).parameters:
        name = old_name("BlendedClassifier", name)
    smoothed = blend(members, random_state=0, **{name: 0.1})
    return {
        "blend": record(blend(members, random_state=0).fit(X, y), X),
        "expected": fitted("MinimumExpectedCost", (X, y), smoothed),
    }


def cost_functions():
    """Generators of costs, and measures of predictions."""
    from softcost import costs, metrics

    y = synthetic()[1]
    rng = np.random.RandomState(2)
    predicted = np.where(rng.rand(len(y)) < 0.3, rng.randint(0, 4, len(y)), y)
    other = np.where(rng.rand(len(y)) < 0.4, rng.randint(0, 4, len(y)), y)
    counts, matrix = np.bincount(y), costs_for(4)
    cost = {"cost_matrix": matrix, "classes": np.arange(4)}
    return {
        **{
            name: getattr(costs, name)(counts, 1)
            for name in ("consistent", "inconsistent")
        },
        "balanced": costs.balanced(matrix, counts),
        "emphasized": costs.emphasized(matrix, 3.0, rows=[1], columns=[3]),
        "absolute": costs.absolute(4),
        "squared": costs.squared(4),
        "is_consistent": costs.is_consistent(matrix),
        "soften": costs.soften(example_costs(y, 4), y, 0.3),
        "published": [costs.SERS_COSTS, costs.KDD99_COSTS],
        **{
            name: getattr(metrics, name)(y, predicted, **cost)
            for name in ("mean_cost", "normalized_cost")
        },
        **{
            name: getattr(metrics, name)(y, predicted)
            for name in ("error_rate", "g_mean", "recall_product")
        },
        "paired_saving": metrics.paired_saving(
            matrix[y, predicted], matrix[y, other]
        ),
        "pareto": metrics.pareto_mask(rng.rand(60, 2)),
    }  # fmt: skip


OSR, OVO = "OneSidedRegression", "CostSensitiveOneVsOne"
KERNELS = ("perceptron", "stump", "laplacian", "exponential", "rbf", "linear")
TREES = {"max_depth": [2, 5]}
C_VALUES = {"C": [0.5, 8.0, 128.0]}
CASES = {
    "fit OSR, perceptron": lambda: fitted(OSR, wine()),
    "fit OSR, rbf": lambda: fitted(OSR, wine(), make("OneSidedSVR", "rbf", C=8.0)),
    "fit OSR, stump, softness": lambda: fitted(
        OSR, wine(), make("OneSidedSVR", "stump"), softness=0.4
    ),
    "fit OSR, linear": lambda: fitted(OSR, wine(), make("OneSidedLinear")),
    "fit OSR, Nystroem": lambda: fitted(
        OSR, wine(), make("OneSidedNystroem", n_landmarks=50), random_state=0
    ),
    "fit OSR, ridge": lambda: fitted(OSR, wine(), Ridge()),
    "fit OSR, LightGBM": lambda: fitted(
        OSR, wine(), make("OneSidedBoosting", n_estimators=20, n_jobs=1)
    ),
    "fit OSR, digits": lambda: fitted(OSR, digits()),
    "fit OSR, example costs and weights": lambda: fitted(
        OSR, iris(), cost_matrix=None,
        fit={"costs": example_costs(iris()[1], 3), "sample_weight": weights(iris()[1])},
    ),
    "fit OSR, actions": lambda: fitted(
        OSR, iris(), cost_matrix=costs_for(3, 2), actions=["ask", "wait"],
        action_error={"ask": 0.5, "wait": 0.0},
    ),
    "fit CSOVO, perceptron": lambda: fitted(OVO, synthetic()),
    "fit CSOVO, first tie": lambda: fitted(OVO, synthetic(), tie_break="first"),
    "fit CSOVO, laplacian": lambda: fitted(OVO, wine(), make("KernelSVC", "laplacian")),
    "fit CSOVO, linear": lambda: fitted(OVO, wine(), make("LinearClassifier")),
    "fit CSOVO, Nystroem": lambda: fitted(
        OVO, wine(), make("NystroemClassifier", n_landmarks=50), random_state=0
    ),
    "fit CSOVO, tree": lambda: fitted(OVO, synthetic(), tree(), random_state=0),
    "fit CSOVO, two classes": lambda: fitted(OVO, two_classes()),
    "fit WAP": lambda: fitted("WeightedAllPairs", synthetic()),
    "fit filter tree, digits": lambda: fitted("FilterTree", digits(200)),
    "fit filter tree, order": lambda: fitted(
        "FilterTree", synthetic(), tree(), order=[2, 0, 3, 1], random_state=0
    ),
    "fit filter tree, actions": lambda: fitted(
        "FilterTree", iris(), cost_matrix=costs_for(3, 1), actions=["ask"]
    ),
    "fit Zhou-Liu": lambda: fitted("ZhouLiuRescaling", synthetic()),
    "fit CSOVR": lambda: fitted("RegressionOneVsAll", wine()),
    "fit CSOVR, trees": lambda: fitted(
        "RegressionOneVsAll", synthetic(),
        DecisionTreeRegressor(max_depth=5, random_state=0), random_state=0,
    ),
    "fit MetaCost": lambda: fitted(
        "MetaCost", synthetic(), tree(), n_resamples=10, random_state=0
    ),
    "fit GBSE": lambda: fitted(
        "StochasticEnsembleBoosting", synthetic(), tree(3), n_rounds=8, random_state=0
    ),
    "fit costing": lambda: fitted(
        "Costing", synthetic(), tree(), n_draws=4, random_state=0
    ),
    "fit costing, without weights": lambda: fitted(
        "Costing", iris(), GaussianNB(), n_draws=4, sampling="always", random_state=0
    ),
    "fit expected cost": lambda: fitted("MinimumExpectedCost", synthetic()),
    **{
        f"fit expected cost, {method}": lambda method=method: fitted(
            "MinimumExpectedCost", synthetic(), tree(), calibration=method,
            random_state=0,
        )
        for method in ("temperature", "isotonic", "sigmoid")
    },
    "fit expected cost, balanced errors": lambda: fitted(
        "MinimumExpectedCost", synthetic(), error_weight="balanced", softness=0.5,
    ),
    **{
        f"fit machines, {kernel}": lambda kernel=kernel: direct(kernel)
        for kernel in KERNELS
    },
    "fit machines, linear and Nystroem": linear_machines,
    "fit blend": blended,
    "fit cost functions": cost_functions,
    "search auto, iris": lambda: searched(iris(), then=saved),
    "search auto, wine labels": lambda: searched(
        wine_labels(), cost_matrix=labelled_costs(), softness=5
    ),
    "search auto, two classes": lambda: searched(two_classes(), "auto", softness=3),
    "search auto, actions": lambda: searched(
        iris(), cost_matrix=costs_for(3, 1), actions=["ask"], action_error=0.5,
        softness=3,
    ),
    "search auto, digits": lambda: searched(digits(250), softness=2, cv=3),
    "search auto, budget": lambda: searched(
        synthetic(), softness=4, criterion=make("Budget", error=0.25), cv=3
    ),
    "search OSR": lambda: searched(iris(), make(OSR), then=follow_up),
    "search OSR, digits": lambda: searched(
        digits(), make(OSR), param_grid=C_VALUES, softness=5, cv=3
    ),
    "search OSR, inverse grid": lambda: searched(
        iris(), make(OSR), param_grid="inverse", random_state=None
    ),
    "search OSR, linear": lambda: searched(wine(), make(OSR, make("OneSidedLinear"))),
    "search OSR, Nystroem": lambda: searched(
        wine(), make(OSR, make("OneSidedNystroem", n_landmarks=40)), then=saved
    ),
    "search OSR, example costs": lambda: searched(
        iris(), make(OSR), cost_matrix=None,
        fit={"costs": example_costs(iris()[1], 3)},
    ),
    "search OSR, sample weights": lambda: searched(
        iris(), make(OSR), fit={"sample_weight": weights(iris()[1])}
    ),
    "search OSR, actions": lambda: searched(
        iris(), make(OSR), cost_matrix=costs_for(3, 2), actions=["ask", "wait"],
        action_error=0.5,
    ),
    "search OSR, groups": lambda: searched(
        wine(), make(OSR), cv=GroupKFold(4), param_grid=C_VALUES,
        fit={"groups": np.arange(178) // 6 % 10},
    ),
    "search OSR, missing class": lambda: searched(
        wine(), make(OSR), classes=[0, 1, 2, 3], cost_matrix=costs_for(4)
    ),
    "search CSOVO": lambda: searched(synthetic(), make(OVO), then=saved),
    "search CSOVO, two jobs": lambda: searched(
        synthetic(), make(OVO), n_jobs=2, param_grid=C_VALUES
    ),
    "search CSOVO, labels": lambda: searched(
        wine_labels(), make(OVO), cost_matrix=labelled_costs()
    ),
    "search CSOVO, two classes": lambda: searched(two_classes(), make(OVO)),
    "search CSOVO, trees": lambda: searched(
        synthetic(), make(OVO, tree()), param_grid=TREES, softness=3
    ),
    "search CSOVO, rbf": lambda: searched(
        synthetic(), make(OVO, make("KernelSVC", "rbf")), param_grid=C_VALUES
    ),
    "search CSOVO, linear": lambda: searched(
        synthetic(), make(OVO, make("LinearClassifier"))
    ),
    "search WAP": lambda: searched(
        synthetic(), make("WeightedAllPairs"), param_grid=C_VALUES
    ),
    "search filter tree": lambda: searched(synthetic(), make("FilterTree")),
    "search filter tree, orders": lambda: searched(
        synthetic(), make("FilterTree"), softness=3,
        param_grid={"C": [1.0, 16.0], "order": [[0, 1, 2, 3], [3, 1, 0, 2]]},
    ),
    "search Zhou-Liu": lambda: searched(
        synthetic(), make("ZhouLiuRescaling"), param_grid=C_VALUES
    ),
    "search CSOVR": lambda: searched(wine(), make("RegressionOneVsAll")),
    "search MetaCost": lambda: searched(
        iris(), make("MetaCost", tree(), n_resamples=5), param_grid=TREES, softness=3,
        cv=3,
    ),
    "search GBSE": lambda: searched(
        iris(), make("StochasticEnsembleBoosting", tree(2), n_rounds=5), softness=3,
        cv=3, param_grid=TREES,
    ),
    "search costing": lambda: searched(
        iris(), make("Costing", tree(), n_draws=3), softness=3, cv=3, param_grid=TREES
    ),
    "search expected cost": lambda: searched(synthetic(), make("MinimumExpectedCost")),
    "search expected cost, boosted trees": lambda: searched(
        synthetic(),
        make("MinimumExpectedCost", HistGradientBoostingClassifier(max_iter=20)), cv=3,
    ),
    "search families": lambda: searched(synthetic(), families(), then=saved),
    "search families, balanced errors": lambda: searched(
        synthetic(), families(), error_weight="balanced", criterion="tolerance",
        tolerance=0.1, softness=4,
    ),
    "search criterion max": lambda: searched(
        synthetic(), make(OSR), criterion="max", param_grid=C_VALUES
    ),
    "search criterion constrained": lambda: searched(
        synthetic(), make(OSR), criterion="constrained", max_error=0.3
    ),
    "search criterion constrained, unmet": lambda: searched(
        synthetic(), make(OSR), criterion="constrained", max_error=0.01
    ),
    "search criterion tolerance": lambda: searched(
        synthetic(), make(OSR), criterion="tolerance", tolerance=0.15
    ),
    "search criterion 1se": lambda: searched(
        synthetic(), make(OSR), criterion="tolerance", tolerance="1se"
    ),
    "search criterion function": lambda: searched(
        synthetic(), make(OSR), criterion=lambda table: table["cost"] + table["error"]
    ),
    "search budget, confidence": lambda: searched(
        wine(), make(OSR), criterion=make("Budget", error=0.2, confidence=0.9)
    ),
    "search budget, held-out rows": lambda: searched(
        synthetic(400), make(OVO), holdout=0.3,
        criterion=make("Budget", error=0.35, recall={1: 0.4}, confidence=0.8),
    ),
    "search budget, coverage": lambda: searched(
        iris(), make(OSR), cost_matrix=costs_for(3, 1), actions=["ask"],
        criterion=make("Budget", coverage=0.9, cost=2.0),
    ),
    "search budget, auto, held-out rows": lambda: searched(
        synthetic(300, 3), softness=3, cv=3, holdout=0.25,
        criterion=make("Budget", g_mean=0.5, confidence=0.8),
    ),
}  # fmt: skip


# --- commands


def write_tables():
    """The tables and price lists that the commands read."""
    rng = np.random.RandomState(7)
    flowers = load_iris(as_frame=True).frame
    names = np.array(["setosa", "versicolor", "virginica"])
    flowers["target"] = names[flowers["target"]]
    flowers.to_csv("flowers.csv", index=False)
    prices = pd.DataFrame(costs_for(3), index=names, columns=names)
    prices.rename_axis("true").to_csv("flowers-costs.csv")
    prices.assign(ask=0.4).rename_axis("true").to_csv("flowers-ask.csv")
    (prices * 2 + 1 - np.eye(3)).rename_axis("true").to_csv("flowers-other.csv")

    n_rows = 260
    weight = rng.gamma(2, 3, n_rows).round(2)
    colour = rng.choice(["red", "green", "blue", "dark grey"], n_rows)
    day = pd.Timestamp("2023-01-05") + pd.to_timedelta(rng.randint(0, 500, n_rows), "D")
    distance = rng.randint(1, 900, n_rows)
    risk = weight / 6 + distance / 400 + (colour == "red") + rng.normal(0, 0.6, n_rows)
    orders = pd.DataFrame({
        "order": [f"A{number:05d}" for number in range(n_rows)],
        "weight": weight.astype(str), "colour": colour,
        "sent": day.strftime("%Y-%m-%d"), "distance": distance.astype(str),
        "status": np.array(["on time", "late", "lost"])[np.digitize(risk, [2, 4])],
    })  # fmt: skip
    for column, word in [("weight", ""), ("colour", "n/a"), ("sent", "")]:
        orders.loc[rng.rand(n_rows) < 0.08, column] = word
    orders.to_csv("orders.csv", index=False)
    orders.drop(columns="status").head(80).to_csv("new-orders.csv", index=False)
    Path("orders-costs.csv").write_text(
        "true,on time,late,lost\non time,0,2,7\nlate,3,0,4.5\nlost,20,11,0\n"
    )
    by_row = example_costs(load_iris().target, 3)
    for number, name in enumerate(names):
        flowers[f"price_{name}"] = by_row[:, number]
    flowers.to_csv("flowers-by-row.csv", index=False)


FLOWERS = "flowers.csv --target target --costs flowers-costs.csv"
ORDERS = "orders.csv --target status --costs orders-costs.csv"
# Name: arguments. Files named with -o are compared as well.
COMMANDS = {
    "fit flowers": f"fit {FLOWERS} --keep front --model flowers.softcost "
    "--report flowers.html --currency EUR",
    "fit orders": f"fit {ORDERS} --test-size 0.25 --model orders.softcost",
    "fit kernels": f"fit {FLOWERS} --reduction osr,csovo --learner svm "
    "--max-error 0.05 --keep front --model kernels.softcost",
    "fit actions": "fit flowers.csv --target target --costs flowers-ask.csv "
    "--reduction osr --model ask.softcost",
    "fit action option": f"fit {FLOWERS} --action call:0.5 --reduction mec",
    "fit budget": f"fit {FLOWERS} --reduction osr --max-error 0.3 --confidence 0.8 "
    "--holdout 0.3",
    "fit recall": f"fit {FLOWERS} --reduction csft --min-recall virginica=0.95",
    "fit tolerance": f"fit {ORDERS} --reduction mec --tolerance 1se "
    "--error-weight balanced --drop order --missing n/a",
    "fit linear": f"fit {ORDERS} --reduction csovo --learner linear --criterion max "
    "--softness 0,0.5,1 --param C=1,16 --cv 3 --date sent=ymd --nominal colour",
    "fit by row": "fit flowers-by-row.csv --target target --cost-columns price_ "
    "--reduction osr --model by-row.softcost",
    "fit in blocks": f"fit {ORDERS} --reduction csovo --learner linear "
    "--rows-at-once 90",
    "fit on test file": f"fit {FLOWERS} --reduction csovr --test flowers.csv",
    "fit without costs": "fit flowers.csv --target target --reduction csovo",
    "fit unknown target": "fit flowers.csv --target nothing --costs flowers-costs.csv",
    "predict flowers": "predict flowers.softcost flowers.csv -o flowers-out.csv",
    "predict orders": "predict orders.softcost new-orders.csv -o orders-out.csv",
    "predict actions": "predict ask.softcost flowers.csv -o ask-out.csv --keep target",
    "predict top": "predict orders.softcost orders.csv --top 7 -o risk.csv",
    "evaluate flowers": "evaluate flowers.softcost flowers.csv --target target",
    "evaluate orders": "evaluate orders.softcost orders.csv --target status",
    "evaluate other costs": "evaluate kernels.softcost flowers.csv --target target "
    "--costs flowers-other.csv",
    "evaluate by row": "evaluate by-row.softcost flowers-by-row.csv --target target "
    "--cost-columns price_",
    "explain orders": "explain orders.softcost orders.csv --target status "
    "--rows 120 --repeats 2",
    "compare": "compare flowers.softcost kernels.softcost flowers.csv --target target",
    "choose error": "choose kernels.softcost --max-error 0.06 -o chosen.softcost",
    "choose recall": "choose flowers.softcost --min-recall virginica=0.99 "
    "-o chosen.softcost",
    "choose tolerance": "choose flowers.softcost --tolerance 0.3 -o chosen.softcost",
    "page": "page kernels.softcost -o kernels.html",
    "costs check": "costs check orders-costs.csv --data orders.csv --target status",
    "costs check actions": "costs check flowers-ask.csv",
    "costs template": "costs template orders.csv --target status --action ask",
    "costs template file": "costs template orders.csv --target status -o template.csv",
    "datasets": "datasets",
    "doctor": "doctor",
}
WITHOUT_JSON = ("page", "costs template file")
REFUSED = ("fit unknown target", "fit without costs")  # everything else has to succeed
EXCHANGED = {"flowers": "flowers.csv", "orders": "new-orders.csv", "ask": "flowers.csv",
             "kernels": "flowers.csv", "by-row": "flowers-by-row.csv"}  # fmt: skip


def softcost_command(arguments, **options):
    """Run the command line of the checkout that is on the path."""
    return subprocess.run(
        [sys.executable, "-m", "softcost", *arguments],
        capture_output=True, text=True, **options,
    )  # fmt: skip


def with_old_options(arguments):
    """Arguments whose new options are replaced if the command has only the old ones."""
    for old, new in RENAMED.items():
        command, _, option = new.partition(" ")
        if command == arguments[0] and option in arguments:
            help_text = softcost_command([command, "--help"]).stdout
            if option not in help_text:
                old_option = old.partition(" ")[2]
                arguments = [old_option if a == option else a for a in arguments]
    return arguments


def run_command(name):
    """Exit code, JSON and written files of a command, in the current folder."""
    arguments = with_old_options(COMMANDS[name].split())
    as_json = [] if name in WITHOUT_JSON else ["--json"]
    done = softcost_command([*arguments, *as_json])
    if (done.returncode not in (0, 3)) != (name in REFUSED):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
    results = {"exit code": done.returncode}
    if done.stdout.strip():
        here = f"{Path.cwd()}{os.sep}"
        results["JSON"] = parsed_json(done.stdout.replace(here, ""))
    for option, file in pairwise(arguments):
        if option in ("-o", "--report") and file.endswith((".csv", ".html")):
            results[file] = contents(Path(file))
    return results


def parsed_json(text):
    """JSON with its keys by their new names; text that is not JSON as it is."""

    def renamed(pairs):
        return {new_name("JSON", key): value for key, value in pairs}

    try:
        return json.loads(text, object_pairs_hook=renamed)
    except ValueError:
        return text


def contents(path):
    """A CSV file by columns, or the data of an HTML page."""
    text = path.read_text()
    if path.suffix == ".csv":
        return pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    island = re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", text, re.S)
    return parsed_json(island.group(1)) if island else "no data"


def command_options():
    """Every command's parameters: declaration, type, default."""
    import click

    from softcost.cli import main

    found = {}

    def walk(command, path):
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                walk(command.get_command(context, name), [*path, name])
            return
        for option in command.params:
            names = " ".join([*option.opts, *option.secondary_opts])
            key = " ".join([*path, names])
            default = None if callable(option.default) else option.default
            kind = f"{option.type!r} x{option.nargs}, default {default!r}"
            found[RENAMED.get(key, key)] = neutral(kind)

    walk(main, [])
    return found


# --- public names


def described(thing, owner):
    """Kind, signature and annotations of a public thing."""
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    thing = getattr(thing, "fn", thing)  # scikit-learn's available_if
    if isinstance(thing, property):
        return {"kind": "property"}
    if not callable(thing):
        plain = isinstance(thing, (str, int, float, tuple, list, type(None)))
        return {
            "kind": type(thing).__name__,
            **({"value": repr(thing)} if plain else {}),
        }
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return {"kind": "callable"}
    parameters, annotations = [], []
    for parameter in signature.parameters.values():
        bare = parameter.replace(
            annotation=parameter.empty, name=new_name(owner, parameter.name)
        )
        parameters.append(f"{parameter.kind.name.lower()} {bare}")
        annotations.append(parameter.annotation)
    return {
        "kind": "class" if inspect.isclass(thing) else "function",
        "signature": neutral(", ".join(parameters)),
        "annotations": neutral(
            ", ".join(map(inspect.formatannotation, annotations))
            + " -> " + inspect.formatannotation(signature.return_annotation)
        ),
    }  # fmt: skip


def neutral(text):
    """Without addresses and without the modules in which classes happen to be."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return re.sub(r"\bsoftcost(\.\w+)*\.(?=\w)", "", text)


def class_members(cls):
    """Public members of a class that softcost itself defines, and names of others."""
    names = {new_name(cls.__name__, name): name for name in dir(cls)}
    for new, name in sorted(names.items()):
        if name.startswith("_"):
            continue
        owners = [base for base in cls.__mro__ if name in vars(base)]
        if owners and owners[0].__module__.startswith("softcost"):
            yield new, described(inspect.getattr_static(cls, name), cls.__name__)
        else:
            yield new, {"kind": "inherited"}
    for name in getattr(cls, "__dataclass_fields__", {}):
        yield f"{new_name(cls.__name__, name)} (field)", {"kind": "field"}


def public_names():
    """The names in ``__all__`` of the package and of its public packages."""
    import softcost

    found, classes = {}, set()
    modules = [softcost]
    for name in softcost.__all__:
        thing = getattr(softcost, name)
        if inspect.ismodule(thing):
            modules.append(thing)
    for module in modules:
        path = new_module(module.__name__)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if name == "__version__":
                continue
            if inspect.ismodule(thing):
                found[new_module(f"{path}.{name}")] = {"kind": "module"}
                continue
            found[f"{path}.{name}"] = described(thing, name)
            if inspect.isclass(thing) and thing not in classes:
                classes.add(thing)
                for member, facts in class_members(thing):
                    found[f"{name}.{member}"] = facts
    return found


CASES |= {"public names": public_names, "command options": command_options}


# --- workers


def is_selected(name, patterns):
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def recorded(function):
    """Flat results of a case, the kinds of its warnings, and its processor time."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = dict(flatten(function()))
        except Exception:
            results = {"raised": traceback.format_exc()}
    kinds = sorted({warning.category.__name__ for warning in caught})
    return {**results, "warnings": " ".join(kinds)}, time.process_time() - start


def work(folder, patterns):
    """Run the cases with the package that is on the path, and write their results."""
    os.chdir(folder)
    results, seconds = {}, {}
    for name, function in CASES.items():
        if is_selected(name, patterns):
            results[name], seconds[name] = recorded(function)
    commands = [f"command {name}" for name in COMMANDS]
    if any(is_selected(name, patterns) for name in commands):
        write_tables()
        for name in COMMANDS:  # all of them: later ones read what earlier ones wrote
            children = sum(os.times()[2:4])
            found, _ = recorded(lambda name=name: run_command(name))
            if is_selected(f"command {name}", patterns):
                results[f"command {name}"] = found
                seconds[f"command {name}"] = sum(os.times()[2:4]) - children
    Path("results.pickle").write_bytes(pickle.dumps((results, seconds)))


def environment(checkout):
    threads = {f"{name}_NUM_THREADS": "1" for name in THREADS}
    others = {"PYTHONHASHSEED": "0", "SOFTCOST_QUIET": "1", "COLUMNS": "100"}
    path = {"PYTHONPATH": str(checkout / "src")}
    inherited = {k: v for k, v in os.environ.items() if k != "SOFTCOST_DATA"}
    return {**inherited, **threads, **others, **path}


def run_checkouts(checkouts, folders, patterns):
    """Results and seconds of the cases, for each checkout."""
    workers = []
    for checkout, folder in zip(checkouts, folders, strict=True):
        command = [sys.executable, __file__, "--work", str(folder)]
        command += ["--only", *patterns] if patterns else []
        workers.append(subprocess.Popen(command, env=environment(checkout)))
    codes = [worker.wait() for worker in workers]
    if any(codes):
        sys.exit("a worker failed: see above")
    for folder in folders:
        yield pickle.loads((folder / "results.pickle").read_bytes())


def exchange(checkouts, folder):
    """Predictions of each checkout with the model files in a folder."""
    for checkout in checkouts:
        results = {}
        for name, table in EXCHANGED.items():
            done = softcost_command(
                ["predict", f"{name}.softcost", table, "-o", "exchange.csv"],
                cwd=folder, env=environment(checkout),
            )  # fmt: skip
            if done.returncode:
                results[f"raised ({name})"] = done.stderr
            else:
                results.update(flatten(contents(folder / "exchange.csv"), name))
        yield results


# --- comparison


def difference(this, other):
    """How two values differ, in words; "" if they are the same to the last bit."""
    if not isinstance(this, np.ndarray) and not isinstance(other, np.ndarray):
        if type(this) is type(other) and repr(this) == repr(other):
            return ""
        size = ""
        if isinstance(this, (int, float)) and isinstance(other, (int, float)):
            size = f", difference {abs(this - other):.3g}"
        return f"{shortened(this)}, other {shortened(other)}{size}"
    this, other = np.asarray(this), np.asarray(other)
    if this.shape != other.shape or this.dtype.kind != other.dtype.kind:
        kinds = [f"{array.dtype.kind}{array.shape}" for array in (this, other)]
        return f"array {kinds[0]}, other {kinds[1]}"
    if this.dtype == other.dtype and this.tobytes() == other.tobytes():
        return ""
    if this.dtype.kind == "f":
        differ = this.view(f"u{this.itemsize}") != other.view(f"u{other.itemsize}")
        gap = np.abs(this.astype(float) - other.astype(float))
        size = f", largest difference {np.nanmax(np.r_[gap[differ], 0.0]):.3g}"
    else:
        differ, size = this != other, ""
    if not differ.any():
        return f"type {this.dtype}, other {other.dtype}" if size else ""
    first = tuple(int(place[0]) for place in np.nonzero(np.atleast_1d(differ)))
    values = [shortened(np.atleast_1d(array)[first].item()) for array in (this, other)]
    return (
        f"{differ.sum()} of {differ.size} differ{size}; "
        f"first at {list(first)}: {values[0]}, other {values[1]}"
    )


def shortened(value):
    text = repr(value)
    return text if len(text) < 120 else f"{text[:80]}... ({len(text)} characters)"


def compare(name, this, other):
    """Every field that differs between two results of a case."""
    if "raised" in this or "raised" in other:
        return  # reported as a failure
    for field in sorted({*this, *other}):
        if IGNORED.search(field):
            continue
        if field not in this or field not in other:
            where = "the other checkout" if field in other else "this checkout"
            yield f"{name}: {field}", f"only in {where}"
            continue
        text = difference(this[field], other[field])
        if text:
            yield f"{name}: {field}", text


def reason_for(field):
    """Why a difference is expected, or None."""
    matches = (why for key, why in EXPECTED.items() if fnmatch.fnmatch(field, key))
    return next(matches, None)


def digest(results):
    """A hash of all compared values of a case."""
    found = hashlib.sha256()
    for field, value in sorted(results.items()):
        if IGNORED.search(field):
            continue
        bits = (
            value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
        )
        found.update(field.encode() + bits)
    return found.hexdigest()[:16]


def report(results, seconds, output):
    """Print differences and failures; return the exit code."""
    this, other = results
    found = [pair for name in this for pair in compare(name, this[name], other[name])]
    rows, unlisted = [], 0
    for field, text in found:
        reason = reason_for(field)
        unlisted += reason is None
        print(f"{field}: {text}" + (f" [expected: {reason}]" if reason else ""))
        rows.append({"field": field, "difference": text, "reason": reason})
    failures = [
        f"{name} failed in {checkout} checkout:\n{value}"
        for name in this
        for checkout, case in (("this", this[name]), ("the other", other[name]))
        for field, value in case.items()
        if field.startswith("raised")
    ]
    print("\n".join(failures), end="")
    n_values = sum(len(fields) for fields in this.values())
    print(
        f"{len(this)} cases, {n_values} values: {unlisted} unexpected and "
        f"{len(found) - unlisted} expected differences, {len(failures)} failures; "
        f"{sum(seconds[0].values()):.0f} s and {sum(seconds[1].values()):.0f} s of "
        "processor time"
    )
    if output:
        cases = {
            name: {"digest": digest(fields), "seconds": seconds[0].get(name)}
            for name, fields in this.items()
        }
        document = {"differences": rows, "cases": cases}
        write_json(output, ["softcost", "numpy", "numba", "scikit-learn"], document)
    return int(unlisted > 0 or len(failures) > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?", help="checkout to compare with")
    parser.add_argument("--only", nargs="+", help="cases to run, e.g. 'search*'")
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("--output", help="JSON file to write")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        print("\n".join([*CASES, *(f"command {name}" for name in COMMANDS)]))
        return
    if options.work:
        work(options.work, options.only)
        return
    if options.other is None:
        parser.error("name the checkout to compare with")
    checkouts = [Path(__file__).resolve().parents[1], options.other.resolve()]
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / name for name in ("this", "other")]
        for folder in folders:
            folder.mkdir()
        finished = list(run_checkouts(checkouts, folders, options.only))
        results, seconds = zip(*finished, strict=True)
        if (folders[1] / "flowers.softcost").exists():
            for found, predicted in zip(
                results, exchange(checkouts, folders[1]), strict=True
            ):
                found["model files"] = predicted
    sys.exit(report(results, seconds, options.output))


if __name__ == "__main__":
    main()
