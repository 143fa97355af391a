"""Schemas of scikit-learn's trees, forests, boosted trees, neighbours, calibration.

Trees follow numbers of nodes in machine code that checks nothing, so here every child
comes after its parent, every node but the first has exactly one parent, and every
split looks at a feature that exists: a walk ends, and inside the tree.
"""

from typing import Any

import numpy as np

from softcost.models._array_kinds import (
    Array,
    numbers,
    whole_numbers,
)
from softcost.models._common_kinds import (
    CLASS_WEIGHT,
    COUNT,
    FLAG,
    JOBS,
    PLAIN,
    SEED,
    VERBOSE,
    require_fitted,
)
from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import (
    ListOf,
    Part,
    Record,
    Text,
    Whole,
    bind,
    length,
)
from softcost.models._schema import FEATURES, Type
from softcost.models._values import Labels

NAMED = frozenset({"feature_names_in_"})
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


TREE_TYPES = [
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
