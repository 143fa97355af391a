"""Public names have types: checkers accept a program with them, and report misuse."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softcost

PROGRAM = Path(__file__).with_name("every_name.py")
# Every line but the imports and the first of `search` is wrong.
WRONG = """\
import softcost
from softcost import KernelSVC, OneSidedRegression, SoftCostClassifierCV, nonsense

softcost.Nonsense()
KernelSVC(C="large")
SoftCostClassifierCV(OneSidedRegression()).predict()
search = SoftCostClassifierCV().fit([[1.0]], [0])
search.predikt([[1.0]])
search.predict([[1.0]], weights=[1.0])
KernelSVC().fit([[1.0]], [0]).support_vektors_
OneSidedRegression().fit([[1.0]], [0]).predict()
SoftCostClassifierCV().fit([[1.0]])
search.set_parms(cv=3)
search.candidate(0).predikt([[1.0]])
search.n_splits_.upper()
search.best_score_.upper()
softcost.tables.TableEncoder().fit([["a"]]).transfrom([["a"]])
"""
COMPLETE = 0.98  # of the symbols, as pyright counts them
needs_pyright = pytest.mark.skipif(
    shutil.which("node") is None, reason="pyright needs node, which is not here"
)


def wrong_lines():
    """Numbers and words of the wrong lines."""
    words = {
        2: "nonsense", 4: "Nonsense", 5: "str", 6: "predict", 8: "predikt",
        9: "weights", 10: "support_vektors_", 11: "predict", 12: "fit",
        13: "set_parms", 14: "predikt", 15: "upper", 16: "upper", 17: "transfrom",
    }  # fmt: skip
    lines = WRONG.splitlines()
    assert set(words) == {n for n, line in enumerate(lines, 1) if line} - {1, 7}
    return words


@pytest.mark.slow
def test_mypy_accepts_every_name_and_reports_misuse(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    env, home = dict(os.environ), Path(softcost.__file__).parents[1]
    if home.name != "site-packages":  # where mypy looks by itself
        env["MYPYPATH"] = str(home)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"),
            *("--config-file=", f"--cache-dir={tmp_path}", PROGRAM, wrong),
        ],
        env=env,
        capture_output=True,
        text=True,
    )
    found = done.stdout.splitlines()
    assert [line for line in found if "every_name.py" in line] == []
    for number, words in wrong_lines().items():
        assert any(f"wrong.py:{number}:" in line and words in line for line in found), (
            number
        )


def pyright(folder, *arguments):
    """What pyright reports, with the package where it is."""
    pytest.importorskip("pyright")
    home = str(Path(softcost.__file__).parents[1])
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pyright", "--pythonpath", sys.executable),
            *("--outputjson", *arguments),
        ],
        env=os.environ | {"PYTHONPATH": home},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout[done.stdout.index("{") :])


@needs_pyright
@pytest.mark.slow
def test_pyright_accepts_every_name_and_reports_misuse(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    shutil.copy(PROGRAM, tmp_path)
    found = [
        (Path(report["file"]).name, report["range"]["start"]["line"] + 1)
        for report in pyright(tmp_path, ".")["generalDiagnostics"]
        if report["severity"] == "error"
    ]
    assert [line for name, line in found if name == PROGRAM.name] == []
    assert {line for name, line in found if name == "wrong.py"} == set(wrong_lines())


@needs_pyright
@pytest.mark.slow
def test_types_are_complete(tmp_path):
    report = pyright(tmp_path, "--ignoreexternal", "--verifytypes", "softcost")
    completeness = report["typeCompleteness"]
    assert completeness["completenessScore"] >= COMPLETE, [
        symbol["name"]
        for symbol in completeness["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
    ]


def test_the_program_has_every_name():
    tree = ast.parse(PROGRAM.read_text())
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "softcost"
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert set(softcost.__all__) == imported
    assert imported <= used
