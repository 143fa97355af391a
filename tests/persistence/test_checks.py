"""What must agree within a record: every check accepts what is right, to the last
number that is, and says in its own words what is not.

Records are made by hand, without fits and files: a good one, and changes of it.
"""

import re

import numpy as np
import pytest

from softcost.persistence.archive import Refused
from softcost.persistence.codec import registry
from softcost.persistence.schema import (
    Frame,
    Record,
    is_fitted,
    n_features,
    require_fitted,
)
from softcost.persistence.types_search import (
    check_constant,
    check_guarantee,
    check_params,
    check_results,
    check_text_table,
    check_tradeoff,
)
from softcost.persistence.types_sklearn import n_outputs
from softcost.persistence.types_softcost import check_solutions


def check(found):
    """Check a record as reading a file does."""
    return registry()[found.type].check(found)


def refuses(words):
    """Expect a refusal that names the same field; without a field, any refusal."""
    field, colon, _ = words.partition(":")
    named = f"(^|: ){re.escape(field + colon)}" if colon else None
    return pytest.raises(Refused, match=named)


def record(kind, fitted=None, params=None, **dims):
    return Record(kind, params or {}, fitted, dims)


def tree(d=4, classes=None):
    """A fitted tree, perhaps of numbers of classes."""
    known = {} if classes is None else {"classes_": np.array(classes)}
    return record("DecisionTreeClassifier", known, d=d)


NEW, FITTED = record("DecisionTreeClassifier"), tree()
UNKNOWN = record("skops", None, {"content": b""})  # says nothing of itself
RISING = np.array([[0.0, 1.0], [0.0, 0.0]])
SLOPE = np.array([[1.0], [0.0]])


def calibration(method="isotonic", present=(0, 1, 3), beta=None, curves=(RISING,) * 3):
    found = {"method": method, "beta": beta, "curves": list(curves)}
    return record("Calibration", found | {"present": np.array(present, int)})


def pipeline(*steps):
    return record(
        "Pipeline", {}, {"steps": [(f"s{i}", one) for i, one in enumerate(steps)]}
    )


def scaler(d, kind="StandardScaler"):
    return record(kind, {}, d=d)


def columns(steps=None, widths=(2, 1), d=3, names=None):
    if steps is None:
        steps = [("a", scaler(2), [0, 2]), ("b", "passthrough", [1])]
    fitted = {"steps": steps, "widths": np.array(widths, int)}
    if names is not None:
        fitted["feature_names_in_"] = np.array(names, object)
    return record("ColumnTransformer", fitted, d=d)


def step(one, places=(0, 1), width=2, name="a", **more):
    return columns([(name, one, list(places))], [width], **more)


def imputer(statistics):
    return record("SimpleImputer", {"statistics_": statistics}, d=2)


def encoder(words, group=None, **params):
    found = {"categories_": [words], "groups": [group]}
    return record("OneHotEncoder", found, params)


WORDS = np.array(["b", "a", "c"], object)
GROUPS = np.array([1, 0, 1])


def boosted(classes=None, per_round=1, rounds=2, **changes):
    """Trees of three nodes each."""
    count = per_round * rounds
    nodes = {
        "left": [1, 0, 0], "right": [2, 0, 0], "is_leaf": [0, 1, 1],
        "feature_idx": [1, 0, 0], "num_threshold": [0.5, 0, np.inf],
    }  # fmt: skip
    found = {name: np.tile(one, count) for name, one in nodes.items()}
    found["sizes"] = np.full((rounds, per_round), 3)
    dims = {"d": 2, "nodes": 3 * count, "trees": per_round}
    if classes is not None:
        found["classes_"], dims["K"] = np.arange(classes), classes
    for name, (place, value) in changes.items():
        found[name][place] = value
    return record("HistGradientBoostingClassifier", found, **dims)


def no_rounds():
    found = boosted(rounds=0)
    found.fitted["sizes"] = np.zeros((0, 1), int)
    return found


def logistic(classes, rows):
    return record("LogisticRegression", {}, K=classes, rows=rows)


def ridge(coef, intercept):
    shapes = {"coef_": np.zeros(coef), "intercept_": np.zeros(intercept)}
    return record("Ridge", shapes)


def machines(kernel="perceptron", vectors=True, centre=False, d=4, m=3):
    found = {
        "kernel": kernel, "vectors": np.zeros(1) if vectors else None,
        "centre": np.zeros(1) if centre else None,
    }  # fmt: skip
    return record("Machines", found, d=d, m=m)


def linear(kind="LinearModels", kernel="rbf", d=4, m=3):
    model = record(kind, {"kernel": kernel}, d=d, m=m)
    return record("LinearMachines", {"model": model}, d=d, m=m)


def solved_by(model_d, model_m, **dims):
    model = record("LinearModels", {}, d=model_d, m=model_m)
    return record("LinearMachines", {"model": model}, **dims)


def learner(kind, solved, params=None, d=4, K=None):
    more = {} if K is None else {"K": K}
    return record(kind, {"_machines": solved}, params, d=d, **more)


def neighbours(labels, K=3):
    return record("KNeighborsClassifier", {"classes_": 0, "y": np.array(labels)}, K=K)


def calibrated(K=3, calibrators=3, members=(FITTED,), **dims):
    fitted = {"members": list(members)}
    return record("CalibratedClassifierCV", fitted, K=K, calibrators=calibrators,
                  **({"d": 4} | dims))  # fmt: skip


def guess(fitted=None, **params):
    return record("DummyClassifier", fitted, params)


def lightgbm(booster="text", d=2, boosted=2, classes=1):
    dims = {"d": d, "boosted": boosted, "boosted_classes": classes}
    return record("OneSidedBoosting", {"booster_": booster}, **dims)


