"""Details of the file format, each by itself and without a file where that is enough.

What all models have in common is in `test_schemas`.
"""

import json
import os

import numpy as np
import pandas as pd
import pytest
from crafted import opened, refuses, signed
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import make_constraint

import softcost
from softcost import CostSensitiveOneVsOne, KernelSVC, MinimumExpectedCost
from softcost.linear import LinearClassifier, NystroemClassifier
from softcost.persistence import ModelFileError
from softcost.persistence.archive import (
    NotCovered,
    Refused,
    opened_zip,
    read_array,
    stored_array,
)
from softcost.persistence.codec import Writer, registry
from softcost.persistence.manifest import are_features, check_costs, is_table
from softcost.persistence.schema import (
    Either,
    Record,
    Whole,
    is_fitted,
    length,
    read_cell,
)
from softcost.persistence.skops_types import refused_type
from softcost.persistence.types_lightgbm import check_text
from softcost.reductions import CATALOGUE
from softcost.search import RandomizedPair

TREE = """num_leaves=3
num_cat=0
split_feature=0 1
split_gain=1 2
threshold=0.5 1e-3
decision_type=2 10
left_child=1 -1
right_child=-3 -2
leaf_value=1 -2 3
leaf_weight=1 2 3
leaf_count=1 2 3
internal_value=0 0
internal_weight=0 0
internal_count=6 3
is_linear=0
shrinkage=1
"""
ALONE = """num_leaves=1
num_cat=0
split_feature=
split_gain=
threshold=
decision_type=
left_child=
right_child=
leaf_value=0.25
leaf_weight=
leaf_count=
internal_value=
internal_weight=
internal_count=
is_linear=0
shrinkage=1
"""
HEADER = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=custom
feature_names=a b
feature_infos=[0:1] none
tree_sizes="""


def check(record):
    """Check a record as reading a file does."""
    registry()[record.type].check(record)


def text_of(*trees, header=HEADER):
    """LightGBM's text of some trees."""
    numbered = [f"Tree={number}\n{one}\n\n" for number, one in enumerate(trees)]
    sizes = " ".join(str(len(one)) for one in numbered)
    return f"{header}{sizes}\n\n{''.join(numbered)}end of trees\n"


def test_texts_of_trees():
    assert check_text(text_of(TREE)) == (2, 1)
    assert check_text(text_of(TREE, ALONE, TREE)) == (2, 1)
    assert check_text(text_of(TREE, header=HEADER.replace("objective=custom\n", "")))


NO_MODEL = "not a model of one output"
OTHER_LINES, NO_NAME = "a header with other lines", "not one name for each feature"
HEADERS = {
    "\nversion=v4": ("\nversion=v3", NO_MODEL), "tree\n": ("trees\n", NO_MODEL),
    "num_class=1": ("num_class=2", NO_MODEL),
    "per_iteration=1": ("per_iteration=2", NO_MODEL),
    "label_index=0": ("label_index=1", NO_MODEL), "idx=1": ("idx=2", NO_NAME),
    "idx=1\n": ("idx=-1\n", "'-1' is not from 0 to 16777216"),
    "idx=1\nobj": ("idx=16777217\nobj", "'16777217' is not from 0 to 16777216"),
    "idx=1\nob": ("idx=16777216\nob", NO_NAME), "=a b": ("=a b c", NO_NAME),
    "objective=custom": ("objective=binary", OTHER_LINES),
    "infos=[0:1] none": ("infos=none", NO_NAME),
    "\nfeature_names": ("\nnames", OTHER_LINES),
    "objective": ("more=1\nobjective", OTHER_LINES),
    "label_index=0\n": ("label_index=0\nalone\n", "a line without ="),
    "version=v4\n": ("version=v4\nversion=v4\n", "a line twice"),
}  # fmt: skip


@pytest.mark.parametrize("old", list(HEADERS))
def test_headers_of_trees(old):
    assert old in HEADER
    new, words = HEADERS[old]
    bad = text_of(TREE, header=HEADER.replace(old, new))
    with refuses(words):
        check_text(bad)


