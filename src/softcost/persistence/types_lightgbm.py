"""LightGBM's model text, checked line by line before LightGBM parses it.

LightGBM trusts its text: a child that is not a node, a wrong length or a word in place
of a number ends the process. It also ends lines, and the text, at characters that
Python does not. Here only what `OneSidedBoosting`, `BoostedTrees`, ``LGBMClassifier``
and ``LGBMRegressor`` write is allowed:
printable ASCII, as many trees per round as there are outputs, splits on numbers and on
categories, constant leaves.

==================  ==================================================================
line of a tree      what it must hold, for m leaves
==================  ==================================================================
num_leaves          m >= 1
is_linear           0
num_cat             number c of splits on categories
cat_boundaries,     if c > 0: c + 1 increasing numbers from 0 to the number of words,
cat_threshold       and the words, sets of categories as bits
split_feature       m - 1 numbers of features
threshold           m - 1 numbers, none NaN; for a split on categories the number of its
                    set
decision_type       m - 1 of 0, 2, 4, 6, 8, 10: a split on numbers, where missing
                    values go, what is missing; one more for a split on categories
left_child,         m - 1 each: nodes after their parent, or leaves as ``-1 - number``;
right_child         every node but the first and every leaf exactly once
leaf_value          m finite numbers
all others          numbers, as many as there are leaves, splits or none
==================  ==================================================================
"""

import itertools
import math
import re
from typing import Any

import numpy as np

from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    CLASS_WEIGHT,
    JOBS,
    PLAIN,
    Kind,
    Labels,
    Real,
    Record,
    Type,
    Whole,
    bind,
    length,
    made,
    maybe,
    one_of,
)

_HEADER = {"version": "v4", "label_index": "0"}
_MOST_CLASSES = 2**16
_BY_SPLIT = (
    "split_feature", "split_gain", "threshold", "decision_type", "left_child",
    "right_child", "internal_value", "internal_weight", "internal_count",
)  # fmt: skip
_BY_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
_LINES = {"num_leaves", "num_cat", *_BY_SPLIT, *_BY_LEAF, "is_linear", "shrinkage"}
_OF_CATEGORIES = {"cat_boundaries", "cat_threshold"}
_NUMBER = re.compile(r"-?(\d+(\.\d+)?([eE][+-]?\d+)?|inf)")
_WHOLE = re.compile(r"-?\d{1,10}")
_END = "end of trees\n"


def booster_text(booster: Any) -> str:
    """The trees of a booster as text, without the parameters of its training."""
    text = booster.model_to_string(num_iteration=-1)
    head, end, _ = text.partition(_END)
    if not end:
        raise NotCovered("a LightGBM model without trees")
    try:
        check_text(head + _END)
    except Refused as error:
        raise NotCovered(f"an unsupported LightGBM model ({error})") from None
    return head + _END


def check_text(text: str) -> tuple[int, int]:
    """Refuse what LightGBM could stumble over.

    Returns
    -------
    n_features, n_classes : int
        A single output, of regression or of two classes, counts as 2 classes if it
        is a probability, else as 1.
    """
    head, _, rest = text.partition("\n\n")
    if not rest.endswith("\n\n" + _END) and rest != _END:
        raise Refused("the end marker of the trees is missing")
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        raise Refused("characters other than printable ASCII and newlines")
    first, *lines = head.split("\n")
    fields = _fields(lines)
    if first != "tree" or any(
        fields.get(name) != text for name, text in _HEADER.items()
    ):
        raise Refused("not a model in LightGBM's format v4")
    names = {
        *_HEADER,
        "num_class",
        "num_tree_per_iteration",
        "max_feature_idx",
        "feature_names",
        "feature_infos",
        "tree_sizes",
    }
    if set(fields) - {"objective"} != names:
        raise Refused("unexpected header lines")
    outputs = _whole(fields["num_class"], 1, _MOST_CLASSES)
    if fields["num_tree_per_iteration"] != fields["num_class"]:
        raise Refused("not one tree for each class")
    objectives = {"custom": 1, "regression": 1, "binary sigmoid:1": 2}
    if outputs > 1:
        objectives = {f"multiclass num_class:{outputs}": outputs}
    if fields.get("objective", "custom") not in objectives:
        raise Refused("an objective that is not known here")
    count = _whole(fields["max_feature_idx"], 0, 2**24) + 1
    if any(
        len(fields[name].split(" ")) != count
        for name in ("feature_names", "feature_infos")
    ):
        raise Refused("not one name for each feature")
    body = rest[: -len(_END)]
    sizes = [_whole(word, 1, 2**31) for word in fields["tree_sizes"].split(" ")]
    if sum(sizes) != len(body):
        raise Refused("tree_sizes: not those of the trees")
    if len(sizes) % outputs:
        raise Refused("a round without a tree for each class")
    start = 0
    for number, size in enumerate(sizes):
        _check_tree(body[start : start + size], number, count)
        start += size
    return count, objectives[fields.get("objective", "custom")]


