"""Numbers in the guide are those of committed results."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def guide(name):
    return (ROOT / "docs" / "guide" / f"{name}.md").read_text(encoding="utf-8")


def results(name):
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["results"]


MODELS = {
    "histgradient": "HistGradientBoostingClassifier",
    "lightgbm": "LGBMClassifier",
    "csovo-linear": "CostSensitiveOneVsOne(LinearClassifier())",
    "osr-nystroem": "OneSidedRegression(OneSidedNystroem())",
    "logistic": "LogisticRegression",
    "osr-linear": "OneSidedRegression(OneSidedLinear())",
}


def test_costs_of_a_million_rows():
    """One row of the table for each model, the cheapest first."""
    lines = [line for line in guide("large").splitlines() if line.startswith("| ")]
    measured = {
        record["method"]: record
        for record in results("scale")
        if record.get("rows") == 1_000_000 and record.get("method") in MODELS
    }
    order = sorted(MODELS, key=lambda method: measured[method]["cost"])
    begin = next(i for i, line in enumerate(lines) if "processor seconds" in line) + 1
    for line, method in zip(lines[begin:], order, strict=False):
        record = measured[method]
        assert MODELS[method] in line
        assert line.endswith(f"| {record['cost']:.3f} | {record['seconds']:.0f} |")
