"""Public names have types: mypy in its strictest mode accepts a program with them."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import softcost

PROGRAM = Path(__file__).with_name("every_name.py")
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
"""


@pytest.mark.slow
def test_a_program_with_every_name_passes_and_a_wrong_one_does_not(tmp_path):
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
    for number, words in [
        (2, '"nonsense"'),
        (4, '"Nonsense"'),
        (5, 'incompatible type "str"'),
        (6, "Missing positional argument"),
        (8, '"predikt"'),
        (9, '"weights"'),
        (10, '"support_vektors_"'),
        (11, "Missing positional argument"),
        (12, "Missing positional argument"),
        (13, '"set_parms"'),
    ]:
        assert any(f"wrong.py:{number}:" in line and words in line for line in found)


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
