"""Random combinations of estimator, learner, input, labels and costs, checked by hand.

Each combination is fitted twice: by softcost, from the input as it is given, and here,
from plain arrays with nothing but the learner's own ``fit`` and the definition of the
reduction. Predictions, scores and, for searches, every score of every fold must agree.

    python benchmarks/combinations.py --number 500 --seed 0 \\
        [--output benchmarks/results/combinations.json]

Prints a line for each combination that differs, then counts. Exits with 1 if one does.
"""

import argparse
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import combinations as pairs_of
from typing import Any

import numpy as np
import pandas as pd
from common import write_json
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    RegressionOneVsAll,
    SoftCostClassifierCV,
)

CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=1000),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}
REGRESSORS = {
    "ridge": Ridge(),
    "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
}
REDUCTIONS = {
    "expected cost": (MinimumExpectedCost, CLASSIFIERS),
    "pairs": (CostSensitiveOneVsOne, CLASSIFIERS),
    "regression": (RegressionOneVsAll, REGRESSORS),
}
INPUTS = {
    "array": lambda X: X,
    "single": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "frame": lambda X: pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]),
    "sparse": sparse.csr_array,
}
DENSE_ONLY = {"bayes", "pipeline"}
LABELS = {
    "numbers": lambda k: k,
    "negative": lambda k: -7 * k,
    "words": lambda k: f"class {9 - k}",
    "floats": lambda k: k + 0.0,
}
COSTS = ("array", "frame", "dict", "shuffled frame", "by example", "function", "none")
ESTIMATORS = ("reduction", "search")


@dataclass(frozen=True)
class Combination:
    """What is fitted, in words, and the seed of its table."""

    estimator: str
    reduction: str
    learner: str
    input: str
    labels: str
    costs: str
    weighted: bool
    n_classes: int
    softness: float
    seed: int


def drawn(rng: np.random.Generator) -> Combination:
    """A random combination that softcost supports."""
    reduction = str(rng.choice(list(REDUCTIONS)))
    learner = str(rng.choice(list(REDUCTIONS[reduction][1])))
    inputs = [name for name in INPUTS if name != "sparse" or learner not in DENSE_ONLY]
    return Combination(
        estimator=str(rng.choice(ESTIMATORS)),
        reduction=reduction,
        learner=learner,
        input=str(rng.choice(inputs)),
        labels=str(rng.choice(list(LABELS))),
        costs=str(rng.choice(COSTS)),
        weighted=bool(rng.integers(2)),
        n_classes=int(rng.integers(2, 5)),
        softness=float(rng.choice([0.0, 0.35, 1.0])),
        seed=int(rng.integers(2**31)),
    )


def fitted_by_hand(combination, X, costs, weight, y, softness):
    """Functions from rows to class numbers, by the definition of the reduction.

    ``costs`` are those of each row; ``y`` their class numbers.
    """
    K, learner = combination.n_classes, _learner(combination)
    errors = 1.0 - np.eye(K)[y]
    present = weight > 0
    scaled = (costs - costs.min(axis=1, keepdims=True)) / costs[present].max()
    soft = (1 - softness) * scaled + softness * errors

    def fitted(target, w):
        rows = w > 0
        return _fit(clone(learner), X[rows], target[rows], w[rows])

    if combination.reduction == "expected cost":
        model = fitted(y, weight)
        matrix = np.array(
            [np.average(soft[y == k], axis=0, weights=weight[y == k]) for k in range(K)]
        )
        return lambda rows: (model.predict_proba(rows) @ matrix).argmin(axis=1)
    if combination.reduction == "regression":
        models = [fitted(soft[:, k], weight) for k in range(K)]
        return lambda rows: np.argmin([m.predict(rows) for m in models], axis=0)
    machines = {}
    for i, j in pairs_of(range(K), 2):
        gain = soft[:, j] - soft[:, i]
        machines[i, j] = fitted((gain > 0).astype(int), np.abs(gain) * weight)

    def voted(rows):
        votes, sums = np.zeros((2, rows.shape[0], K))
        for (i, j), model in machines.items():
            if hasattr(model, "decision_function"):
                margin = model.decision_function(rows)
            else:
                margin = np.where(model.predict(rows) == 1, 1.0, -1.0)
            votes[:, i] += margin > 0
            votes[:, j] += margin <= 0
            sums[:, i] += margin
            sums[:, j] -= margin
        most = votes == votes.max(axis=1, keepdims=True)
        return np.where(most, sums, -np.inf).argmax(axis=1)

    return voted


def _learner(combination) -> Any:
    return REDUCTIONS[combination.reduction][1][combination.learner]


def _fit(learner, X, target, weight):
    """Fit with weights; in a pipeline every step gets them."""
    if np.all(weight == 1.0):
        return learner.fit(X, target)
    steps = getattr(learner, "named_steps", None)
    names = (
        ["sample_weight"] if steps is None else [f"{s}__sample_weight" for s in steps]
    )
    return learner.fit(X, target, **dict.fromkeys(names, weight))


