"""Mutation testing: faults put into the code one by one, which tests have to find.

    python benchmarks/reliability/mutation.py [PACKAGE ...] [--sample 120] [--seed 0]

Faults are drawn with a seed from all that `mutants` knows. Tests run once to see which
lines they reach; then every fault has a process of its own, a fork that has imported
everything but softcost, which runs the tests that reach its line, the fastest first,
up to ``--seconds`` of them. A fault that no test notices survives, unless the list of
equivalent ones, with reasons, is there to say that nobody could.

``--kept FOLDER`` lets a run be stopped and go on: what tests reach is read from there
while sources and tests are as they were, and a fault that was found once is not tried
again.
"""

import argparse
import ast
import hashlib
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mutants import mutants

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.json")
# Package: files below src/softcost, and tests.
PACKAGES = {
    "costs": (["costs/*.py"], ["tests/costs", "src/softcost/costs"]),
    "metrics": (
        ["metrics/*.py"],
        ["tests/metrics", "src/softcost/metrics",
         "--deselect=tests/metrics/test_savings.py"
         "::test_a_search_saves_what_its_table_says"],  # which compiles
    ),
    "search": (
        ["search/rules.py", "search/budget.py", "search/counts.py"],
        ["tests/search/test_exactly.py", "tests/search/test_rules.py",
         "tests/search/test_tails.py", "src/softcost/search/rules.py",
         "src/softcost/search/budget.py", "src/softcost/search/counts.py"],
    ),
    "persistence": (
        ["persistence/*.py"],
        ["tests/persistence/test_kinds.py", "tests/persistence/test_checks.py",
         "tests/persistence/test_layers.py", "tests/persistence/test_format.py",
         "tests/persistence/test_objects.py", "tests/persistence/test_schemas.py",
         "tests/persistence/test_tricks.py", "tests/persistence/test_details.py",
         "tests/persistence/test_search_tables.py",
         "tests/persistence/test_categorical_boosting.py", "src/softcost/persistence"],
    ),
}  # fmt: skip
OPTIONS = [
    "-n", "0", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
]  # fmt: skip
_KILLED, _SURVIVED = 1, 0


class Watch:
    """A plugin of pytest: which lines every test reaches, and how long it takes."""

    def __init__(self, coverage):
        self.coverage, self.seconds = coverage, {}

    def pytest_runtest_logstart(self, nodeid, location):
        self.coverage.switch_context(nodeid)
        self.seconds[nodeid] = -time.process_time()

    def pytest_runtest_logfinish(self, nodeid, location):
        self.seconds[nodeid] += time.process_time()


def in_a_fork(function, *args):
    """The exit code of a function that ends a process of its own."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            code = function(*args)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def watched(tests, files, place):
    """Run the tests once; write down what they reach, take and import."""
    import coverage
    import pytest

    tracer = coverage.Coverage(data_file=None, include=[str(one) for one in files])
    watch = Watch(tracer)
    tracer.start()
    code = pytest.main([*OPTIONS, *tests], plugins=[watch])
    tracer.stop()
    data = tracer.get_data()
    lines = {
        str(one.relative_to(ROOT)): data.contexts_by_lineno(str(one)) for one in files
    }
    imported = [name for name in sys.modules if name.partition(".")[0] in sys.modules]
    place.write_text(
        json.dumps({"lines": lines, "seconds": watch.seconds, "imported": imported})
    )
    return int(code)


def import_others(names):
    """Import what tests will need, but for softcost and themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name.partition(".")[0] in ("softcost", "tests", "conftest", "__main__"):
                continue
            try:
                import_module(name)
            except Exception:  # a module of a test's own, or one with conditions
                continue


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another text."""

    def __init__(self, path, code):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.package else parts)
        self.path, self.code = path, code

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        inside = [str(self.path.parent)] if self.package else None
        return importlib.util.spec_from_file_location(
            name, self.path, loader=self, submodule_search_locations=inside
        )

    def exec_module(self, module):
        exec(compile(self.code, str(self.path), "exec"), module.__dict__)


def tested(path, code, tests, seconds):
    """Whether tests fail with a fault; endless ones do."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    changed = Changed(path, code)
    sys.meta_path.insert(0, changed)
    try:
        import_module(changed.name)  # pytest would read modules with examples itself
    except Exception:
        return _KILLED
    return _SURVIVED if pytest.main([*OPTIONS, *tests]) == 0 else _KILLED


def _most(seconds):
    """Of processor time, for imports and tests that a fault makes slower."""
    return int(2 * seconds + 20)


def chosen_tests(known, path, line, most):
    """Tests that reach a line, the fastest first, as long as there is time.

    Defaults and constants are read at import: tests that reach the function that they
    stand in, and any test for those of a module, since others may read them.
    """
    lines = known["lines"][str(path.relative_to(ROOT))]
    names = {one for one in lines.get(str(line), []) if one}
    first, last = function_at(path, line)
    if not names and first > 1:
        names = {
            one
            for at, ones in lines.items()
            if first <= int(at) <= last
            for one in ones
        } - {""}
    found, total = [], 0.0
    for name in sorted(names or known["seconds"], key=known["seconds"].__getitem__):
        total += known["seconds"][name]
        if total > most and len(found) > 2:
            break
        found.append(name)
    return found