FEATURE, KIND = "a split on a feature that is not there", "a split of another kind"
EARLY, NO_TREE = "a child before its parent", "nodes that are no tree"
TREES = [
    ("num_leaves=3", "num_leaves=4", "not 3 numbers"),
    ("num_leaves=3", "num_leaves=0", "'0' is not from 1 to 16777216"),
    ("num_leaves=3", "num_leaves=16777216", "not 16777215 numbers"),
    ("num_leaves=3", "num_leaves=16777217", "'16777217' is not from 1 to 16777216"),
    ("num_leaves=3", "num_leaves=x", "'x' is not from"),
    ("num_cat=0", "num_cat=1", "tree 1: num_cat is not 0"),
    ("is_linear=0", "is_linear=1", "tree 1: is_linear is not 0"),
    ("shrinkage=1", "shrinkage=", "not 1 numbers"),
    ("shrinkage=1\n", "shrinkage=1\nmore=1\n", "tree 1 has other lines"),
    ("split_feature=0 1", "split_feature=0 2", f"tree 1: {FEATURE}"),
    ("split_feature=0", "split_feature=-1", f"tree 1: {FEATURE}"),
    ("split_feature=0", "split_feature=0.5", "tree 1: split_feature has what"),
    *(("type=2 10", f"type=2 {odd}", f"tree 1: {KIND}") for odd in (1, 3, 5, 7, 9, 12)),
    ("type=2 10", "type=2", "not 2 numbers"), ("type=2", "type=-2", f"tree 1: {KIND}"),
    ("left_child=1 -1", "left_child=0 -1", f"tree 1: {EARLY}"),
    ("left_child=1 -1", "left_child=1 1", f"tree 1: {EARLY}"),
    ("left_child=1 -1", "left_child=1 -2", f"tree 1: {NO_TREE}"),
    ("left_child=1 -1", "left_child=1 -4", f"tree 1: {NO_TREE}"),
    ("left_child=1 -1", "left_child=1 -1.0", "tree 1: left_child has what"),
    ("left_child=1 -1", "left_child=-1 -1", f"tree 1: {NO_TREE}"),
    ("right_child=-3 -2", "right_child=-3 2", f"tree 1: {NO_TREE}"),
    ("right_child=-3 -2", "right_child=2 -2", f"tree 1: {NO_TREE}"),
    ("threshold=0.5", "threshold=nan", "not 2 numbers"),
    ("leaf_value=1", "leaf_value=inf", "a leaf without a finite value"),
    ("leaf_value=1 ", "leaf_value=", "not 3 numbers"),
    ("leaf_count=1 2 3", "leaf_count=", "not 3 numbers"),
    ("leaf_weight=1 2 3", "leaf_weight=1 2", "not 3 numbers"),
    ("internal_count=6 3\n", "", "tree 1 has other lines"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), TREES)
def test_lines_of_trees(old, new, words):
    assert old in TREE
    with refuses(words):
        check_text(text_of(ALONE, TREE.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("type=2 10", f"type=2 {kind}") for kind in (0, 2, 4, 6, 8, 10)),
        ("leaf_weight=1", "leaf_weight=inf"), ("threshold=0.5", "threshold=-inf"),
        ("split_gain=1", "split_gain=-1.5e-7"), ("leaf_value=1", "leaf_value=-1E+3"),
    ],
)  # fmt: skip
def test_other_lines_of_good_trees(old, new):
    assert old in TREE
    assert check_text(text_of(TREE.replace(old, new))) == (2, 1)


def test_lines_of_a_tree_of_one_leaf():
    for old, new in (("leaf_weight=", "leaf_weight=2"), ("leaf_count=", "leaf_count=7"),
                     ("leaf_value=0.25", "leaf_value=-1e-3")):  # fmt: skip
        assert check_text(text_of(ALONE.replace(old, new))) == (2, 1)
    for old, new, words in (
        ("leaf_value=0.25", "leaf_value=", "not 1 numbers"),
        ("leaf_value=0.25", "leaf_value=inf", "a leaf without a finite value"),
        ("leaf_weight=", "leaf_weight=1 2", "not 1 numbers"),
        ("left_child=", "left_child=-1", "not 0 numbers"),
        ("split_gain=", "split_gain=1", "not 0 numbers"),
    ):
        with refuses(words):
            check_text(text_of(ALONE.replace(old, new)))


