"""Boosted trees of XGBoost and CatBoost, as checked arrays instead of their formats.

Both libraries trust their JSON: a child that is not a node, or a feature beyond the
columns, reads memory that is not its own. So their text never comes from a file. Saving
takes the trees out of a library's JSON; loading checks them as arrays and writes new
JSON with them. Only what classification and regression by trees on numbers need is
allowed. XGBoost:

====================  ================================================================
field                 what it must hold, for T trees with N nodes in total
====================  ================================================================
sizes                 T numbers of nodes, N in total
left, right           N numbers of nodes of the same tree, after their parent; -1 for
                      a leaf; every node but the first of a tree exactly once
feature               N numbers of features
threshold             N finite numbers: thresholds, and values of leaves
missing_go_left       N of 0 and 1
base_score            a finite number for each output
====================  ================================================================

CatBoost's trees are symmetric: every level has one split.

====================  ================================================================
field                 what it must hold, for T trees with S splits in total
====================  ================================================================
n_borders             a number of borders for each feature
borders               those of all features, increasing within a feature
depths                T numbers of splits, at most 16 each, S in total
split                 S numbers of borders
leaf_values           2^depth finite numbers for each tree and output
leaf_weights          2^depth numbers for each tree, not negative
====================  ================================================================
"""

import json
import os
import tempfile
from typing import Any

import numpy as np

from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    COUNT,
    FLAG,
    JOBS,
    NOTHING,
    PLAIN,
    SEED,
    Array,
    ListOf,
    Real,
    Record,
    Text,
    Type,
    Whole,
    bind,
    length,
    maybe,
    numbers,
    one_of,
    parameters,
    whole_numbers,
)
from softcost.persistence.types_lightgbm import LIGHTGBM_TYPES
from softcost.persistence.types_trees import check_tree

# XGBoost walks some parts of a tree by recursion.
_DEEPEST = 1000

_NODES = {
    "left": whole_numbers("nodes", least=-1),
    "right": whole_numbers("nodes", least=-1),
    "feature": whole_numbers("nodes"),
    "threshold": Array("f4", ("nodes",)),
    "missing_go_left": Array("u1", ("nodes",), most=1),
    "gain": Array("f4", ("nodes",), finite=False),
    "hessian": Array("f4", ("nodes",), finite=False),
    "weight": Array("f4", ("nodes",), finite=False),
}
# Names in XGBoost's JSON.
_IN_JSON = {
    "left": "left_children", "right": "right_children", "feature": "split_indices",
    "threshold": "split_conditions", "missing_go_left": "default_left",
    "gain": "loss_changes", "hessian": "sum_hessian", "weight": "base_weights",
}  # fmt: skip
# Objectives, and the name of their settings.
_OBJECTIVES = {
    "binary:logistic": "reg_loss_param",
    "reg:squarederror": "reg_loss_param",
    "multi:softprob": "softmax_multiclass_param",
}


def _take_xgboost(value: Any) -> dict[str, Any] | None:
    """The trees of a fitted model, without nodes that pruning has removed."""
    if "_Booster" not in vars(value):
        return None
    booster = value.get_booster()
    if getattr(value, "kwargs", None):
        raise NotCovered(f"the parameter {min(value.kwargs)!r}")
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    header, boosted = learner["learner_model_param"], learner["gradient_booster"]
    objective = learner["objective"]["name"]
    if boosted["name"] != "gbtree" or objective not in _OBJECTIVES:
        raise NotCovered(f"{boosted['name']} with the objective {objective}")
    model = boosted["model"]
    trees = [_taken_tree(tree) for tree in model["trees"]]
    score = json.loads(header["base_score"])
    best = learner["attributes"].get("best_iteration")
    return {
        "objective": objective,
        "n_features": int(header["num_feature"]),
        "n_classes": int(header["num_class"]),
        "n_parallel": int(model["gbtree_model_param"]["num_parallel_tree"]),
        "best_iteration": None if best is None else int(best),
        "base_score": np.atleast_1d(np.array(score, np.float64)),
        "names": list(learner["feature_names"]),
        "types": list(learner["feature_types"]),
        "sizes": np.array([len(tree["left"]) for tree in trees], np.int64),
        **{name: np.concatenate([tree[name] for tree in trees]) for name in _NODES},
    }


