"""`benchmarks/automl.py`: records, their reuse, and the summary."""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks" / "results").is_dir(),
    reason="the benchmarks are not in this copy",
)


@pytest.fixture(scope="module")
def automl():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import automl
    finally:
        sys.path.pop(0)
    return automl


@pytest.fixture
def options(tmp_path):
    rng = np.random.default_rng(0)
    n_rows = 60
    colour = rng.choice(["red", "green", "blue"], n_rows)
    table = pd.DataFrame(
        {
            "colour": np.where(rng.uniform(size=n_rows) < 0.1, None, colour),
            "size": rng.normal(size=n_rows),
            "price_fp": rng.uniform(size=n_rows),
            "kind": np.where(colour == "red", "a", "b"),
        }
    )
    table.to_csv(tmp_path / "colours.csv.gz", index=False)
    (tmp_path / "index.csv").write_text("table,target\ncolours,kind\n")
    return argparse.Namespace(
        tables=tmp_path,
        methods=["logistic", "constant"],
        only=["colours"],
        splits=1,
        seconds=5.0,
        python={},
        previous=None,
        retry=False,
        records=tmp_path / "records.jsonl",
    )


def test_a_run_computes_only_missing_records(automl, options):
    automl.run(options)
    records = automl.load_records(options.records)
    assert not [record["failed"] for record in records if "failed" in record]
    assert len(records) == len(automl.COSTS) * len(options.methods)
    by_method = {(r["method"], r["costs"]): r for r in records}
    constant = by_method["constant", "ratio"]
    assert constant["cost"] == constant["constant_cost"]
    assert by_method["logistic", "ratio"]["cost"] < constant["cost"]
    assert constant["n_columns"] == 2  # without the target and costs by row
    before = options.records.read_text()
    automl.run(options)
    assert options.records.read_text() == before


def test_a_failure_is_recorded_and_repeated_on_demand(automl, options):
    options.methods = ["previous"]
    options.previous = options.tables / "checkout"
    package = options.previous / "src" / "softcost"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('broken checkout')")
    automl.run(options)
    records = automl.load_records(options.records)
    assert all("broken checkout" in record["failed"] for record in records)
    automl.run(options)
    assert len(options.records.read_text().splitlines()) == len(records)
    options.retry = True
    automl.run(options)
    assert len(options.records.read_text().splitlines()) == 2 * len(records)


def records_of(costs_of_methods, tables):
    return [
        {
            "table": table, "split": 0, "costs": kind, "method": method,
            "cost": cost * scale, "constant_cost": 0.0, "log_loss": cost,
            "above_constant": cost - 1.5, "above_constant_error": 0.1,
            "fit_cpu_seconds": 1.0, "peak_mb": 1.0, "one_row_ms": 1.0,
            "thousand_rows_ms": 1.0, "n_words": 0, "missing": 0.0,
        }
        for scale, table in enumerate(tables, 1)
        for kind in ("random", "ratio")
        for method, cost in costs_of_methods.items()
    ]  # fmt: skip


def test_the_summary_compares_costs_on_common_tables(automl):
    costs = {"softcost": 1.0, "flaml": 2.0}
    records = records_of(costs, "abc") + records_of({"softcost": 1.0}, "d")
    ours, other = automl.summarise(records, "softcost")
    assert other["ratio_all"]["ratio"] == pytest.approx(0.5)
    assert other["ratio_all"]["tables"] == 3
    assert [ours["mean_rank"], other["mean_rank"]] == [1, 2]
    assert [ours["above_constant"], other["above_constant"]] == [0, 6]
    assert other["reference_log_loss"] == pytest.approx(1.0)
    assert "0.500" in automl.markdown([ours, other], "softcost")


@pytest.mark.parametrize("kind", ["random", "ratio"])
def test_cost_matrices_have_a_mean_of_one(automl, kind):
    costs = automl.draw_costs(kind, np.array([50, 30, 20]), np.random.default_rng(0))
    assert not costs.diagonal().any()
    assert costs.sum() == pytest.approx(6)
    if kind == "ratio":  # missing a rare class costs more than the reverse
        assert costs[2, 0] > costs[0, 2]