def pair(first=None, second=None):
    one = {"first": tree(), "second": tree()}
    one |= {"first": first} if first else {}
    return record("RandomizedPair", {}, one | ({"second": second} if second else {}))


def fitted_models(*members):
    return record("FittedModels", {"members": list(members)}, m=len(members))


LINEAR = record("LinearClassifier", None, {})
MATRIX = np.zeros((3, 3))
# What every reduction has that was fitted to costs by class.
PRICED = {"_raw_matrix": MATRIX, "costs_by_example_": False}


def flat(solved, learner=None, d=4, **changes):
    """One that learns three things of three classes."""
    found = {"solutions_": solved, "_raw_matrix": MATRIX, "costs_by_example_": False}
    dims = {"K": 3, "E": 0, "A": 3} | ({} if d is None else {"d": d})
    return record("OneSidedRegression", found | changes, {"learner": learner}, **dims)


def without(one, name):
    del one.fitted[name]
    return one


def with_dims(one, **dims):
    one.dims.update(dims)
    return one


def tournament(nodes=((0, 1, 1), (-1, 2, 2)), levels=(1, 1), **changes):
    solved = [fitted_models(*[tree()] * count) for count in levels]
    found = PRICED | {"_nodes": np.array(nodes), "solutions_": solved}
    return record("FilterTree", found | changes, K=3, E=0, A=3, d=4)


def of_four(nodes, levels):
    """A tournament of three classes and an action."""
    return with_dims(tournament(nodes, levels), A=4, E=1)


def pairs(solved, how="auto", learner=LINEAR, K=3):
    params = {"pair_features": how, "learner": learner}
    return record(
        "StochasticEnsembleBoosting",
        PRICED | {"solutions_": solved},
        params,
        K=K,
        E=0,
        d=4,
    )


def members(found, name="_members", K=3, **fitted):
    return record("Costing", PRICED | {name: found} | fitted, K=K, E=0, d=4)


def frozen(inner):
    return record("FrozenEstimator", {}, {"estimator": inner})


def expected(means=False, present=None, by_example=False, **changes):
    mean = MATRIX if means else None
    curves = None if present is None else calibration("temperature", present, 1.0, ())
    found = {
        "estimator_": tree(classes=[0, 1, 2]), "_mean_costs": mean,
        "_mean_scaled": mean, "costs_by_example_": by_example, "_calibration": curves,
        "_raw_matrix": None if by_example else MATRIX,
    }  # fmt: skip
    return record("MinimumExpectedCost", found | changes, K=3, E=0, d=4)


def blend(
    weights=(0.25, 0.75), models=(FITTED, FITTED), power=1.0, smoothing=(0.0, 0.0)
):
    found = {"weights_": np.array(weights), "estimators_": list(models),
             "inverse_temperature_": power,
             "smoothing_": np.array(smoothing)}  # fmt: skip
    return record("BlendedClassifier", found, K=3, d=4)


def nodes(**changes):
    """A tree of five nodes."""
    found = {
        "left_child": [1, -1, 3, -1, -1], "right_child": [2, -1, 4, -1, -1],
        "feature": [0, -2, 1, -2, -2], "threshold": [0.5, -2, np.inf, -2, -2],
    }  # fmt: skip
    found = {name: np.array(one) for name, one in found.items()} | {"n_features": 2}
    for name, (place, value) in changes.items():
        found[name][place] = value
    return record("Tree", found)


def decision_tree(features=4, answers=3, d=4, K=3):
    inner = record("Tree", {"n_features": features}, columns=answers)
    kind = "Regressor" if K is None else "Classifier"
    labels = {} if K is None else {"classes_": 0}
    return record(f"DecisionTree{kind}", {"tree_": inner} | labels, d=d,
                  **({} if K is None else {"K": K}))  # fmt: skip


def forest(*trees, K=3):
    found = {"estimators_": list(trees)} | ({} if K is None else {"classes_": 0})
    kind = "Regressor" if K is None else "Classifier"
    return record(f"RandomForest{kind}", found, d=4, **({} if K is None else {"K": K}))


def of_classes(K, d=4):
    return record("DecisionTreeClassifier", {}, d=d, K=K)


def lengths(found, wanted):
    return f"expected length {wanted}, got {found}"


