"""`TableEncoder`: features of raw tables, the same as those of typed ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import softcost as library
from softcost import MinimumExpectedCost
from softcost.tables import DenseFeatures, RowParser, TableEncoder


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "price": [f"{value:.2f} EUR" for value in rng.random(40)],
            "when": pd.date_range("2024-01-01", periods=40).strftime("%d.%m.%Y"),
            "city": rng.choice(["Oslo", "Rome", ""], 40),
            "row_id": np.arange(40),
            "same": "x",
        }
    )


LABELS = np.arange(40) % 2


def test_raw_and_typed_rows_have_the_same_features(table):
    encoder = TableEncoder()
    features = encoder.fit_transform(table, LABELS)
    assert list(encoder.kinds_) == ["price", "when", "city"]
    assert {column.name for column in encoder.summary_ if column.left_out} == {
        "row_id", "same",
    }  # fmt: skip
    np.testing.assert_array_equal(encoder.transform(table), features)
    typed = encoder.typed(table)
    np.testing.assert_array_equal(encoder.transform(typed), features)
    again = clone(encoder).set_params(kinds=encoder.kinds_).fit_typed(typed)
    np.testing.assert_array_equal(again.transform(table), features)
    assert len(encoder.get_feature_names_out()) == features.shape[1]
    assert features.min() >= 0
    assert features.max() <= 1


def test_parameters_override_what_is_inferred(table):
    encoder = TableEncoder(nominal=["price"], number=["row_id"], drop=["when"])
    encoder.fit(table, LABELS)
    assert encoder.kinds_ == {"price": "nominal", "city": "nominal", "row_id": "number"}
    assert "Oslo" not in TableEncoder(missing=["Oslo"]).fit(table).typed(table)["city"]


def test_a_saved_pipeline_predicts_raw_tables(table, tmp_path, softcost):
    y = np.where(LABELS, "yes", "no")
    reduction = MinimumExpectedCost(LogisticRegression(), cost_matrix=[[0, 1], [5, 0]])
    model = make_pipeline(TableEncoder(), reduction).fit(table, y)

    library.save(model, tmp_path / "model")
    loaded = library.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    table.to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "out.csv"
    done = softcost("predict", tmp_path / "model", tmp_path / "rows.csv", "-o", out)
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(pd.read_csv(out)["prediction"], model.predict(table))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.assign(price="many"), "holds 'many' in row 1"),
        (lambda table: table.drop(columns="city"), "'city' is not a column"),
        (lambda table: table.rename(columns={"same": "city"}), "two columns 'city'"),
    ],
)
def test_rows_that_cannot_be_encoded(table, change, words):
    encoder = TableEncoder().fit(table, LABELS)
    with pytest.raises(ValueError, match=words):
        encoder.transform(change(table))


def test_a_table_without_information():
    with pytest.raises(ValueError, match="no column"):
        TableEncoder().fit(pd.DataFrame({"same": ["x", "x", "x"]}))


def test_features_are_dense_features_of_the_codes(table):
    coded = TableEncoder(output="codes")
    codes = coded.fit_transform(table, LABELS)
    assert codes.flags.c_contiguous
    assert codes.dtype == np.float64
    assert coded.get_feature_names_out().tolist() == [
        "price", "when (days)", "when (month)", "when (day of month)",
        "when (weekday)", "city",
    ]  # fmt: skip
    assert coded.categorical_features_.tolist() == [False] * 5 + [True]
    np.testing.assert_array_equal(coded.transform(table), codes)
    expected = DenseFeatures(coded.categorical_features_).fit_transform(codes)
    encoder = TableEncoder()
    np.testing.assert_array_equal(encoder.fit_transform(table), expected)
    names = encoder.get_feature_names_out().tolist()
    assert names[-3:] == ["city_Oslo", "city_Rome", "city (missing)"]


def test_words_are_numbered_by_frequency_then_text():
    words = ["b", "a", "c", "c", "", "d"]
    encoder = TableEncoder(output="codes").fit(pd.DataFrame({"word": words}))
    assert [one.tolist() for one in encoder.categories_] == [["c", "a", "b", "d"]]
    new = pd.DataFrame({"word": ["a", "never", "", "c"]})
    np.testing.assert_array_equal(encoder.transform(new)[:, 0], [1, -1, np.nan, 0])


@pytest.mark.parametrize("output", ["codes", "features"])
def test_parsed_rows_are_encoded_as_tables_are(table, output, tmp_path):
    encoder = TableEncoder(output=output).fit(table, LABELS)
    new = table.iloc[:5].assign(city=["Rome", "Paris", None, "", "Oslo"])
    parsed = RowParser(encoder.kinds_).read(new.to_dict("records"))
    np.testing.assert_array_equal(
        encoder.encode_parsed(*parsed), encoder.transform(new)
    )
    library.save(encoder, tmp_path / "encoder")
    loaded = library.load(tmp_path / "encoder")
    np.testing.assert_array_equal(loaded.transform(new), encoder.transform(new))
    np.testing.assert_array_equal(loaded.encode_parsed(*parsed), encoder.transform(new))


def test_mappings_are_encoded_as_tables_are(table):
    encoder = TableEncoder().fit(table, LABELS)
    new = table.assign(city=np.resize(["Rome", "Paris", None, "", "Oslo"], 40))
    new.loc[3, "price"] = np.nan
    new["when"] = pd.to_datetime(new["when"], format="%d.%m.%Y")
    new.loc[5, "when"] = pd.NaT
    rows = new.to_dict("records")
    np.testing.assert_array_equal(encoder.transform(rows), encoder.transform(new))
    for number, row in enumerate(rows):
        alone = encoder.transform([row])
        np.testing.assert_array_equal(alone, encoder.transform(new.iloc[[number]]))
    other = {"unused": object(), **rows[0], "price": np.float64(0.5)}
    np.testing.assert_array_equal(
        encoder.transform((other,)), encoder.transform([{**rows[0], "price": 0.5}])
    )


def test_mappings_are_also_rows_to_fit(table):
    rows = table.to_dict("records")
    np.testing.assert_array_equal(
        TableEncoder().fit(rows, LABELS).transform(table),
        TableEncoder().fit(table, LABELS).transform(table),
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"price": "1", "when": "01.01.2024"}, "row 1 has no cell 'city'"),
        ({"price": "much", "when": None, "city": None}, "'price' holds 'much'"),
        ({"price": [1], "when": None, "city": None}, "price"),
    ],
)
def test_mappings_that_cannot_be_encoded(table, row, words):
    encoder = TableEncoder().fit(table, LABELS)
    with pytest.raises(ValueError, match=words):
        encoder.transform([row])


def test_an_output_that_is_not_there(table):
    with pytest.raises(ValueError, match="'dense'"):
        TableEncoder(output="dense").fit(table)