def function_at(path, line):
    """The lines of the innermost function around a line, or of the whole file."""
    text = path.read_text()
    found = (1, len(text.splitlines()))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= node.end_lineno:
            found = max(found, (node.lineno, node.end_lineno))
    return found


def named_mutants(path):
    """Faults of a file by names that stay when lines are added above."""
    text, seen = path.read_text(), Counter()
    for one in mutants(text):
        line = text.splitlines()[one.line - 1].strip()
        name = f"{path.relative_to(SOURCE / 'softcost')}: {line} | {one.what}"
        seen[name] += 1
        yield name + (f" ({seen[name]})" if seen[name] > 1 else ""), path, one


def digest(texts):
    """A name for texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def watched_tests(package, files, folder):
    """What the tests of a package reach; read from the folder where it is kept.

    Every file or folder of tests has a run of its own, which is kept until it, or the
    package, is changed.
    """
    options = [one for one in PACKAGES[package][1] if one.startswith("-")]
    known = {"lines": {}, "seconds": {}, "imported": []}
    for name in PACKAGES[package][1]:
        if name in options:
            continue
        inside = filter(Path.is_file, [ROOT / name, *(ROOT / name).rglob("*.py")])
        texts = map(Path.read_text, [*files, *sorted(inside)])
        place = folder / f"{package}-{digest([name, *texts])[:12]}.json"
        if not place.exists() and in_a_fork(watched, [name, *options], files, place):
            place.unlink(missing_ok=True)
            raise SystemExit(f"{name} fails as it is")
        found = json.loads(place.read_text())
        known["seconds"] |= found["seconds"]
        known["imported"] += found["imported"]
        for path, lines in found["lines"].items():
            own = known["lines"].setdefault(path, {})
            for line, tests in lines.items():
                own[line] = [*own.get(line, []), *tests]
    return known


def run(package, sample, seed, seconds, folder):
    """The figures of one package, and what survived."""
    files = [one for pattern in PACKAGES[package][0]
             for one in sorted((SOURCE / "softcost").glob(pattern))]  # fmt: skip
    known = watched_tests(package, files, folder)
    import_others(known["imported"])
    found = folder / "found"
    found.mkdir(exist_ok=True)
    for path in files[:2]:  # as they are: or whatever kills faults, it is not the tests
        text = path.read_text()
        before = folder / digest([str(path.relative_to(ROOT)), text])
        names = chosen_tests(known, path, 1, seconds)
        if not before.exists() and in_a_fork(tested, path, text, names, _most(seconds)):
            raise SystemExit(f"{path} itself does not survive")
        before.touch()
    every = [pair for path in files for pair in named_mutants(path)]
    drawn = random.Random(seed).sample(every, min(sample, len(every)))
    reasons = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    killed, equivalent, survived = 0, [], []
    for name, path, one in sorted(drawn, key=lambda named: (*named[1:2], named[2][:3])):
        if name in reasons:
            equivalent.append(name)
            continue
        before = found / digest([name, one.code])
        names = chosen_tests(known, path, one.line, seconds)
        if before.exists() or in_a_fork(tested, path, one.code, names, _most(seconds)):
            before.touch()
            killed += 1
        else:
            survived.append(name)
            print(f"survived, line {one.line}: {name}", file=sys.stderr, flush=True)
    tried = len(drawn) - len(equivalent)
    return {
        "faults": len(every), "tried": tried, "killed": killed,
        "share": round(killed / tried, 3), "equivalent": len(equivalent),
        "survived": survived,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--sample", type=int, default=120, help="faults per package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=8, help="of tests per fault")
    parser.add_argument("--kept", type=Path, help="a folder to go on from")
    parser.add_argument("--output", type=Path, help="keeps the rows of others")
    options = parser.parse_args()
    os.chdir(ROOT)
    print("| package | faults known | tried | killed | share | equivalent |")
    print("|---|---|---|---|---|---|")
    good = True
    if options.kept is None:
        options.kept = Path(tempfile.mkdtemp())
    options.kept.mkdir(parents=True, exist_ok=True)
    for package in options.packages or PACKAGES:
        found = run(
            package, options.sample, options.seed, options.seconds, options.kept
        )
        row = [found[name] for name in ("faults", "tried", "killed")]
        words = " | ".join(map(str, row))
        print(
            f"| `{package}` | {words} | {found['share']:.1%} | {found['equivalent']} |",
            flush=True,
        )
        good &= found["share"] >= 0.9
        if options.output:
            path = options.output
            old = json.loads(path.read_text()) if path.exists() else {}
            old |= {f"{package}, seed {options.seed}": found}
            path.write_text(json.dumps(old, indent=1) + "\n")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