WIDTH = "DecisionTreeClassifier takes 4 features, not 3"
NO_COLUMN, NO_TREE = "no column", "nodes that are no tree"
TOURNAMENT = "_nodes: not a tournament of the answers"
EARLY = "_nodes: a match before those that it needs"
ANOTHER = "solutions_: machines that this learner does not make"
NO_NUMBERS = "classes_: not numbers of the classes"
LONG = "x" * 50
# Records by what is checked, and the words of a refusal, or None.
CHECKS = {
    "calibration": [
        (calibration(), None),
        (calibration(present=[0, 1], curves=[RISING]), None),
        (calibration("sigmoid", curves=[SLOPE] * 3), None),
        (calibration("temperature", beta=1.0, curves=[]), None),
        (calibration(present=[0]), "present: not two or more"),
        (calibration(present=[1, 1], curves=[RISING]), "present: not two or more"),
        (calibration(present=[0, 2, 1]), "present: not two or more"),
        (calibration("temperature", curves=[]), "beta: it goes with a temperature"),
        (calibration(beta=1.0), "beta: it goes with a temperature"),
        (calibration("temperature", beta=1.0, curves=[RISING]), lengths(1, 0)),
        (calibration(curves=[RISING]), lengths(1, 3)),
        (calibration(present=[0, 1], curves=[RISING] * 2), lengths(2, 1)),
        (calibration("sigmoid"), lengths(2, 1)),
        (calibration(curves=[RISING[:, :0]] * 3), "curves: not rising steps"),
        (calibration(curves=[RISING, RISING, -RISING]), "curves: not rising steps"),
    ],
    "pipeline": [
        (pipeline(scaler(3), tree(3)), None),
        (pipeline(scaler(3), UNKNOWN, tree(4)), None),
        (pipeline(UNKNOWN, tree(4)), None),
        (pipeline(scaler(3), "passthrough", NEW), None),
        (pipeline(scaler(3), "drop", tree(4)), WIDTH),
        (pipeline(tree(4), scaler(3), tree(4)), WIDTH),
    ],
    "columns": [
        (columns(), None),
        (record("ColumnTransformer"), None),
        (step(UNKNOWN, width=7), None),
        (step(scaler(2), ["u", "v"], d=2, names="uv"), None),
        (columns([], [], d=10**6), None),
        (columns([], [], d=10**6 + 1, names="u"), None),
        (columns([], [], d=10**6 + 1), "n_features_in_: more than"),
        (step(scaler(2), [0, 3]), NO_COLUMN),
        (step(scaler(2), ["u", "w"], d=2, names="uv"), NO_COLUMN),
        (step(scaler(2), ["u", "v"], d=2), NO_COLUMN),
        (step(NEW, name=LONG), f"{'x' * 40}: not fitted"),
        (step(scaler(3)), "a: it takes 3 features, not 2"),
        (step(scaler(2), width=3), "a: it gives 2 features, not 3"),
    ],
    "imputer": [
        (record("SimpleImputer"), None),
        (imputer(np.zeros(2)), None),
        (imputer(np.zeros(3)), "statistics_: not one for each feature"),
        (imputer(np.zeros((2, 1))), "statistics_: not one for each feature"),
        (imputer([0, 0]), "statistics_: not one for each feature"),
    ],
    "encoder": [
        (record("OneHotEncoder"), None),
        (encoder(WORDS), None),
        (encoder(WORDS.astype(str)), None),
        (encoder(WORDS[:1]), None),
        (encoder(np.array([1, 2])), None),
        (encoder(np.array([np.nan])), None),
        (encoder(np.array([1.0, np.nan])), None),
        (encoder(np.array([1.0, 2.0, np.nan])), None),
        (encoder(WORDS, GROUPS, max_categories=2), None),
        (encoder(WORDS, GROUPS, min_frequency=2), None),
        (encoder(WORDS[:0]), "categories_: not a list of values"),
        (encoder(WORDS[None]), "categories_: not a list of values"),
        (encoder(None), "categories_: not a list of values"),
        (encoder(np.array([2, 1])), "categories_: numbers that are not in order"),
        (encoder(np.array([1, 1])), "categories_: numbers that are not in order"),
        (encoder(np.array([1, 2, 2])), "categories_: numbers that are not in order"),
        (encoder(np.array([np.nan, 1.0])), "categories_: numbers that are not in"),
        (encoder(np.array([2.0, 1.0, np.nan])), "categories_: numbers that are not"),
        (encoder(np.array([1.0, np.nan, 2.0])), "categories_: numbers that are not"),
        (encoder(np.array([np.nan] * 2)), "categories_: numbers that are not in"),
        (encoder(WORDS, GROUPS[:2], max_categories=2), "groups: not one for each"),
        (encoder(WORDS, GROUPS * 2, max_categories=2), "groups: not one for each"),
        (encoder(WORDS, GROUPS), "groups: the encoder does not group"),
    ],
    "hist": [
        (record("HistGradientBoostingClassifier"), None),
        (boosted(), None),
        (boosted(2), None),
        (boosted(3, 3), None),
        (boosted(rounds=1), None),
        (boosted(2, 2), lengths(1, 2)),
        (boosted(3), lengths(3, 1)),
        (boosted(None, 3), lengths(1, 3)),
        (boosted(sizes=(0, 4)), "sizes: not those of the trees"),
        (boosted(sizes=(0, 2)), "sizes: not those of the trees"),
        (no_rounds(), "sizes: not those of the trees"),
        (boosted(num_threshold=(4, np.nan)), "a split at no number"),
        (boosted(left=(3, 2)), "a node with two parents"),
        (boosted(feature_idx=(3, 2)), "a split on a feature"),
        (boosted(is_leaf=(3, 1)), NO_TREE),
    ],
    "logistic": [
        (record("LogisticRegression"), None),
        (logistic(2, 1), None),
        (logistic(3, 3), None),
        (logistic(1, 1), "coef_: not one row for each class"),
        (logistic(2, 2), "coef_: not one row for each class"),
        (logistic(3, 1), "coef_: not one row for each class"),
    ],
    "ridge": [
        (record("Ridge"), None),
        (ridge(4, ()), None),
        (ridge((3, 4), ()), None),
        (ridge((3, 4), 3), None),
        (ridge(4, 1), "intercept_: not one for each target"),
        (ridge(4, 4), "intercept_: not one for each target"),
        (ridge((3, 4), 4), "intercept_: not one for each target"),
    ],
    "machines": [
        (machines(), None),
        (machines(centre=True), None),
        (machines("precomputed", False), None),
        (machines("precomputed"), "vectors: they go with every kernel but"),
        (machines("rbf", False), "vectors: they go with every kernel but"),
        (machines("precomputed", False, True), "centre: there is nothing to take"),
    ],
    "kernel_machine": [
        (record("KernelSVC"), None),
        (learner("KernelSVC", machines(), K=3), None),
        (learner("KernelSVC", machines("rbf"), {"kernel": "rbf"}, K=3), None),
        (learner("KernelSVC", machines(m=6), K=4), None),
        (learner("KernelSVC", machines(m=1), K=2), None),
        (learner("OneSidedSVR", machines(m=1)), None),
        (
            learner("KernelSVC", machines("precomputed", False, d=9),
                    {"kernel": "precomputed"}, K=3),
            None,
        ),
        (learner("KernelSVC", machines("rbf"), K=3), "kernel: not that of"),
        (learner("KernelSVC", machines(d=5), K=3), lengths(5, 4)),
        (learner("KernelSVC", machines(), K=4), lengths(6, 3)),
        (learner("OneSidedSVR", machines()), lengths(1, 3)),
    ],
    "linear_machines": [
        (solved_by(4, 3, m=3), None),
        (solved_by(4, 3, m=2), lengths(3, 2)),
        (solved_by(4, 3, m=3, d=5), lengths(4, 5)),
    ],
    "landmarks": [
        (record("LandmarkModels", {}, landmarks=1, rows=2), None),
        (record("LandmarkModels", {}, landmarks=0, rows=1), "vectors: no landmarks"),
        (record("LandmarkModels", {}, landmarks=2, rows=2), lengths(3, 2)),
    ],
    "learner": [
        (record("LinearClassifier"), None),
        (learner("LinearClassifier", linear(), K=3), None),
        (learner("LinearClassifier", linear(m=1), K=2), None),
        (learner("OneSidedLinear", linear(m=1)), None),
        (
            learner("NystroemClassifier", linear("LandmarkModels"),
                    {"kernel": "rbf"}, K=3),
            None,
        ),
        (
            learner("LinearClassifier", linear("LandmarkModels"), K=3),
            "_machines: not of this learner",
        ),
        (
            learner("NystroemClassifier", linear("LandmarkModels"),
                    {"kernel": "stump"}, K=3),
            "kernel: not that of its machines",
        ),
        (learner("LinearClassifier", linear(d=5), K=3), lengths(5, 4)),
        (learner("LinearClassifier", linear(), K=4), lengths(4, 3)),
        (learner("LinearClassifier", linear(m=2), K=2), lengths(1, 2)),
        (learner("OneSidedLinear", linear()), lengths(1, 3)),
    ],
    "neighbours": [
        (record("KNeighborsClassifier"), None),
        (record("KNeighborsRegressor", {"y": np.array([7])}), None),
        (neighbours([0, 2, 1, 2]), None),
        (neighbours([0, 2, 2]), "y: not the numbers of the classes"),
        (neighbours([0, 1, 3]), "y: not the numbers of the classes"),
        (neighbours([0, 1, 2, 3]), "y: not the numbers of the classes"),
    ],
    "calibrated": [
        (record("CalibratedClassifierCV"), None),
        (calibrated(), None),
        (calibrated(2, 1), None),
        (calibrated(2, 2), lengths(1, 2)),
        (calibrated(3, 1), lengths(3, 1)),
        (calibrated(members=[tree(), NEW]), "members: not fitted"),
        (calibrated(members=[tree(5)]), "members: it takes 5 features, not 4"),
    ],
    "constant": [
        (guess(), None),
        (guess(constant=3), None),
        (guess({"sparse_output_": False}, constant=["a"]), None),
        (guess(constant=[1, 2]), "constant: not one answer"),
        (guess(constant=[]), "constant: not one answer"),
        (guess({"sparse_output_": True}), "sparse_output_: not of one answer"),
    ],
    "boosting": [
        (record("OneSidedBoosting"), None),
        (lightgbm(), None),
        (lightgbm(None, 3), None),
        (lightgbm(d=3), lengths(2, 3)),
    ],
    "clipped": [
        (record("ClippedTargetRegressor"), None),
        (record("ClippedTargetRegressor", {"regressor_": tree()}, d=4), None),
        (
            record("ClippedTargetRegressor", {"regressor_": NEW}, d=4),
            "regressor_: not fitted",
        ),
        (
            record("ClippedTargetRegressor", {"regressor_": tree()}, d=5),
            "regressor_: it takes 4 features, not 5",
        ),
    ],
    "pair": [
        (pair(), None),
        (pair(first=NEW), "first: not fitted"),
        (pair(second=NEW), "second: not fitted"),
    ],
    "flat": [
        (record("OneSidedRegression"), None),
        (flat(machines()), None),
        (flat(linear(), LINEAR), None),
        (flat(fitted_models(tree(), tree(), UNKNOWN), NEW), None),
        (flat(fitted_models(tree(), tree(), tree()), d=None), None),
        (flat(machines("precomputed", False, d=9),
              record("KernelSVC", None, {"kernel": "precomputed"})), None),
        (flat(machines("rbf"), record("KernelSVC")), None),
        (with_dims(without(flat(machines()), "solutions_"), K=1, A=1), None),
        (flat(machines(), _raw_matrix=None, costs_by_example_=True), None),
        (flat(machines(), _raw_matrix=None), "_raw_matrix: it goes with prices"),
        (flat(machines(), costs_by_example_=True), "_raw_matrix: it goes with"),
        (with_dims(flat(machines()), E=1), lengths(4, 3)),
        (without(flat(machines()), "solutions_"), "solutions_: missing"),
        (with_dims(without(flat(machines()), "solutions_"), K=2, A=2), "solutions_: m"),
        (flat(machines(m=2)), lengths(2, 3)),
        (flat(linear(), record("OneSidedSVR")), ANOTHER),
        (flat(linear()), ANOTHER),
        (flat(machines(), LINEAR), ANOTHER),
        (flat(machines(), d=None), "solutions_: machines, and no number of features"),
        (flat(machines(d=5)), lengths(5, 4)),
        (flat(machines("rbf")), "solutions_: machines of another kernel"),
        (
            flat(machines(), record("KernelSVC", None, {"kernel": "rbf"})),
            "solutions_: machines of another kernel",
        ),
        (flat(fitted_models(tree(), tree(), NEW)), "members: not fitted"),
        (flat(fitted_models(tree(), tree(), tree(5))), "it takes 5 features, not 4"),
    ],
    "filter_tree": [
        (record("FilterTree"), None),
        (tournament(), None),
        (tournament([(2, 0, 1), (1, -1, 2)]), None),
        (of_four([(0, 1, 1), (2, 3, 1), (-1, -2, 2)], [2, 1]), None),
        (record("FilterTree", PRICED, K=1, E=0), None),
        (tournament(_nodes=None), "solutions_: missing"),
        (with_dims(tournament(_nodes=None), K=2, E=1), "solutions_: missing"),
        (tournament(solutions_=None), "solutions_: missing"),
        (tournament([(0, 1, 1), (0, 2, 2)]), TOURNAMENT),
        (tournament([(0, 1, 1), (-1, 3, 2)]), TOURNAMENT),
        (tournament([(0, 1, 1), (-2, 2, 2)]), TOURNAMENT),
        (with_dims(tournament(), A=4, E=1), TOURNAMENT),
        (tournament([(-1, 1, 1), (0, 2, 2)]), EARLY),
        (tournament([(0, 1, 1), (-1, 2, 3)]), EARLY),
        (tournament([(0, 1, 2), (-1, 2, 3)]), EARLY),
        (tournament([(0, 1, 1), (-1, 2, 1)]), EARLY),
        (
            of_four([(0, 1, 1), (-1, 2, 2), (-2, 3, 2)], [1, 2]),
            EARLY,
        ),
        (tournament(levels=[1]), "solutions_: not one for each level"),
        (tournament(levels=[1, 1, 1]), "solutions_: not one for each level"),
        (tournament(levels=[1, 2]), lengths(2, 1)),
        (
            of_four([(0, 1, 1), (2, 3, 1), (-1, -2, 2)], [1, 2]),
            lengths(1, 2),
        ),
    ],
    "pairs": [
        (record("StochasticEnsembleBoosting"), None),
        (record("StochasticEnsembleBoosting", PRICED, K=1, E=0), None),
        (record("StochasticEnsembleBoosting", PRICED, K=3, E=0, d=4), None),
        (pairs([linear(d=19, m=1)]), None),
        (pairs([linear(d=19, m=1)], "interact"), None),
        (pairs([linear(d=7, m=1)], "concat"), None),
        (pairs([fitted_models(tree(99))], learner=None), None),
        (pairs([machines(d=7, m=1)], learner=record("KernelSVC")), None),
        (pairs([machines(d=19, m=1)], "interact", record("KernelSVC")), None),
        (pairs([], K=4000), None),
        (pairs([], K=4000 + 1), "classes_: more than"),
        (pairs([fitted_models(tree(99), NEW)]), lengths(2, 1)),
        (pairs([fitted_models(NEW)]), "members: not fitted"),
        (pairs([fitted_models(tree(99)), linear(d=18, m=1)]), lengths(18, 19)),
        (pairs([linear(d=7, m=1)]), lengths(7, 19)),
        (pairs([linear(d=6, m=1)], K=2), lengths(6, 14)),
        (pairs([linear(d=19, m=1)], "concat"), lengths(19, 7)),
        (pairs([linear(d=19, m=2)]), lengths(2, 1)),
        (pairs([machines(d=7, m=1)], learner=None), ANOTHER),
        (pairs([linear(d=19, m=1)], learner=record("KernelSVC")), ANOTHER),
    ],
    "members": [
        (record("Costing"), None),
        (record("Costing", PRICED, K=1, E=0), None),
        (members([tree(classes=[0, 2]), tree()]), None),
        (members(tree(classes=[1])), None),
        (members([], "other"), "_members: missing"),
        (members([], "other", K=2), "_members: missing"),
        (members([tree(), NEW]), "_members: not fitted"),
        (members(tree(5)), "_members: it takes 5 features, not 4"),
        (members([tree(), tree(classes=[0, 3])]), NO_NUMBERS),
        (members(tree(classes=[-1, 0])), NO_NUMBERS),
        (members(tree(classes=["a", "b"])), NO_NUMBERS),
        (members(tree(classes=[0.0, 1.0])), NO_NUMBERS),
        (members(frozen(frozen(tree(classes=[3])))), NO_NUMBERS),
        (members(record("OneClass", {"number": 2})), None),
        (members(record("OneClass", {"number": 3})), NO_NUMBERS),
        (members(tree(classes=["a", "b"]), _columns=np.array([0, 2])), None),
        (members(tree(), _columns=np.array([0, 2])), None),
        (members(UNKNOWN, _columns=np.zeros(0, int)), None),
        (members(tree(classes=["a", "b"]), _columns=np.array([0])), lengths(2, 1)),
        (
            members(tree(classes=["a", "b"]), _columns=np.array([0, 3])),
            "_columns: no class of this number",
        ),
    ],
    "expected": [
        (record("MinimumExpectedCost"), None),
        (expected(), None),
        (expected(True, by_example=True), None),
        (expected(present=[0, 2]), None),
        (expected(True), "_mean_costs: they go with costs by example"),
        (expected(by_example=True), "_mean_costs: they go with costs by example"),
        (expected(_mean_scaled=MATRIX), "_mean_scaled: they go with costs by"),
        (expected(present=[0, 3]), "_calibration: no class of this number"),
        (expected(estimator_=NEW), "estimator_: not fitted"),
    ],
    "blend": [
        (record("BlendedClassifier"), None),
        (blend(), None),
        (blend([1.0, 0.0], [tree(), None]), None),
        (blend([1.0, 0.0], smoothing=[0.0, 0.5]), None),
        (blend(smoothing=[-0.1, 0.2]), "smoothing_: it is negative"),
        (blend(smoothing=[0.5, 0.5]), "smoothing_: it is negative, or its sum"),
        (blend(smoothing=[np.nan, 0.0]), "smoothing_: it is negative, or its sum"),
        (blend([-0.5, 1.5]), "weights_: they are negative"),
        (blend([0.5, 0.6]), "weights_: they are negative, or their sum"),
        (blend(power=0.0), "inverse_temperature_: it is not positive"),
        (blend(power=-1.0), "inverse_temperature_: it is not positive"),
        (blend([1.0, 0.0]), "estimators_: not one for each weight"),
        (blend(models=[tree(), None]), "estimators_: not one for each weight"),
        (blend(models=[tree(), NEW]), "estimators_: not fitted"),
        (blend(models=[tree(), tree(5)]), "estimators_: it takes 5 features"),
        (blend(models=[tree(), tree(classes=[3])]), NO_NUMBERS),
    ],
    "nodes": [
        (nodes(), None),
        (nodes(right_child=(1, 4)), "a node with one child"),
        (nodes(right_child=(1, 0)), "a node with one child"),
        (nodes(left_child=(1, 0)), "a node with one child"),
        (nodes(left_child=(2, -1)), "a node with one child"),
        (nodes(left_child=(2, 2)), "a child before its parent"),
        (nodes(feature=(2, 2)), "a split on a feature"),
        (nodes(threshold=(2, np.nan)), "a split at no number"),
    ],
    "decision_tree": [
        (record("DecisionTreeClassifier"), None),
        (decision_tree(), None),
        (decision_tree(answers=1, K=None), None),
        (decision_tree(5), lengths(5, 4)),
        (decision_tree(answers=2), lengths(2, 3)),
        (decision_tree(answers=2, K=None), lengths(2, 1)),
    ],
    "forest": [
        (record("RandomForestClassifier"), None),
        (forest(of_classes(3)), None),
        (forest(tree(), K=None), None),
        (forest(), "a forest without trees"),
        (forest(of_classes(3), NEW), "estimators_: not fitted"),
        (forest(of_classes(3, d=5)), "estimators_: it takes 5 features, not 4"),
        (forest(of_classes(3), of_classes(2)), lengths(2, 3)),
        (forest(tree()), lengths(0, 3)),
    ],
}  # fmt: skip
CASES = [
    pytest.param(*case, id=f"{name} {number}")
    for name, cases in CHECKS.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("found", "words"), CASES)
