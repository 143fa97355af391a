"""Histogram-based gradient boosting with categorical features, saved and loaded."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from crafted import npy, opened, outcomes, signed
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression

import softcost
from softcost import MinimumExpectedCost, SoftCostClassifierCV
from softcost.persistence import ModelFileError
from softcost.reductions import BlendedClassifier

COSTS = [[0, 1, 5], [2, 0, 5], [9, 8, 0.0]]


def table(n=120):
    """Words, whole numbers and truth values as categories, with gaps, and numbers."""
    rng = np.random.default_rng(0)
    words = rng.choice(["red", "green", "blue", "öl"], n).astype(object)
    words[::13] = None
    sizes = pd.Series(rng.choice([3, 10, 200], n))
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n),
            "colour": pd.Categorical(words, ["red", "green", "blue", "öl", "never"]),
            "size": pd.Categorical(sizes),
            "flag": pd.Categorical(rng.random(n) < 0.3),
            "width": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    y = (words == "red").astype(int) + (words == "blue") * (sizes == 10).astype(int)
    return X, np.where(X["length"] > 1, 2, y)


def coded():
    """The same as numbers, of which some are categories."""
    X, y = table()
    codes = {name: X[name].cat.codes for name in ("colour", "size", "flag")}
    return X.assign(**codes).to_numpy(float), y


def small(kind=HistGradientBoostingClassifier, **options):
    return kind(max_iter=5, min_samples_leaf=2, random_state=0, **options)


def fitted(name):
    """(model, rows that it predicts) of each way to name categorical features."""
    X, y = table()
    numbers, _ = coded()
    models = {
        "dtype": (small(categorical_features="from_dtype"), X, y),
        "two classes": (small(categorical_features="from_dtype"), X, y > 0),
        "names": (small(categorical_features=["colour"]), X[["colour", "width"]], y),
        "mask": (small(categorical_features=[False, True, True, True, False]),
                 numbers, y),
        "all": (small(categorical_features=[0, 1]), numbers[:, 1:3], y),
        "frame of numbers": (small(categorical_features=["b"]),
                             pd.DataFrame(numbers[:, :2], columns=["a", "b"]), y),
        "few bins": (small(categorical_features=[1], max_bins=8), numbers, y),
        "regression": (small(HistGradientBoostingRegressor,
                             categorical_features="from_dtype"), X, y * 1.5),
        "many": (small(categorical_features=[0]),
                 np.arange(400)[:, None] % 200 * 1.0, np.arange(400) % 200 % 7),
        "stopped early": (small(categorical_features="from_dtype", early_stopping=True),
                          X, y),
    }  # fmt: skip
    model, rows, target = models[name]
    return model.fit(rows, target), with_unknown(rows)


WAYS = [
    "dtype", "two classes", "names", "mask", "all", "frame of numbers", "few bins",
    "regression", "many", "stopped early",
]  # fmt: skip


def with_unknown(rows):
    """Rows, and some with categories that are missing or were never fitted on."""
    if not isinstance(rows, pd.DataFrame):
        return np.vstack([rows, np.full(rows.shape[1], np.nan), rows[0] + 250, -rows])
    new = rows.head(6).copy()
    for name in new:
        if isinstance(new[name].dtype, pd.CategoricalDtype):
            new[name] = new[name].cat.add_categories(["strange"]).fillna("strange")
            new[name] = ["strange", None, *new[name].iloc[2:]]
    return pd.concat([rows.astype(object), new.astype(object)], ignore_index=True)


def scores(model, X):
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)


@pytest.mark.parametrize("way", WAYS)
def test_predictions_are_the_same(way, tmp_path):
    model, X = fitted(way)
    softcost.save(model, tmp_path / "m")
    loaded = softcost.load(tmp_path / "m")
    assert np.array_equal(scores(loaded, X), scores(model, X))
    assert np.array_equal(loaded.is_categorical_, model.is_categorical_)
    stages = zip(loaded.staged_predict(X), model.staged_predict(X), strict=True)
    assert all(np.array_equal(a, b) for a, b in stages)
    softcost.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_another_process_predicts_the_same(tmp_path):
    model, X = fitted("dtype")
    softcost.save(model, tmp_path / "m")
    X.to_pickle(tmp_path / "rows")
    code = (
        "import sys, numpy, pandas, softcost\n"
        "X = pandas.read_pickle(sys.argv[2])\n"
        "numpy.save(sys.argv[3], softcost.load(sys.argv[1]).predict_proba(X))\n"
    )
    paths = [tmp_path / name for name in ("m", "rows", "out.npy")]
    subprocess.run([sys.executable, "-c", code, *map(str, paths)], check=True)
    assert np.array_equal(np.load(paths[2]), model.predict_proba(X))


def test_trees_go_on_growing(tmp_path):
    """A warm start predicts the rows that are binned, with other bitsets."""
    X, y = coded()
    model = small(categorical_features=[1, 2], warm_start=True).fit(X, y)
    softcost.save(model, tmp_path / "m")
    loaded = softcost.load(tmp_path / "m")
    binned = loaded._predictors[0][0].binned_left_cat_bitsets
    assert np.array_equal(binned, model._predictors[0][0].binned_left_cat_bitsets)


@pytest.mark.parametrize("frame", [True, False])
def test_inside_of_a_reduction_and_of_a_blend(frame, tmp_path):
    X, y = coded()
    if frame:
        X = pd.DataFrame(X, columns=list("abcde"))
    X = np.nan_to_num(X) if not frame else X.fillna(0)
    trees = small(categorical_features=[1, 2])
    blend = BlendedClassifier(
        [("trees", trees), ("line", LogisticRegression())], weights=[0.6, 0.4]
    )
    for learner in (trees, blend):
        model = MinimumExpectedCost(learner, cost_matrix=COSTS).fit(X, y)
        softcost.save(model, tmp_path / "m")
        found = softcost.load(tmp_path / "m").decision_function(X)
        assert np.array_equal(found, model.decision_function(X))
    search = SoftCostClassifierCV(
        MinimumExpectedCost(blend), cost_matrix=COSTS, softness=2, cv=2
    ).fit(X, y)
    softcost.save(search, tmp_path / "m")
    found = softcost.load(tmp_path / "m")
    assert np.array_equal(found.decision_function(X), search.decision_function(X))


def file_with(content, change):
    """A file whose arrays and description were changed; its checksums are right."""
    manifest, members = opened(content)
    structure = json.loads(members["structure.json"])
    node = structure["fitted"]

    def array(name, function):
        member = f"arrays/{node[name]['array']}.npy"
        values = np.load(io.BytesIO(members[member])).copy()
        out = function(values)
        members[member] = npy(np.ascontiguousarray(values if out is None else out))

    change(node, array)
    members["structure.json"] = json.dumps(structure).encode()
    return signed(manifest, members)


def put(name, value, where=slice(None)):
    """Put a value into an array."""

    def change(node, array):
        def put_value(values):
            values[where] = value

        array(name, put_value)

    return change


def other(name, function):
    return lambda node, array: array(name, function)


def without(name):
    return lambda node, array: node.pop(name)


def with_words(words):
    def change(node, array):
        node["categories"][0] = {"objects": words, "shape": [len(words)]}

    return change


def first_tree_beyond(node, array):
    """Number the first tree's bitsets as if it had one more: the next tree's first."""
    sizes = {}
    array("bitset_counts", lambda a: sizes.update(bitsets=int(a.ravel()[0])))
    array("sizes", lambda a: sizes.update(nodes=int(a.ravel()[0])))
    put("bitset_idx", sizes["bitsets"], slice(sizes["nodes"]))(node, array)


BAD = {
    "bitsets of 7 words": other("raw_left_cat_bitsets", lambda a: a[:, :7]),
    "bitsets of 9 words": other("binned_left_cat_bitsets", lambda a: np.c_[a, a[:, 0]]),
    "bitsets of other numbers": other("raw_left_cat_bitsets", lambda a: a.astype("i8")),
    "fewer bitsets": other("raw_left_cat_bitsets", lambda a: a[:-1]),
    "fewer binned bitsets": other("binned_left_cat_bitsets", lambda a: a[:-1]),
    "other counts": put("bitset_counts", 0),
    "endless counts": put("bitset_counts", 2**62),
    "a bitset far away": put("bitset_idx", 2**31),
    "a bitset of the next tree": first_tree_beyond,
    "a category far away": put("raw_left_cat_bitsets", 2**31),
    "splits of numbers by category": put("is_categorical_split", 1),
    "a split of no kind": put("is_categorical_split", 2),
    "categories of a number": put("feature_idx", 4),
    "no such feature": put("feature_idx", 5),
    "a feature far away": put("feature_idx", 2**40),
    "another feature is categorical": put("is_categorical_", True),
    "none is categorical": put("is_categorical_", False),
    "a mask of other length": other("is_categorical_", lambda a: a[:-1]),
    "a mask of numbers": other("is_categorical_", lambda a: a.astype("i8")),
    "more categories": with_words([f"w{i}" for i in range(300)]),
    "fewer categories": with_words(["red"]),
    "no categories": with_words([]),
    "categories that are lists": lambda node, array: node.update(categories=[1, 2, 3]),
    "one list of categories less": lambda node, array: node["categories"].pop(),
    "more bins": put("n_bins", 200),
    "without bitsets": without("raw_left_cat_bitsets"),
    "without categories": without("categories"),
    "without a mask": without("is_categorical_"),
    "without splits": without("is_categorical_split"),
}


def test_crafted_files_are_refused(tmp_path):
    """In one sentence, and without taking memory."""
    model, _ = fitted("dtype")
    softcost.save(model, tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    paths = []
    for number, change in enumerate(BAD.values()):
        paths.append(tmp_path / f"bad{number}")
        paths[-1].write_bytes(file_with(content, change))
    found = outcomes(paths, np.zeros((2, 5)))
    assert dict(zip(BAD, found, strict=True)) == dict.fromkeys(BAD, "refused")


def test_the_refusal_names_the_field(tmp_path):
    model, _ = fitted("dtype")
    softcost.save(model, tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    for name, field in (
        ("a bitset of the next tree", "bitset_idx"),
        ("a bitset far away", "bitset_idx"), ("categories of a number", "feature_idx"),
        ("a category far away", "raw_left_cat_bitsets"),
        ("fewer categories", "categories"), ("other counts", "bitset_counts"),
        ("without categories", "categories"),
    ):  # fmt: skip
        (tmp_path / "bad").write_bytes(file_with(content, BAD[name]))
        with pytest.raises(ModelFileError, match=field):
            softcost.load(tmp_path / "bad")


def test_categories_that_a_search_would_not_find(tmp_path):
    """Numbers are found by binary search, so they must be in order."""
    X, y = coded()
    model = small(categorical_features=[1]).fit(X, y)
    softcost.save(model, tmp_path / "m")
    content = (tmp_path / "m").read_bytes()

    def turned(node, array):
        node["categories"][0] = {"array": 999}

    manifest, members = opened(file_with(content, turned))
    old = json.loads(opened(content)[1]["structure.json"])["fitted"]["categories"][0]
    values = members.pop(f"arrays/{old['array']}.npy")
    turned_round = np.load(io.BytesIO(values))[::-1].copy()
    members["arrays/999.npy"] = npy(turned_round)
    (tmp_path / "bad").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError, match="categories"):
        softcost.load(tmp_path / "bad")