def _taken_tree(tree: dict[str, Any]) -> dict[str, np.ndarray]:
    if tree["categories"] or tree["tree_param"]["size_leaf_vector"] not in ("0", "1"):
        raise NotCovered("trees with categories, or with several outputs")
    left, right = np.array(tree["left_children"]), np.array(tree["right_children"])
    order, level = [np.zeros(1, np.int64)], np.zeros(1, np.int64)
    while len(level := level[left[level] >= 0]):
        level = np.column_stack([left[level], right[level]]).ravel()
        order.append(level)
    kept = np.concatenate(order)
    number = np.full(len(left) + 1, -1)  # the last is that of a missing child
    number[kept] = np.arange(len(kept))
    taken = {
        name: np.array(tree[in_json])[kept].astype(_NODES[name].dtypes[0])
        for name, in_json in _IN_JSON.items()
    }
    leaf = left[kept] < 0
    taken["left"], taken["right"] = number[left[kept]], number[right[kept]]
    taken["feature"][leaf] = 0
    return taken


def _check_xgboost(record: Record) -> None:
    fitted, dims = record.fitted, record.dims
    if fitted is None:
        return
    outputs = max(fitted["n_classes"], 1)
    several = fitted["n_classes"] > 1
    if fitted["n_classes"] == 1 or (fitted["objective"] == "multi:softprob") != several:
        raise Refused("objective: not that of so many classes")
    if (fitted["objective"] == "reg:squarederror") == (record.type == "XGBClassifier"):
        raise Refused("objective: not that of the estimator")
    score = fitted["base_score"]
    if len(score) not in (1, outputs):
        raise Refused("base_score: not one for each output")
    if fitted["objective"] == "binary:logistic" and not 0 < score[0] < 1:
        raise Refused("base_score: not a probability")
    for name in ("names", "types"):
        if fitted[name]:
            bind(dims, "d", len(fitted[name]))
    if len(set(fitted["names"])) < len(fitted["names"]):
        raise Refused("names: a feature twice")
    sizes, per_round = fitted["sizes"], outputs * fitted["n_parallel"]
    if len(sizes) == 0 or len(sizes) % per_round or sizes.sum() != dims["nodes"]:
        raise Refused("sizes: not those of the trees")
    best = fitted["best_iteration"]
    if best is not None and best >= len(sizes) // per_round:
        raise Refused("best_iteration: not one of the rounds")
    start = 0
    for size in sizes.tolist():
        _check_one(
            {name: fitted[name][start : start + size] for name in _NODES}, dims["d"]
        )
        start += size


def _check_one(tree: dict[str, np.ndarray], n_features: int) -> None:
    left, right, inner = tree["left"], tree["right"], tree["left"] >= 0
    if ((right >= 0) != inner).any():
        raise Refused("a node with one child")
    check_tree(left, right, inner, tree["feature"], n_features)
    depth = np.zeros(len(left), np.int64)
    for node in np.flatnonzero(inner).tolist():  # parents come first
        depth[[left[node], right[node]]] = depth[node] + 1
    if depth.max() > _DEEPEST:
        raise Refused(f"a tree with more than {_DEEPEST} levels")