def test_what_must_agree(found, words):
    found = Record(found.type, found.params, found.fitted, dict(found.dims))
    if words is None:
        assert check(found) is None
        return
    with refuses(words):
        check(found)


MEASURES = ("cost", "error", "weighted_error", "g_mean", "normalized_cost")
NAMES = ["softness", *MEASURES, *(f"{name}_se" for name in MEASURES), "on_front"]


def tradeoff(rows=2, **changes):
    """A table of candidates, with other columns or without one."""
    table = {name: np.zeros(rows) for name in NAMES[:-1]}
    table |= {"on_front": np.zeros(rows, bool)} | changes
    table = {name: one for name, one in table.items() if one is not None}
    return Frame(list(table.values()), list(table), None, rows)


def told(**columns):
    arrays = [np.array(one, object) for one in columns.values()]
    return Frame(arrays, list(columns), None, 2)


def results(count=2, **changes):
    params = [{"softness": 0.5}] * count
    return {"params": params, "mean_test_score": np.zeros(count)} | changes


def constant(**changes):
    return {"label": "a", "cost": 1.0, "error": 0.5} | changes


def guarantee(**changes):
    return {"met": True, "missing": None, "passed": [0, 1], "limits": [{}]} | changes


def named(columns, names):
    return Frame(columns, names, None, 2)


