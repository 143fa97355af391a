"""Test rows that were used for training are noticed; natural duplicates are not."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from softcost.workflow.fingerprint import Fingerprint, OverlapCounter, hash_rows


def rows(n, seed=0, values=None):
    """A column of numbers and one of words, with missing cells."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=n) if values is None else rng.integers(0, values, n) * 1.0
    numbers[::7] = np.nan
    words = np.array(["a", "b", None], object)[rng.integers(0, 3, n)]
    return pd.DataFrame({"x": numbers, "y": rng.integers(0, 4, n) * 1.0, "w": words})


def overlap(train, test):
    value = Fingerprint.of(train, np.zeros(len(train))).to_json()
    counter = OverlapCounter(json.loads(json.dumps(value)))
    for start in range(0, len(test), 1000):
        counter.update(test[start : start + 1000])
    return counter.overlap()


def test_the_training_table_itself():
    for values in (None, 2):  # with 2, independent rows match as well
        found = overlap(rows(300, values=values), rows(300, values=values)[::-1])
        assert (found.matches, found.rows, found.exact) == (300, 300, True)
        assert found.suspicious
        assert "all 300 rows of t.csv" in found.warning("t.csv")


@pytest.mark.parametrize("values", [None, 2, 20])
def test_independent_rows_are_not_suspicious(values):
    for seed in range(1, 6):
        train, test = rows(400, values=values), rows(250, seed, values)
        found = overlap(train, test)
        matches = hash_rows(test, b"s")[:, None] == hash_rows(train, b"s")
        assert found.matches == matches.any(axis=1).sum()
        assert not found.suspicious
        assert found.warning("t.csv") is None


def test_some_training_rows_among_new_ones():
    train = rows(400).dropna()
    test = pd.concat([train[:10], rows(200, 1).dropna()], ignore_index=True)
    found = overlap(train, test)
    assert found.suspicious
    assert found.matches == 10
    assert f"{found.matches} of the {len(test)} rows" in found.warning("t.csv")


def test_matches_are_estimated_for_many_rows():
    train = rows(60_000)
    test = pd.concat([train[:3000], rows(7000, 1)[1:]], ignore_index=True)
    found = overlap(train, test)
    natural = overlap(train, rows(7000, 1)).matches
    assert not found.exact
    assert found.suspicious
    assert abs(found.matches - 3000 - natural) < 500
    assert "about" in found.warning("t.csv")


def test_a_fingerprint_has_a_bounded_size_and_is_the_same_in_blocks():
    table = rows(40_000)
    whole = Fingerprint.of(table, np.zeros(len(table)))
    blocks = Fingerprint(whole.salt)
    for start in range(0, len(table), 7000):
        blocks.update(table[start : start + 7000])
    assert whole.to_json() == blocks.to_json()
    assert len(json.dumps(whole.to_json())) < 65_000
    other = Fingerprint.of(table, np.ones(len(table)))
    assert other.to_json()["hashes"] != whole.to_json()["hashes"]  # another salt


def test_equal_rows_have_equal_hashes():
    first = pd.DataFrame({"x": [0.0, np.nan, 1.0], "w": ["a", None, "b"]})
    second = pd.DataFrame({"x": [-0.0, -np.nan, 1.0], "w": ["a", np.nan, "a"]})
    same = hash_rows(first, b"salt") == hash_rows(second, b"salt")
    assert same.tolist() == [True, True, False]
    assert not (hash_rows(first, b"salt") == hash_rows(first, b"other")).any()


def crafted():
    good = Fingerprint.of(rows(20), np.zeros(20)).to_json()
    yield from (None, [], {}, "x")
    for name in good:
        yield {key: value for key, value in good.items() if key != name}
    for name, values in {
        "salt": [1, "0" * 30, "g" * 32, "0x" + "0" * 30, "٣" * 32, " " + "0" * 31],
        "sum": [5, "1" * 17, "-000000000000001", "F" * 16],
        "threshold": [None, ""],
        "rows": [-1, 1.5, True, 2**60],
        "repeats": [-0.1, 1.1, float("nan"), "0", True],
        "hashes": [7, "a", "AAA=", "????", "AAAA\n", base64.b64encode(bytes(48_004))],
    }.items():
        for value in values:
            value = value.decode() if isinstance(value, bytes) else value
            yield good | {name: value}


def test_crafted_fingerprints_are_refused():
    for value in crafted():
        with pytest.raises(ValueError, match="fingerprint"):
            OverlapCounter(value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=90), "w": list("ab") * 45})
    table["t"] = np.where(table["x"] > 0, "yes", "no")
    table[:60].to_csv("train.csv", index=False)
    table[60:].to_csv("new.csv", index=False)
    (tmp_path / "prices.csv").write_text("true \\ predicted,no,yes\nno,0,1\nyes,3,0\n")
    return tmp_path


LINE = "fit train.csv --target t --costs prices.csv --param C=1 --softness 2 --cv 2"


@pytest.mark.parametrize("blocks", [(), ("--rows-at-once", "25")])
def test_commands_warn_of_training_rows(softcost, folder, blocks):
    fitted = softcost(*LINE.split(), "--model", "m", *blocks)
    assert fitted.exit_code == 0, fitted.output
    for command in ("evaluate m", "compare m m"):
        for data, matches in (("train.csv", 60), ("new.csv", 0)):
            line = [*command.split(), data, "--target", "t"]
            result = softcost(*line)
            assert ("already used for training" in result.stderr) == (matches > 0)
            found = json.loads(softcost(*line, "--json").stdout)
            counts = found["training_rows"]
            for count in counts if command != "evaluate m" else [counts]:
                assert count["matches"] == matches
            assert bool(found["warnings"]) == (matches > 0)


def test_fit_warns_of_training_rows_in_the_test_file(softcost, folder):
    for data, said in (("train.csv", True), ("new.csv", False)):
        line = f"{LINE} --test {data}".split()
        assert ("already used for training" in softcost(*line).stderr) == said
        assert bool(json.loads(softcost(*line, "--json").stdout)["warnings"]) == said
    table = pd.concat([pd.read_csv("train.csv")[:10], pd.read_csv("new.csv")])
    table.to_csv("mixed.csv", index=False)
    line = f"{LINE} --test mixed.csv"
    assert "10 of the 40 rows of mixed.csv" in softcost(*line.split()).stderr


def test_choosing_another_model_keeps_the_fingerprint(softcost, folder):
    line = f"{LINE} --keep front --model m"
    assert softcost(*line.split()).exit_code == 0
    assert softcost("choose", "m", "--tolerance", "0.5", "-o", "n").exit_code == 0
    result = softcost("evaluate", "n", "train.csv", "--target", "t")
    assert "all 60 rows" in result.stderr
