"""Models from files: one reading, and notes that agree with the model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import softcost
from softcost import MinimumExpectedCost
from softcost.persistence import ModelFileError, archive, model_file
from softcost.workflow.stored_model import open_model

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.array(["a", "b", "c"])[np.arange(30) % 3]


def fitted(rows, labels=Y):
    return MinimumExpectedCost(LogisticRegression()).fit(rows, labels)


COLUMNS = [
    {"u": "number"},
    {"u": "number", "v": "number", "w": "nominal"},
    {"v": "number", "u": "number"},
    {"u": "number", "v": "date, day first"},
]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("named", [True, False])
def test_columns_in_notes_are_the_columns_of_the_model(columns, named, tmp_path):
    rows = pd.DataFrame(X, columns=["u", "v"]) if named else X
    softcost.save(fitted(rows), tmp_path / "model", notes={"columns": columns})
    with pytest.raises(ModelFileError, match="notes"):
        open_model(str(tmp_path / "model"))


@pytest.mark.parametrize(
    "notes",
    [{"classes": {"a": 1, "b": "many", "c": None}}, {"currency": 3}, {"currency": []}],
)
def test_other_notes_have_the_types_that_are_read(notes, tmp_path):
    softcost.save(fitted(X), tmp_path / "model", notes=notes)
    with pytest.raises(ModelFileError, match="notes"):
        open_model(str(tmp_path / "model"))


def test_columns_of_named_features_are_read(tmp_path):
    rows = pd.DataFrame(X, columns=["u", "v"])
    notes = {"columns": {"u": "number", "v": "number"}, "classes": {"a": 2, "b": 1}}
    softcost.save(fitted(rows), tmp_path / "model", notes=notes)
    stored = open_model(str(tmp_path / "model"))
    table = stored.table(rows.astype(str), "rows", 0, set())
    assert stored.predict(table).tolist() == fitted(rows).predict(rows).tolist()


def test_a_file_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch):
    """Manifest and model are of the same file, whichever it was."""
    path = tmp_path / "model"
    softcost.save(fitted(X), tmp_path / "second", notes={"number": 2})
    softcost.save(fitted(X, Y[::-1]), path, notes={"number": 1})

    def replaced(name):
        content = archive.read_bytes(name)
        path.write_bytes((tmp_path / "second").read_bytes())
        return content

    monkeypatch.setattr(model_file, "read_bytes", replaced)
    stored = open_model(str(path))
    assert stored.manifest["notes"]["number"] == 1
    wanted = fitted(X, Y[::-1]).predict(X).tolist()
    assert stored.predict(X).tolist() == wanted


def test_too_little_memory_is_not_called_a_bad_file(tmp_path, monkeypatch):
    def greedy(*args):
        raise MemoryError

    softcost.save(fitted(X), tmp_path / "model")
    monkeypatch.setattr(model_file, "decode", greedy)
    with pytest.raises(MemoryError):
        softcost.load(tmp_path / "model")
