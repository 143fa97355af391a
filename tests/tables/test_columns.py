"""Tables as people have them: each column is read as a person would, or it is said."""

import numpy as np
import odd_tables
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from softcost.errors import command_line_names
from softcost.tables import ColumnOverrides, infer_columns, read_table
from softcost.tables.columns import read_labels, typed_columns
from softcost.tables.infer import infer_kinds, most_right
from softcost.tables.kinds import feature_kinds

NOTHING = ""
# (file, column, kind or "left out", a word of what is said of it)
EXPECTED = [
    ("quotes.csv", "age", "number", NOTHING),
    ("quotes.csv", "remark", "nominal", NOTHING),
    ("semicolons.csv", "income", "number, decimal comma", NOTHING),
    ("semicolons.csv", "rate", "number, decimal comma", NOTHING),
    ("semicolons.csv", "stock", "number, decimal comma", "1.000 is read as 1000"),
    ("thousands.csv", "income", "number", NOTHING),
    ("thousands.csv", "visits", "number", "1,000 is read as 1000"),
    ("thousands.csv", "swiss", "number", NOTHING),
    ("money.csv", "income", "number, decimal comma", "€ is taken off"),
    ("money.csv", "share", "number, decimal comma", "% is taken off"),
    ("money.csv", "fee", "number", "$ is taken off"),
    ("money.csv", "balance", "number", NOTHING),
    ("dates.csv", "iso", "date", NOTHING),
    ("dates.csv", "german", "date, day first", NOTHING),
    ("dates.csv", "american", "date, month first", NOTHING),
    ("dates.csv", "clock", "date and time", NOTHING),
    ("dates.csv", "compact", "date", NOTHING),
    ("dates.csv", "open", "date, day first", "--date open=mdy"),
    ("ids.csv", "unnamed column 1", "left out", "no name"),
    ("ids.csv", "customer_id", "left out", "like an id"),
    ("ids.csv", "code", "left out", "identifier"),
    ("ids.csv", "plz", "nominal", "leading zeros"),
    ("missing.csv", "age", "number", "missing: '-', 'n/a'"),
    ("missing.csv", "income", "number", "missing: 'k.A.', '#DIV/0!'"),
    ("missing.csv", "since", "date, day first", "missing: '-'"),
    ("missing.csv", "sign", "nominal", NOTHING),
    ("missing.csv", "empty", "left out", "empty"),
    ("mixed.csv", "age", "nominal", "--missing refused"),
    ("mixed.csv", "grade", "nominal", NOTHING),
    ("unicode.csv", "年齢", "number", NOTHING),
    ("unicode.csv", "Straße", "nominal", NOTHING),
    ("unicode.csv", "emoji", "nominal", NOTHING),
    ("booleans.csv", "active", "boolean", NOTHING),
    ("booleans.csv", "aktiv", "boolean", NOTHING),
    ("booleans.csv", "flag", "number", NOTHING),
    ("constants.csv", "year", "left out", "same in all rows"),
    ("constants.csv", "country", "left out", "same in all rows"),
    ("constants.csv", "cost_no", "left out", "prices by row"),
    ("constants.csv", "cost_yes", "left out", "prices by row"),
    ("constants.csv", "outcome", "nominal", "tells the class almost alone"),
    ("header.csv", "age", "number", NOTHING),
    ("header.csv", "age (2)", "number", NOTHING),
    ("bom.csv", "age", "number", NOTHING),
    ("utf16.csv", "city", "nominal", NOTHING),
    ("cp1252.csv", "city", "nominal", NOTHING),
    ("tabs.tsv", "income", "number", NOTHING),
    ("packed.csv.gz", "income", "number", NOTHING),
    ("typed.parquet", "joined", "date", NOTHING),
    ("typed.parquet", "active", "boolean", NOTHING),
    ("indexed.parquet", "__index_level_0__", "left out", "no name"),
    ("indexed.parquet", "joined", "date", NOTHING),
    ("indexed.parquet", "active", "boolean", NOTHING),
    ("book.xlsx", "age", "number", "missing: 'n/a'"),
    ("book.xlsx", "joined", "date", NOTHING),
    ("book.xlsx", "active", "boolean", NOTHING),
]
NOTES = {
    "header.csv": "more than one column 'age'",
    "utf16.csv": "UTF-16",
    "cp1252.csv": "Windows-1252",
    "book.xlsx": "2 sheets",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    pytest.importorskip("openpyxl")
    folder = tmp_path_factory.mktemp("odd")
    odd_tables.write_all(folder)
    return folder


@pytest.fixture(scope="module")
def read(tables):
    """A table's rows, what was told of it, and what was found of its columns."""

    def one(name):
        told = []
        raw = read_table(str(tables / name), told.append)
        labels = read_labels(raw["answer"], "--target", name)
        features = raw.drop(columns="answer")
        with command_line_names():
            found = {one.name: one for one in infer_columns(features, labels)}
        return features, told, found

    return one


@pytest.mark.parametrize(("name", "column", "kind", "words"), EXPECTED)
def test_columns_are_read_as_a_person_would(read, name, column, kind, words):
    found = read(name)[2][column]
    assert ("left out" if found.left_out else found.kind) == kind
    said = "; ".join([found.left_out, *found.remarks])
    assert words in said
    if words == NOTHING:
        assert said.strip("; ") == ""


def test_remarks_name_parameters_in_python():
    table = pd.DataFrame({"when": ["1/2/2024", "3/4/2024"]})
    (column,) = infer_columns(table, ["a", "b"])
    assert "dates={'when': 'dmy'}" in column.remarks[0]


BASE = {"age": "number", "income": "number", "city": "nominal"}  # odd in some files


@pytest.mark.parametrize("name", sorted({one[0] for one in EXPECTED}))
def test_no_column_is_forgotten(read, name):
    """Those that the list does not name are plain, and nothing is said of them."""
    listed = {column for file, column, _, _ in EXPECTED if file == name}
    for column, found in read(name)[2].items():
        if column in listed:
            continue
        assert column in BASE, "not in the list"
        assert (found.kind, found.left_out, list(found.remarks)) == (
            BASE[column],
            "",
            [],
        )


def test_every_table_is_in_the_list(tables):
    assert {path.name for path in tables.iterdir()} == {one[0] for one in EXPECTED}


@pytest.mark.parametrize("name", sorted({one[0] for one in EXPECTED}))
def test_what_was_assumed_is_told(read, name):
    told = read(name)[1]
    assert len(told) == (name in NOTES)
    assert not told or NOTES[name] in told[0]


def typed(read, name):
    features, _, found = read(name)
    kinds = {one.name: one.kind for one in found.values() if not one.left_out}
    return typed_columns(features, kinds, name)


@pytest.mark.parametrize(
    "name",
    ["quotes.csv", "semicolons.csv", "money.csv", "bom.csv", "utf16.csv", "tabs.tsv",
     "packed.csv.gz", "typed.parquet", "indexed.parquet", "book.xlsx"],
)  # fmt: skip
def test_the_numbers_are_those_that_were_written(read, name):
    found, wanted = typed(read, name), odd_tables.base()
    np.testing.assert_array_equal(found["income"], wanted["income"])
    there = found["age"].notna()
    assert there.sum() >= len(there) - 1
    np.testing.assert_array_equal(found["age"][there], wanted["age"][there])


def test_signs_and_groups_of_digits(read):
    row = np.arange(odd_tables.N)
    found = typed(read, "money.csv")
    np.testing.assert_array_equal(found["share"], row % 9 + 0.5)
    np.testing.assert_array_equal(found["fee"], row % 9 + 0.5)
    signed = np.where(row % 2, -(row % 9 + 0.5), row % 9 + 0.5)
    np.testing.assert_array_equal(found["balance"], signed)
    found = typed(read, "thousands.csv")
    np.testing.assert_array_equal(found["visits"], (1 + row % 9) * 1000 + row % 8 * 100)
    np.testing.assert_array_equal(found["swiss"], found["visits"] + 0.5)
    found = typed(read, "semicolons.csv")
    np.testing.assert_array_equal(found["stock"], (1 + row % 9) * 1000 + row % 8 * 100)


@pytest.mark.parametrize(
    ("name", "column"),
    [("dates.csv", "iso"), ("dates.csv", "german"), ("dates.csv", "american"),
     ("dates.csv", "compact"), ("dates.csv", "clock"), ("typed.parquet", "joined"),
     ("book.xlsx", "joined")],
)  # fmt: skip
def test_dates_are_the_same_numbers_in_every_form(read, name, column):
    found, days = typed(read, name), odd_tables.moments()
    epoch = (days - pd.Timestamp("1970-01-01")).days
    np.testing.assert_array_equal(found[f"{column} (days)"] // 1, epoch)
    np.testing.assert_array_equal(found[f"{column} (month)"], days.month)
    np.testing.assert_array_equal(found[f"{column} (day of month)"], days.day)
    np.testing.assert_array_equal(found[f"{column} (weekday)"], days.day_of_week)
    if column == "clock":
        assert (found["clock (hour)"] == 9.5).all()
    else:
        assert f"{column} (hour)" not in found


def test_a_piece_is_read_like_the_whole(read):
    """Where a piece alone would be read otherwise: 1.234, 3/4/2024 and empty cells."""
    for name in ("semicolons.csv", "dates.csv", "missing.csv", "book.xlsx"):
        features, _, found = read(name)
        kinds = {one.name: one.kind for one in found.values() if not one.left_out}
        pieces = [
            typed_columns(features.iloc[[row]].reset_index(drop=True), kinds, name)
            for row in range(len(features))
        ]
        whole = typed_columns(features, kinds, name)
        pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)
        assert list(whole) == list(feature_kinds(kinds))


def test_features_called_like_numbered_classes_are_no_prices():
    """x1, x2 and x3 beside classes 1, 2 and 3, as in many tables."""
    rng = np.random.default_rng(0)
    labels = rng.integers(1, 4, 200).astype(str)
    table = pd.DataFrame(rng.random((200, 4)), columns=["x1", "x2", "x3", "x4"])
    assert not any(one.left_out for one in infer_columns(table, labels))
    prices = rng.random((200, 3)) + 1
    prices[np.arange(200), labels.astype(int) - 1] = 0
    table[["x1", "x2", "x3"]] = prices
    left = [one.name for one in infer_columns(table, labels) if one.left_out]
    assert left == ["x1", "x2", "x3"]


def test_the_user_has_the_last_word(read):
    features, _, _ = read("semicolons.csv")
    assert infer_kinds(features, ColumnOverrides(decimal="."))["stock"] == "number"
    features, _, _ = read("dates.csv")
    asked = ColumnOverrides(dates={"open": "mdy"}, nominal=frozenset(["iso"]))
    kinds = infer_kinds(features, asked)
    assert (kinds["open"], kinds["iso"]) == ("date, month first", "nominal")
    features, _, _ = read("mixed.csv")
    kinds = infer_kinds(features, ColumnOverrides(tokens=frozenset(["refused"])))
    assert kinds["age"] == "number"
    features, _, found = read("ids.csv")
    labels = odd_tables.base()["answer"].to_numpy(str)
    kept = infer_columns(
        features, labels, ColumnOverrides(number=frozenset(["customer_id"]))
    )
    assert found["customer_id"].left_out
    assert not {one.name: one for one in kept}["customer_id"].left_out


def test_no_tree_gets_more_right_than_its_bound():
    """Which spares the tree of a column that cannot tell the class anyway."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, k, leaves = rng.integers(5, 60), rng.integers(2, 5), int(rng.integers(2, 9))
        labels = rng.integers(k, size=n)
        column = rng.integers(20, size=n) + rng.choice([0, 9.0]) * labels
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        right = tree.fit(column[:, None], labels).score(column[:, None], labels)
        assert right <= most_right(column, labels, leaves)
    labels = np.repeat([0, 1, 2], 20)
    assert most_right(labels + 0.5, labels, 6) == 1
    assert most_right(np.arange(60.0), np.arange(60) % 3, 6) < 0.7