OWN_NAMES = "x: columns without names of their own"
TWO = [np.array(["a", "b"], object)] * 2
KINDS = {"why": "O", "used": "b"}
USED = np.array([True, False])
TOLD = [
    (check_tradeoff, (tradeoff(),), None),
    (check_tradeoff, (tradeoff(1, family=np.array(["x"], object)),), None),
    (check_tradeoff, (tradeoff(cost=np.zeros(2, int)),), None),
    (check_tradeoff, (tradeoff(cost=np.zeros(2, "u1")),), None),
    (check_tradeoff, ({},), "tradeoff_: not a table"),
    (check_tradeoff, (Frame(TWO, ["a", "b"], None, ["r", "s"]),), "tradeoff_: not a"),
    (check_tradeoff, (named(TWO, None),), "tradeoff_: columns without names"),
    (check_tradeoff, (named(TWO, ["a", 1]),), "tradeoff_: columns without names"),
    (check_tradeoff, (named(TWO, ["a", "a"]),), "tradeoff_: columns without names"),
    *(
        (check_tradeoff, (tradeoff(**{name: odd}),), f"tradeoff_: no numbers in {name}")
        for name in NAMES[:-1]
        for odd in (None, np.zeros(2, bool), np.array(["a", "b"]))
    ),
    (check_tradeoff, (tradeoff(on_front=None),), "tradeoff_: no truth values in"),
    (check_tradeoff, (tradeoff(on_front=np.zeros(2)),), "tradeoff_: no truth values"),
    (
        check_tradeoff, (tradeoff(family=np.array(["x", 1], object)),),
        "tradeoff_: families that are no text",
    ),
    (check_tradeoff, (tradeoff(0),), "tradeoff_: no candidates"),
    (check_results, (results(), 2), None),
    (check_results, ([], 2), "cv_results_: not values by name"),
    (check_results, ({1: 2}, 2), "cv_results_: not values by name"),
    (check_results, (results(1), 2), "cv_results_: not one set of parameters"),
    (check_results, (results(params=({}, {})), 2), "cv_results_: not one set of"),
    (
        check_results, (results(params=[{"softness": 1}, {}]), 2),
        "cv_results_: parameters without a softness",
    ),
    (check_results, (results(mean_test_score=[0, 0]), 2), "cv_results_: not one score"),
    (check_results, (results(mean_test_score=None), 2), "cv_results_: not one score"),
    *(
        (check_results, (results(mean_test_score=odd), 2), "cv_results_: not one score")
        for odd in (np.zeros(3), np.zeros((2, 1)), np.zeros(2, int))
    ),
    (check_params, ({"softness": 1}, "x"), None),
    (check_params, ({"softness": 0.5, "C": []}, "x"), None),
    *(
        (check_params, (odd, "x"), "x: parameters without a softness")
        for odd in (None, {}, {"softness": True}, {"softness": "1"},
                    {"softness": 1, 2: 3}, ["softness"])
    ),
    (check_constant, (constant(), ["a", "b"], "error"), None),
    (check_constant, (constant(cost=1), ["b", "a"], "error"), None),
    (check_constant, ([], ["a"], "error"), "constant_: not values by name"),
    (check_constant, ({1: 2}, ["a"], "error"), "constant_: not values by name"),
    *(
        (check_constant, (constant(label=odd), ["a", "b"], "error"),
         "constant_: not one of the answers")
        for odd in ("c", None, [], {}, np.array(["a", "b"]))
    ),
    (check_constant, (constant(), ["a"], "weighted_error"), "constant_: it was not"),
    (check_constant, (constant(cost=None), ["a"], "error"), "constant_: it was not"),
    (check_constant, (constant(error=True), ["a"], "error"), "constant_: it was not"),
    (check_guarantee, (None, 2), None),
    (check_guarantee, (guarantee(), 2), None),
    (check_guarantee, (guarantee(met=False, missing="error", passed=[]), 2), None),
    *(
        (check_guarantee, (odd, 2), "guarantee_: it does not say whether it is met")
        for odd in ([], guarantee(met=1), guarantee(met=None), guarantee() | {1: 2})
    ),
    *(
        (check_guarantee, (odd, 2), "guarantee_: it says what is missing")
        for odd in (guarantee(met=False), guarantee(missing="error"),
                    guarantee(met=False, missing=3))
    ),
    (check_guarantee, (guarantee(passed=None), 2), "guarantee_: no list of passed"),
    (check_guarantee, (guarantee(limits={}), 2), "guarantee_: no list of limits"),
    *(
        (check_guarantee, (guarantee(passed=odd), 2), "guarantee_: no row of the table")
        for odd in ([2], [0, -1], [True], [0.0], ["0"], [0, 2])
    ),
    (check_guarantee, (guarantee(limits=[{}, 1]), 2), "guarantee_: limits that are"),
    (check_text_table,
     (told(why=["x", None], used=[1, 2]), "x", {"why": "O", "used": "-"}), None),
    (check_text_table, (told(why=["x", np.nan]), "x", {"why": "O"}), None),
    (check_text_table, (named([TWO[0], USED], list(KINDS)), "x", KINDS), None),
    (check_text_table, ([], "x", KINDS), "x: not a table"),
    (check_text_table, (named(TWO, ["a", 1]), "x", KINDS), OWN_NAMES),
    (check_text_table, (named(TWO, ["used", "why"]), "x", KINDS), "x: other columns"),
    (check_text_table, (named(TWO, ["why", "other"]), "x", KINDS), "x: other columns"),
    (check_text_table, (named(TWO, list(KINDS)), "x", KINDS), "x: no truth values"),
    (check_text_table, (told(why=["x", 1.5]), "x", {"why": "O"}), "x: no text"),
    (check_text_table, (told(why=[False, "x"]), "x", {"why": "O"}), "x: no text"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(TOLD)))
