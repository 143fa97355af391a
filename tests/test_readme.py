"""The README names commands that exist and numbers that were measured."""

import json
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks(language):
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_commands_and_options_exist():
    from click.testing import CliRunner

    from softcost.cli import main

    lines = [line for block in blocks("bash") for line in block.splitlines()]
    commands = {
        tuple(match.group(1).split())
        for line in lines
        for match in re.finditer(
            r"(?:^|&& |/)softcost ((?:costs |reproduce )?[a-z]+)", line
        )
    }
    assert ("demo",) in commands
    assert ("fit",) in commands
    for command in commands:
        shown = CliRunner().invoke(main, [*command, "--help"])
        assert shown.exit_code == 0, command
        used = {
            option
            for line in lines
            if f"softcost {' '.join(command)} " in line
            for option in re.findall(r"--[a-z-]+", line.partition("softcost ")[2])
        }
        assert all(option in shown.output for option in used), (command, used)


RESULTS = README.parent / "benchmarks" / "results"


def committed(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["results"]


def paragraph(title):
    """A paragraph that begins with a title in bold, as one line."""
    text = README.read_text(encoding="utf-8")
    match = re.search(rf"^\*\*{title}\.\*\* (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return " ".join(match[1].split())


def test_lower_cost_is_what_the_demo_computes():
    (demo,) = committed("demo")
    regular, chosen = (demo["models"][name] for name in ("regular", "softcost"))
    saving, text = chosen["saving"], paragraph("Lower cost")
    assert saving["shown"]
    assert f"loses {saving['saving_percent']:.0f}% less money" in text
    assert f"95% CI {saving['low_percent']:.0f}-{saving['high_percent']:.0f}%" in text
    wins = f"cheaper on {chosen['cheaper_than_regular']} of {demo['splits']} splits"
    assert wins in text
    assert f"misreads {chosen['error']:.1%} instead of {regular['error']:.1%}" in text
    readme = README.read_text(encoding="utf-8")
    assert f"the default model to {demo['training_rows']} handwritten digits" in readme


def test_the_comparison_with_automl_is_what_the_benchmark_computes():
    summary = json.loads((RESULTS / "automl.json").read_text(encoding="utf-8"))
    methods = {method["method"]: method for method in summary["methods"]}
    text = paragraph("Level with AutoML")
    tables = methods["softcost"]["ratio_all"]["tables"]
    raw = methods["softcost"]["ratio_raw"]["tables"]
    assert f"On {tables} tables, {raw} of them with text" in text
    ratio = methods["autogluon-medium"]["ratio_all"]
    assert ratio["low"] < 1 < ratio["high"]
    interval = f"(95% CI {ratio['low']:.2f}-{ratio['high']:.2f})"
    assert f"{ratio['ratio']:.2f} times as much as AutoGluon at medium quality" in text
    assert interval in text
    for name, words in (("catboost", "CatBoost"), ("logistic", "logistic regression")):
        assert methods[name]["ratio_all"]["tables"] == tables
        ratio = methods[name]["ratio_all"]["ratio"]
        assert f"{ratio:.2f} times as much as {words}" in text
    seconds = [
        methods[name]["fit_cpu_seconds"] for name in ("softcost", "autogluon-medium")
    ]
    assert (
        "takes {:.1f} s of processor time; AutoGluon takes {:.1f} s".format(*seconds)
        in text
    )


def test_the_speed_of_kernel_machines_is_what_the_benchmark_measured():
    fits = [
        record
        for record in committed("solver-AVX2")
        if (record["part"], record["case"]) == ("estimators", "KernelSVC, rbf")
    ]
    ratios = [record["ratio"] for record in fits]
    rows = [record["n"] for record in fits]
    text = paragraph("Fast kernel machines")
    assert f"{min(ratios):.1f} to {max(ratios):.1f} times faster" in text
    assert f"on {min(rows):,} to {max(rows):,} rows" in text
    busy = [
        record["ratio"]
        for record in committed("solver")
        if record["build"] == "native"
        and (record["part"], record["case"]) == ("estimators", "KernelSVC, rbf")
    ]
    assert f"{min(busy):.1f} to {max(busy):.1f} times faster in an earlier run" in text


def test_the_version_is_said_alike_everywhere():
    from softcost import __version__

    said = (README.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in said
    changes = (README.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert newest[0] == "Unreleased"
    if "dev" not in __version__:
        assert newest[1] == __version__
