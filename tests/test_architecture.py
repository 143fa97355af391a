"""The layout is the architecture: allowed imports, sizes and names of modules."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import softcost

PACKAGE = Path(softcost.__file__).parent

LEARNING = {
    "costs", "learners", "linear", "metrics", "parallel", "reductions", "search",
    "solvers", "svm", "tables",
}  # fmt: skip
ALLOWED = {
    "errors": set(),
    "files": set(),
    "formatting": set(),
    "parallel": set(),
    "tables": {"errors", "files", "formatting"},
    "costs": {"errors", "files", "formatting", "tables"},
    "datasets": {"costs"},
    "metrics": {"costs", "formatting"},
    "learners": {"parallel", "solvers"},
    "testing": {"learners", "metrics"},
    "solvers": {"parallel"},
    "svm": {"learners", "parallel", "solvers"},
    "linear": {"learners", "parallel", "solvers"},
    "reductions": {"costs", "learners", "metrics", "parallel", "svm"},
    "search": {
        "costs", "learners", "linear", "metrics", "parallel", "reductions", "tables",
    },
    "persistence": {
        "costs", "files", "learners", "linear", "metrics", "reductions", "search",
        "solvers", "svm", "tables",
    },
    "report": {"files", "metrics", "search"},
    "paper": LEARNING | {"datasets", "files"},
    "workflow": LEARNING | {"errors", "files", "formatting", "persistence", "report"},
    "service": {"errors", "parallel", "tables", "workflow"},
    "onnx": {"costs", "learners", "linear", "reductions", "search", "svm", "tables"},
    "cli": {
        "costs", "datasets", "errors", "files", "formatting", "metrics", "onnx",
        "paper", "persistence", "reductions", "report", "search", "service", "tables",
        "workflow",
    },
}  # fmt: skip
# Modules beside the packages.
ALLOWED_MODULES = {
    "_extras": set(),
    "_lazy": set(),
    "_sklearn_types": set(),
    "_version": set(),
    "mlflow": {"persistence", "search", "tables", "workflow"},
    "__main__": {"cli"},
}
EVERYWHERE = {"_extras", "_lazy", "_sklearn_types", "_version"}

LARGEST = 900  # lines of code in a module

# A module with a single importer is a part of that importer, unless it is a concept
# that someone in this field would look for by name.
SINGLE_IMPORTER = {
    "softcost.costs.price_template": "the price list that an analyst fills in",
    "softcost.linear.newton": "Newton's method for many linear problems at once",
    "softcost.onnx.learner_graphs": "what each learner predicts, as operators",
    "softcost.onnx.tree_ensemble": "trees as TreeEnsemble operators",
    "softcost.paper.chapters": "the text of the report's pages",
    "softcost.paper.claims": "the paper's claims, read as data",
    "softcost.paper.execute": "runs units here, in processes or on Dask",
    "softcost.paper.figures": "needs matplotlib, which is optional",
    "softcost.persistence.codec": "object graph to JSON and arrays, and back",
    "softcost.persistence.skops_types": "the trusted route for other estimators",
    "softcost.persistence.types_boosting": "schemas register by package",
    "softcost.persistence.types_search": "schemas register by package",
    "softcost.persistence.types_sklearn": "schemas register by package",
    "softcost.search.path_engine": "cross-validation of learners with a path",
    "softcost.service.app": "keeps FastAPI out of `softcost serve --help`",
    "softcost.service.connection": "keeps uvicorn out of the application",
    "softcost.service.contract": "the service's API description",
    "softcost.service.request_queue": "the thread that answers",
    "softcost.solvers.duplicates": "merges equal rows into weights",
    "softcost.solvers.path": "solution path along C and softness",
    "softcost.svm.kernel_fits": "keeps numba out of imports of estimators",
    "softcost.svm.shared_rows": "plans the memory for kernel values",
    "softcost.workflow.blocks": "training on files larger than memory",
    "softcost.workflow.cheque_demo": "keeps numpy out of `softcost demo --help`",
}


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


@pytest.mark.parametrize("package", list(packages()))
def test_only_allowed_imports(package):
    places = ALLOWED | ALLOWED_MODULES
    assert package in places, f"softcost.{package} has no place in the architecture"
    allowed = places[package] | EVERYWHERE | {package}
    for path in files_of(package):
        used = {name.split(".")[1] for name in softcost_imports(path)}
        assert used <= allowed, f"{path.name} imports {sorted(used - allowed)}"


def test_private_names_stay_in_their_package():
    for name, path in modules():
        for imported in softcost_imports(path):
            private = [part for part in imported.split(".")[2:] if is_private(part)]
            same = imported.split(".")[1] == name.partition(".")[2].split(".")[0]
            assert same or not private, f"{name} imports {imported}"


def private_names(tree):
    """Private names that a module defines: functions, classes, attributes, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            yield from (name.id for name in targets if isinstance(name, ast.Name))


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
        for private in private_names(tree):
            owners.setdefault(private, set()).add(name.split(".")[1])
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr):
                owner = owners.get(node.attr, set())
                if owner and name.split(".")[1] not in owner:
                    yield name, node.attr


def test_private_attributes_stay_in_their_package():
    # `sklearn_types` declares private methods of scikit-learn, not of its package.
    others = ("softcost", "softcost._sklearn_types")
    sources = {
        name: path.read_text(encoding="utf-8")
        for name, path in modules()
        if name not in others
    }
    assert list(borrowed_private_attributes(sources)) == []


def test_borrowed_private_attributes_are_found():
    sources = {
        "softcost.a.x": "class A:\n    def _own(self): self._own()\n",
        "softcost.b.y": "def f(a): return a._own() + a.__len__() + a._asdict()\n",
    }
    assert list(borrowed_private_attributes(sources)) == [("softcost.b.y", "_own")]


def import_graph():
    """Module -> the modules that it imports."""
    paths = dict(modules())
    graph = {}
    for name, path in paths.items():
        used = set()
        for imported in softcost_imports(path):
            while imported not in paths:
                imported = imported.rpartition(".")[0]
            used.add(imported)
        graph[name] = used - {name}
    return graph


def test_no_import_cycle():
    graph = {
        # A package's own __init__ is imported before its modules: no arrow back.
        name: {other for other in used if not name.startswith(f"{other}.")}
        for name, used in import_graph().items()
    }
    finished, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name in finished:
            return
        path.append(name)
        for other in graph[name]:
            visit(other)
        finished.add(path.pop())

    for name in graph:
        visit(name)


def lines_of_code(path):
    """Lines of a module without blank lines, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            docstrings |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
        if number not in docstrings
    )


def test_no_module_is_too_large():
    sizes = {name: lines_of_code(path) for name, path in modules()}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


def test_file_names_are_unique():
    names = Counter(
        path.name for _, path in modules() if not path.name.startswith("__")
    )
    assert {name for name, count in names.items() if count > 1} == set()


def test_modules_with_a_single_importer_have_a_reason():
    graph = import_graph()
    inits = {name for name, path in modules() if path.name == "__init__.py"}
    single = set()
    for name in graph.keys() - inits:
        importers = {other for other, used in graph.items() if name in used}
        if len(importers - inits) == 1 and not importers & inits:
            single.add(name)
    assert single == set(SINGLE_IMPORTER)


def test_the_import_reader_sees_every_form(tmp_path):
    path = tmp_path / "probe.py"
    path.write_text(
        "import softcost.cli.app\n"
        "from softcost import costs\n"
        "def late():\n    from softcost.svm import KernelSVC\n"
    )
    found = {name.split(".")[1] for name in softcost_imports(path)}
    assert found == {"cli", "costs", "svm"}