def chain(leaves):
    """A tree that splits its last leaf off each time, on another feature."""
    inner = leaves - 1
    numbers = " ".join(["1"] * leaves)
    splits = " ".join(["1"] * inner)
    lines = {
        "num_leaves": leaves, "num_cat": 0,
        "split_feature": " ".join(map(str, range(inner))), "split_gain": splits,
        "threshold": splits, "decision_type": " ".join(["2"] * inner),
        "left_child": " ".join([*map(str, range(1, inner)), str(-leaves)]),
        "right_child": " ".join(str(-1 - leaf) for leaf in range(inner)),
        "leaf_value": numbers, "leaf_weight": numbers, "leaf_count": numbers,
        "internal_value": splits, "internal_weight": splits, "internal_count": splits,
        "is_linear": 0, "shrinkage": 1,
    }  # fmt: skip
    return "".join(f"{name}={value}\n" for name, value in lines.items())


def test_texts_of_many_leaves_and_features():
    header = HEADER.replace("idx=1", "idx=99")
    header = header.replace("=a b", "=" + " ".join(f"f{i}" for i in range(100)))
    header = header.replace("=[0:1] none", "=" + " ".join(["none"] * 100))
    assert check_text(text_of(chain(101), header=header)) == (100, 1)
    for old, new, words in (
        ("split_feature=0", "split_feature=100", FEATURE),
        ("left_child=-2", "left_child=-1", NO_TREE),
    ):
        with refuses(words):
            check_text(text_of(chain(2).replace(old, new), header=header))
    for first in ("1 2 0", "0 2 -4", "1 0 -4"):  # the root is nobody's child
        bad = chain(4).replace("left_child=1 2 -4", f"left_child={first}")
        assert bad != chain(4)
        with pytest.raises(Refused):
            check_text(text_of(bad, header=header))


def test_ends_of_trees():
    good = text_of(TREE, ALONE)
    first, second = (len(f"Tree={n}\n{one}\n\n") for n, one in ((0, TREE), (1, ALONE)))
    sizes, letters = f"={first} {second}", "letters that are not ASCII"
    for old, new, words in (
        ("end of trees\n", "end of trees", "the trees do not end"),
        ("\n\n\nend of trees\n", "\nend of trees\n", "the trees do not end"),
        ("Tree=1", "Tree=2", "tree 1 does not begin and end"),
        ("Tree=0", "Tree=5", "tree 0 does not begin and end"),
        (sizes, f"={first + 1} {second - 1}", "tree 0 does not begin and end"),
        (sizes, f"={first - 2} {second + 2}", "tree 0 does not begin and end"),
        (sizes, f"={first} {second + 1}", "tree_sizes: not those of the trees"),
        (sizes, f"={first} {second} 0", "'0' is not from 1 to 2147483648"),
        (sizes, f"={first} 2147483649", "'2147483649' is not from 1 to 2147483648"),
        (sizes, f"={first} 2147483648", "tree_sizes: not those of the trees"),
        ("leaf_v", "léaf_v", letters), ("=a b", "=a\x0bb b", letters),
        ("=a b", "=a\x7f b", letters), ("=a b", "=ä b", letters),
    ):  # fmt: skip
        assert old in good
        with refuses(words):
            check_text(good.replace(old, new))
    with refuses("tree_sizes"):
        check_text(f"{HEADER}5\n\nend of trees\n")


def test_arrays_of_every_type():
    for kind in (
        "b1",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f4",
        "f8",
        "U3",
    ):
        values = np.array([[0, 1, 1], [1, 0, 1]]).astype(kind)
        found = read_array(stored_array(values))
        assert found.dtype == values.dtype
        assert np.array_equal(found, values)
        swapped = values.astype(values.dtype.newbyteorder(">"))
        assert read_array(stored_array(swapped)).dtype == values.dtype
    for kind in ("f2", "c8", "O", "M8[s]", "S3", "V2"):
        with pytest.raises(NotCovered):
            stored_array(np.zeros(2, kind))