def test_what_searches_tell(number):
    check, given, words = TOLD[number]
    if words is None:
        assert check(*given) == (given[0].index if check is check_tradeoff else None)
        return
    with refuses(words):
        check(*given)


def candidate(classes=("a", "b"), extra=("ask",), d=4, kind="OneSidedRegression"):
    found = {"classes_": np.array(classes), "_extra": np.array(extra)}
    return record(kind, found, d=d)


def mix(first=None, second=None):
    sides = {"first": first or candidate(), "second": second or candidate()}
    return record("RandomizedPair", {}, sides)


def search(**changes):
    found = {
        "classes_": np.array(["a", "b"]), "actions_": np.array(["a", "b", "ask"]),
        "tradeoff_": tradeoff(), "best_index_": 1, "cv_results_": results(),
        "best_params_": {"softness": 1}, "constant_": constant(),
        "error_measure_": "error", "guarantee_": None, "costs_by_example_": False,
        "best_estimator_": candidate(),
    }  # fmt: skip
    found = (found | changes).items()
    found = {key: one for key, one in found if one is not None} | {
        "guarantee_": changes.get("guarantee_")
    }
    return record("SoftCostClassifierCV", found, K=2, A=3, d=4)


SKIPPED = told(family=["x", None], params=["y", "z"], why=["u", "v"])
USED_OR_NOT = Frame([TWO[0], USED, TWO[0]], ["family", "used", "why"], None, 2)
NO_ROW = "candidates_: no row of the table"
SEARCHES = [
    (record("SoftCostClassifierCV"), None), (search(), None),
    (search(best_estimator_=None), None), (search(best_index_=0), None),
    (search(candidates_={0: candidate(), 1: candidate()}), None),
    (search(mix_=mix()), None),
    (search(skipped_=SKIPPED, portfolio_=USED_OR_NOT), None),
    (search(guarantee_=guarantee()), None),
    (search(costs_by_example_=True, realised_cost_=np.zeros(1)), None),
    (search(actions_=np.array(["b", "a", "ask"])), "actions_: they do not begin with"),
    (search(tradeoff_=tradeoff(0)), "tradeoff_: no candidates"),
    (with_dims(search(), candidates=3), lengths(2, 3)),
    (search(best_index_=2), "best_index_: no row of the table"),
    (search(best_index_=-1), "best_index_: no row of the table"),
    (search(cv_results_=results(1)), "cv_results_: not one set of parameters"),
    (search(best_params_={}), "best_params_: parameters without a softness"),
    (search(constant_=constant(label="x")), "constant_: not one of the answers"),
    (search(error_measure_="weighted_error"), "constant_: it was not measured"),
    (search(guarantee_=guarantee(passed=[2])), "guarantee_: no row of the table"),
    (search(realised_cost_=np.zeros(1)), "realised_cost_: it goes with costs by"),
    (search(skipped_=USED_OR_NOT), "skipped_: other columns"),
    (search(portfolio_=SKIPPED), "portfolio_: other columns"),
    (search(candidates_={}), "candidates_: not models by row"),
    (search(candidates_=[candidate()]), "candidates_: not models by row"),
    *((search(candidates_={odd: candidate()}), NO_ROW)
      for odd in (2, -1, True, "0", 0.0)),
    (search(candidates_={0: candidate(), 2: candidate()}), NO_ROW),
    (search(candidates_={0: 3}), "candidates_: not a reduction"),
    (search(candidates_={0: tree()}), "candidates_: not a reduction"),
    (search(candidates_={1: candidate(["a", "c"])}), "candidates_ 1: it has other"),
    (search(mix_=mix(tree())), "mix_: not of reductions"),
    (search(mix_=mix(None, tree())), "mix_: not of reductions"),
    (search(mix_=mix(candidate(d=5))), "mix_ first: it takes 5 features, not 4"),
    (search(mix_=mix(None, candidate(d=5))), "mix_ second: it takes 5 features"),
    (search(best_estimator_=record("OneSidedRegression")), "best_estimator_: not fit"),
    (search(best_estimator_=candidate(d=5)), "best_estimator_: it takes 5 features"),
    (search(best_estimator_=candidate(["a", "c"])), "best_estimator_: it has other c"),
    (search(best_estimator_=candidate("a")), "best_estimator_: it has other classes"),
    (search(best_estimator_=candidate(extra=["no"])), "best_estimator_: it has other "
     "actions"),
    (search(best_estimator_=candidate(extra=[])), "best_estimator_: it has other acti"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SEARCHES)))