def difference(combination: Combination) -> str:
    """How softcost and the computation by hand differ; "" if they agree."""
    rng = np.random.default_rng(combination.seed)
    K, n = combination.n_classes, 60 * combination.n_classes
    y = rng.permutation(np.arange(n) % K)
    X = np.round(rng.normal(size=(n, 3)) + 2 * np.eye(3)[y % 3], 3)
    if combination.input == "single":
        X = X.astype(np.float32).astype(float)
    matrix = rng.uniform(0.5, 9, (K, K)) * (1 - np.eye(K))
    costs = matrix[y]
    if combination.costs in ("by example", "function"):
        costs = costs * rng.uniform(0.5, 2, (n, K))
    if combination.costs == "none":
        costs = 1.0 - np.eye(K)[y]
    weight = rng.choice([0.0, 0.5, 1.0, 2.0], n) if combination.weighted else np.ones(n)
    names = [LABELS[combination.labels](k) for k in range(K)]
    order = sorted(range(K), key=lambda k: names[k])  # softcost sorts the classes
    given, fit_params = _given(combination, matrix, costs, names, order, rng)
    labels = np.array(names)[y]
    if combination.weighted:
        fit_params["sample_weight"] = weight
    cls = REDUCTIONS[combination.reduction][0]
    reduction = cls(_learner(combination), cost_matrix=given)
    form = INPUTS[combination.input]
    rows = X.astype(np.float32) if combination.input == "single" else X
    rows = sparse.csr_array(X) if combination.input == "sparse" else rows
    # By hand with classes in sorted order, since ties go to the first.
    rank = np.argsort(order)
    y, costs = rank[y], costs[:, order]

    if combination.estimator == "reduction":
        model = reduction.set_params(softness=combination.softness)
        model.fit(form(X), labels, **fit_params)
        hand = fitted_by_hand(combination, rows, costs, weight, y, combination.softness)
        answers = hand(rows)
        predicted = model.predict(form(X))
        expected = np.array(names)[np.array(order)[answers]]
        if not np.array_equal(predicted, expected):
            return f"{np.mean(predicted != expected):.1%} of the predictions differ"
        score = model.score(form(X), labels, **fit_params)
        mean = -np.average(costs[np.arange(n), answers], weights=weight)
        return "" if np.isclose(score, mean) else f"score {score} instead of {mean}"

    splitter = StratifiedKFold(3) if rng.integers(2) else KFold(3)
    search = SoftCostClassifierCV(
        reduction, softness=[0.0, 0.5, 1.0], cv=splitter, param_grid={}
    ).fit(form(X), labels, **fit_params)
    for fold, (train, test) in enumerate(splitter.split(X, labels)):
        for row, softness in enumerate(search.tradeoff_["softness"]):
            hand = fitted_by_hand(
                combination,
                rows[train],
                costs[train],
                weight[train],
                y[train],
                softness,
            )
            paid = costs[test, hand(rows[test])]
            mean = -np.average(paid, weights=weight[test])
            score = search.cv_results_[f"split{fold}_test_score"][row]
            if not np.isclose(score, mean):
                return f"fold {fold}, softness {softness}: {score} instead of {mean}"
    return ""


def _given(combination, matrix, costs, names, order, rng):
    """The cost matrix as the user passes it, and further arguments of ``fit``."""
    in_order = matrix[np.ix_(order, order)]
    sorted_names = [names[k] for k in order]
    table = pd.DataFrame(in_order, index=sorted_names, columns=sorted_names)
    if combination.costs == "by example":
        return None, {"costs": costs[:, order]}
    if combination.costs == "function":
        return None, {"costs": lambda X, y: costs[:, order]}
    if combination.costs == "array":
        return in_order, {}
    if combination.costs == "frame":
        return table, {}
    if combination.costs == "shuffled frame":
        rows, columns = rng.permutation(len(names)), rng.permutation(len(names))
        return table.iloc[rows, columns], {}
    if combination.costs == "dict":
        return {
            names[i]: {names[j]: matrix[i, j] for j in range(len(names))}
            for i in range(len(names))
        }, {}
    return None, {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    counts: Counter[str] = Counter()
    differences = []
    for _ in range(options.number):
        combination = drawn(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fault = difference(combination)
        counts[f"{combination.estimator}, {combination.reduction}"] += 1
        if fault:
            differences.append(f"{combination}: {fault}")
            print(differences[-1], flush=True)
    for name, count in sorted(counts.items()):
        print(f"{count:5d}  {name}")
    print(f"{len(differences)} of {options.number} combinations differ")
    if options.output:
        results = {"compared": dict(sorted(counts.items())), "differences": differences}
        write_json(
            options.output, ("softcost", "scikit-learn", "numpy", "pandas"), results
        )
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
