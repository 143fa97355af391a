"""Measure the size of the package, and how much of it a typical call runs.

    python benchmarks/modules.py --trace

Prints the number of modules, lines of code (without blank lines, comments and
docstrings), modules that only one other module imports, repeated file names, and the
largest modules. ``--trace`` also counts the modules and functions of softcost that run
in a default search on iris and in ``softcost fit`` on the same data.
"""

import argparse
import ast
import contextlib
import inspect
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from common import print_row, write_json

COSTS = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
)  # fmt: skip
WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


# --- size


def code_lines(source, tree):
    """The number of lines that hold code."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, WITH_DOCSTRING) and ast.get_docstring(node, clean=False):
            text = node.body[0]
            lines.difference_update(range(text.lineno, text.end_lineno + 1))
    return len(lines)


def module_name(path, source):
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree, names):
    """Modules of the package that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            # `from package import name` imports the package unless all are modules.
            found.update(submodules & names)
            if submodules - names:
                found.add(node.module)
    return found & names


def measure(package):
    """Facts about every module of the package, by name."""
    source = package.parent
    texts = {module_name(p, source): (p, p.read_text(encoding="utf-8"))
             for p in sorted(package.rglob("*.py"))}  # fmt: skip
    modules, importers = {}, defaultdict(set)
    for name, (path, text) in texts.items():
        tree = ast.parse(text)
        for other in imported(tree, set(texts)) - {name}:
            importers[other].add(name)
        modules[name] = {"file": path.name, "lines": code_lines(text, tree)}
    for name, facts in modules.items():
        facts["importers"] = sorted(importers[name])
    return modules


def summary(modules):
    """The figures that are printed."""
    lines, sizes = Counter(), Counter()
    for name, facts in modules.items():
        part = package_of(name, modules)
        lines[part] += facts["lines"]
        sizes[part] += 1
    files = Counter(facts["file"] for facts in modules.values())
    return {
        "modules": len(modules),
        "code_lines": sum(facts["lines"] for facts in modules.values()),
        "packages": {
            part: {"modules": sizes[part], "code_lines": lines[part]}
            for part in sorted(lines)
        },
        "single_importer": {
            name: facts["importers"][0]
            for name, facts in modules.items()
            if len(facts["importers"]) == 1
        },
        "repeated_file_names": {
            file: count
            for file, count in files.most_common()
            if count > 1 and file != "__init__.py"
        },
        "largest": dict(
            Counter({name: facts["lines"] for name, facts in modules.items()})
            .most_common(10)
        ),
    }  # fmt: skip


def package_of(name, modules):
    """The subpackage that a module belongs to, else softcost itself."""
    part = ".".join(name.split(".")[:2])
    is_package = modules[part]["file"] == "__init__.py"
    return part if is_package else "softcost"


# --- what runs


class Trace:
    """Functions of a package that run, in any thread, but not while it is imported."""

    def __init__(self, package):
        self.folder = f"{package}{os.sep}"
        self.codes = set()

    def follow(self, frame, event, argument):
        code = frame.f_code
        if (
            event == "call"
            and code not in self.codes
            and code.co_filename.startswith(self.folder)
            and code.co_flags & inspect.CO_OPTIMIZED  # not the body of a class
            and not self.is_importing(frame)
        ):
            self.codes.add(code)

    def is_importing(self, frame):
        """Whether a module of the package, and not a function, is being executed."""
        while frame is not None:
            code = frame.f_code
            if code.co_name == "<module>" and code.co_filename.startswith(self.folder):
                return True
            frame = frame.f_back
        return False

    def __enter__(self):
        threading.setprofile(self.follow)
        sys.setprofile(self.follow)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)
        threading.setprofile(None)

    def counts(self):
        """The number of modules and functions; comprehensions are not functions."""
        names = [code.co_name for code in self.codes]
        return {
            "modules": len({code.co_filename for code in self.codes}),
            "functions": sum(
                name == "<lambda>" or not name.startswith("<") for name in names
            ),
        }


def run_search():
    """A default search on iris, and its predictions."""
    from sklearn.datasets import load_iris

    from softcost import SoftCostClassifierCV

    X, y = load_iris(return_X_y=True)
    SoftCostClassifierCV(cost_matrix=COSTS).fit(X, y).predict(X)


def run_command():
    """``softcost fit`` on iris, with a file of costs."""
    import pandas as pd
    from sklearn.datasets import load_iris

    from softcost.cli import main

    with tempfile.TemporaryDirectory() as folder:
        table, costs = Path(folder) / "iris.csv", Path(folder) / "costs.csv"
        data = load_iris(as_frame=True)
        frame = data.frame.assign(species=data.target_names[data.target])
        frame.drop(columns="target").to_csv(table, index=False)
        names = list(data.target_names)
        pd.DataFrame(COSTS, names, names).rename_axis("true").to_csv(costs)
        arguments = ["fit", table, "--target", "species", "--costs", costs]
        silent = io.StringIO()
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            main.main([str(argument) for argument in arguments], standalone_mode=False)


TRACED = {"search": run_search, "command": run_command}


def work(name, package):
    """Trace a call in this process; JSON on standard output."""
    warnings.simplefilter("ignore")
    with Trace(package) as trace:
        TRACED[name]()
    imported = sum(name.partition(".")[0] == "softcost" for name in sys.modules)
    print(json.dumps({**trace.counts(), "imported": imported}))


def traced(name, package):
    """Modules and functions that a call runs, traced in a process of its own."""
    others = {"PYTHONPATH": str(package.parent), "SOFTCOST_QUIET": "1"}
    done = subprocess.run(
        [sys.executable, __file__, "--work", name],
        env={**os.environ, **others}, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def show(results, importers):
    """Print the figures."""
    print(f"{results['modules']} modules, {results['code_lines']} lines of code\n")
    widths = [24, 8, 8]
    print_row(["package", "modules", "lines"], widths)
    for part, facts in results["packages"].items():
        print_row([part, facts["modules"], facts["code_lines"]], widths)
    single = results["single_importer"]
    print(f"\nmodules with a single importer: {len(single)}")
    if importers:
        print("\n".join(f"  {name} <- {other}" for name, other in single.items()))
    repeated = results["repeated_file_names"]
    listed = ", ".join(f"{file} ({count})" for file, count in repeated.items())
    print(f"repeated file names: {len(repeated)}: {listed}")
    largest = (f"{name} ({lines})" for name, lines in results["largest"].items())
    print(f"largest modules: {', '.join(largest)}")
    for name, facts in results.get("traced", {}).items():
        print(
            f"{name} runs {facts['functions']} functions of {facts['modules']} modules "
            f"and imports {facts['imported']} modules"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trace", action="store_true", help="count what calls run")
    parser.add_argument(
        "--importers", action="store_true", help="list modules with a single importer"
    )
    parser.add_argument("--output", help="JSON file to write")
    parser.add_argument("--work", choices=TRACED, help=argparse.SUPPRESS)
    options = parser.parse_args()
    package = Path(__file__).resolve().parents[1] / "src" / "softcost"
    if options.work:
        work(options.work, package)
        return
    results = summary(measure(package))
    if options.trace:
        results["traced"] = {name: traced(name, package) for name in TRACED}
    show(results, options.importers)
    if options.output:
        write_json(options.output, ["softcost"], results)


if __name__ == "__main__":
    main()