def test_what_a_search_holds(number):
    test_what_must_agree(*SEARCHES[number])


def test_columns_that_come_out():
    """Of an encoder and of several steps together, and of pipelines of them."""
    several = columns()
    check(several)
    grouped, plain = encoder(WORDS, GROUPS, max_categories=2), encoder(WORDS)
    for one in (grouped, plain):
        check(one)
    both = record(
        "OneHotEncoder",
        {"categories_": [WORDS, WORDS[:2], WORDS], "groups": [GROUPS, None, None]},
        {"max_categories": 2},
    )
    check(both)
    for one, count in (
        (several, 3), (grouped, 2), (plain, 3), (both, 7), (UNKNOWN, None),
        (tree(), None), (pipeline(), None), (pipeline("drop"), None),
        (pipeline(scaler(4), plain), 3), (pipeline(plain, "passthrough"), 3),
        (pipeline(pipeline(plain)), 3), (pipeline(plain, UNKNOWN), None),
        (scaler(5), 5), (scaler(5, "MinMaxScaler"), 5), (scaler(5, "SimpleImputer"), 5),
    ):  # fmt: skip
        assert n_outputs(one) == count


def test_columns_that_go_in():
    inside = frozen(tree(4))
    calibrated = record("CalibratedClassifierCV", {}, {"estimator": tree(4)})
    given = record("CalibratedClassifierCV", {}, {"estimator": tree(4)}, d=5)
    for one, count in (
        (None, None), (NEW, None), (UNKNOWN, None), (tree(4), 4), (inside, 4),
        (calibrated, 4), (given, 5), (record("CalibratedClassifierCV", {}), None),
        (pipeline(), None), (pipeline("drop"), None), (pipeline(tree(4)), 4),
        (pipeline("drop", scaler(3), tree(4)), 3), (pipeline(inside), 4),
    ):  # fmt: skip
        assert n_features(one) == count


