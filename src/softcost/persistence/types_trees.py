"""Schemas of scikit-learn's trees, forests, boosted trees, neighbours, calibration.

Trees follow numbers of nodes in machine code that checks nothing, so here every child
comes after its parent, every node but the first has exactly one parent, and every
split looks at a feature that exists: a walk ends, and inside the tree.
"""

from typing import Any

import numpy as np

from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    CLASS_WEIGHT,
    COUNT,
    FEATURES,
    FLAG,
    JOBS,
    NAMED,
    PLAIN,
    SEED,
    VERBOSE,
    Array,
    Labels,
    ListOf,
    Part,
    Real,
    Record,
    Text,
    Type,
    Whole,
    bind,
    either,
    length,
    made,
    maybe,
    numbers,
    one_of,
    require_fitted,
    whole_numbers,
)

BYTES = Array("u1", ("nodes",), most=1)


def check_tree(
    left: np.ndarray, right: np.ndarray, inner: np.ndarray, feature: np.ndarray, d: int
) -> None:
    """Refuse nodes that are no tree, or that look at features that are not there.

    Parameters
    ----------
    left, right : arrays of shape (n,)
        Numbers of children, where a node has them.
    inner : array of bool of shape (n,)
        Whether it has.
    feature : array of shape (n,)
    d : int
        How many features there are.
    """
    places = np.flatnonzero(inner)
    children = np.concatenate([left[places], right[places]])
    if len(left) == 0 or len(children) != len(left) - 1:
        raise Refused("nodes that are no tree")
    if len(children) == 0:
        return
    if children.min() < 1 or children.max() >= len(left):
        raise Refused("a child that is no node")
    if (children <= np.concatenate([places, places])).any():
        raise Refused("a child before its parent")
    if np.bincount(children).max() > 1:
        raise Refused("a node with two parents")
    if feature[places].min() < 0 or feature[places].max() >= d:
        raise Refused("a split on a feature that is not there")


_NODES = {
    "left_child": whole_numbers("nodes", least=-1),
    "right_child": whole_numbers("nodes", least=-1),
    "feature": whole_numbers("nodes", least=-2),
    "threshold": Array("f8", ("nodes",), finite=False),
    "impurity": numbers("nodes"),
    "n_node_samples": whole_numbers("nodes"),
    "weighted_n_node_samples": numbers("nodes", least=0),
    "missing_go_to_left": BYTES,
}


def _take_nodes(tree: Any) -> dict[str, Any]:
    state = tree.__getstate__()
    nodes = state["nodes"]
    if set(nodes.dtype.names) != set(_NODES) or tree.n_outputs != 1:
        raise NotCovered("a tree with several outputs, or of another version")
    found = {name: nodes[name].copy() for name in _NODES}
    values = state["values"].reshape(len(nodes), -1)
    return {
        **found, "values": values, "max_depth": int(state["max_depth"]),
        "n_features": tree.n_features, "n_classes": int(tree.n_classes[0]),
    }  # fmt: skip


def _check_nodes(record: Record) -> None:
    found = record.fitted or {}
    inner = found["left_child"] >= 0
    if ((found["right_child"] >= 0) != inner).any():
        raise Refused("a node with one child")
    check_tree(
        found["left_child"], found["right_child"], inner, found["feature"],
        found["n_features"],
    )  # fmt: skip
    if np.isnan(found["threshold"]).any():
        raise Refused("a split at no number")


