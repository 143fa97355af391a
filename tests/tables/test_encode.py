"""`TableEncoder`: features of raw tables, the same as those of typed ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import softcost as library
from softcost import MinimumExpectedCost
from softcost.tables import TableEncoder


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
