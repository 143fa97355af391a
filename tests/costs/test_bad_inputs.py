"""Every bad price list gets one sentence with the argument and the remedy."""

import pathlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from softcost import costs as sc

NAN, INF = float("nan"), float("inf")
ABC = ["a", "b", "c"]
Y = ["a", "b", "c", "a", "b"]
GOOD = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
ROWS = GOOD[[0, 1, 2, 0, 1]]
FRAME = pd.DataFrame(GOOD, index=ABC, columns=ABC)
NESTED = {
    "a": {"b": 1, "c": 2},
    "b": {"a": 3, "c": 4},
    "c": {"a": 5, "b": 6},
}


def put(array, row, column, value):
    changed = np.array(array, dtype=object if isinstance(value, str) else None)
    changed[row, column] = value
    return changed


def matrix(value, classes=ABC):
    return lambda: sc.check_cost_matrix(value, classes)


def vectors(y=None, **arguments):
    return lambda: sc.as_cost_vectors(Y if y is None else y, **arguments)


def costs(value, y=None):
    return vectors(y, costs=value, classes=ABC)


def soften(amount=0.5, **arguments):
    return lambda: sc.soften(ROWS, Y, amount, **arguments)


def weights(value):
    return lambda: sc.error_weights(Y, value, ABC)


shuffled = pd.DataFrame(ROWS, columns=ABC, index=[4, 3, 2, 1, 0])
other_rows = pd.DataFrame(ROWS, columns=ABC, index=list("vwxyz"))

