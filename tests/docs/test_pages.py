"""Every block of code of the guide, the landing page and the README is run.

The blocks of a page are run in order, in one namespace and one directory, as somebody
would who reads it. ``python`` blocks are executed, ``pycon`` blocks compared with what
they print, ``bash`` blocks given to a shell; ``text`` is not run. ``tests/onnx_export``
runs the ``javascript`` of the guide if its packages are installed.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("index.md"))]
PAGES += sorted((ROOT / "docs" / "guide").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# These install the package; .ci/run runs those of the README.
INSTALLS = re.compile(r"\bpip install\b|\bvenv\b")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(path):
    """Kind, text and line of every block of a page."""
    text = path.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start()) + 1


def run_python(source, where, namespace):
    exec(compile(source, where, "exec"), namespace)


def run_session(source, where, namespace):
    test = doctest.DocTestParser().get_doctest(source, {}, where, where, 0)
    test.globs = namespace
    told = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=told.append, clear_globs=False)
    assert not runner.failures, "".join(told)


def run_shell(source, where, namespace):
    if INSTALLS.search(source):
        return
    # The command and python of this environment, whatever comes first elsewhere.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", source],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"


RUN = {"python": run_python, "pycon": run_session, "bash": run_shell}


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = ModuleType(f"page_{path.stem.lower()}")  # where its classes are found again
    monkeypatch.setitem(sys.modules, page.__name__, page)
    for kind, source, line in blocks(path):
        if kind in RUN:
            RUN[kind](source, f"{path.name}, line {line}", vars(page))
        if kind == "python":
            written = re.findall(r'"(\w+\.html)"', source)
            assert all((tmp_path / name).stat().st_size > 0 for name in written)


def test_every_kind_of_block_is_known():
    kinds = {kind for path in PAGES for kind, _, _ in blocks(path)}
    assert kinds <= {*RUN, "text", "javascript"}