def _make_xgboost(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = cls(**params)
    if fitted is None:
        return value
    import xgboost

    value._Booster = xgboost.Booster()
    try:
        value._Booster.load_model(bytearray(_xgboost_json(fitted).encode()))
    except xgboost.core.XGBoostError as error:
        raise Refused(f"XGBoost does not accept the trees ({error})") from None
    if "objective" in params or cls.__name__ == "XGBClassifier":
        value.objective = params.get("objective", fitted["objective"])
    if cls.__name__ == "XGBClassifier":
        value.n_classes_ = max(fitted["n_classes"], 2)
    return value


def _xgboost_json(fitted: dict[str, Any]) -> str:
    """XGBoost's JSON of checked trees.

    Numbers of type float32 are written in their shortest form, as XGBoost does.
    """
    sizes, outputs = fitted["sizes"], max(fitted["n_classes"], 1)
    per_round = outputs * fitted["n_parallel"]
    ends = np.cumsum(sizes)
    trees = [
        _tree_json(number, {name: fitted[name][end - size : end] for name in _NODES},
                   fitted["n_features"])
        for number, (size, end) in enumerate(zip(sizes, ends, strict=True))
    ]  # fmt: skip
    best, score = fitted["best_iteration"], fitted["base_score"].tolist()
    settings = {"num_class": str(outputs)} if outputs > 1 else {"scale_pos_weight": "1"}
    model = {
        "gbtree_model_param": {
            "num_parallel_tree": str(fitted["n_parallel"]),
            "num_trees": str(len(sizes)),
        },
        "iteration_indptr": list(range(0, len(sizes) + 1, per_round)),
        "tree_info": (np.arange(len(sizes)) // fitted["n_parallel"] % outputs).tolist(),
        "trees": "TREES",
    }
    document = {
        "learner": {
            "attributes": {} if best is None else {"best_iteration": str(best)},
            "feature_names": fitted["names"],
            "feature_types": fitted["types"],
            "gradient_booster": {"model": model, "name": "gbtree"},
            "learner_model_param": {
                "base_score": repr(score[0]) if len(set(score)) == 1 else repr(score),
                "boost_from_average": "1",
                "num_class": str(fitted["n_classes"]),
                "num_feature": str(fitted["n_features"]),
                "num_target": "1",
            },
            "objective": {
                "name": fitted["objective"],
                _OBJECTIVES[fitted["objective"]]: settings,
            },
        },
        "version": [2, 1, 0],
    }
    before, after = json.dumps(document).rsplit('"TREES"', 1)
    return f"{before}[{','.join(trees)}]{after}"


def _tree_json(number: int, tree: dict[str, np.ndarray], n_features: int) -> str:
    size, inner = len(tree["left"]), np.flatnonzero(tree["left"] >= 0)
    parents = np.full(size, 2**31 - 1)
    parents[tree["left"][inner]] = parents[tree["right"][inner]] = inner
    tree = {name: np.nan_to_num(values) for name, values in tree.items()}
    arrays = {_IN_JSON[name]: values for name, values in tree.items()}
    arrays |= {"parents": parents, "split_type": np.zeros(size, int)}
    empty = ("categories", "categories_nodes", "categories_segments")
    fields = [f'"{name}":[{",".join(v.astype(str))}]' for name, v in arrays.items()]
    fields += [f'"{name}":[]' for name in (*empty, "categories_sizes")]
    param = {"num_deleted": 0, "num_feature": n_features, "num_nodes": size}
    texts = {name: str(value) for name, value in param.items()}
    fields += [f'"id":{number}', f'"tree_param":{json.dumps(texts)[:-1]}']
    return "{" + ",".join(fields) + ',"size_leaf_vector":"1"}}'


_XGBOOST_PARAMS = {
    **dict.fromkeys(
        ("max_depth", "max_leaves", "max_bin", "grow_policy", "learning_rate",
         "n_estimators", "verbosity", "booster", "tree_method", "gamma",
         "min_child_weight", "max_delta_step", "subsample", "sampling_method",
         "colsample_bytree", "colsample_bylevel", "colsample_bynode", "reg_alpha",
         "reg_lambda", "scale_pos_weight", "base_score", "num_parallel_tree",
         "monotone_constraints", "interaction_constraints", "device",
         "validate_parameters", "feature_weights", "max_cat_to_onehot",
         "max_cat_threshold", "multi_strategy", "eval_metric",
         "early_stopping_rounds"), PLAIN),
    "objective": maybe(Text()), "importance_type": maybe(Text()), "n_jobs": JOBS,
    "random_state": SEED, "missing": Real(finite=False), "enable_categorical": FLAG,
    "feature_types": NOTHING, "callbacks": NOTHING,
}  # fmt: skip
_XGBOOST_FITTED = {
    "objective": one_of(*_OBJECTIVES), "n_features": length("d"),
    "n_classes": Whole(0, 2**16), "n_parallel": Whole(1, 2**16),
    "best_iteration": maybe(COUNT), "base_score": numbers("*"), "names": ListOf(Text()),
    "types": ListOf(one_of("float", "int", "i", "q")),
    "sizes": whole_numbers("trees", least=1), **_NODES,
}  # fmt: skip

# CatBoost.

# Loss functions, and whether they are of a classifier.
_LOSSES = {"MultiClass": True, "Logloss": True, "RMSE": False}
_MOST_LEVELS = 16  # of a tree in CatBoost
_NAN_TREATMENTS = ("AsIs", "AsFalse", "AsTrue")


def _take_catboost(value: Any) -> dict[str, Any] | None:
    if not value.is_fitted():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        value.save_model(path, format="json")
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
    info, features = model["model_info"], model["features_info"]
    loss = info["params"]["loss_function"]["type"]
    if loss not in _LOSSES or set(features) != {"float_features"}:
        raise NotCovered(f"trees with categories or texts, or with the loss {loss}")
    if set(model) != {
        "features_info",
        "model_info",
        "oblivious_trees",
        "scale_and_bias",
    }:
        raise NotCovered("trees that are not symmetric")
    classes = info.get("class_params", {}).get("class_names", [])
    if classes != list(range(len(classes))):
        raise NotCovered("class labels other than 0, 1, ...")
    trees = model["oblivious_trees"]
    by_number = {feature["flat_feature_index"]: feature
                 for feature in features["float_features"]}  # fmt: skip
    numbered = [by_number.get(k, {}) for k in range(value.n_features_in_)]
    borders = [np.array(one.get("borders", []), np.float32) for one in numbered]
    first = np.cumsum([0, *map(len, borders)])
    splits = [
        [
            first[split["float_feature_index"]]
            + np.searchsorted(
                borders[split["float_feature_index"]], np.float32(split["border"])
            )
            for split in tree["splits"] or []
        ]
        for tree in trees
    ]
    scale, bias = value.get_scale_and_bias()
    names = list(value.feature_names_)
    return {
        "loss": loss,
        "n_classes": len(classes),
        "names": [] if names == [str(k) for k in range(len(names))] else names,
        "nan_treatment": [
            one["nan_value_treatment"] if one.get("borders") else "AsIs"
            for one in numbered
        ],
        "n_borders": np.array([len(values) for values in borders], np.int64),
        "borders": np.concatenate(borders),
        "depths": np.array([len(tree) for tree in splits], np.int64),
        "split": np.array([number for tree in splits for number in tree], np.int64),
        "leaf_values": np.asarray(value.get_leaf_values(), np.float64),
        "leaf_weights": np.concatenate(
            [np.array(tree["leaf_weights"], np.float32) for tree in trees]
        ),
        "scale": float(scale),
        "bias": np.atleast_1d(np.array(bias, np.float64)),
    }


def _check_catboost(record: Record) -> None:
    params, fitted = record.params.get("_init_params"), record.fitted
    if not isinstance(params, dict) or not all(isinstance(k, str) for k in params):
        raise Refused("_init_params: not parameters by name")
    if fitted is None:
        return
    classes, depths = fitted["n_classes"], fitted["depths"]
    if _LOSSES[fitted["loss"]] != (record.type == "CatBoostClassifier") or (
        classes < 2 if fitted["loss"] == "MultiClass"
        else classes != (2 if fitted["loss"] == "Logloss" else 0)
    ):  # fmt: skip
        raise Refused("loss: not that of so many classes")
    outputs = classes if fitted["loss"] == "MultiClass" else 1
    bind(record.dims, "outputs", outputs)
    if fitted["names"]:
        bind(record.dims, "d", len(fitted["names"]))
    if len(set(fitted["names"])) < len(fitted["names"]):
        raise Refused("names: a feature twice")
    if fitted["n_borders"].sum() != record.dims["borders"]:
        raise Refused("n_borders: not those of the features")
    ends = np.cumsum(fitted["n_borders"])[:-1]
    rising = np.diff(fitted["borders"]) > 0
    between = np.zeros(len(rising), bool)
    between[ends[(ends > 0) & (ends <= len(rising))] - 1] = True
    if not (rising | between).all():
        raise Refused("borders: not increasing")
    if len(depths) == 0 or depths.max() > _MOST_LEVELS:
        raise Refused(f"depths: no trees, or more than {_MOST_LEVELS} levels")
    if depths.sum() != record.dims["splits"]:
        raise Refused("depths: not those of the trees")
    if (fitted["split"] >= record.dims["borders"]).any():
        raise Refused("split: at a border that is not there")
    if (2**depths).sum() * outputs != record.dims["leaves"]:
        raise Refused("leaf_values: not one for each leaf")
    if (2**depths).sum() != record.dims["weights"]:
        raise Refused("leaf_weights: not one for each leaf")


def _make_catboost(cls: Any, params: dict, fitted: dict | None) -> Any:
    known = parameters(cls)
    init = params["_init_params"]
    value = cls(**{name: init[name] for name in init if name in known})
    if fitted is None:
        return value
    import catboost

    # CatBoost reads JSON from a file only; what is in it was checked.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(_catboost_json(fitted), file)
        try:
            value.load_model(path, format="json")
        except catboost.CatBoostError as error:
            raise Refused(f"CatBoost does not accept the trees ({error})") from None
    # Exactly: CatBoost's JSON parser does not round to the nearest number.
    value.set_leaf_values(fitted["leaf_values"])
    value.set_scale_and_bias(fitted["scale"], fitted["bias"].tolist())
    value._init_params = init
    value._n_features_in = len(fitted["n_borders"])
    value._prediction_values_change = value.get_feature_importance().tolist()
    return value


def _catboost_json(fitted: dict[str, Any]) -> dict[str, Any]:
    n_borders, outputs = fitted["n_borders"], len(fitted["bias"])
    borders = np.split(fitted["borders"].astype(float), np.cumsum(n_borders)[:-1])
    feature = np.repeat(np.arange(len(n_borders)), n_borders)
    names = fitted["names"] or [""] * len(borders)
    leaves = np.cumsum(outputs * 2 ** fitted["depths"])[:-1]
    trees = zip(
        np.split(fitted["split"], np.cumsum(fitted["depths"])[:-1]),
        np.split(fitted["leaf_values"], leaves),
        np.split(fitted["leaf_weights"].astype(float), leaves // outputs),
        strict=True,
    )
    classes = list(range(fitted["n_classes"]))
    info: dict[str, Any] = {
        "params": {
            "loss_function": {"type": fitted["loss"], "params": {}},
            "flat_params": {"loss_function": fitted["loss"]},
        }
    }
    if classes:
        info["class_params"] = {
            "class_label_type": "Integer", "class_names": classes,
            "class_to_label": classes, "classes_count": 0,
        }  # fmt: skip
    return {
        "model_info": info,
        "features_info": {
            "float_features": [
                {
                    "borders": values.tolist(), "feature_id": name,
                    "feature_index": k, "flat_feature_index": k,
                    "has_nans": treatment != "AsIs", "nan_value_treatment": treatment,
                }
                for k, (values, name, treatment) in enumerate(
                    zip(borders, names, fitted["nan_treatment"], strict=True)
                )
            ]
        },
        "oblivious_trees": [
            {
                "splits": [
                    {
                        "border": float(fitted["borders"][number]),
                        "float_feature_index": int(feature[number]),
                        "split_index": int(number), "split_type": "FloatFeature",
                    }
                    for number in split
                ],
                "leaf_values": values.tolist(), "leaf_weights": weights.tolist(),
            }
            for split, values, weights in trees
        ],
        "scale_and_bias": [fitted["scale"], fitted["bias"].tolist()],
    }  # fmt: skip


_CATBOOST_FITTED = {
    "loss": one_of(*_LOSSES), "n_classes": Whole(0, 2**16), "names": ListOf(Text()),
    "nan_treatment": ListOf(one_of(*_NAN_TREATMENTS), "d"),
    "n_borders": Array("i8", ("d",), least=0, most=2**16),
    "borders": Array("f4", ("borders",)),
    "depths": whole_numbers("trees"), "split": whole_numbers("splits"),
    "leaf_values": Array("f8", ("leaves",)), "scale": Real(),
    "bias": Array("f8", ("outputs",)),
    "leaf_weights": Array("f4", ("weights",), least=0),
}  # fmt: skip

BOOSTING_TYPES = [
    *LIGHTGBM_TYPES,
    *(
        Type(
            f"catboost.core:{name}", {"_init_params": PLAIN}, _CATBOOST_FITTED,
            check=_check_catboost, take=_take_catboost, make=_make_catboost,
            any_params=True,
        )
        for name in ("CatBoostClassifier", "CatBoostRegressor")
    ),
    *(Type(
        f"xgboost.sklearn:{name}", _XGBOOST_PARAMS, _XGBOOST_FITTED,
        check=_check_xgboost, take=_take_xgboost, make=_make_xgboost, any_params=True,
    )
    for name in ("XGBClassifier", "XGBRegressor")),
]  # fmt: skip