def test_what_can_predict():
    fitted = [
        tree(), UNKNOWN, record("OneClass", {}), frozen(tree()),
        frozen(UNKNOWN), pipeline(tree()), pipeline("drop", tree(), frozen(tree())),
    ]  # fmt: skip
    new = [
        NEW, record("OneClass"), frozen(NEW), frozen(None), pipeline("drop"),
        pipeline(), pipeline(tree(), NEW), pipeline(NEW, tree()),
        record("FrozenEstimator", {}, {"estimator": "x"}),
    ]  # fmt: skip
    for one in fitted:
        assert is_fitted(one)
        require_fitted(one, None, "it")
    for one in new:
        assert not is_fitted(one)
    for one in (*new, None, "drop", {}):
        with pytest.raises(Refused, match="it: not fitted"):
            require_fitted(one, None, "it")
    require_fitted(tree(4), 4, "it")
    require_fitted(UNKNOWN, 4, "it")
    with pytest.raises(Refused, match="it: "):
        require_fitted(tree(4), 3, "it")


def test_class_numbers_without_columns():
    """A learner that does not say what it knows is taken as it is."""
    for one in (UNKNOWN, tree(), frozen(UNKNOWN)):
        check(members([one]))


def test_solutions_of_no_learner_are_those_of_the_default():
    for one in (flat(machines()), flat(machines(), record("KernelSVC"))):
        check_solutions(machines(), one, 3, 4)
    with pytest.raises(Refused, match=re.escape(lengths(3, 2))):
        check_solutions(machines(), flat(machines()), 2, 4)