def _fields(lines: list[str]) -> dict[str, str]:
    pairs = [line.partition("=") for line in lines]
    if any(equals == "" for _, equals, _ in pairs):
        raise Refused("a line without =")
    fields = {name: value for name, _, value in pairs}
    if len(fields) < len(pairs):
        raise Refused("a line twice")
    return fields


def _check_tree(text: str, number: int, n_features: int) -> None:
    lines = text.rstrip("\n").split("\n")
    if lines[0] != f"Tree={number}" or not text.endswith("\n\n"):
        raise Refused(f"tree {number} does not begin and end")
    fields = _fields(lines[1:])
    n_sets = _whole(fields.get("num_cat", ""), 0, 2**24)
    if set(fields) != _LINES | (_OF_CATEGORIES if n_sets else set()):
        raise Refused(f"tree {number} has other lines")
    leaves = _whole(fields["num_leaves"], 1, 2**24)
    if fields["is_linear"] != "0":
        raise Refused(f"tree {number}: is_linear is not 0")
    _numbers(fields["shrinkage"], 1)
    values = {name: _numbers(fields[name], leaves - 1) for name in _BY_SPLIT}
    for name in _BY_LEAF:
        alone = leaves == 1 and name != "leaf_value" and fields[name] == ""
        _numbers(fields[name], 0 if alone else leaves, finite=name == "leaf_value")
    splits = ("split_feature", "decision_type", "left_child", "right_child")
    for name in splits:
        if not all(_WHOLE.fullmatch(word) for word in fields[name].split()):
            raise Refused(f"tree {number}: {name} has what is no whole number")
    feature, kind = (np.array(values[name], np.int64) for name in splits[:2])
    if leaves > 1 and (feature.min() < 0 or feature.max() >= n_features):
        raise Refused(f"tree {number}: a split on a feature that is not there")
    on_categories = kind % 2 == 1
    if not np.isin(kind - on_categories, (0, 2, 4, 6, 8, 10)).all():
        raise Refused(f"tree {number}: a split of another kind")
    _check_sets(fields, n_sets, np.array(values["threshold"])[on_categories], number)
    _check_children(values["left_child"], values["right_child"], leaves, number)


def _check_sets(
    fields: dict[str, str], n_sets: int, used: np.ndarray, number: int
) -> None:
    """Refuse sets of categories that LightGBM would read beyond their end."""
    if not np.isin(used, np.arange(n_sets)).all():
        raise Refused(f"tree {number}: a split on an unknown set of categories")
    if n_sets == 0:
        return
    bounds = [_whole(word, 0, 2**31) for word in fields["cat_boundaries"].split(" ")]
    words = [_whole(word, 0, 2**32) for word in fields["cat_threshold"].split(" ")]
    if (
        len(bounds) != n_sets + 1
        or bounds[0] != 0
        or bounds[-1] != len(words)
        or any(b <= a for a, b in itertools.pairwise(bounds))
    ):
        raise Refused(f"tree {number}: sets of categories without their words")


def _check_children(left: list, right: list, leaves: int, number: int) -> None:
    children = np.array([*left, *right], np.int64)
    parents = np.tile(np.arange(leaves - 1), 2)
    nodes, ends = children[children >= 0], -1 - children[children < 0]
    if (children[children >= 0] <= parents[children >= 0]).any():
        raise Refused(f"tree {number}: a child before its parent")
    whole = np.array_equal(np.sort(nodes), np.arange(1, leaves - 1))
    if leaves > 1 and not (whole and np.array_equal(np.sort(ends), np.arange(leaves))):
        raise Refused(f"tree {number}: nodes that are no tree")


def _whole(text: str, least: int, most: int) -> int:
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise Refused(f"{text[:40]!r} is not from {least} to {most}")
    return int(text)


def _numbers(text: str, count: int, finite: bool = False) -> list[float]:
    words = text.split(" ") if text else []
    if len(words) != count or not all(_NUMBER.fullmatch(word) for word in words):
        raise Refused(f"not {count} numbers")
    values = [float(word) for word in words]
    if finite and not all(map(math.isfinite, values)):
        raise Refused("a leaf without a finite value")
    return values


class Booster(Kind):
    """A booster of LightGBM, kept as its text."""

    def write(self, value: Any, out: Any) -> Any:
        text = booster_text(value)
        return {"lightgbm": out.array(np.frombuffer(text.encode("ascii"), np.uint8))}

    def read(self, node: Any, source: Any, dims: Any) -> Any:
        if not isinstance(node, dict) or set(node) != {"lightgbm"}:
            raise Refused("not a booster")
        content = source.array(node["lightgbm"])
        if content.dtype != np.uint8 or content.ndim != 1 or content.size == 0:
            raise Refused("not a booster")
        text = content.tobytes().decode("latin-1")
        dims["boosted"], dims["boosted_classes"] = check_text(text)
        return text


