"""The layout is the architecture: who may import whom, and nothing else."""

import ast
from pathlib import Path
from statistics import median

import pytest

import softcost

PACKAGE = Path(softcost.__file__).parent

LEARNING = {
    "costs", "learners", "linear", "metrics", "parallel", "reductions", "selection",
    "sensitivity", "soft", "solvers", "svm",
}  # fmt: skip
ALLOWED = {
    "costs": set(),
    "files": set(),
    "parallel": set(),
    "selection": set(),
    "datasets": {"costs"},
    "metrics": {"costs"},
    "learners": {"parallel"},
    "testing": {"learners"},
    "solvers": {"parallel"},
    "svm": {"learners", "parallel", "solvers"},
    "linear": {"learners", "parallel", "solvers"},
    "reductions": {"costs", "learners", "metrics", "parallel", "svm"},
    "sensitivity": {"costs", "metrics", "selection"},
    "soft": {
        "linear",
        "costs", "learners", "metrics", "parallel", "reductions", "selection",
        "sensitivity",
    },
    "models": {"costs", "files", "reductions"},
    "report": {"files", "metrics", "selection"},
    "paper": LEARNING | {"datasets", "files"},
    "cli": LEARNING | {"datasets", "files", "models", "paper", "report"},
}  # fmt: skip
# Modules beside the packages: what they are for says what they may see.
ALLOWED_MODULES = {"_lazy": set(), "_version": set(), "__main__": {"cli"}}
EVERYWHERE = {"_lazy", "_version"}
# Packages made of packages, which keep to the same rules among themselves.
NESTED = ("cli", "paper")


def packages():
    """Every module or package directly below the package, by name."""
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            yield path.stem
        elif path.is_dir() and any(path.glob("*.py")):
            yield path.name


def modules():
    """Every module, by its full name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path


def imports(path):
    """The full names that a file imports from softcost, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def softcost_imports(path):
    return [name for name in imports(path) if name.startswith("softcost.")]


def files_of(package):
    folder = PACKAGE / package
    return (
        sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    )


def home_of(name):
    """The package that a module belongs to: its folder, of nested ones the inner."""
    parts = name.split(".")
    nested = len(parts) > 3 and parts[1] in NESTED and not parts[2].startswith("_")
    depth = 3 if nested else 2
    return ".".join(parts[:depth])


@pytest.mark.parametrize("package", list(packages()))
def test_only_allowed_arrows(package):
    known = ALLOWED | ALLOWED_MODULES
    assert package in known, f"softcost.{package} has no place in the architecture"
    allowed = known[package] | EVERYWHERE | {package}
    for path in files_of(package):
        used = {name.split(".")[1] for name in softcost_imports(path)}
        assert used <= allowed, f"{path.name} imports {sorted(used - allowed)}"


def test_nobody_imports_a_private_module_or_name_of_another_package():
    for name, path in modules():
        for used in softcost_imports(path):
            private = [part for part in used.split(".")[2:] if is_private(part)]
            inside = home_of(used) == home_of(f"{name}.{path.stem}")
            assert inside or not private, f"{name} imports {used}"


def private_names(tree):
    """Private names that a module defines: functions, classes, attributes, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            yield from (one.id for one in targets if isinstance(one, ast.Name))


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def borrowed_private_attributes(sources):
    """(module, attribute) where the attribute is private to another package.

    Parameters
    ----------
    sources : dict of full name and text of modules
    """
    trees = {name: ast.parse(text) for name, text in sources.items()}
    owners: dict[str, set[str]] = {}
    for name, tree in trees.items():
        for one in private_names(tree):
            owners.setdefault(one, set()).add(name.split(".")[1])
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr):
                own = owners.get(node.attr, set())
                if own and name.split(".")[1] not in own:
                    yield name, node.attr


def test_nobody_uses_a_private_attribute_of_another_package():
    sources = {
        name: path.read_text(encoding="utf-8")
        for name, path in modules()
        if name != "softcost"
    }
    assert list(borrowed_private_attributes(sources)) == []


def test_the_attribute_reader_sees_what_is_borrowed():
    sources = {
        "softcost.a.x": "class A:\n    def _own(self): self._own()\n",
        "softcost.b.y": "def f(a): return a._own() + a.__len__() + a._asdict()\n",
    }
    assert list(borrowed_private_attributes(sources)) == [("softcost.b.y", "_own")]


def test_no_import_cycle():
    known = dict(modules())
    graph = {}
    for name, path in known.items():
        used = set()
        for one in softcost_imports(path):
            while one not in known:
                one = one.rpartition(".")[0]
            used.add(one)
        # A package's own __init__ is imported before its modules: no arrow back.
        graph[name] = {one for one in used if not name.startswith(f"{one}.")} - {name}
    finished, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name in finished:
            return
        path.append(name)
        for one in graph[name]:
            visit(one)
        finished.add(path.pop())

    for name in graph:
        visit(name)


def lines_of_code(path):
    """Lines of a module but for docstrings: nobody is to save on those."""
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    for node in ast.walk(ast.parse(text)):
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            lines -= node.body[0].end_lineno - node.body[0].lineno + 1
    return lines


def test_modules_are_small():
    lines = {name: lines_of_code(path) for name, path in modules()}
    largest = max(lines, key=lines.__getitem__)
    assert lines[largest] < 350, largest
    assert median(lines.values()) < 100


def test_the_import_reader_sees_every_form(tmp_path):
    path = tmp_path / "probe.py"
    path.write_text(
        "import softcost.cli.app\n"
        "from softcost import costs\n"
        "def late():\n    from softcost.svm import KernelSVC\n"
    )
    found = {name.split(".")[1] for name in softcost_imports(path)}
    assert found == {"cli", "costs", "svm"}


# Within the paper's package: which part may import which.
PARTS = {"run": set(), "findings": {"run"}, "pages": {"findings"}}


@pytest.mark.parametrize("part", sorted(PARTS))
def test_parts_of_the_paper(part):
    for path in sorted((PACKAGE / "paper" / part).glob("*.py")):
        for name in softcost_imports(path):
            names = name.split(".")
            if names[1] == "paper":
                assert names[2] in PARTS[part] | {part}, f"{path.name} imports {name}"