def test_directories_are_counted_before_they_are_read():
    with refuses("too many parts"):
        opened_zip(b"PK\x01\x02" * 10**6)


def test_a_file_that_cannot_be_opened(tmp_path):
    """What the system says, and not that it is no model."""
    loop = tmp_path / "loop"
    os.symlink(loop, loop)
    with pytest.raises(OSError, match="symbolic links") as caught:
        softcost.load(loop)
    assert not isinstance(caught.value, ModelFileError)
    with pytest.raises(ModelFileError, match="is a directory"):
        softcost.load(tmp_path)


def encoder(words, groups=None, **params):
    return Record("OneHotEncoder", params, {"categories_": words, "groups": groups})


def test_categories_and_their_groups():
    words, numbers = np.array(["b", "a", "c"], object), np.array([1.0, 2.0, np.nan])
    good = encoder([words, numbers], [None, None])
    check(good)
    assert good.dims["outputs"] == 6
    rare = encoder([words], [np.array([1, 0, 1])], max_categories=2)
    check(rare)
    assert rare.dims["outputs"] == 2
    for bad in (
        encoder([words[:0]], [None]), encoder([words[None]], [None]),
        encoder([None], [None]), encoder([numbers[::-1]], [None]),
        encoder([words], [np.array([1, 0])], max_categories=2),
        encoder([words], [np.array([2, 0, 2])], max_categories=2),
        encoder([words], [np.array([1, 0, 1])]),
    ):  # fmt: skip
        with pytest.raises(Refused):
            check(bad)


def test_rare_categories_are_still_known(tmp_path):
    X = np.array([["a"], ["a"], ["b"], ["c"], ["a"], ["c"]], object)
    model = make_pipeline(
        OneHotEncoder(sparse_output=False, max_categories=2), DecisionTreeClassifier()
    ).fit(X, [0, 1, 0, 1, 0, 1])
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")[0]
    (rare,), (wanted,) = found.infrequent_categories_, model[0].infrequent_categories_
    assert rare.tolist() == wanted.tolist() == ["b", "c"]


def test_intercepts_of_ridge():
    row, rows = np.zeros(4), np.zeros((3, 4))
    for coef, intercept in ((row, 0.0), (rows, 0.0), (rows, np.zeros(3))):
        check(Record("Ridge", {}, {"coef_": coef, "intercept_": intercept}))
    for coef, intercept in ((row, np.zeros(4)), (rows, np.zeros(4)), (row, rows)):
        with refuses("intercept_"):
            check(Record("Ridge", {}, {"coef_": coef, "intercept_": intercept}))


FEATURES = {"count": 2, "names": ["a", "b"], "dtypes": {"a": "f8"}}


def test_forms_of_a_manifest():
    for good in (FEATURES, FEATURES | {"names": None}, FEATURES | {"names": None,
                 "count": None}, FEATURES | {"dtypes": {}}):  # fmt: skip
        assert are_features(good)
    for change in ({"count": -1}, {"count": 3}, {"names": [1, 2]}, {"names": "ab"},
                   {"dtypes": None}, {"dtypes": {"a": 1}}, {"more": 1},
                   {"names": None, "count": 2**31}, {"names": None, "count": True},
                   {"names": None, "count": "2"}):  # fmt: skip
        assert not are_features(FEATURES | change)
    for bad in (None, [], {}, {"count": 2}, "text"):
        assert not are_features(bad)
    for good in (None, {"columns": [], "rows": []},
                 {"columns": ["a"], "rows": [[1], [2]]}):  # fmt: skip
        assert is_table(good)
    for bad in ([], {"columns": ["a"]}, {"columns": ["a"], "rows": [[1], [1, 2]]},
                {"columns": ["a"], "rows": [1]}, {"columns": {}, "rows": []},
                {"columns": [], "rows": {}}):  # fmt: skip
        assert not is_table(bad)


