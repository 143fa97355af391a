"""Exported graphs give the labels, probabilities and costs of their models."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import softcost
from softcost import MinimumExpectedCost, SoftCostClassifierCV
from softcost.learners import BoostedTrees
from softcost.tables import TableEncoder

# LightGBM 4.5 with scikit-learn 1.6.
pytestmark = [
    pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed:FutureWarning"),
    pytest.mark.filterwarnings("ignore:The LGBM:DeprecationWarning"),
]
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "onnx_agreement.py"
KERNELS = ("perceptron", "stump", "laplacian", "exponential", "rbf", "linear")
# Searches and forests of many fits; other tests here cover a default search.
SLOW = ("search: ", "pipeline: TableEncoder, search", "one-sided boosting")


def names():
    """Names of the combinations, read without importing the optional packages."""
    if not SCRIPT.is_file():
        return []
    for node in ast.parse(SCRIPT.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "COMBINATIONS":
            keys = [key.value for key in node.value.keys if key is not None]
            return keys + [f"OSR: {kernel}" for kernel in KERNELS]
    raise AssertionError("COMBINATIONS is not in the script")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.product] * name.startswith(SLOW))
        for name in names()
    ],
)
def test_graph_agrees_with_model(agreement, name):
    found = agreement.compare(name, 400)
    assert found["labels"] == 0
    assert found.get("probabilities", 0) < 1e-5
    assert found.get("expected_costs", 0) < 1e-4
    assert found.get("scores", 0) < 1e-3
    if name not in ("MEC: prior decides", "MEC: constant"):
        assert found["classes"] > 1


def test_all_combinations_are_tested(agreement):
    assert sorted(agreement.COMBINATIONS) == sorted(names())


def test_a_difference_is_noticed(agreement, monkeypatch):
    """Another model than the exported one."""
    X, y = agreement.numbers(200, 3, 0)
    other = MinimumExpectedCost(cost_matrix=agreement.COSTS[3]).fit(X, (y + 1) % 3)
    graph = softcost.to_onnx(other)
    monkeypatch.setattr(agreement.softcost, "to_onnx", lambda model: graph)
    found = agreement.compare("MEC: default", 400)
    assert found["labels"] > 0
    assert found["probabilities"] > 0.1


@pytest.fixture(scope="module")
def raw(agreement):
    """A default search on a raw table, its graph and new rows."""
    table, y = agreement.cells(200, 0)
    search = SoftCostClassifierCV(cost_matrix=agreement.COSTS[3], cv=2, random_state=0)
    search.fit(table, y)
    return search, softcost.to_onnx(search), agreement.cells(300, 1)[0]


def run(agreement, graph, table, **inputs):
    from softcost.onnx import table_inputs

    session = agreement.session_of(graph)
    outputs = session.run(None, table_inputs(session, table) | inputs)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, outputs, strict=True))


def test_default_search_on_a_raw_table(agreement, raw):
    search, graph, table = raw
    found = run(agreement, graph, table)
    assert found["label"].tolist() == search.predict(table).tolist()
    assert np.abs(found["probabilities"] - search.predict_proba(table)).max() < 1e-5
    difference = found["expected_costs"] - search.expected_costs(table)
    assert np.abs(difference).max() < 1e-4


def test_saved_search_exports_the_same_graph(raw, tmp_path):
    search, graph, _ = raw
    softcost.save(search, tmp_path / "a.softcost")
    again = softcost.to_onnx(softcost.load(tmp_path / "a.softcost"))
    assert again.SerializeToString() == graph.SerializeToString()


def test_other_costs_need_no_export(agreement, raw):
    search, graph, table = raw
    model = search.best_estimator_
    costs = agreement.COSTS[3].T * [[5.0], [1.0], [0.2]]
    rng = np.random.default_rng(0)
    by_row = rng.uniform(0, 9, (len(table), 3, 3))
    by_row[:, range(3), range(3)] = 0
    by_row += rng.uniform(0, 5, (len(table), 3, 1))  # being right also costs
    found = run(agreement, graph, table, costs=by_row)
    assert found["label"].tolist() == model.predict(table, costs=by_row).tolist()
    difference = found["expected_costs"] - model.expected_costs(table, costs=by_row)
    assert np.abs(difference).max() < 1e-4
    found = run(agreement, graph, table, costs=costs[None])
    expected = model.predict(table, costs=np.broadcast_to(costs, by_row.shape))
    assert found["label"].tolist() == expected.tolist()
    assert found["label"].tolist() != search.predict(table).tolist()


def test_costs_may_be_required(agreement, raw):
    search, _, table = raw
    graph = softcost.to_onnx(search, require_costs=True)
    with pytest.raises(ValueError, match="costs"):
        run(agreement, graph, table)
    found = run(agreement, graph, table, costs=agreement.COSTS[3][None])
    assert found["label"].tolist() == search.predict(table).tolist()


@pytest.mark.parametrize("softness", [0.0, 0.4])
def test_models_that_decide_by_row_costs_need_them(agreement, softness):
    rng = np.random.default_rng(0)
    X, y = agreement.numbers(300, 2, 0)
    costs = np.zeros((300, 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = 1.7, rng.uniform(0, 30, 300)
    model = MinimumExpectedCost(softness=softness).fit(
        X[:200], y[:200], costs=costs[:200]
    )
    graph = softcost.to_onnx(model)
    with pytest.raises(ValueError, match="costs"):
        run(agreement, graph, X)
    found = run(agreement, graph, X, costs=costs)
    assert found["label"].tolist() == model.predict(X, costs=costs).tolist()


def test_dates_of_four_centuries(agreement):
    """The calendar of the graph against that of numpy, with dates out of range."""
    import onnxruntime
    from onnx import TensorProto, helper

    from softcost.onnx.graph import Graph
    from softcost.onnx.table_graph import column_codes, input_names

    rng = np.random.default_rng(0)
    moments = np.datetime64("1790-01-01T00:00:00") + rng.integers(0, 13 * 10**9, 20_000)
    days = np.arange("1999-12-25", "2001-03-05", dtype="datetime64[D]")
    moments = np.concatenate([moments, days.astype("datetime64[s]")])
    table = pd.DataFrame({"day": moments, "time": moments})
    table.iloc[::50] = np.datetime64("NaT")
    kinds = {"day": "date", "time": "date and time"}
    encoder = TableEncoder(kinds, output="codes").fit(table)
    graph = Graph()
    codes = column_codes(graph, encoder, input_names(encoder))
    out = helper.make_tensor_value_info(codes, TensorProto.DOUBLE, None)
    proto = helper.make_model(
        helper.make_graph(
            graph.nodes, "dates", graph.inputs, [out], list(graph.constants.values())
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    seconds = table["day"].to_numpy("datetime64[s]").astype(np.int64).astype(float)
    seconds[table["day"].isna()] = np.nan
    (found,) = session.run(None, {"day": seconds, "time": seconds})
    np.testing.assert_array_equal(found, encoder.transform(table))


@pytest.mark.parametrize("missing", [False, True])
def test_missing_values_that_training_did_not_have(agreement, missing):
    """LightGBM reads them as zero, unless the training rows had some."""
    X, y = agreement.numbers(300, 3, 0, missing)
    model = MinimumExpectedCost(BoostedTrees(n_estimators=9)).fit(X, y)
    rows = agreement.numbers(300, 3, 1)[0]
    rows[np.random.default_rng(0).random(rows.shape) < 0.3] = np.nan
    found = run(agreement, softcost.to_onnx(model), rows)
    assert np.abs(found["probabilities"] - model.predict_proba(rows)).max() < 1e-12


def test_single_class(agreement):
    X, _ = agreement.numbers(20, 3, 0)
    model = MinimumExpectedCost().fit(X, ["only"] * 20)
    found = run(agreement, softcost.to_onnx(model), X)
    assert found["label"].tolist() == ["only"] * 20
    assert (found["probabilities"] == 1).all()


def test_table_inputs_name_wrong_cells(agreement, raw):
    from softcost.onnx import table_inputs

    _, graph, table = raw
    wrong = table.head(3).copy()
    wrong.iloc[1, wrong.columns.get_loc("size")] = "much"
    with pytest.raises(ValueError, match="column 'size' of X holds 'much' in row 2"):
        table_inputs(graph, wrong)
    with pytest.raises(ValueError, match="'city' is not a column of X"):
        table_inputs(graph, table.drop(columns="city"))


def test_columns_may_be_called_like_outputs(agreement):
    """A column called "label" and an input "costs" beside a column of that name."""
    table, y = agreement.cells(200, 0)
    table = table[["size", "grade", "costs"]].rename(columns={"grade": "label"})
    model = make_pipeline(TableEncoder(), MinimumExpectedCost()).fit(table, y)
    graph = softcost.to_onnx(model)
    names = [value.name for value in graph.graph.input]
    assert names == ["size", "label (column)", "costs (column)", "costs"]
    found = run(agreement, graph, table)
    assert found["label"].tolist() == model.predict(table).tolist()