def _make_tree(kind: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    probe = kind(1, np.array([1], np.intp), 1).__getstate__()["nodes"]
    nodes = np.zeros(len(fitted["left_child"]), probe.dtype)
    for name in probe.dtype.names:
        nodes[name] = fitted[name]
    values = np.ascontiguousarray(fitted["values"][:, None, :], np.float64)
    tree = kind(fitted["n_features"], np.array([fitted["n_classes"]], np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": fitted["max_depth"],
            "node_count": len(nodes),
            "nodes": nodes,
            "values": values,
        }
    )
    return tree


_TREE_PARAMS = {
    "criterion": Text(), "splitter": Text(), "max_depth": PLAIN,
    "min_samples_split": PLAIN, "min_samples_leaf": PLAIN,
    "min_weight_fraction_leaf": PLAIN, "max_features": PLAIN, "max_leaf_nodes": PLAIN,
    "random_state": SEED, "min_impurity_decrease": PLAIN,
    "class_weight": CLASS_WEIGHT, "ccp_alpha": PLAIN, "monotonic_cst": PLAIN,
}  # fmt: skip
_TREE_FITTED = FEATURES | {
    "n_outputs_": Whole(1, 1), "max_features_": COUNT, "tree_": Part(["Tree"]),
}  # fmt: skip
_FOREST_PARAMS = {
    **_TREE_PARAMS, "n_estimators": Whole(1), "bootstrap": FLAG, "oob_score": FLAG,
    "n_jobs": JOBS, "verbose": VERBOSE, "warm_start": FLAG, "max_samples": PLAIN,
}  # fmt: skip
_UNKEPT = frozenset(
    {"estimator", "estimator_params", "_n_samples", "_sample_weight",
     "_n_samples_bootstrap"}
)  # fmt: skip
_CLASSES = {"classes_": Labels("K"), "n_classes_": length("K")}


def _check_decision_tree(record: Record) -> None:
    if record.fitted is None:
        return
    tree = record.fitted["tree_"]
    bind(record.dims, "d", tree.fitted["n_features"])
    bind(record.dims, "K" if "classes_" in record.fitted else 1, tree.dims["columns"])


def _check_forest(record: Record) -> None:
    if record.fitted is None:
        return
    members = record.fitted["estimators_"]
    if not members:
        raise Refused("a forest without trees")
    for tree in members:
        require_fitted(tree, record.dims["d"], "estimators_")
        if "classes_" in record.fitted:
            bind(record.dims, "K", tree.dims.get("K", 0))


def _trees(name: str, classes: bool) -> Type:
    return Type(
        f"sklearn.tree:{name}", _TREE_PARAMS,
        _TREE_FITTED | (_CLASSES if classes else {"n_classes_": Whole(1, 1)}),
        NAMED | (frozenset() if classes else frozenset({"n_classes_"})),
        check=_check_decision_tree,
    )  # fmt: skip


def _forest(name: str, tree: str, classes: bool) -> Type:
    return Type(
        f"sklearn.ensemble:{name}", _FOREST_PARAMS,
        FEATURES | {
            "n_outputs_": Whole(1, 1), "estimator_": Part([tree]),
            "estimators_": ListOf(Part([tree])),
        } | (_CLASSES if classes else {}),
        NAMED, _UNKEPT, check=_check_forest,
    )  # fmt: skip


_DECISION_TREE_TYPES = [
    Type(
        "sklearn.tree._tree:Tree",
        {},
        _NODES | {
            "values": numbers("nodes", "columns"), "max_depth": Whole(0, 2**31),
            "n_features": length("d"), "n_classes": length("columns"),
        },
        check=_check_nodes,
        take=_take_nodes,
        make=_make_tree,
        is_estimator=False,
    ),
    _trees("DecisionTreeClassifier", True),
    _trees("DecisionTreeRegressor", False),
    _trees("ExtraTreeClassifier", True),
    _trees("ExtraTreeRegressor", False),
    _forest("RandomForestClassifier", "DecisionTreeClassifier", True),
    _forest("RandomForestRegressor", "DecisionTreeRegressor", False),
    _forest("ExtraTreesClassifier", "ExtraTreeClassifier", True),
    _forest("ExtraTreesRegressor", "ExtraTreeRegressor", False),
]  # fmt: skip


# Schemas of scikit-learn's histogram-boosted trees.


_HIST_NODES = {
    "value": numbers("nodes"), "count": whole_numbers("nodes"),
    "feature_idx": whole_numbers("nodes"),
    "num_threshold": Array("f8", ("nodes",), finite=False),
    "missing_go_to_left": BYTES, "left": whole_numbers("nodes"),
    "right": whole_numbers("nodes"), "gain": numbers("nodes", finite=False),
    "depth": whole_numbers("nodes"), "is_leaf": BYTES,
    "bin_threshold": Array("u1", ("nodes",)),
}  # fmt: skip
_HIST_PARAMS = {
    "loss": one_of(
        "log_loss", "squared_error", "absolute_error", "gamma", "poisson", "quantile"
    ),
    "learning_rate": PLAIN, "max_iter": Whole(1), "max_leaf_nodes": PLAIN,
    "max_depth": PLAIN, "min_samples_leaf": PLAIN, "l2_regularization": PLAIN,
    "max_features": PLAIN, "max_bins": Whole(2, 255), "monotonic_cst": PLAIN,
    "interaction_cst": PLAIN, "categorical_features": PLAIN, "warm_start": FLAG,
    "early_stopping": either(FLAG, one_of("auto")), "scoring": maybe(Text()),
    "validation_fraction": PLAIN, "n_iter_no_change": Whole(1), "tol": PLAIN,
    "verbose": VERBOSE, "random_state": SEED, "class_weight": CLASS_WEIGHT,
    "quantile": maybe(Real(0, 1)),
}  # fmt: skip
_HIST_FITTED = FEATURES | _HIST_NODES | {
    "sizes": whole_numbers("iterations", "trees", least=1),
    "n_bins": Array("i8", ("d",), least=0, most=256),
    "baseline": Array("f8", (1, "trees")),
    "do_early_stopping_": FLAG,
    "train_score_": numbers("*", finite=False),
    "validation_score_": numbers("*", finite=False),
}  # fmt: skip


_KEPT = (
    "n_features_in_", "feature_names_in_", "classes_", "do_early_stopping_",
    "train_score_", "validation_score_",
)  # fmt: skip


def _take_hist(value: Any) -> dict[str, Any] | None:
    """The nodes of all trees, one after the other."""
    if not hasattr(value, "_predictors"):
        return None
    if value.is_categorical_ is not None or value._preprocessor is not None:
        raise NotCovered("boosted trees with categorical features")
    trees = [tree.nodes for row in value._predictors for tree in row]
    every = np.concatenate(trees)
    if set(every.dtype.names or ()) != {*_HIST_NODES, "is_categorical", "bitset_idx"}:
        raise NotCovered("boosted trees of another version")
    out = {name: every[name].copy() for name in _HIST_NODES}
    for name in _KEPT:
        if hasattr(value, name):
            out[name] = getattr(value, name)
    shape = (len(value._predictors), value.n_trees_per_iteration_)
    out["sizes"] = np.array([len(one) for one in trees]).reshape(shape)
    out["n_bins"] = value._bin_mapper.n_bins_non_missing_.astype(np.int64)
    out["baseline"] = value._baseline_prediction.reshape(1, -1)
    return out


def _check_hist(record: Record) -> None:
    found = record.fitted
    if found is None:
        return
    if found["sizes"].sum() != record.dims["nodes"] or found["sizes"].size == 0:
        raise Refused("sizes: not those of the trees")
    if "classes_" in found:
        many = record.dims["K"]
        bind(record.dims, "trees", 1 if many == 2 else many)
    else:
        bind(record.dims, "trees", 1)
    if np.isnan(found["num_threshold"]).any():
        raise Refused("a split at no number")
    start = 0
    for size in found["sizes"].ravel().tolist():
        part = slice(start, start + size)
        left, right, leaf, feature = (
            found[name][part] for name in ("left", "right", "is_leaf", "feature_idx")
        )
        check_tree(left, right, leaf == 0, feature, record.dims["d"])
        start += size


def _make_hist(kind: Any, params: dict, fitted: dict | None) -> Any:
    """Trees are cut apart again; the rest follows from the parameters."""
    value = made(kind, params, None)
    if fitted is None:
        return value
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    nodes = np.zeros(len(fitted["left"]), PREDICTOR_RECORD_DTYPE)
    for name in _HIST_NODES:
        nodes[name] = fitted.pop(name)
    sizes, n_bins = fitted.pop("sizes"), fitted.pop("n_bins")
    empty = np.zeros((0, 8), np.uint32)
    cuts = np.split(nodes, np.cumsum(sizes.ravel())[:-1])
    trees = iter([TreePredictor(one.copy(), empty, empty) for one in cuts])
    mapper = _BinMapper(n_bins=int(params.get("max_bins", 255)) + 1)
    mapper.is_categorical_ = np.zeros(len(n_bins), np.uint8)
    mapper.missing_values_bin_idx_ = mapper.n_bins - 1
    mapper.n_bins_non_missing_ = n_bins.astype(np.uint32)
    mapper.bin_thresholds_ = []
    value.__dict__.update(
        fitted,
        is_categorical_=None,
        _preprocessor=None,
        _is_categorical_remapped=None,
        n_trees_per_iteration_=sizes.shape[1],
        _n_features=len(n_bins),
        _baseline_prediction=fitted.pop("baseline"),
        _predictors=[[next(trees) for _ in row] for row in sizes],
        _bin_mapper=mapper,
        _scorer=None,
    )
    value._loss = value._get_loss(sample_weight=None)
    return value


_HIST_TYPES = [
    Type(
        "sklearn.ensemble:HistGradientBoostingClassifier", _HIST_PARAMS,
        _HIST_FITTED | {"classes_": Labels("K")}, NAMED,
        check=_check_hist, take=_take_hist, make=_make_hist,
    ),
    Type(
        "sklearn.ensemble:HistGradientBoostingRegressor", _HIST_PARAMS,
        _HIST_FITTED, NAMED, check=_check_hist, take=_take_hist, make=_make_hist,
    ),
]  # fmt: skip

TREE_TYPES = [*_DECISION_TREE_TYPES, *_HIST_TYPES]