def test_prices_of_a_manifest():
    def check(costs, classes=("a", "b"), actions=("a", "b")):
        check_costs(
            {"costs": costs, "classes": list(classes), "actions": list(actions)},
            "model",
        )

    for good in (None, "by example", [[0, 9e299], [1, 0.5]]):
        check(good)
    check([[0, 1, 2], [1, 0, 2]], actions=("a", "b", "ask"))
    for bad in ([[0, 1e300], [1, 0]], [[0, 1]], [[0, 1], [1]], [[0, True], [1, 0]],
                [[0, "1"], [1, 0]], [0, 1], [[0, 1], [1, 0], [1, 1]]):  # fmt: skip
        with refuses("has another form", ModelFileError):
            check(bad)


def rows():
    X, y = load_iris(return_X_y=True)
    return X[::5], y[::5]


@pytest.mark.parametrize("learner", [KernelSVC, LinearClassifier, NystroemClassifier])
def test_pairs_that_nobody_decides(learner, tmp_path):
    """Of two classes that cost the same no row has a weight: scores are NaN."""
    free = [[0, 5, 0], [1, 0, 1], [0, 5, 0]]
    model = CostSensitiveOneVsOne(learner(), cost_matrix=free).fit(*rows())
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    assert np.array_equal(found.predict(rows()[0]), model.predict(rows()[0]))


