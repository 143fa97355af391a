"""Files written by earlier versions still load, and predict the same.

``old_files/write.py`` wrote the archives; its docstring says at which commit.
"""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
import sklearn
from click.testing import CliRunner
from crafted import opened, signed
from sklearn.linear_model import Ridge

import softcost
from softcost import RegressionOneVsAll
from softcost.cli import main
from softcost.persistence import ModelFileError
from softcost.persistence.codec import registry

ARCHIVE = Path(__file__).parent / "old_files" / "before_restructuring.zip"

with ZipFile(ARCHIVE) as _file:
    EXPECTED = json.loads(_file.read("expected.json"))
X = pd.DataFrame(EXPECTED["rows"], columns=EXPECTED["columns"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("old_files")
    with ZipFile(ARCHIVE) as file:
        file.extractall(place)
    return place


@pytest.mark.parametrize("name", sorted(EXPECTED["models"]))
def test_models_predict_the_same(folder, name, tmp_path):
    manifest = softcost.persistence.describe(folder / f"{name}.softcost")
    in_skops = any(member.startswith("parts/") for member in manifest["checksums"])
    if in_skops and manifest["made_with"]["scikit-learn"] != sklearn.__version__:
        pytest.skip("skops stores an estimator for one version of scikit-learn")
    model = softcost.load(folder / f"{name}.softcost")
    expected = EXPECTED["models"][name]
    softcost.save(model, tmp_path / "again.softcost")
    for version in (model, softcost.load(tmp_path / "again.softcost")):
        assert version.predict(X).tolist() == expected["predictions"]
        if expected["scores"] is not None:
            np.testing.assert_allclose(
                # Kernels sum in another order on another processor.
                version.decision_function(X),
                expected["scores"],
                rtol=1e-6,
                atol=1e-8,
            )


def test_the_command_line_predicts_the_same(folder, tmp_path):
    out = tmp_path / "out.csv"
    arguments = ["predict", folder / "command_line.softcost", folder / "new.csv"]
    done = CliRunner().invoke(main, [*map(str, arguments), "-o", str(out)])
    assert done.exit_code == 0, done.output
    with open(folder / "command_line.csv") as old, open(out) as new:
        expected, found = (list(csv.DictReader(file)) for file in (old, new))
    name = "prediction"
    assert [row[name] for row in found] == [row[name] for row in expected]


@pytest.fixture
def ridge_was_renamed(monkeypatch):
    """Ridge as if its alpha and coefficients had had other names in a past version."""
    names = {"penalty": "alpha", "beta_": "coef_"}
    schema = replace(registry()["Ridge"], renamed=names)
    monkeypatch.setitem(registry(), "Ridge", schema)


def ridge_file(path, change):
    """Save a model with `Ridge` as a version that wrote it otherwise would have."""
    model = RegressionOneVsAll(Ridge(alpha=3.0)).fit(X, np.arange(len(X)) % 3)
    softcost.save(model, path)
    manifest, members = opened(path.read_bytes())
    structure = json.loads(members["structure.json"])
    for node in structure["fitted"]["solutions_"]["fitted"]["members"]:
        change(node)
    members["structure.json"] = json.dumps(structure).encode()
    path.write_bytes(signed(manifest, members))
    return model


def with_old_names(node):
    node["params"]["penalty"] = node["params"].pop("alpha")
    node["fitted"]["beta_"] = node["fitted"].pop("coef_")


def with_both_names(node):
    node["params"]["penalty"] = node["params"]["alpha"]


def test_fields_may_have_earlier_names(tmp_path, ridge_was_renamed):
    path = tmp_path / "m.softcost"
    model = ridge_file(path, with_old_names)
    found = softcost.load(path)
    assert found.solutions_.members[0].alpha == 3.0
    np.testing.assert_array_equal(
        found.decision_function(X), model.decision_function(X)
    )


def test_a_field_under_both_names_is_refused(tmp_path, ridge_was_renamed):
    path = tmp_path / "m.softcost"
    ridge_file(path, with_both_names)
    with pytest.raises(ModelFileError, match="alpha"):
        softcost.load(path)


def test_earlier_names_need_a_mapping(tmp_path):
    path = tmp_path / "m.softcost"
    ridge_file(path, with_old_names)
    with pytest.raises(ModelFileError, match="penalty"):
        softcost.load(path)


def test_types_may_have_earlier_names(tmp_path, monkeypatch):
    schema = replace(registry()["Ridge"], former_names=("RidgeOfOld",))
    monkeypatch.setitem(registry(), "Ridge", schema)
    path = tmp_path / "m.softcost"
    model = ridge_file(path, lambda node: node.update(type="RidgeOfOld"))
    np.testing.assert_array_equal(softcost.load(path).predict(X), model.predict(X))


def test_modules_may_have_earlier_names(tmp_path):
    """A manifest names classes with their modules, which move between versions."""
    path = tmp_path / "m.softcost"
    model = ridge_file(path, lambda node: None)
    manifest, members = opened(path.read_bytes())
    name = "softcost.somewhere._else.RegressionOneVsAll"
    path.write_bytes(signed(manifest | {"model": name, "final": name}, members))
    np.testing.assert_array_equal(softcost.load(path).predict(X), model.predict(X))
    for wrong in ("softcost.reductions.FilterTree", "other.RegressionOneVsAll"):
        path.write_bytes(signed(manifest | {"model": wrong}, members))
        with pytest.raises(ModelFileError, match="manifest"):
            softcost.load(path)


def test_only_a_model_imports_estimators(folder):
    """Reading a manifest is quick, and LightGBM is imported for its trees alone."""
    code = (
        "import sys\n"
        "from softcost.persistence import describe, load\n"
        "describe(sys.argv[1])\n"
        "print(sorted({'numba', 'lightgbm', 'softcost.search'} & set(sys.modules)))\n"
        "load(sys.argv[1])\n"
        "print('lightgbm' in sys.modules)\n"
        "load(sys.argv[2])\n"
        "print('lightgbm' in sys.modules)\n"
    )
    names = ("search_grid", "one_sided_boosting")
    paths = [str(folder / f"{name}.softcost") for name in names]
    command = [sys.executable, "-c", code, *paths]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split("\n")[:3] == ["[]", "False", "True"]
