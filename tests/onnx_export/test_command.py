"""``softcost export``, and the program in JavaScript of the guide."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import softcost as library

onnxruntime = pytest.importorskip("onnxruntime", reason="export needs its extra")
PAGE = Path(__file__).parents[2] / "docs" / "guide" / "production.md"


def outputs_of(path, table):
    from softcost.onnx import table_inputs

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options)
    names = [output.name for output in session.get_outputs()]
    found = session.run(None, table_inputs(session, table))
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("which", ["menu", "priced"])
def test_graph_answers_as_predict(menu, priced, softcost, tmp_path, which):
    model = menu.model if which == "menu" else priced
    out, predicted = tmp_path / "m.onnx", tmp_path / "predicted.csv"
    result = softcost("export", model, "-o", out)
    assert result.exit_code == 0, result.output
    assert "inputs: Größe, price, net, kind" in result.stderr
    softcost("predict", model, menu.data, "-o", predicted)
    expected = pd.read_csv(predicted, dtype={"prediction": str})
    found = outputs_of(out, pd.read_csv(menu.data, dtype=str, keep_default_na=False))
    assert found["label"].tolist() == expected["prediction"].tolist()
    assert ("expected_costs" in found) == (which == "priced")


def test_model_that_cannot_be_exported(menu, softcost, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = library.FilterTree().fit(X, np.arange(30) % 3)
    library.save(model, tmp_path / "tree.softcost")
    out = tmp_path / "m.onnx"
    result = softcost("export", tmp_path / "tree.softcost", "-o", out)
    assert result.exit_code == 2
    assert "A FilterTree cannot be exported to ONNX." in result.stderr
    assert not out.exists()


def test_model_is_not_overwritten(menu, softcost):
    before = menu.model.read_bytes()
    result = softcost("export", menu.model, "-o", menu.model)
    assert result.exit_code == 2
    assert menu.model.read_bytes() == before


def test_missing_package_is_named(menu, softcost, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("softcost.onnx.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    result = softcost("export", menu.model, "-o", tmp_path / "m.onnx")
    assert result.exit_code == 2
    assert "to_onnx needs the package onnx: pip install" in result.stderr


def test_program_of_the_guide_in_javascript(tmp_path, monkeypatch):
    """It runs where node finds onnxruntime-node, for instance by NODE_PATH."""
    node = shutil.which("node")
    if node is None or not PAGE.is_file():
        pytest.skip("node or the guide is not here")
    available = subprocess.run(
        [node, "-e", "require('onnxruntime-node')"], cwd=tmp_path, capture_output=True
    )
    if available.returncode != 0:
        pytest.skip("node does not find the package onnxruntime-node; set NODE_PATH")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    first = text.split("```python\n")[1].split("```")[0]
    namespace = {"__name__": "page"}
    exec(compile(first, str(PAGE), "exec"), namespace)
    search = namespace["search"]
    graph = library.to_onnx(search, require_costs=True)
    Path("orders.onnx").write_bytes(graph.SerializeToString())
    Path("decide.js").write_text(text.split("```javascript\n")[1].split("```")[0])
    done = subprocess.run(
        [node, "decide.js"], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = pd.DataFrame(
        {
            "weight": [3.5, np.nan],
            "carrier": ["express", "south"],
            "sent": pd.to_datetime(["2024-06-01", "2024-12-24"]),
        }
    )
    assert found["label"] == search.predict(rows).tolist()
    assert found["label"][0] != found["label"][1]
    expected = search.expected_costs(rows).ravel()
    np.testing.assert_allclose(found["expected_costs"], expected, atol=1e-4)
