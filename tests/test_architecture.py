"""The layout is the architecture: who may import whom, and nothing else."""

import ast
from pathlib import Path

import pytest

import softcost

PACKAGE = Path(softcost.__file__).parent

ESTIMATORS = {"costs", "metrics", "solvers", "svm", "reductions", "soft"}
ALLOWED = {
    "costs": set(),
    "solvers": set(),
    "metrics": {"costs"},
    "datasets": {"costs"},
    "svm": {"solvers"},
    "reductions": {"costs", "svm"},
    "soft": {"costs", "metrics", "reductions", "svm", "solvers"},
    "paper": ESTIMATORS | {"datasets"},
    "report": {"metrics"},
    "models": {"costs"},
    "testing": set(),
    "cli": ESTIMATORS | {"datasets", "models", "paper", "report"},
}
# Modules beside the packages: what they are for says what they may see.
ALLOWED_MODULES = {"_version": set(), "__main__": {"cli"}}
EVERYWHERE = {"_version"}


def rooms():
    """Every module or package directly below the package, by name."""
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            yield path.stem
        elif path.is_dir() and any(path.glob("*.py")):
            yield path.name


def imported_rooms(path):
    """The rooms of softcost that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "softcost":
                names = [f"softcost.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("softcost."):
                yield name.split(".")[1]


def files_of(room):
    folder = PACKAGE / room
    return (
        sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    )


@pytest.mark.parametrize("room", list(rooms()))
def test_only_allowed_arrows(room):
    known = ALLOWED | ALLOWED_MODULES
    assert room in known, f"softcost.{room} has no place in the architecture"
    allowed = known[room] | EVERYWHERE | {room}
    for path in files_of(room):
        forbidden = set(imported_rooms(path)) - allowed
        assert not forbidden, f"{path.name} imports {sorted(forbidden)}"


def test_the_import_reader_sees_every_form(tmp_path):
    path = tmp_path / "probe.py"
    path.write_text(
        "import softcost.cli.app\n"
        "from softcost import costs\n"
        "def late():\n    from softcost.svm import KernelSVC\n"
    )
    assert set(imported_rooms(path)) == {"cli", "costs", "svm"}


# Within the paper's package: who may import whom, and only from the package itself.
PARTS = {"run": set(), "findings": {"run"}, "pages": {"findings"}}


@pytest.mark.parametrize("part", sorted(PARTS))
def test_parts_of_the_paper(part):
    for path in sorted((PACKAGE / "paper" / part).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = (node.module or "").split(".")
            if names[:2] == ["softcost", "paper"]:
                assert len(names) > 2, f"{path.name} imports from above"
                if names[2] != part:
                    assert names[2] in PARTS[part], f"{path.name} imports {names[2]}"
                    assert len(names) == 3, f"{path.name} imports {node.module}"