# name: (call, exception, argument, a word of the remedy)
CASES = {
    # the cost matrix: what it is
    "matrix None": (matrix(None), TypeError, "cost_matrix", "array"),
    "matrix a file name": (matrix("prices.csv"), TypeError, "cost_matrix", "read"),
    "matrix a path": (
        matrix(pathlib.Path("prices.csv")),
        TypeError,
        "cost_matrix",
        "read",
    ),
    "matrix a set": (matrix({1, 2}), TypeError, "cost_matrix", "convert"),
    "matrix sparse": (
        matrix(sparse.csr_array(GOOD)),
        TypeError,
        "cost_matrix",
        "toarray",
    ),
    "matrix of strings": (
        matrix(GOOD.astype(str)),
        TypeError,
        "cost_matrix",
        "float",
    ),
    "matrix with one string": (
        matrix(put(GOOD, 0, 1, "1.5")),
        TypeError,
        "cost_matrix",
        "float",
    ),
    "matrix complex": (matrix(GOOD + 0j), TypeError, "cost_matrix", "float"),
    "matrix of dates": (
        matrix(GOOD.astype("datetime64[s]")),
        TypeError,
        "cost_matrix",
        "float",
    ),
    "frame of strings": (
        matrix(FRAME.astype(str)),
        TypeError,
        "cost_matrix",
        "float",
    ),
    # its shape
    "matrix empty": (matrix([]), ValueError, "cost_matrix", "row"),
    "matrix without rows": (matrix([[]]), ValueError, "cost_matrix", "row"),
    "matrix empty without classes": (
        matrix(np.empty((0, 0)), None),
        ValueError,
        "cost_matrix",
        "give",
    ),
    "frame empty": (matrix(pd.DataFrame()), ValueError, "cost_matrix", "give"),
    "frame without columns": (
        matrix(pd.DataFrame(index=ABC)),
        ValueError,
        "cost_matrix",
        "give",
    ),
    "frame without rows": (
        matrix(pd.DataFrame(columns=ABC, index=pd.Index([], dtype=object))),
        ValueError,
        "cost_matrix",
        "give",
    ),
    "dict empty": (matrix({}), ValueError, "cost_matrix", "give"),
    "matrix a number": (matrix(3.0), ValueError, "cost_matrix", "row"),
    "matrix one row": (matrix([0, 1, 2]), ValueError, "cost_matrix", "row"),
    "matrix a cube": (matrix(GOOD[None]), ValueError, "cost_matrix", "row"),
    "matrix ragged": (
        matrix([[0, 1, 2], [3, 0], [5, 6, 0]]),
        ValueError,
        "cost_matrix",
        "every row",
    ),
    "matrix ragged objects": (
        matrix(np.array([[0, 1], [3, 0, 4]], dtype=object)),
        ValueError,
        "cost_matrix",
        "every row",
    ),
    "matrix not square": (matrix(GOOD[:2]), ValueError, "cost_matrix", "costs"),
    "matrix too small": (matrix(GOOD[:2, :2]), ValueError, "cost_matrix", "classes="),
    "matrix too large": (matrix(GOOD, ["a", "b"]), ValueError, "cost_matrix", "give"),
    "costs by example as a matrix": (
        matrix(ROWS),
        ValueError,
        "cost_matrix",
        "as costs",
    ),
    # its entries
    "matrix with NaN": (
        matrix(put(GOOD, 0, 1, NAN)),
        ValueError,
        "cost_matrix",
        "fill",
    ),
    "matrix with None": (
        matrix([[0, None, 2], [3, 0, 4], [5, 6, 0]]),
        ValueError,
        "cost_matrix",
        "fill",
    ),
    "matrix masked": (
        matrix(np.ma.masked_equal(GOOD, 4.0)),
        ValueError,
        "cost_matrix",
        "fill",
    ),
    "matrix with NA": (
        matrix(FRAME.astype("Int64").replace(4, pd.NA)),
        ValueError,
        "cost_matrix",
        "fill",
    ),
    "matrix infinite": (
        matrix(put(GOOD, 2, 1, INF)),
        ValueError,
        "cost_matrix",
        "finite",
    ),
    "matrix minus infinite": (
        matrix(put(GOOD, 2, 1, -INF)),
        ValueError,
        "cost_matrix",
        "finite",
    ),
    "matrix negative": (
        matrix(put(GOOD, 0, 2, -1.0)),
        ValueError,
        "cost_matrix",
        "constant",
    ),
    "profits on the diagonal": (
        matrix(GOOD - 3 * np.eye(3)),
        ValueError,
        "cost_matrix",
        "constant",
    ),
    "a mistake cheaper than being right": (
        matrix(put(GOOD, 1, 1, 3.5)),
        ValueError,
        "cost_matrix",
        "diagonal",
    ),
    "gains instead of costs": (
        matrix(np.eye(3)),
        ValueError,
        "cost_matrix",
        "lowest",
    ),
    # its labels
    "frame with other rows": (
        matrix(FRAME.rename(index={"c": "d"})),
        ValueError,
        "cost_matrix",
        "row",
    ),
    "frame with other columns": (
        matrix(FRAME.rename(columns={"c": "d"})),
        ValueError,
        "cost_matrix",
        "column",
    ),
    "frame with a missing class": (
        matrix(FRAME, [*ABC, "d"]),
        ValueError,
        "cost_matrix",
        "name",
    ),
    "frame with one class more": (
        matrix(FRAME, ["a", "b"]),
        ValueError,
        "cost_matrix",
        "name",
    ),
    "frame without labels": (
        matrix(pd.DataFrame(GOOD)),
        ValueError,
        "cost_matrix",
        "array",
    ),
    "frame without row labels": (
        matrix(pd.DataFrame(GOOD, columns=ABC)),
        ValueError,
        "cost_matrix",
        "row",
    ),
    "frame in other case": (
        matrix(FRAME.rename(columns=str.upper)),
        ValueError,
        "cost_matrix",
        "exactly",
    ),
    "frame with a row twice": (
        matrix(FRAME.iloc[[0, 1, 2, 2]]),
        ValueError,
        "cost_matrix",
        "once",
    ),
    "frame with a column twice": (
        matrix(FRAME.iloc[:, [0, 1, 1, 2]]),
        ValueError,
        "cost_matrix",
        "once",
    ),
    "polars without row labels": (
        matrix(pl.DataFrame(GOOD, schema=ABC)),
        ValueError,
        "cost_matrix",
        "first column",
    ),
    "pyarrow without row labels": (
        matrix(pa.table({name: GOOD[:, j] for j, name in enumerate(ABC)})),
        ValueError,
        "cost_matrix",
        "first column",
    ),
    "polars with other rows": (
        matrix(
            pl.DataFrame({"true": ["a", "b", "x"]}).hstack(
                pl.DataFrame(GOOD, schema=ABC)
            )
        ),
        ValueError,
        "cost_matrix",
        "row",
    ),
    "dict with an unknown class": (
        matrix({**NESTED, "d": {"a": 1, "b": 1, "c": 1}}),
        ValueError,
        "cost_matrix",
        "give",
    ),
    "dict without a price": (
        matrix({**NESTED, "a": {"b": 1}}),
        ValueError,
        "cost_matrix",
        "give",
    ),
    "dict without a row": (
        matrix({k: NESTED[k] for k in "ab"}),
        ValueError,
        "cost_matrix",
        "row",
    ),
    "dict of lists": (
        matrix({"a": [0, 1, 2], "b": [3, 0, 4], "c": [5, 6, 0]}),
        TypeError,
        "cost_matrix",
        "predicted",
    ),
    "dict with a string price": (
        matrix({**NESTED, "a": {"b": "dear", "c": 1}}),
        TypeError,
        "cost_matrix",
        "float",
    ),
    "named by pairs": (
        vectors(
            cost_matrix=pd.DataFrame(
                [[0, 1], [1, 0]],
                index=pd.MultiIndex.from_tuples([(1, 2), (1, 3)]),
                columns=pd.MultiIndex.from_tuples([(1, 2), (1, 3)]),
            )
        ),
        ValueError,
        "cost_matrix",
        "one label",
    ),
    # costs of examples: what they are
    "both price lists": (
        vectors(costs=ROWS, cost_matrix=GOOD),
        ValueError,
        "costs",
        "not both",
    ),
    "costs None": (lambda: sc.check_costs(None, ABC, 5), TypeError, "costs", "pass"),
    "costs a file name": (costs("costs.csv"), TypeError, "costs", "read"),
    "costs sparse": (costs(sparse.csr_matrix(ROWS)), TypeError, "costs", "toarray"),
    "costs of strings": (costs(ROWS.astype(str)), TypeError, "costs", "float"),
    "costs a dict": (costs(NESTED), TypeError, "costs", "convert"),
    "costs a lazy frame": (
        costs(pl.LazyFrame(ROWS, schema=ABC)),
        TypeError,
        "costs",
        "convert",
    ),
    "frame of text as costs": (
        costs(pd.DataFrame({"a": list("uvwxy"), "b": 1, "c": 1})),
        TypeError,
        "costs",
        "float",
    ),
    # their shape
    "costs empty": (costs([]), ValueError, "costs", "row"),
    "costs one column": (costs(ROWS[:, 0]), ValueError, "costs", "column"),
    "costs a cube": (costs(ROWS[None]), ValueError, "costs", "row"),
    "costs ragged": (
        costs([[0, 1, 2], [0]]),
        ValueError,
        "costs",
        "every row",
    ),
    "costs too few rows": (costs(ROWS[:4]), ValueError, "costs", "one row"),
    "costs too many rows": (
        costs(np.vstack([ROWS, ROWS])),
        ValueError,
        "costs",
        "one row",
    ),
    "a matrix as costs": (costs(GOOD), ValueError, "costs", "cost_matrix"),
    "a named matrix as costs, n = K": (
        costs(FRAME, y=ABC),
        ValueError,
        "costs",
        "as cost_matrix",
    ),
    "a matrix as costs, n = K, other order": (
        costs(GOOD, y=["b", "a", "c"]),
        ValueError,
        "costs",
        "same examples",
    ),
    "costs too few columns": (costs(ROWS[:, :2]), ValueError, "costs", "classes="),
    "costs for a class y lacks": (
        vectors(["a", "b", "a"], costs=GOOD),
        ValueError,
        "costs",
        "classes=",
    ),
    # their entries
    "costs with NaN": (costs(put(ROWS, 0, 1, NAN)), ValueError, "costs", "fill"),
    "polars with null": (
        costs(pl.DataFrame({"a": [0, 3, 5, None, 3], "b": 9, "c": 9})),
        ValueError,
        "costs",
        "fill",
    ),
    "pyarrow with null": (
        costs(pa.table({"a": [0, 3, 5, None, 3], "b": [9] * 5, "c": [9] * 5})),
        ValueError,
        "costs",
        "fill",
    ),
    "costs infinite": (costs(put(ROWS, 4, 0, INF)), ValueError, "costs", "finite"),
    "costs negative": (costs(put(ROWS, 4, 0, -2.0)), ValueError, "costs", "constant"),
    "true label not the cheapest": (
        costs(ROWS + 3 * np.eye(5)[:, :3]),
        ValueError,
        "costs",
        "cheapest",
    ),
    "costs reversed": (costs(ROWS[::-1]), ValueError, "costs", "same examples"),
    # their labels
    "costs with an unknown column": (
        costs(pd.DataFrame(ROWS, columns=["a", "b", "x"])),
        ValueError,
        "costs",
        "column",
    ),
    "costs with an id": (
        costs(pd.DataFrame(ROWS, columns=ABC).assign(id=1)),
        ValueError,
        "costs",
        "exactly",
    ),
    "costs without a column": (
        costs(pd.DataFrame(ROWS, columns=ABC)[["a", "b"]]),
        ValueError,
        "costs",
        "column",
    ),
    "costs with a column twice": (
        costs(pd.DataFrame(ROWS, columns=["a", "b", "b"])),
        ValueError,
        "costs",
        "once",
    ),
    "costs frame without names": (
        costs(pd.DataFrame(ROWS)),
        ValueError,
        "costs",
        "array",
    ),
    "polars without names": (
        costs(pl.DataFrame(ROWS)),
        ValueError,
        "costs",
        "array",
    ),
    "costs shuffled": (
        costs(shuffled, y=pd.Series(Y)),
        ValueError,
        "costs",
        "y.index",
    ),
    "costs of other rows": (
        costs(other_rows, y=pd.Series(Y, index=list("abcde"))),
        ValueError,
        "costs",
        "y.index",
    ),
    # labels and classes
    "y None": (lambda: sc.naive(None), TypeError, "y", "list"),
    "y empty": (lambda: sc.naive([]), ValueError, "y", "at least one"),
    "y empty, classes given": (
        lambda: sc.class_indices([], ABC),
        ValueError,
        "y",
        "at least one",
    ),
    "y a column": (lambda: sc.naive([["a"], ["b"]]), ValueError, "y", "ravel"),
    "y a string": (lambda: sc.naive("abc"), TypeError, "y", "list"),
    "y ragged": (lambda: sc.naive([["a"], ["b", "c"]]), ValueError, "y", "flatten"),
    "y sparse": (
        lambda: sc.naive(sparse.csr_matrix([[1, 0]])),
        TypeError,
        "y",
        "toarray",
    ),
    "y with NaN": (lambda: sc.naive([0.0, NAN]), ValueError, "y", "drop"),
    "y with None": (lambda: sc.naive(["a", None]), ValueError, "y", "drop"),
    "y with NA": (
        lambda: sc.naive(pd.Series([1, pd.NA], dtype="Int64")),
        ValueError,
        "y",
        "drop",
    ),
    "y mixed": (lambda: sc.naive(["a", 1]), TypeError, "y", "str"),
    "y mixed with NaN": (lambda: sc.naive(["a", NAN]), TypeError, "y", "str"),
    "y mixed objects": (
        lambda: sc.naive(np.array(["a", 1], dtype=object)),
        TypeError,
        "y",
        "str",
    ),
    "y of dates": (
        lambda: sc.naive(np.array(["2020-01-01"], dtype="datetime64[D]")),
        TypeError,
        "y",
        "convert",
    ),
    "y outside the classes": (
        vectors(["a", "z"], cost_matrix=GOOD, classes=ABC),
        ValueError,
        "y",
        "classes",
    ),
    "y of another type": (
        lambda: sc.class_indices([0, 1], ["0", "1"]),
        ValueError,
        "y",
        "classes=",
    ),
    "y outside a labelled matrix": (
        vectors(["a", "z"], cost_matrix=FRAME),
        ValueError,
        "y",
        "cost_matrix",
    ),
    "y outside named costs": (
        vectors(["a", "z"], costs=pd.DataFrame(ROWS[:2], columns=ABC)),
        ValueError,
        "y",
        "costs",
    ),
    "classes empty": (lambda: sc.naive(Y, []), ValueError, "classes", "once"),
    "classes repeated": (
        lambda: sc.naive(Y, ["a", "b", "c", "a"]),
        ValueError,
        "classes",
        "once",
    ),
    "classes a number": (lambda: sc.naive(Y, 3), ValueError, "classes", "ravel"),
    "classes a set": (lambda: sc.naive(Y, {"a", "b"}), TypeError, "classes", "list"),
    # softness, weights, normalising
    "softness below 0": (soften(-0.1), ValueError, "softness", "in between"),
    "softness above 1": (soften(1.1), ValueError, "softness", "in between"),
    "softness NaN": (soften(NAN), ValueError, "softness", "in between"),
    "softness text": (soften("0.5"), TypeError, "softness", "float"),
    "softness True": (soften(True), TypeError, "softness", "float"),
    "soften without costs": (
        lambda: sc.soften(None, Y, 0.5),
        TypeError,
        "costs",
        "pass",
    ),
    "soften other rows": (
        lambda: sc.soften(ROWS[:2], Y, 0.5),
        ValueError,
        "costs",
        "row",
    ),
    "weight unknown word": (weights("balance"), TypeError, "error_weight", "balanced"),
    "weight a list": (weights([1, 2, 3]), TypeError, "error_weight", "dict"),
    "weight for too few": (
        weights({"a": 1, "b": 2}),
        ValueError,
        "error_weight",
        "name",
    ),
    "weight for too many": (
        weights({"a": 1, "b": 2, "c": 3, "d": 4}),
        ValueError,
        "error_weight",
        "name",
    ),
    "weight negative": (
        weights({"a": 1, "b": -2, "c": 3}),
        ValueError,
        "error_weight",
        "correct",
    ),
    "weight NaN": (
        weights({"a": 1, "b": NAN, "c": 3}),
        ValueError,
        "error_weight",
        "correct",
    ),
    "weights all 0": (
        weights({"a": 0, "b": 0, "c": 0}),
        ValueError,
        "error_weight",
        "correct",
    ),
    "weight text": (
        weights({"a": 1, "b": "2", "c": 3}),
        TypeError,
        "error_weight",
        "float",
    ),
    "normalize a vector": (lambda: sc.normalize([1, 2]), ValueError, "costs", "row"),
    "normalize nothing": (
        lambda: sc.normalize(np.empty((0, 3))),
        ValueError,
        "costs",
        "row",
    ),
    "normalize negative": (
        lambda: sc.normalize([[0, -1], [-2, 0]]),
        ValueError,
        "costs",
        "as_cost_vectors",
    ),
    "normalize NaN": (
        lambda: sc.normalize([[0, NAN]]),
        ValueError,
        "costs",
        "as_cost_vectors",
    ),
    # consistency and generators
    "consistency of a free mistake": (
        lambda: sc.consistency_weights([[0, 0], [1, 0]]),
        ValueError,
        "cost_matrix",
        "is_consistent",
    ),
    "weights of an inconsistent matrix": (
        lambda: sc.consistency_weights(GOOD),
        ValueError,
        "cost_matrix",
        "is_consistent",
    ),
    "unknown method": (
        lambda: sc.is_consistent(GOOD, method="svd"),
        ValueError,
        "method",
        "choose",
    ),
    "one class": (lambda: sc.plain(1), ValueError, "n_classes", ">= 2"),
    "half a class": (lambda: sc.plain(2.5), TypeError, "n_classes", "int"),
    "one count": (lambda: sc.inconsistent([5]), ValueError, "class_counts", "give"),
    "negative count": (
        lambda: sc.inconsistent([5, -1]),
        ValueError,
        "class_counts",
        "count",
    ),
    "NaN count": (
        lambda: sc.consistent([5, NAN]),
        ValueError,
        "class_counts",
        "count",
    ),
    "text counts": (
        lambda: sc.consistent(["5", "6"]),
        TypeError,
        "class_counts",
        "float",
    ),
    "unknown ratio": (
        lambda: sc.consistent([5, 6], ratio="both"),
        ValueError,
        "ratio",
        "choose",
    ),
    "bad seed": (lambda: sc.plain(3, "seed"), TypeError, "rng", "seed"),
    "negative seed": (lambda: sc.plain(3, -1), TypeError, "rng", "seed"),
    "negative price": (
        matrix(put(GOOD, 0, 1, -1.0)),
        ValueError,
        "cost_matrix",
        "from_benefits",
    ),
    "negative price of an example": (
        costs(put(ROWS, 0, 1, -1.0)),
        ValueError,
        "costs",
        "from_benefits",
    ),
    "distances of one class": (lambda: sc.absolute(1), ValueError, "classes", "K >= 2"),
    "distances of one name": (
        lambda: sc.squared(["a"]),
        ValueError,
        "classes",
        "at least two",
    ),
    "distances of a name twice": (
        lambda: sc.absolute(["a", "b", "a"]),
        ValueError,
        "classes",
        "once",
    ),
    "a place that is infinite": (
        lambda: sc.absolute({"a": 0, "b": INF}),
        ValueError,
        "classes",
        "correct",
    ),
    "a place that is text": (
        lambda: sc.squared({"a": 0, "b": "far"}),
        TypeError,
        "classes",
        "float",
    ),
    "no groups": (lambda: sc.by_group({}), ValueError, "groups", "at least two"),
    "groups as text": (lambda: sc.by_group("abc"), TypeError, "groups", "name"),
    "groups with a negative price": (
        lambda: sc.by_group({"a": 1, "b": 2}, across=-1),
        ValueError,
        "across",
        "pass a cost",
    ),
    "groups with a text as price": (
        lambda: sc.by_group({"a": 1, "b": 2}, inside="cheap"),
        TypeError,
        "inside",
        "float",
    ),
    "benefits with a hole": (
        lambda: sc.from_benefits({"a": {"a": 1, "b": 0}, "b": {"a": 2}}),
        ValueError,
        "benefits",
        "every answer",
    ),
    "benefits that are missing": (
        lambda: sc.from_benefits(put(GOOD, 0, 1, NAN)),
        ValueError,
        "benefits",
        "fill",
    ),
    "benefits in one row": (
        lambda: sc.from_benefits([1.0, 2.0]),
        ValueError,
        "benefits",
        "one row per",
    ),
    "benefits of classes": (
        lambda: sc.from_benefits({"a": 1, "b": 2}),
        TypeError,
        "benefits",
        "or a table",
    ),
    "no emphasis": (
        lambda: sc.emphasized(GOOD, 10),
        ValueError,
        "rows",
        "emphasise",
    ),
    "emphasis 0": (
        lambda: sc.emphasized(GOOD, 0, rows=0),
        ValueError,
        "u",
        "u > 0",
    ),
    "emphasis infinite": (
        lambda: sc.emphasized(GOOD, INF, rows=0),
        ValueError,
        "u",
        "u > 0",
    ),
    "emphasis text": (
        lambda: sc.emphasized(GOOD, "10", rows=0),
        TypeError,
        "u",
        "float",
    ),
    "emphasis of no class": (
        lambda: sc.emphasized(FRAME, 10, columns="d"),
        ValueError,
        "columns",
        "labels",
    ),
    "too few counts": (
        lambda: sc.balanced(GOOD, [1, 2]),
        ValueError,
        "class_counts",
        "give",
    ),
    "counts of other classes": (
        lambda: sc.balanced(FRAME, {"a": 1, "b": 2, "d": 3}),
        ValueError,
        "class_counts",
        "name",
    ),
}