def make_booster(text: str | None) -> Any:
    """The booster of a checked text."""
    if text is None:
        return None
    try:
        import lightgbm
    except ImportError:
        raise ImportError(
            "the model holds LightGBM trees: pip install lightgbm."
        ) from None
    return lightgbm.Booster(model_str=text)


# LightGBM's estimators for scikit-learn.
#
# They pass all parameters on to compiled code when they predict, as text: so words come
# from short lists, and parameters beyond the signature are a few numbers.

_NUMERIC = frozenset(
    {"verbose", "verbosity", "force_row_wise", "force_col_wise", "deterministic",
     "extra_trees", "max_bin", "path_smooth", "cat_smooth", "cat_l2",
     "max_cat_threshold", "max_cat_to_onehot", "min_data_per_group", "min_data_in_bin"}
)  # fmt: skip
_PARAMS = {
    "boosting_type": one_of("gbdt", "dart", "goss"),
    "objective": maybe(one_of("binary", "multiclass", "regression")),
    "importance_type": one_of("split", "gain"), "class_weight": CLASS_WEIGHT,
    "n_jobs": JOBS, "random_state": maybe(Whole(0, 2**31)), "_other_params": PLAIN,
    **dict.fromkeys(
        ("num_leaves", "max_depth", "n_estimators", "subsample_for_bin",
         "min_child_samples", "subsample_freq"), Whole()),
    **dict.fromkeys(
        ("learning_rate", "min_split_gain", "min_child_weight", "subsample",
         "colsample_bytree", "reg_alpha", "reg_lambda"), Real()),
}  # fmt: skip
_FITTED: dict[str, Kind] = {
    "_Booster": Booster(), "best_iteration": Whole(-1, 2**31),
    "n_features": length("d"), "has_names": Whole(0, 1),
}  # fmt: skip


def _take_estimator(value: Any) -> dict[str, Any] | None:
    if getattr(value, "_Booster", None) is None:
        return None
    booster = value.booster_
    if booster.pandas_categorical:
        raise NotCovered("trees on categories of a data frame")
    fitted = {
        "_Booster": booster,
        "best_iteration": int(booster.best_iteration),
        "n_features": int(value._n_features),
        "has_names": int(getattr(value, "_fitted_with_feature_names", False)),
    }
    if hasattr(value, "predict_proba"):
        fitted["classes"] = np.asarray(value.classes_)
    return fitted


def _check_estimator(record: Record) -> None:
    others: Any = record.params.get("_other_params", {})
    if not isinstance(others, dict) or not set(others) <= _NUMERIC:
        raise Refused("_other_params: not parameters that are allowed")
    if not all(isinstance(value, bool | int | float) for value in others.values()):
        raise Refused("_other_params: not numbers")
    if record.fitted is not None:
        bind(record.dims, "d", record.dims["boosted"])
        many = record.dims["K"] if record.type == "LGBMClassifier" else 1
        bind(record.dims, "boosted_classes", many)


def _make_estimator(cls: Any, params: dict, fitted: dict | None) -> Any:
    others = params.pop("_other_params", {})
    value = made(cls, {**params, **others}, None)
    if fitted is None:
        return value
    booster = make_booster(fitted["_Booster"])
    booster.best_iteration = fitted["best_iteration"]
    attributes = {
        "_Booster": booster,
        "_best_iteration": fitted["best_iteration"],
        "_n_features": fitted["n_features"],
        "_n_features_in": fitted["n_features"],
        "_fitted_with_feature_names": bool(fitted["has_names"]),
        "fitted_": True,
    }
    objective = "regression"
    if "classes" in fitted:
        from sklearn.preprocessing import LabelEncoder

        classes = fitted["classes"]
        objective = "multiclass" if len(classes) > 2 else "binary"
        attributes |= {
            "_classes": classes,
            "_n_classes": len(classes),
            "_le": made(LabelEncoder, {}, {"classes_": classes}),
            "_class_map": {label: label for label in range(len(classes))},
        }
    value.__dict__.update(attributes, _objective=params.get("objective") or objective)
    return value


LIGHTGBM_TYPES = [
    Type(
        f"lightgbm.sklearn:{name}", _PARAMS,
        _FITTED | ({"classes": Labels("K")} if name == "LGBMClassifier" else {}),
        check=_check_estimator, take=_take_estimator, make=_make_estimator,
        any_params=True,
    )
    for name in ("LGBMClassifier", "LGBMRegressor")
]  # fmt: skip
