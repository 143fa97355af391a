"""Schemas of scikit-learn's histogram-boosted trees."""

from typing import Any

import numpy as np

from softcost.models._array_kinds import (
    Array,
    numbers,
    whole_numbers,
)
from softcost.models._common_kinds import (
    CLASS_WEIGHT,
    FLAG,
    PLAIN,
    SEED,
    VERBOSE,
)
from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import (
    Real,
    Record,
    Text,
    Whole,
    bind,
    either,
    maybe,
    one_of,
)
from softcost.models._schema import FEATURES, Type, made
from softcost.models._tree_types import BYTES, NAMED, check_tree
from softcost.models._values import Labels

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


HIST_TYPES = [
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
