"""Trees of scikit-learn and LightGBM as TreeEnsemble nodes with double thresholds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import TensorProto

from softcost.onnx.graph import ML, Graph, refused, tensor

_LEQ, _MEMBER = 0, 6  # modes of nodes
_SUM = 1  # aggregate_function


class Trees:
    """Collects trees for one TreeEnsemble node, whose outputs are sums of leaves."""

    def __init__(self) -> None:
        self.mode: list[int] = []
        self.feature: list[int] = []
        self.split: list[float] = []
        self.missing_true: list[int] = []
        self.children: list[list[int]] = []  # true, is leaf, false, is leaf
        self.members: list[float] = []
        self.roots: list[int] = []
        self.leaves: list[tuple[int, float]] = []  # target and weight

    def leaf(self, target: int, weight: float) -> tuple[int, bool]:
        self.leaves.append((target, weight))
        return len(self.leaves) - 1, True

    def node(self, feature: int, split: float, missing_true: bool) -> int:
        """A node ``x <= split`` without children."""
        self.mode.append(_LEQ)
        self.feature.append(int(feature))
        self.split.append(float(split))
        self.missing_true.append(int(missing_true))
        self.children.append([0, 0, 0, 0])
        return len(self.mode) - 1

    def member_node(self, feature: int, categories: list[float]) -> int:
        """A node that is true for some categories; missing values are not."""
        at = self.node(feature, 0.0, False)
        self.mode[at] = _MEMBER
        self.members += [*categories, np.nan]
        return at

    def connect(self, at: int, true: tuple[int, bool], false: tuple[int, bool]) -> None:
        self.children[at] = [true[0], int(true[1]), false[0], int(false[1])]

    def root(self, top: tuple[int, bool]) -> None:
        """Finish a tree; a tree of one leaf gets a node that leads nowhere else."""
        at, is_leaf = top
        if is_leaf:
            at = self.node(0, 0.0, False)
            self.connect(at, top, top)
        self.roots.append(at)

    def add_to(self, graph: Graph, x: str, n_targets: int) -> str:
        children = np.array(self.children, np.int64).T.tolist()
        options: dict[str, Any] = {}
        if self.members:
            options["membership_values"] = tensor(np.array(self.members))
        return graph.op(
            "TreeEnsemble",
            x,
            domain=ML,
            aggregate_function=_SUM,
            post_transform=0,
            n_targets=n_targets,
            nodes_modes=tensor(np.array(self.mode, np.uint8)),
            nodes_featureids=self.feature,
            nodes_splits=tensor(np.array(self.split)),
            nodes_missing_value_tracks_true=self.missing_true,
            nodes_truenodeids=children[0],
            nodes_trueleafs=children[1],
            nodes_falsenodeids=children[2],
            nodes_falseleafs=children[3],
            leaf_targetids=[target for target, _ in self.leaves],
            leaf_weights=tensor(np.array([float(weight) for _, weight in self.leaves])),
            tree_roots=self.roots,
            **options,
        )


def sklearn_trees(graph: Graph, models: list[Any], x: str) -> str:
    """Mean leaf values of scikit-learn's trees, shape (n, n_classes), or (n, 1).

    A leaf has a value for every class, but a TreeEnsemble leaf has one: the trees give
    numbers of leaves, which select rows of a table.
    """
    trees = Trees()
    values: list[Any] = []
    for number, model in enumerate(models):
        tree = model.tree_
        is_leaf = tree.children_left == tree.children_right
        places: dict[int, tuple[int, bool]] = {}
        for at in range(tree.node_count):
            if is_leaf[at]:
                places[at] = trees.leaf(number, len(values))
                values.append(tree.value[at, 0])
            else:
                places[at] = (
                    trees.node(
                        tree.feature[at],
                        tree.threshold[at],
                        bool(tree.missing_go_to_left[at]),
                    ),
                    False,
                )
        for at in np.flatnonzero(~is_leaf).tolist():
            left, right = int(tree.children_left[at]), int(tree.children_right[at])
            trees.connect(places[at][0], places[left], places[right])
        trees.root(places[0])
    # Trees of scikit-learn convert rows to single precision.
    reached = trees.add_to(graph, graph.to_single(x), len(models))
    leaf = graph.cast(reached, TensorProto.INT64)
    found = graph.op("Gather", np.array(values), leaf, axis=0)
    sums = graph.total(found, 1, keep=False)
    return graph.op("Div", sums, float(len(models)))


def hist_trees(graph: Graph, model: Any, x: str) -> str:
    """Raw predictions of histogram-based boosting, shape (n, n_trees_per_round)."""
    if model.is_categorical_ is not None and np.any(model.is_categorical_):
        raise refused(
            f"{type(model).__name__} with categorical features",
            "Use LightGBM, or encode the categories first.",
        )
    trees = Trees()
    for of_round in model._predictors:
        for target, predictor in enumerate(of_round):
            nodes = predictor.nodes
            places: dict[int, tuple[int, bool]] = {}
            for at, node in enumerate(nodes):
                if node["is_leaf"]:
                    places[at] = trees.leaf(target, float(node["value"]))
                else:
                    missing = bool(node["missing_go_to_left"])
                    split = float(node["num_threshold"])
                    places[at] = trees.node(node["feature_idx"], split, missing), False
            for at in np.flatnonzero(~nodes["is_leaf"].astype(bool)).tolist():
                left, right = int(nodes[at]["left"]), int(nodes[at]["right"])
                trees.connect(places[at][0], places[left], places[right])
            trees.root(places[0])
    baseline = np.asarray(model._baseline_prediction, np.float64).reshape(1, -1)
    raw = trees.add_to(graph, x, baseline.size)
    return graph.op("Add", raw, baseline)


def lightgbm_trees(graph: Graph, booster: Any, x: str) -> tuple[str, str]:
    """Raw predictions of a booster, shape (n, n_trees_per_round), and its objective."""
    model = booster.dump_model()
    categories = model.get("pandas_categorical")
    if model.get("average_output") or categories:
        what = "a random forest" if not categories else "categories of pandas"
        raise refused(
            f"LightGBM with {what}",
            "Use BoostedTrees, or boosting on numbers and category codes.",
        )
    trees, n_targets = Trees(), int(model["num_tree_per_iteration"])
    for tree in model["tree_info"]:
        target = int(tree["tree_index"]) % n_targets
        trees.root(_lightgbm_node(trees, tree["tree_structure"], target))
    return trees.add_to(graph, x, n_targets), str(model.get("objective", ""))


def _lightgbm_node(
    trees: Trees, node: Mapping[str, Any], target: int
) -> tuple[int, bool]:
    if "split_feature" not in node:
        if "leaf_coeff" in node:
            raise refused("LightGBM with linear trees", "Use constant leaves.")
        return trees.leaf(target, float(node["leaf_value"]))
    missing = node["missing_type"]
    if missing == "Zero":
        raise refused("LightGBM with zero_as_missing", "Use NaN for missing values.")
    if node["decision_type"] == "==":
        categories = [float(code) for code in str(node["threshold"]).split("||")]
        at = trees.member_node(node["split_feature"], categories)
    else:
        split = float(node["threshold"])
        # Without missing values in training, LightGBM replaces NaN by zero.
        to_left = bool(node["default_left"]) if missing == "NaN" else split >= 0
        at = trees.node(node["split_feature"], split, to_left)
    left = _lightgbm_node(trees, node["left_child"], target)
    right = _lightgbm_node(trees, node["right_child"], target)
    trees.connect(at, left, right)
    return at, False
