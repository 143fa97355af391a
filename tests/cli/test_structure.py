"""Folders of the command line: what they may import from each other."""

import ast
from pathlib import Path

import pytest

import softcost.cli

ROOT = Path(softcost.cli.__file__).parent
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
# Folders of what commands share, in the order in which they may import each other;
# the others hold commands, and nothing but the table of commands refers to those.
SHARED = ["console", "inputs", "results"]


def imports(path):
    """Modules of the command line that a file imports, with the names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "", [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def test_no_module_lies_beside_the_folders():
    assert [path.name for path in ROOT.glob("*.py")] == ["__init__.py"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_meet_through_what_they_export(folder):
    own = f"softcost.cli.{folder}"
    for path in (ROOT / folder).glob("*.py"):
        for module, names in imports(path):
            inside = module == own or module.startswith(f"{own}.")
            if inside or not module.startswith("softcost.cli"):
                continue
            other = module.removeprefix("softcost.cli.")
            allowed = SHARED[: SHARED.index(folder)] if folder in SHARED else SHARED
            assert other in allowed, f"{path.name} of {folder} imports {module}"
            assert not any(name.startswith("_") for name in names)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_exports_what_it_says(folder):
    package = __import__(f"softcost.cli.{folder}", fromlist=["__all__"])
    assert all(hasattr(package, name) for name in package.__all__)