@pytest.mark.bad_input
@pytest.mark.parametrize("name", CASES)
def test_one_sentence(name):
    call, exception, argument, remedy = CASES[name]
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is exception
    assert message.split()[0].startswith(argument) or f" {argument} " in message
    assert remedy in message
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.__cause__ is None


def test_messages_say_where():
    with pytest.raises(ValueError, match=r"row 'b', column 'c'"):
        sc.check_cost_matrix(put(GOOD, 1, 2, NAN), ABC)
    with pytest.raises(ValueError, match=r"row 3, column 'b'"):
        sc.check_costs(put(ROWS, 3, 1, INF), ABC, 5)
    with pytest.raises(ValueError, match=r"predicting 'c' for a true 'b'"):
        sc.check_cost_matrix([[0, 1, 1], [2, 1, 0], [1, 1, 0]], ABC)
    with pytest.raises(ValueError, match=r"'c' cheaper than the true label 'b' in row"):
        sc.as_cost_vectors(["a", "b"], costs=[[0, 1, 1], [2, 1, 0]], classes=ABC)


def test_messages_say_which():
    with pytest.raises(ValueError, match=r"classes repeats 'a', 'c'; list"):
        sc.naive(Y, ["c", "a", "b", "c", "a"])
    with pytest.raises(ValueError, match=r"more than one column named 'b'; name"):
        sc.check_costs(pd.DataFrame(ROWS, columns=["a", "b", "b"]), ABC, 5)
    with pytest.raises(ValueError, match=r"no row for 'c' and a row for 'd', which"):
        sc.check_cost_matrix(FRAME.rename(index={"c": "d"}), ABC)
    with pytest.raises(ValueError, match=r"not among the classes, 'x', 'z'; the"):
        sc.class_indices(["z", "a", "x"], ABC)


def test_messages_stay_short():
    many = [f"class {k}" for k in range(1000)]
    with pytest.raises(ValueError, match="classes") as caught:
        sc.class_indices(["other"], many)
    assert len(str(caught.value)) < 400
    assert "'class 5', ..." in str(caught.value)
    with pytest.raises(ValueError, match=r"'class 5': correct y"):
        sc.class_indices(["other"], many[:6])


def test_good_inputs_are_good():
    assert (sc.as_cost_vectors(Y, cost_matrix=GOOD) == ROWS).all()
    assert (sc.as_cost_vectors(Y, costs=ROWS) == ROWS).all()
