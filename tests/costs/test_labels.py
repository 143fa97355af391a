"""Prices are matched by label when they have labels, by position when not."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from softcost import costs as sc

ABC = ["a", "b", "c"]
GOOD = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
SHUFFLED_ROWS, SHUFFLED_COLUMNS = [2, 0, 1], [1, 2, 0]


def forms_of_matrix(labels):
    """The same matrix, labelled in every way, rows and columns out of order."""
    rows = [labels[i] for i in SHUFFLED_ROWS]
    columns = [labels[j] for j in SHUFFLED_COLUMNS]
    values = GOOD[np.ix_(SHUFFLED_ROWS, SHUFFLED_COLUMNS)]
    frame = pd.DataFrame(values, index=rows, columns=columns)
    first = pd.DataFrame(values, columns=[str(c) for c in columns])
    first.insert(0, "true", rows)
    csv = io.StringIO(first.to_csv(index=False))
    nested = {
        row: {column: frame.loc[row, column] for column in columns if column != row}
        for row in rows
    }
    return {
        "pandas": frame,
        "pandas, nullable": frame.astype("Float64"),
        "pandas, integers": frame.astype(int),
        "pandas, first column": first,
        "csv": pd.read_csv(csv),
        "csv, indexed": pd.read_csv(io.StringIO(frame.to_csv()), index_col=0),
        "dict": nested,
        "json": {str(k): {str(j): v for j, v in r.items()} for k, r in nested.items()},
        "polars": pl.from_pandas(first),
        "pyarrow": pa.Table.from_pandas(first, preserve_index=False),
    }


def forms_of_costs(values, labels):
    columns = [labels[j] for j in SHUFFLED_COLUMNS]
    shuffled = values[:, SHUFFLED_COLUMNS]
    names = [str(column) for column in columns]
    frame = pd.DataFrame(shuffled, columns=columns)
    return {
        "pandas": frame,
        "pandas, other index": frame.set_index(np.arange(len(values)) + 7),
        "polars": pl.DataFrame(shuffled, schema=names),
        "pyarrow": pa.table({n: shuffled[:, j] for j, n in enumerate(names)}),
        "record batch": pa.RecordBatch.from_pydict(
            {n: shuffled[:, j] for j, n in enumerate(names)}
        ),
    }


LABELS = {"strings": ABC, "numbers": [10, 20, 30], "digits": ["1", "2", "3"]}
LABELS["floats"] = [0.5, 1.0, 2.0]


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("form", forms_of_matrix(ABC))
def test_matrix_goes_by_label(kind, form):
    labels = LABELS[kind]
    prices = forms_of_matrix(labels)[form]
    assert (sc.check_cost_matrix(prices, labels) == GOOD).all()
    for order in ([1, 0, 2], [1, 2, 0]):
        classes = [labels[i] for i in order]
        assert (
            sc.check_cost_matrix(prices, classes) == GOOD[np.ix_(order, order)]
        ).all()
    y = [labels[1]]
    assert sc.resolve_classes(y, cost_matrix=prices).tolist() == labels
    assert (sc.as_cost_vectors(y, cost_matrix=prices) == GOOD[[1]]).all()


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("form", forms_of_costs(GOOD, ABC))
def test_costs_go_by_name(kind, form):
    labels = LABELS[kind]
    y = [labels[i] for i in (1, 0, 1, 0)]
    values = GOOD[[1, 0, 1, 0]]
    prices = forms_of_costs(values, labels)[form]
    assert sc.resolve_classes(y, costs=prices).tolist() == labels
    assert (sc.as_cost_vectors(y, costs=prices) == values).all()
    back = labels[::-1]
    assert (sc.check_costs(prices, back, 4) == values[:, ::-1]).all()


def test_names_of_two_types():
    mixed = pd.DataFrame(GOOD, index=["1", 2, "3"], columns=["1", 2, "3"])
    for classes in (["1", "2", "3"], [1, 2, 3], [1.0, 2.0, 3.0]):
        assert (sc.check_cost_matrix(mixed, classes) == GOOD).all()
        found = sc.resolve_classes(classes[:1], cost_matrix=mixed)
        assert found.tolist() == classes
    words = pd.DataFrame(GOOD, index=["a", 2, "c"], columns=["a", 2, "c"])
    assert (sc.check_cost_matrix(words, ["a", "2", "c"]) == GOOD).all()


def test_booleans_and_their_names():
    prices = pl.DataFrame({"true": [True, False], "True": [0, 2], "False": [7, 0]})
    expected = [[0, 2], [7, 0]]
    assert (sc.check_cost_matrix(prices, [False, True]) == expected).all()
    assert sc.resolve_classes([True, True], cost_matrix=prices).tolist() == [
        False,
        True,
    ]


def test_arrays_go_by_position():
    classes = ["c", "a", "b"]
    for prices in (GOOD, GOOD.tolist(), GOOD.astype(object), GOOD.astype(np.float32)):
        assert (sc.check_cost_matrix(prices, classes) == GOOD).all()
        expanded = sc.as_cost_vectors(["b", "c"], cost_matrix=prices, classes=classes)
        assert (expanded == GOOD[[2, 0]]).all()
    assert (
        sc.as_cost_vectors(["b", "a", "c"], cost_matrix=GOOD) == GOOD[[1, 0, 2]]
    ).all()
    rows = [[5, 0, 6], [0, 1, 2]]
    assert (sc.as_cost_vectors(["a", "c"], costs=rows, classes=classes) == rows).all()


def test_numbered_frame_of_numbered_classes_goes_by_label():
    frame = pd.DataFrame(GOOD)
    assert (
        sc.check_cost_matrix(frame, [2, 0, 1]) == GOOD[np.ix_([2, 0, 1], [2, 0, 1])]
    ).all()


def test_a_frame_of_dicts_is_not_a_dict_of_dicts():
    """pandas puts outer keys into columns; here they are the true classes."""
    nested = {"a": {"b": 5.0}, "b": {"a": 1.0}}
    assert sc.check_cost_matrix(nested).tolist() == [[0, 5], [1, 0]]
    frame = pd.DataFrame(nested).fillna(0.0)
    assert sc.check_cost_matrix(frame).tolist() == [[0, 1], [5, 0]]


def test_dict_may_hold_a_diagonal():
    prices = {"a": {"a": 1, "b": 5}, "b": {"a": 3, "b": 2}}
    assert sc.check_cost_matrix(prices).tolist() == [[1, 5], [3, 2]]
    assert sc.as_cost_vectors(["b", "a"], cost_matrix=prices).tolist() == [
        [1, 0],
        [0, 4],
    ]


def test_n_equals_k_is_never_guessed():
    y = ["a", "b", "c"]
    by_class = sc.as_cost_vectors(["c", "b", "a"], cost_matrix=GOOD)
    by_example = sc.as_cost_vectors(y, costs=GOOD)
    assert (by_class == GOOD[::-1]).all()
    assert (by_example == GOOD).all()


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype="category"),
        pd.Series(["b", "a", "b"], dtype="string"),
        pl.Series(["b", "a", "b"]),
        pa.array(["b", "a", "b"]),
        pa.chunked_array([["b"], ["a", "b"]]),
        np.array(["b", "a", "b"], dtype=object),
        ("b", "a", "b"),
    ],
    ids=lambda labels: (
        type(labels).__module__ + "." + str(getattr(labels, "dtype", ""))
    ),
)
def test_labels_in_any_column(labels):
    assert sc.resolve_classes(labels).tolist() == ["a", "b"]
    assert sc.class_indices(labels, ["a", "b"]).tolist() == [1, 0, 1]
    assert sc.class_indices(labels, ["b", "c", "a"]).tolist() == [0, 2, 0]


def test_nullable_integers_are_integers():
    y = pd.Series([3, 1, 3], dtype="Int64")
    assert sc.resolve_classes(y).dtype.kind == "i"
    assert sc.class_indices(y, [1, 3]).tolist() == [1, 0, 1]


def test_explicit_classes_keep_their_order_and_win():
    frame = pd.DataFrame(GOOD, index=ABC, columns=ABC)
    for arguments in ({}, {"cost_matrix": frame}):
        found = sc.resolve_classes(["a"], classes=["c", "a", "b"], **arguments)
        assert found.tolist() == ["c", "a", "b"]
    assert sc.resolve_classes([2, 1], classes=[3, 1, 2]).tolist() == [3, 1, 2]


def test_classes_have_the_type_of_y():
    frame = pd.DataFrame(GOOD, index=ABC, columns=ABC)
    y = np.array(["b"], dtype=object)
    assert sc.resolve_classes(y, cost_matrix=frame).dtype == object
    names = ["0", "1", "2"]
    digits = pd.DataFrame(GOOD, index=names, columns=names)
    assert sc.resolve_classes([1], cost_matrix=digits).dtype.kind == "i"
    assert sc.resolve_classes([1.0], costs=digits.iloc[:1]).tolist() == [0.0, 1.0, 2.0]


def test_is_labelled():
    frame = pd.DataFrame(GOOD, index=ABC, columns=ABC)
    assert sc.is_labelled(cost_matrix=frame)
    assert sc.is_labelled(costs=frame)
    assert not sc.is_labelled(cost_matrix=GOOD)
    assert not sc.is_labelled(costs=GOOD)
    assert not sc.is_labelled()


def test_rows_that_correspond_are_accepted():
    y = pd.Series(["a", "b"], index=[8, 3])
    good = pd.DataFrame(GOOD[:2], columns=ABC)
    for index in ([8, 3], [0, 1]):
        prices = good.set_axis(index, axis=0)
        if index == [0, 1]:
            prices = prices.reset_index(drop=True)
        assert (sc.as_cost_vectors(y, costs=prices) == GOOD[:2]).all()
    numbered = y.reset_index(drop=True)
    prices = good.set_axis([8, 3], axis=0)
    assert (sc.as_cost_vectors(numbered, costs=prices) == GOOD[:2]).all()


def test_inputs_are_not_changed():
    prices, rows, y = GOOD.copy(), GOOD.copy() + 1, np.array(ABC)
    checked = sc.check_cost_matrix(prices, y)
    checked[:] = -1
    checked = sc.check_costs(rows, y, 3)
    checked[:] = -1
    vectors = sc.as_cost_vectors(y, costs=rows)
    vectors[:] = -1
    normal, _ = sc.normalize(prices)
    normal[:] = -1
    soft = sc.soften(rows, y, 0.0)
    soft[:] = -1
    sc.soften(rows, y, 0.3)
    sc.emphasized(prices, 10, rows=1)
    sc.balanced(prices, [1, 2, 3])
    sc.consistent(np.array([3, 2, 1]), 0)
    assert (prices == GOOD).all()
    assert (rows == GOOD + 1).all()
    assert (y == ABC).all()


def test_published_matrices():
    sers, kdd = sc.SERS_COSTS, sc.KDD99_COSTS
    assert sers.shape == (10, 10)
    assert sers.to_numpy().sum() == 567
    assert sers.loc["Ab", "HI"] == 10
    assert sers.loc["HI", "Spn"] == 1
    assert sers.loc["Ecoli", "Ab"] == 3
    assert kdd.to_numpy().sum() == 40
    assert kdd.loc["r2l", "normal"] == 4
    assert kdd.loc["normal", "r2l"] == 2
    for prices in (sers, kdd):
        assert list(prices.index) == list(prices.columns)
        assert not sc.is_consistent(prices)
        assert (np.diag(prices) == 0).all()
        assert (prices.to_numpy() != prices.to_numpy().T).any()
    sers.iloc[0, 1] = 99.0
    assert sc.SERS_COSTS.iloc[0, 1] == 1
    with pytest.raises(AttributeError, match="NO_COSTS"):
        _ = sc.NO_COSTS


def test_everything_named_is_there():
    for name in sc.__all__:
        assert getattr(sc, name) is not None


def test_import_stays_cheap():
    code = (
        "import sys, softcost.costs, softcost.metrics;"
        "print({'pandas', 'sklearn', 'scipy'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "set()"
