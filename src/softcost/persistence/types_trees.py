"""Schemas of scikit-learn's trees, forests and histogram-based gradient boosting.

Compiled code follows the numbers in the nodes of a tree without checking them. So here
every child comes after its parent, every node but the first has exactly one parent,
and every split uses an existing feature: a walk ends, and inside the tree.
"""

from copy import copy
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

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
    fields = {name: nodes[name].copy() for name in _NODES}
    values = state["values"].reshape(len(nodes), -1)
    return {
        **fields, "values": values, "max_depth": int(state["max_depth"]),
        "n_features": tree.n_features, "n_classes": int(tree.n_classes[0]),
    }  # fmt: skip


def _check_nodes(record: Record) -> None:
    fitted = record.fitted or {}
    inner = fitted["left_child"] >= 0
    if ((fitted["right_child"] >= 0) != inner).any():
        raise Refused("a node with one child")
    check_tree(
        fitted["left_child"], fitted["right_child"], inner, fitted["feature"],
        fitted["n_features"],
    )  # fmt: skip
    if np.isnan(fitted["threshold"]).any():
        raise Refused("a split at no number")


def _make_tree(cls: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    probe = cls(1, np.array([1], np.intp), 1).__getstate__()["nodes"]
    nodes = np.zeros(len(fitted["left_child"]), probe.dtype)
    for name in probe.dtype.names:
        nodes[name] = fitted[name]
    values = np.ascontiguousarray(fitted["values"][:, None, :], np.float64)
    tree = cls(fitted["n_features"], np.array([fitted["n_classes"]], np.intp), 1)
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


# Gradient boosting: an array of regression trees, and the first guess.

_GRADIENT_PARAMS = {
    **_TREE_PARAMS, "learning_rate": Real(0), "n_estimators": Whole(1),
    "subsample": PLAIN, "init": maybe(one_of("zero")), "verbose": VERBOSE,
    "alpha": PLAIN, "warm_start": FLAG, "validation_fraction": PLAIN,
    "n_iter_no_change": PLAIN, "tol": PLAIN,
    "loss": one_of(
        "log_loss", "exponential", "squared_error", "absolute_error", "huber",
        "quantile",
    ),
}  # fmt: skip
for _name in ("splitter", "class_weight", "monotonic_cst"):
    del _GRADIENT_PARAMS[_name]
_GRADIENT_FITTED = FEATURES | {
    "trees": ListOf(Part(["DecisionTreeRegressor"])), "max_features_": COUNT,
    "init_": either(one_of("zero"), Part(["DummyClassifier", "DummyRegressor"])),
    "train_score_": numbers("*", finite=False),
}  # fmt: skip


def _take_gradient(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "estimators_"):
        return None
    names = ("n_features_in_", "feature_names_in_", "classes_", "max_features_",
             "train_score_", "init_")  # fmt: skip
    fitted = {name: getattr(value, name) for name in names if hasattr(value, name)}
    trees = [copy(tree) for tree in value.estimators_.ravel()]
    for tree in trees:
        tree.random_state = None  # that of the fit, 2.5 kB each
    return {**fitted, "trees": trees}


def _check_gradient(record: Record) -> None:
    fitted = record.fitted
    if fitted is None:
        return
    guess, classes = fitted["init_"], record.dims.get("K", 0)
    per_round = classes if classes > 2 else 1
    if not fitted["trees"] or len(fitted["trees"]) % per_round:
        raise Refused("trees: not as many in every round")
    for tree in fitted["trees"]:
        require_fitted(tree, record.dims["d"], "trees")
    regresses = record.params["loss"] not in ("log_loss", "exponential")
    if regresses != (classes == 0) or classes == 1:
        raise Refused("loss: not that of the estimator")
    if record.params["loss"] == "exponential" and classes != 2:
        raise Refused("loss: exponential is for two classes")
    if guess != "zero":
        expected = "DummyRegressor" if regresses else "DummyClassifier"
        if guess.type != expected or guess.fitted is None:
            raise Refused("init_: not a guess of this estimator")
        if guess.dims.get("K", 0) != classes:
            raise Refused("init_: a guess of other classes")


def _make_gradient(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = made(cls, params, None)
    if fitted is None:
        return value
    trees, classes = fitted.pop("trees"), len(fitted.get("classes_", ()))
    per_round = classes if classes > 2 else 1
    value.__dict__.update(
        fitted,
        estimators_=np.array(trees, dtype=object).reshape(-1, per_round),
        n_trees_per_iteration_=per_round,
        n_estimators_=len(trees) // per_round,
    )
    if classes:
        value.n_classes_ = classes
    value._loss = value._get_loss(sample_weight=None)
    return value


_GRADIENT_TYPES = [
    Type(
        f"sklearn.ensemble:GradientBoosting{kind}", _GRADIENT_PARAMS,
        _GRADIENT_FITTED | ({"classes_": Labels("K")} if kind == "Classifier" else {}),
        NAMED, check=_check_gradient, take=_take_gradient, make=_make_gradient,
    )
    for kind in ("Classifier", "Regressor")
]  # fmt: skip


# Histogram-based gradient boosting.
#
# With categorical features, scikit-learn encodes their categories as 0, 1, ... and puts
# these features first; the numbers of features below are those after that. A split on
# a categorical feature goes left for the categories of a bitset (8 words of 32 bits).
# Compiled code follows the number of the bitset and that of the feature unchecked.


_HIST_NODES = {
    "value": numbers("nodes"), "count": whole_numbers("nodes"),
    "feature_idx": whole_numbers("nodes"),
    "num_threshold": Array("f8", ("nodes",), finite=False),
    "missing_go_to_left": BYTES, "left": whole_numbers("nodes"),
    "right": whole_numbers("nodes"), "gain": numbers("nodes", finite=False),
    "depth": whole_numbers("nodes"), "is_leaf": BYTES,
    "bin_threshold": Array("u1", ("nodes",)),
}  # fmt: skip
# Only of models with categorical features.
_CATEGORICAL = {
    "is_categorical_": Array("b1", ("d",)),
    "categories": ListOf(PLAIN, "categorical"),
    "is_categorical_split": Array("u1", ("nodes",), most=1),
    "bitset_idx": Array("u4", ("nodes",)),
    "bitset_counts": whole_numbers("iterations", "trees"),
    "raw_left_cat_bitsets": Array("u4", ("bitsets", 8)),
    "binned_left_cat_bitsets": Array("u4", ("bitsets", 8)),
}
# Every feature takes some hundred bytes in the preprocessor, and 9 in a file.
_MOST_FEATURES = 10**6
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
_HIST_FITTED = FEATURES | _HIST_NODES | _CATEGORICAL | {
    "sizes": whole_numbers("iterations", "trees", least=1),
    "n_bins": Array("i8", ("d",), least=0, most=256),
    "baseline": Array("f8", (1, "trees")),
    "do_early_stopping_": FLAG,
    "train_score_": numbers("*", finite=False),
    "validation_score_": numbers("*", finite=False),
}  # fmt: skip


_HIST_ATTRIBUTES = (
    "n_features_in_", "feature_names_in_", "classes_", "do_early_stopping_",
    "train_score_", "validation_score_",
)  # fmt: skip


def _take_hist(value: Any) -> dict[str, Any] | None:
    """The nodes of all trees, one after the other."""
    if not hasattr(value, "_predictors"):
        return None
    trees = [tree for iteration in value._predictors for tree in iteration]
    nodes = np.concatenate([tree.nodes for tree in trees])
    if set(nodes.dtype.names or ()) != {*_HIST_NODES, "is_categorical", "bitset_idx"}:
        raise NotCovered("boosted trees of another version")
    fitted = {name: nodes[name].copy() for name in _HIST_NODES}
    for name in _HIST_ATTRIBUTES:
        if hasattr(value, name):
            fitted[name] = getattr(value, name)
    shape = (len(value._predictors), value.n_trees_per_iteration_)
    fitted["sizes"] = np.array([len(tree.nodes) for tree in trees]).reshape(shape)
    fitted["n_bins"] = value._bin_mapper.n_bins_non_missing_.astype(np.int64)
    fitted["baseline"] = value._baseline_prediction.reshape(1, -1)
    if value.is_categorical_ is None:
        return fitted
    counts = [len(tree.raw_left_cat_bitsets) for tree in trees]
    return fitted | {
        "is_categorical_": value.is_categorical_,
        "categories": value._preprocessor.named_transformers_["encoder"].categories_,
        "is_categorical_split": nodes["is_categorical"].copy(),
        "bitset_idx": nodes["bitset_idx"].copy(),
        "bitset_counts": np.array(counts).reshape(shape),
        **{
            name: np.concatenate([getattr(tree, name) for tree in trees])
            for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets")
        },
    }


def _check_hist(record: Record) -> None:
    fitted = record.fitted
    if fitted is None:
        return
    if fitted["sizes"].sum() != record.dims["nodes"] or fitted["sizes"].size == 0:
        raise Refused("sizes: not those of the trees")
    if "classes_" in fitted:
        many = record.dims["K"]
        bind(record.dims, "trees", 1 if many == 2 else many)
    else:
        bind(record.dims, "trees", 1)
    if np.isnan(fitted["num_threshold"]).any():
        raise Refused("a split at no number")
    start = 0
    for size in fitted["sizes"].ravel().tolist():
        part = slice(start, start + size)
        left, right, leaf, feature = (
            fitted[name][part] for name in ("left", "right", "is_leaf", "feature_idx")
        )
        check_tree(left, right, leaf == 0, feature, record.dims["d"])
        start += size
    present = _CATEGORICAL.keys() & fitted.keys()
    if present and present != _CATEGORICAL.keys():
        raise Refused(f"{min(_CATEGORICAL.keys() - present)}: missing")
    if present:
        _check_categories(record)
        _check_categorical_splits(record)


def _check_categories(record: Record) -> None:
    """Categories of every categorical feature, as many as it has bins."""
    fitted = record.fitted or {}
    if record.dims["d"] > _MOST_FEATURES:
        raise Refused(f"is_categorical_: more than {_MOST_FEATURES} features")
    count = record.dims["categorical"]
    if count == 0 or fitted["is_categorical_"].sum() != count:
        raise Refused("categories: not those of the categorical features")
    most = record.params.get("max_bins", 255)
    n_bins = fitted["n_bins"][:count].tolist()
    for values, n_values in zip(fitted["categories"], n_bins, strict=True):
        check_category_values(values, "categories")
        if n_values > most or n_values != _n_present(values):
            raise Refused("categories: not one for each bin")


def check_category_values(values: Any, name: str) -> None:
    """Refuse values of a categorical feature that its encoder would not find."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or len(values) == 0:
        raise Refused(f"{name}: not a list of values")
    if values.dtype.kind not in "OU" and not _is_rising(values):
        raise Refused(f"{name}: numbers that are not in order")


def _is_rising(values: np.ndarray) -> bool:
    """Whether a binary search finds every value: in order, NaN at most at the end."""
    present = values[: _n_present(values)]
    return bool((present[:-1] < present[1:]).all()) and not np.isnan(present).any()


def _n_present(values: np.ndarray) -> int:
    """How many values there are without NaN, which comes last if there is one."""
    last = values[-1]
    return len(values) - int(isinstance(last, float | np.floating) and np.isnan(last))


def _check_categorical_splits(record: Record) -> None:
    """Splits on categorical features only, by bitsets of their own tree."""
    fitted = record.fitted or {}
    counts, sizes = fitted["bitset_counts"].ravel(), fitted["sizes"].ravel()
    if counts.max() > record.dims["bitsets"] or counts.sum() != record.dims["bitsets"]:
        raise Refused("bitset_counts: not those of the trees")
    splits = np.flatnonzero(fitted["is_categorical_split"])
    if fitted["is_leaf"][splits].any():
        raise Refused("is_categorical_split: a leaf")
    feature, number = fitted["feature_idx"][splits], fitted["bitset_idx"][splits]
    if (feature >= record.dims["categorical"]).any():
        raise Refused("feature_idx: a split by categories of a feature that has none")
    if (number >= np.repeat(counts, sizes)[splits]).any():
        raise Refused("bitset_idx: a bitset that the tree does not have")
    first = np.repeat(np.cumsum(counts) - counts, sizes)[splits]
    # Of a feature with n categories, the lowest n of 8 * 32 bits may be set.
    present = np.clip(fitted["n_bins"][feature][:, None] - 32 * np.arange(8), 0, 32)
    if (fitted["raw_left_cat_bitsets"][first + number] >> present).any():
        raise Refused("raw_left_cat_bitsets: a category that the feature does not have")


def _make_hist(cls: Any, params: dict, fitted: dict | None) -> Any:
    """Trees are cut apart again; the rest follows from the parameters."""
    value = made(cls, params, None)
    if fitted is None:
        return value
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    nodes = np.zeros(len(fitted["left"]), PREDICTOR_RECORD_DTYPE)
    for name in _HIST_NODES:
        nodes[name] = fitted.pop(name)
    sizes, n_bins = fitted.pop("sizes"), fitted.pop("n_bins")
    is_categorical = fitted.pop("is_categorical_", None)
    categories = fitted.pop("categories", [])
    if is_categorical is not None:
        nodes["is_categorical"] = fitted.pop("is_categorical_split")
        nodes["bitset_idx"] = fitted.pop("bitset_idx")
    counts = fitted.pop("bitset_counts", np.zeros_like(sizes))
    none, ends = np.zeros((0, 8), np.uint32), np.cumsum(counts.ravel())[:-1]
    raw, binned = (
        np.split(fitted.pop(name, none), ends)
        for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets")
    )
    cuts = np.split(nodes, np.cumsum(sizes.ravel())[:-1])
    trees = iter(
        TreePredictor(cut.copy(), binned_left.copy(), raw_left.copy())
        for cut, binned_left, raw_left in zip(cuts, binned, raw, strict=True)
    )
    encoded_first = np.arange(len(n_bins)) < len(categories)
    mapper = _BinMapper(n_bins=int(params.get("max_bins", 255)) + 1)
    mapper.is_categorical_ = encoded_first.astype(np.uint8)
    mapper.missing_values_bin_idx_ = mapper.n_bins - 1
    mapper.n_bins_non_missing_ = n_bins.astype(np.uint32)
    mapper.bin_thresholds_ = [
        np.arange(count, dtype=np.float64) for count in n_bins[: len(categories)]
    ]
    preprocessor = None
    if is_categorical is not None:
        names = fitted.get("feature_names_in_")
        preprocessor = _made_preprocessor(is_categorical, categories, names)
    value.__dict__.update(
        fitted,
        is_categorical_=is_categorical,
        _preprocessor=preprocessor,
        _is_categorical_remapped=None if is_categorical is None else encoded_first,
        n_trees_per_iteration_=sizes.shape[1],
        _n_features=len(n_bins),
        _baseline_prediction=fitted.pop("baseline"),
        _predictors=[[next(trees) for _ in row] for row in sizes],
        _bin_mapper=mapper,
        _scorer=None,
    )
    value._loss = value._get_loss(sample_weight=None)
    return value


def _made_preprocessor(
    is_categorical: np.ndarray, categories: list[np.ndarray], names: np.ndarray | None
) -> Any:
    """What encodes categories, fitted to a single row with the categories to use.

    Its parameters are those of scikit-learn's ``_preprocess_X``.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
    from sklearn.utils import check_array

    encoder = OrdinalEncoder(
        categories=categories,
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        dtype=np.float64,
    )
    check = partial(check_array, dtype=[np.float64], ensure_all_finite=False)
    row = np.zeros((1, len(is_categorical)), dtype=object)
    row[0, is_categorical] = [values[0] for values in categories]
    preprocessor = ColumnTransformer(
        [
            ("encoder", encoder, is_categorical),
            ("numerical", FunctionTransformer(check), ~is_categorical),
        ]
    )
    preprocessor.set_output(transform="default")
    preprocessor.fit(row if names is None else pd.DataFrame(row, columns=names))
    # Fitted to a row of objects, it took all categories for objects.
    fitted_encoder = preprocessor.named_transformers_["encoder"]
    fitted_encoder.categories = "auto"
    fitted_encoder.categories_ = list(categories)
    return preprocessor


_HIST_TYPES = [
    Type(
        "sklearn.ensemble:HistGradientBoostingClassifier", _HIST_PARAMS,
        _HIST_FITTED | {"classes_": Labels("K")}, NAMED | _CATEGORICAL.keys(),
        check=_check_hist, take=_take_hist, make=_make_hist,
    ),
    Type(
        "sklearn.ensemble:HistGradientBoostingRegressor", _HIST_PARAMS,
        _HIST_FITTED, NAMED | _CATEGORICAL.keys(),
        check=_check_hist, take=_take_hist, make=_make_hist,
    ),
]  # fmt: skip

TREE_TYPES = [*_DECISION_TREE_TYPES, *_GRADIENT_TYPES, *_HIST_TYPES]