def test_vectors_of_other_features_than_the_machine_takes(tmp_path):
    softcost.save(KernelSVC().fit(*rows()), tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    text = members["structure.json"].decode()
    assert text.count('"n_features_in_":4') + text.count('"n_features_in_": 4') == 1
    for old in ('"n_features_in_":4', '"n_features_in_": 4'):
        text = text.replace(old, '"n_features_in_": 5')
    manifest["features"]["count"] = 5
    changed = members | {"structure.json": text.encode()}
    (tmp_path / "model").write_bytes(signed(manifest, changed))
    with refuses("there are 4 where 5 belong", ModelFileError):
        softcost.load(tmp_path / "model")


@pytest.mark.parametrize("word", list(CATALOGUE))
def test_reductions_of_one_class_and_without_names(word, tmp_path):
    """What need not be there: names of columns, and all that is learnt of one class."""
    reduction, (X, _) = CATALOGUE[word].load(), rows()
    for table in (X, pd.DataFrame(X, columns=list("abcd"))):
        model = reduction().fit(table, ["only"] * len(X))
        softcost.save(model, tmp_path / "model")
        found = softcost.load(tmp_path / "model")
        assert set(found.predict(table)) == {"only"}
        assert hasattr(found, "feature_names_in_") == isinstance(table, pd.DataFrame)


@pytest.mark.parametrize("word", ["csft", "csovo"])
def test_reductions_without_names(word, tmp_path):
    X, y = rows()
    model = CATALOGUE[word].load()(LogisticRegression()).fit(X, y)
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    assert np.array_equal(found.predict(X), model.predict(X))


def test_a_search_that_fitted_nothing(tmp_path):
    X, y = rows()
    search = softcost.SoftCostClassifierCV(
        MinimumExpectedCost(DecisionTreeClassifier()), softness=2, cv=2, refit=False
    ).fit(X, y)
    softcost.save(search, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    assert not hasattr(found, "best_estimator_")
    pd.testing.assert_frame_equal(found.tradeoff_, search.tradeoff_)


def whole_numbers_of(kind):
    """The bounds of whole numbers that a kind takes."""
    if isinstance(kind, Whole):
        yield from (one for one in (kind.least, kind.most) if abs(one) < 2**31)
    elif isinstance(kind, Either):
        for one in kind.kinds:
            yield from whole_numbers_of(one)


BOUNDED = [
    (name, param, number)
    for name, schema in registry().items()
    if schema.module.startswith("sklearn.")
    for param, kind in schema.params.items()
    for number in whole_numbers_of(kind)
    if param not in ("n_jobs", "verbose")
]


@pytest.mark.parametrize(("name", "param", "number"), BOUNDED)
def test_bounds_are_within_those_of_scikit_learn(name, param, number):
    constraints = getattr(registry()[name].load(), "_parameter_constraints", {})
    allowed = constraints.get(param, [])
    if not isinstance(allowed, list) or not allowed:
        pytest.skip("scikit-learn does not say")
    assert any(make_constraint(one).is_satisfied_by(number) for one in allowed)


def test_lengths_that_no_array_has():
    """Nothing of it, or not: a length beyond all memory is refused."""
    header = stored_array(np.empty((0, 7)))
    bad = header.replace(b"(0, 7)", b"(0, %d)" % 2**41)
    bad = bad.replace(b" " * 12, b"", 1).ljust(len(header))[: len(header)]
    bad = bad[:-1].rstrip() + b" " * 200
    bad = bad[: len(header) - 1] + b"\n"
    with refuses("impossible shape"):
        read_array(bad)


def test_truth_values_are_zero_or_one():
    good = stored_array(np.array([False, True, False]))
    np.testing.assert_array_equal(read_array(good), [False, True, False])
    with refuses("truth values"):
        read_array(good[:-1] + b"\x02")


def test_lengths_may_be_long():
    assert length("n").read(10**9, None, {}) == 10**9


@pytest.mark.parametrize("number", [None, "1", True, 0, -1, 1.0])
def test_formats_that_are_none(tmp_path, number):
    model = MinimumExpectedCost(DecisionTreeClassifier()).fit(*rows())
    softcost.save(model, tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    (tmp_path / "model").write_bytes(signed(manifest | {"format": number}, members))
    with refuses("names no format", ModelFileError):
        softcost.load(tmp_path / "model")


def test_a_constant_of_several_answers():
    for constant, refused in ((3, False), ([3], False), ([1, 2], True), ([], True)):
        record = Record("DummyClassifier", {"constant": constant}, {})
        if not refused:
            check(record)
            continue
        with refuses("not one answer"):
            check(record)


def test_trust_in_one_class_is_none_in_others():
    def node(loader, module, name):
        return {"__loader__": loader, "__module__": module, "__class__": name}

    ours = node("ObjectNode", "my_module", "Mine")
    assert refused_type(ours, ["my_module.Mine"]) == ""
    assert refused_type(ours, []) == "my_module.Mine"
    for loader in ("ObjectNode", "TypeNode", "ListNode", "DictNode", "NdArrayNode"):
        for trusted in ([], ["my_module.Mine"]):
            found = refused_type(node(loader, "os", "system"), trusted)
            assert found == "os.system"


def test_what_is_taken_back_leaves_nothing():
    writer = Writer(())
    writer.array(np.ones(2))
    mark = writer.mark()
    writer.array(np.ones(3))
    writer.rollback(mark)
    assert list(writer.members) == ["arrays/0.npy"]


def test_a_pipeline_is_fitted_where_all_of_it_is():
    done, new = Record("LogisticRegression", {}, {}), Record("Scaler", {}, None)
    for steps, fitted in (([done, done], True), ([done, new], False), ([], False)):
        named = [("step", one) for one in steps]
        assert is_fitted(Record("Pipeline", {"steps": named}, {})) is fitted


@pytest.mark.parametrize("node", [{"float": "much"}, {"float": 1}, {"other": "nan"}])
def test_numbers_that_are_written_as_words(node):
    assert np.isnan(read_cell({"float": "nan"}))
    with pytest.raises(Refused):
        read_cell(node)


def test_trees_of_light_rows_and_of_regression(tmp_path):
    X, y = rows()
    tree = DecisionTreeClassifier(random_state=0)
    light = np.full(len(y), 1e-3)
    model = MinimumExpectedCost(tree).fit(X, y, sample_weight=light)
    assert model.estimator_.tree_.weighted_n_node_samples.max() < 1
    softcost.save(model, tmp_path / "light")
    loaded = softcost.load(tmp_path / "light")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    n_classes = registry()["DecisionTreeRegressor"].fitted["n_classes_"]
    assert n_classes.read(1, None, {}) == 1
    with pytest.raises(Refused):
        n_classes.read(2, None, {})


def blend(weights, members, power=1.0, smoothing=(0.0, 0.0)):
    fitted = {
        "weights_": np.array(weights),
        "estimators_": members,
        "inverse_temperature_": power,
    }
    fitted["smoothing_"] = np.array(smoothing)
    record = Record("BlendedClassifier", {}, fitted)
    record.dims.update(K=3, d=4)
    return record


def member(numbers=(0, 1, 2), features=4):
    """A fitted tree of some class numbers."""
    fitted = {"classes_": np.array(numbers), "n_features_in_": features}
    return Record("DecisionTreeClassifier", {}, fitted, {"d": features})


def test_weights_of_a_blend():
    check(blend([0.25, 0.75], [member(), member([0, 2])]))
    check(blend([1.0, 0.0], [member(), None], power=0.5))
    two = [member(), member()]
    check(blend([1.0, 0.0], two, smoothing=[0.05, 0.05]))
    for bad in (
        blend([0.5, 0.6], two), blend([-0.5, 1.5], two), blend([0.5, 0.5], [*two[:1],
        None]), blend([1.0, 0.0], two), blend([0.5, 0.5], two, power=0.0),
        blend([0.5, 0.5], two, smoothing=[-0.1, 0.1]),
        blend([0.5, 0.5], two, smoothing=[0.5, 0.5]),
        blend([0.5, 0.5], two, smoothing=[np.nan, 0]),
        blend([1.0, 0.0], [member(), None], smoothing=[0, 0.1]),
        blend([0.5, 0.5], two, power=-1.0), blend([0.5, 0.5], [member(), member([3])]),
        blend([0.5, 0.5], [member(), member([-1, 0])]),
        blend([0.5, 0.5], [member(), member(features=5)]),
        blend([0.5, 0.5], [member(), member(["a", "b"])]),
    ):  # fmt: skip
        with pytest.raises(Refused):
            check(bad)


@pytest.mark.parametrize("actions", [5, "ask", [["ask"]], [None]])
def test_actions_that_are_none(actions, tmp_path):
    """They are looked at as soon as the model is there."""
    model = MinimumExpectedCost(DecisionTreeClassifier()).fit(*rows())
    softcost.save(model, tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    structure = json.loads(members["structure.json"])
    structure["params"]["actions"] = actions
    changed = members | {"structure.json": json.dumps(structure).encode()}
    (tmp_path / "model").write_bytes(signed(manifest, changed))
    with refuses("not what its manifest says", ModelFileError):
        softcost.load(tmp_path / "model")


def changed_fields(path, change):
    """Write a file again with other fields, and right checksums."""
    manifest, members = opened(path.read_bytes())
    structure = json.loads(members["structure.json"])
    change(structure)
    members["structure.json"] = json.dumps(structure).encode()
    path.write_bytes(signed(manifest, members))


@pytest.mark.parametrize("how", ["concat", "interact", "auto"])
def test_pairs_of_features_and_classes(how, tmp_path):
    X, y = rows()
    model = softcost.StochasticEnsembleBoosting(
        LinearClassifier(), n_rounds=2, pair_features=how, random_state=0
    ).fit(X, y)
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    assert np.array_equal(found.predict(X), model.predict(X))


@pytest.mark.parametrize("side", ["first", "second"])
def test_both_of_a_pair_are_fitted(side, tmp_path):
    X, y = rows()
    trees = [DecisionTreeClassifier(max_depth=n).fit(X, y) for n in (1, 2)]
    pair = RandomizedPair(*trees, probability=0.5, random_state=0)
    softcost.save(pair, tmp_path / "model")
    changed_fields(
        tmp_path / "model", lambda all_: all_["params"][side].update(fitted=None)
    )
    with pytest.raises(ModelFileError, match=f"{side}: not fitted"):
        softcost.load(tmp_path / "model")


@pytest.mark.parametrize("softness", [-0.5, 1.5])
def test_the_softness_that_was_chosen_is_one(softness, tmp_path):
    X, y = rows()
    search = softcost.SoftCostClassifierCV(
        MinimumExpectedCost(DecisionTreeClassifier()), softness=2, cv=2, refit=False
    ).fit(X, y)
    softcost.save(search, tmp_path / "model")
    changed_fields(
        tmp_path / "model", lambda all_: all_["fitted"].update(best_softness_=softness)
    )
    with pytest.raises(ModelFileError, match="best_softness_: not from 0 to 1"):
        softcost.load(tmp_path / "model")
