"""Files of `TableEncoder` and `DenseFeatures` whose parts do not agree are refused."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from crafted import npy, opened, signed

import softcost
from softcost.persistence import ModelFileError
from softcost.tables import DenseFeatures, TableEncoder


def dense():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(size=200), rng.integers(0, 40, 200), rng.integers(0, 4, 200)]
    )
    X[::7] = np.nan
    return DenseFeatures([1, 2]).fit(X, rng.integers(0, 3, 200))


def encoder(**options):
    table = pd.DataFrame({"a": list("xyzxyz"), "b": [1.5, 2, 3, 4, 5, 6]})
    return TableEncoder({"a": "nominal", "b": "number"}, **options).fit(table)


def changed(model, change, folder):
    """A file of a model with another structure or with other arrays."""
    softcost.save(model, folder / "model")
    manifest, members = opened((folder / "model").read_bytes())
    structure = json.loads(members["structure.json"])
    node = structure.get("model", structure)
    fitted = node["fitted"]
    if isinstance(change, dict):
        for name, value in change.items():
            member = f"arrays/{fitted[name]['array']}.npy"
            values = np.load(io.BytesIO(members[member]))
            members[member] = npy(value(values))
    else:
        change(node)
        members["structure.json"] = json.dumps(structure).encode()
    (folder / "bad").write_bytes(signed(manifest, members))
    return folder / "bad"


def added(amount, place=-1):
    def change(values):
        values = values.copy()
        values[place] += amount
        return values

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"number_columns_": added(3)}, "no such column"),
        ({"one_hot_columns_": added(9)}, "no such column"),
        ({"encoded_columns_": added(2**40)}, "no such column"),
        ({"indicators_": added(1)}, "not of the numbers"),
        ({"one_hot_sizes_": added(1)}, "not lengths"),
        ({"one_hot_sizes_": added(2**62)}, "not lengths"),
        ({"encoded_sizes_": added(-1)}, "not lengths"),
        ({"places_": added(50)}, "no such feature"),
        ({"places_": lambda values: values * 0}, "no such feature"),
        ({"scaling_": lambda values: values[:, 1:]}, "not one for each"),
        ({"encodings_": lambda values: values[:, 1:]}, "not one for each"),
        (lambda node: node["fitted"].update(n_outputs_=2**30), "n_outputs_"),
        (lambda node: node["fitted"].update(n_outputs_=1), "n_outputs_"),
    ],
)
def test_dense_features(change, words, tmp_path):
    with pytest.raises(ModelFileError, match=words):
        softcost.load(changed(dense(), change, tmp_path))


@pytest.mark.parametrize("output", ["codes", "features"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ranges_": lambda values: values[:, ::-1]}, "smallest"),
        ({"ranges_": lambda values: values[:0]}, "not one for each"),
        (lambda node: node["fitted"].update(categories_=[]), "not one for each"),
        (lambda node: node["fitted"]["categories_"].append(["x"]), "not one for each"),
        (
            lambda node: node["fitted"].update(
                categories_=[{"objects": ["x", "x"], "shape": [2]}]
            ),
            "different words",
        ),
        (
            lambda node: node["fitted"].update(
                categories_=[{"objects": ["x", 2], "shape": [2]}]
            ),
            "different words",
        ),
        (lambda node: node["fitted"].pop("categories_"), "missing"),
    ],
)
def test_table_encoder(output, change, words, tmp_path):
    with pytest.raises(ModelFileError, match=words):
        softcost.load(changed(encoder(output=output), change, tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node["params"].update(output="codes"),
        lambda node: node["fitted"].pop("features_"),
        lambda node: node["fitted"].update(transformer_=node["fitted"]["features_"]),
        lambda node: node["fitted"].update(
            categories_=[{"objects": ["x"], "shape": [1]}]
        ),
    ],
)
def test_features_of_other_codes(change, tmp_path):
    with pytest.raises(ModelFileError):
        softcost.load(changed(encoder(), change, tmp_path))
