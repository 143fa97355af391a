"""``softcost fit`` of files that are read in blocks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import softcost as library
from softcost.tables import ColumnOverrides, read_table
from softcost.workflow import FitOptions, blocks
from softcost.workflow.blocks import first_pass, write_rows
from softcost.workflow.fingerprint import Fingerprint

PRICES = pd.DataFrame(
    [[0, 9, 3], [4, 0, 1], [2, 1, 0.0]],
    index=["high", "low", "mid"], columns=["high", "low", "mid"],
)  # fmt: skip
QUICK = ("--softness", "3", "--param", "C=0.1,10", "--cv", "3", "--quiet", "--json")


def make_table(n, seed=0, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)) * np.arange(1, columns + 1)
    city = rng.choice(["rome", "oslo", "bern"], n)
    value = X[:, 0] + 0.3 * X[:, 1] + (city == "oslo") + 0.5 * rng.normal(size=n)
    table = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(columns)])
    table["city"] = np.where(rng.random(n) < 0.1, "", city)
    table.loc[rng.random(n) < 0.05, "x1"] = np.nan
    table["kind"] = np.array(["low", "mid", "high"])[np.digitize(value, [-0.5, 1])]
    return table


@pytest.fixture
def files(tmp_path):
    """A table in a format, and the price list."""

    def make(n=900, ending="csv", **options):
        table, data = make_table(n, **options), tmp_path / f"rows.{ending}"
        if ending == "parquet":
            pytest.importorskip("pyarrow")
            table.to_parquet(data)
        else:
            table.to_csv(data, index=False, sep="\t" if "tsv" in ending else ",")
        PRICES.to_csv(tmp_path / "prices.csv")
        return data, tmp_path / "prices.csv", table

    return make


@pytest.fixture
def fit(softcost, tmp_path, strict):
    def run(data, prices, *words, learner="linear"):
        options = ("--target", "kind", "--costs", prices, "--learner", learner)
        done = softcost("fit", data, *options, *QUICK, *words)
        assert done.exit_code == 0, done.output
        return strict(done.stdout)

    return run


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet"])
@pytest.mark.parametrize("reduction", ["osr", "csovo"])
def test_a_sample_of_all_rows_gives_what_memory_gives(
    ending, reduction, files, fit, tmp_path
):
    if reduction != "osr" and ending != "csv":
        pytest.skip("one format is enough")
    data, prices, table = files(ending=ending)
    words = ("--reduction", reduction, "--model")
    whole = fit(data, prices, *words, tmp_path / "whole.softcost")
    parts = fit(
        data, prices, *words, tmp_path / "parts.softcost", "--rows-at-once", 2000
    )
    for name in ("classes", "columns", "rows", "cross_validated", "constant"):
        assert parts[name] == whole[name], name
    models = [library.load(tmp_path / f"{one}.softcost") for one in ("whole", "parts")]
    X = table.drop(columns="kind").replace({"city": {"": np.nan}})
    scores = [one.decision_function(X) for one in models]
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-3, atol=1e-3)
    assert models[1]["search"].cv == 3


@pytest.mark.parametrize("reduction", blocks.REDUCTIONS)
def test_blocks_cost_no_more(reduction, files, fit):
    data, prices, _ = files(n=2000)
    costs = [
        fit(data, prices, "--reduction", reduction, *words)["cross_validated"]
        for words in ((), ("--rows-at-once", 300))
    ]
    whole, parts = (one["chosen"]["cost"] for one in costs)
    assert parts == pytest.approx(whole, rel=0.05)


def test_a_sample_is_drawn_from_all_rows(files):
    data, _, table = files(n=2000)
    job = FitOptions(str(data), "kind", rows_at_once=150, seed=3)
    found = first_pass(job, [])
    assert found.labels.tolist() == table["kind"].tolist()
    assert len(found.sample) == 150
    every = read_table(str(data)).apply(tuple, axis=1).tolist()
    places = [every.index(row) for row in found.sample.apply(tuple, axis=1)]
    assert places == sorted(places)
    assert 750 < np.mean(places) < 1250  # more than 5 standard errors either way
    short = first_pass(replace(job, rows_at_once=2000), [])
    pd.testing.assert_frame_equal(short.sample, read_table(str(data)))


def test_rows_are_written_fold_by_fold(files, tmp_path):
    data, _, table = files(n=700)
    job = FitOptions(str(data), "kind", rows_at_once=90)
    fold = np.random.default_rng(0).integers(3, size=700)
    columns = SimpleNamespace(encode=lambda X: X)
    read = SimpleNamespace(
        kinds={"x0": "number", "x2": "number"},
        overrides=ColumnOverrides(),
        fingerprint=Fingerprint(b"salt"),
    )
    X, order = write_rows(job, read, columns, fold, tmp_path / "rows")
    assert isinstance(X, np.memmap)
    assert np.all(np.diff(fold[order]) >= 0)
    np.testing.assert_array_equal(X, table[["x0", "x2"]].to_numpy(np.float32)[order])


def test_a_class_that_comes_late_is_learnt(files, fit, tmp_path):
    data, prices, table = files(n=1500)
    table.sort_values("kind").to_csv(data, index=False)
    found = fit(data, prices, "--rows-at-once", 200)
    assert found["classes"] == table["kind"].value_counts().to_dict()
    assert found["cross_validated"]["chosen"]["error"] < 0.35


def test_files_that_are_too_large_are_read_in_blocks(files, fit, monkeypatch, softcost):
    data, prices, _ = files()
    monkeypatch.setattr(blocks, "_SHARE", 0.0)
    assert fit(data, prices, learner="auto")["learner"] == "linear"
    assert fit(data, prices, learner="svm")["learner"] == "svm"  # as was asked for
    words = ("--target", "kind", "--costs", prices, *QUICK[:-2], "--learner", "linear")
    assert "read in blocks of 100000 rows" in softcost("fit", data, *words).stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--learner", "svm"), "--learner linear, not svm"),
        (("--reduction", "mec"), "one --reduction of osr"),
        (("--reduction", "osr,csovo"), "one --reduction of osr"),
        (("--test-size", "0.2"), "--test-size needs all rows in memory"),
        (("--max-error", "0.3", "--confidence", "0.9"), "--confidence needs all rows"),
        (("--rows-at-once", "1"), "1 is not in the range"),
    ],
)
def test_what_needs_all_rows_is_refused(words, reason, files, softcost):
    data, prices, _ = files(n=60)
    options = ("--target", "kind", "--costs", prices, "--rows-at-once", "20")
    done = softcost("fit", data, *options, *words)
    assert done.exit_code == 2
    assert reason in " ".join(done.stderr.split())


def test_cells_that_the_sample_did_not_show_are_told_by_row(files, softcost):
    data, prices, table = files(n=1000)
    table["x0"] = table["x0"].astype(object)
    table.loc[700, "x0"] = "many"
    table.to_csv(data, index=False)
    options = ("--target", "kind", "--costs", prices, "--rows-at-once", "50", *QUICK)
    done = softcost("fit", data, *options)
    assert done.exit_code == 2
    assert "holds 'many' in row 701" in " ".join(done.stderr.split())
    table.loc[700, "kind"] = ""
    table.to_csv(data, index=False)
    assert "row 701" in " ".join(softcost("fit", data, *options).stderr.split())
    done = softcost("fit", data, *options, "--nominal", "x0", "--drop", "x1")
    assert "'kind' is empty in 1 row of" in " ".join(done.stderr.split())


def test_nothing_is_left_behind(files, fit, tmp_path, monkeypatch):
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    fit(*files()[:2], "--rows-at-once", 300)
    assert list(folder.iterdir()) == []
