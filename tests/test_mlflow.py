"""Models in MLflow: stored without pickle, and served as softcost predicts."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import softcost
from softcost import MinimumExpectedCost, OneSidedRegression, SoftCostClassifierCV
from softcost.tables import TableEncoder

mlflow = pytest.importorskip("mlflow", reason="softcost.mlflow needs its extra")
pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow and SQLAlchemy
PRICES = {"high": {"low": 3}, "low": {"high": 1}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
    mlflow.create_experiment("tests", artifact_location=(folder / "files").as_uri())
    mlflow.set_experiment("tests")
    return folder


def orders(n=150):
    """Columns of numbers, whole numbers, words, dates and numbers as text."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "items": rng.integers(0, 9, n),
            "city": rng.choice(["Oslo", "Rome"], n).astype(object),
            "day": np.datetime64("2024-01-01") + rng.integers(0, 300, n),
            "price": [f"{x:.2f} EUR".replace(".", ",") for x in rng.uniform(1, 9, n)],
            "unused": 1,
        }
    )
    y = np.where(table["size"] + (table["city"] == "Oslo") > 0.5, "high", "low")
    table.loc[::9, "city"] = None
    table.loc[::7, "size"] = np.nan
    return table, y


@pytest.fixture(scope="module")
def logged(store):
    table, y = orders()
    search = SoftCostClassifierCV(cost_matrix=PRICES, cv=2, random_state=0)
    search.fit(table, y)
    with mlflow.start_run() as run:
        info = softcost.mlflow.log_model(search, table, metrics={"test_cost": 0.25})
    return search, table, info, run.info.run_id


def test_loaded_model_predicts_the_same(logged):
    search, table, info, _ = logged
    loaded = softcost.mlflow.load_model(info.model_uri)
    assert isinstance(loaded, SoftCostClassifierCV)
    assert np.array_equal(loaded.expected_costs(table), search.expected_costs(table))
    found = mlflow.pyfunc.load_model(info.model_uri).predict(table)
    assert found["prediction"].tolist() == search.predict(table).tolist()
    columns = [f"expected_cost_{name}" for name in search.classes_]
    assert np.array_equal(found[columns], search.expected_costs(table))


def test_run_has_measures_parameters_report_and_example(logged):
    search, _, info, run_id = logged
    data = mlflow.get_run(run_id).data
    chosen = search.tradeoff_.iloc[search.best_index_]
    assert data.metrics["test_cost"] == 0.25
    assert data.metrics["cv_cost"] == chosen["cost"]
    assert data.params["softness"] == str(search.best_softness_)
    folder = mlflow.artifacts.download_artifacts(artifact_uri=info.model_uri)
    (page,) = Path(folder).rglob("report.html")
    assert page.stat().st_size > 0
    names = [spec.name for spec in info.signature.inputs.inputs]
    assert names == ["size", "items", "city", "day", "price"]
    example = mlflow.pyfunc.load_model(info.model_uri).input_example
    assert list(example.columns) == names


def test_nothing_is_pickled(store, monkeypatch):
    import cloudpickle

    def refuse(*args, **kwargs):
        raise AssertionError("pickle was used")

    for module in (pickle, cloudpickle):
        for name in ("dump", "dumps", "load", "loads"):
            monkeypatch.setattr(module, name, refuse)
    table, y = orders(60)
    model = make_pipeline(TableEncoder(), MinimumExpectedCost(cost_matrix=PRICES))
    info = softcost.mlflow.log_model(model.fit(table, y), table)
    loaded = mlflow.pyfunc.load_model(info.model_uri)
    expected = model.predict(table).tolist()
    assert loaded.predict(table)["prediction"].tolist() == expected
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=info.model_uri))
    assert not list(folder.rglob("*.pkl"))


def test_array_models_have_a_tensor_signature(store, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, "high", "low")
    model = OneSidedRegression(cost_matrix=PRICES).fit(X, y)
    softcost.mlflow.save_model(model, X, tmp_path / "folder")
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "folder"))
    assert loaded.metadata.signature.inputs.is_tensor_spec()
    found = loaded.predict(X)
    assert found["prediction"].tolist() == model.predict(X).tolist()
    assert {"score_high", "score_low"} <= {*found}


def test_rows_of_json_are_read(logged):
    """Missing cells, whole numbers, new words and numbers as text, as a service has."""
    from mlflow.pyfunc.scoring_server import infer_and_parse_data

    search, _, info, _ = logged
    schema = info.signature.inputs
    row = {"size": None, "items": 3, "city": None, "day": "2024-02-01", "price": "1,5"}
    other = {"size": "1.5", "items": None, "city": "Bonn", "day": "2024-02-01"}
    records = [row, other | {"price": "20,00 EUR"}]
    rows = infer_and_parse_data({"dataframe_records": records}, schema)
    found = mlflow.pyfunc.load_model(info.model_uri).predict(rows)
    expected = search.predict(pd.DataFrame(records))
    assert found["prediction"].tolist() == expected.tolist()


def test_missing_columns_and_other_models_are_refused(logged, store, tmp_path):
    search, table, _, _ = logged
    with pytest.raises(ValueError, match="X has no column 'city'"):
        softcost.mlflow.save_model(search, table.drop(columns="city"), tmp_path / "a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no file model"):
        softcost.mlflow.load_model(str(tmp_path / "empty"))
