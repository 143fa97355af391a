"""``softcost doctor``: is this machine fit to work on?"""

import os
import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

import click

import softcost
from softcost._extras import install_hint
from softcost.cli.console import FAILED, print_table, write_json
from softcost.datasets import info, list_datasets, locate

_STYLE = {"ok": "", "warn": "yellow", "fail": "red"}
GIGABYTE = 1e9
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)(?:.*?>=\s*([0-9.]+))?")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Check this machine: versions, threads, directories, data.

    Every line is ok, warn or fail, the latter two with a remedy. Ends with exit
    code 1 where something fails.
    """
    checks = list(all_checks())
    if as_json:
        write_json(
            {"ok": not _failed(checks), "checks": [check.as_dict() for check in checks]}
        )
    else:
        print_table(
            [("", "left"), ("what", "left"), ("found", "left"), ("remedy", "left")],
            [(check.status, check.name, check.found, check.remedy) for check in checks],
            [_STYLE[check.status] for check in checks],
        )
    if _failed(checks):
        context.exit(FAILED)


def _failed(checks: Iterable["Check"]) -> bool:
    return any(check.status == "fail" for check in checks)


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's report."""

    name: str
    status: Literal["ok", "warn", "fail"]
    found: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        """The fields, by name."""
        return asdict(self)


def all_checks() -> Iterator[Check]:
    """Every check, in the order of the report."""
    yield Check("softcost", "ok", softcost.__version__)
    yield check_python(sys.version_info[:3])
    yield from check_dependencies()
    yield check_cores()
    yield from check_blas()
    yield check_sqlite(sqlite3.sqlite_version)
    yield from check_directories()
    yield check_data(os.environ.get("SOFTCOST_DATA"))


def check_python(version: tuple[int, ...]) -> Check:
    """The interpreter; 3.11 is the oldest that is supported."""
    found = f"{'.'.join(map(str, version))} ({platform.platform(terse=True)})"
    if version < (3, 11):
        return Check("python", "fail", found, "Use Python 3.11 or newer.")
    return Check("python", "ok", found)


def check_dependencies() -> Iterator[Check]:
    """Everything the package says it needs, and what its extras would need."""
    try:
        requirements = metadata.requires("softcost") or []
    except metadata.PackageNotFoundError:
        yield Check(
            "dependencies",
            "warn",
            "softcost is not installed as a package",
            "Run in a checkout of softcost: pip install .",
        )
        return
    for requirement in requirements:
        text, _, marker = requirement.partition(";")
        extra = re.search(r"""extra\s*==\s*['"]([^'"]+)""", marker)
        if extra is None:
            yield check_package(text)
        elif extra.group(1) not in ("test", "docs"):
            yield check_package(text, extra=extra.group(1))


def check_package(requirement: str, extra: str = "") -> Check:
    """One requirement such as ``numpy>=1.26``; an extra may be absent."""
    match = _REQUIREMENT.match(requirement.strip())
    assert match is not None, f"not a requirement: {requirement!r}"
    name, least = match.groups()
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        if extra:
            return Check(name, "ok", f"not installed (optional: {install_hint(extra)})")
        return Check(name, "fail", "not installed", f"Run: pip install '{requirement}'")
    if least and _numbers(found) < _numbers(least):
        status: Literal["warn", "fail"] = "warn" if extra else "fail"
        return Check(
            name, status, found, f"Run: pip install --upgrade '{requirement.strip()}'"
        )
    return Check(name, "ok", found)


def check_cores() -> Check:
    """Cores this process may use, and limits set from outside."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = cores
    limits = [
        f"{name}={os.environ[name]}" for name in THREAD_VARIABLES if name in os.environ
    ]
    found = f"{usable} of {cores} usable" + "".join(f", {limit}" for limit in limits)
    return Check("cores", "ok", found)


def check_blas() -> Iterator[Check]:
    """The libraries that run threads of their own, as threadpoolctl sees them."""
    try:
        for module in ("numpy", "scipy.linalg"):
            import_module(module)
        pools = import_module("threadpoolctl").threadpool_info()
    except Exception as error:
        # Whatever a broken installation raises is the finding.
        found = f"{type(error).__name__}: {error}"
        yield Check("BLAS", "fail", found, "Reinstall numpy, scipy and threadpoolctl.")
        return
    if not pools:
        remedy = "Results may differ in the last bits between numbers of jobs."
        yield Check("BLAS", "warn", "no thread pool recognised", remedy)
    for pool in pools:
        name = {"blas": "BLAS"}.get(pool["user_api"], pool["user_api"])
        version = f" {pool['version']}" if pool.get("version") else ""
        found = f"{pool['internal_api']}{version}, {pool['num_threads']} threads"
        yield Check(name, "ok", found)


def check_sqlite(version: str) -> Check:
    """SQLite, in which results are kept; 3.24 is the first with upserts."""
    if _numbers(version) < (3, 24):
        return Check(
            "SQLite", "fail", version, "Use a Python with SQLite 3.24 or newer."
        )
    return Check("SQLite", "ok", version)


def check_directories() -> Iterator[Check]:
    """Room on the disk, and whether caches can be written."""
    yield check_disk(Path.cwd())
    package = Path(softcost.__file__).parent
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "numba"
    named = os.environ.get("NUMBA_CACHE_DIR")
    # Without a named directory numba writes beside the code, else to the user's cache.
    yield check_writable(
        "compiled code",
        [Path(named)] if named else [package, user_cache.expanduser()],
        "Set NUMBA_CACHE_DIR to a directory you can write, or every process compiles "
        "anew.",
    )
    home = Path(os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data")
    yield check_writable(
        "downloads",
        [home.expanduser()],
        "Set SCIKIT_LEARN_DATA to a directory you can write, or give data_home.",
    )
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:
        remedy = "Set TMPDIR to a directory you can write."
        yield Check("temporary files", "fail", "no usable directory", remedy)
    else:
        yield check_writable("temporary files", [temporary], "Set TMPDIR.")


def check_disk(folder: Path) -> Check:
    """Free space in the current directory."""
    free = shutil.disk_usage(folder).free / GIGABYTE
    if free < 1:
        remedy = "Free some space, or work in another directory."
        return Check("disk", "warn", f"{free:.1f} GB free in {folder}", remedy)
    return Check("disk", "ok", f"{free:.1f} GB free in {folder}")


def check_writable(name: str, folders: list[Path], remedy: str) -> Check:
    """Whether a file can be made in one of the directories, or where it would be."""
    for folder in folders:
        existing = folder
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        try:
            with tempfile.TemporaryFile(dir=existing):
                pass
        except OSError:
            continue
        made = "" if existing == folder else " (made when needed)"
        return Check(name, "ok", f"{folder}{made}")
    places = " and ".join(map(str, folders))
    return Check(name, "warn", f"not writable: {places}", remedy)


def check_data(folder: str | None) -> Check:
    """The directory named by SOFTCOST_DATA."""
    if not folder:
        return Check(
            "SOFTCOST_DATA",
            "warn",
            "not set",
            "Name the directory with the data files, or let OpenML be asked.",
        )
    if not Path(folder).is_dir():
        return Check(
            "SOFTCOST_DATA",
            "fail",
            f"{folder} is not a directory",
            "Correct it, or unset it.",
        )
    measured = [name for name in list_datasets() if not info(name).generated]
    there = sum(locate(name).kind == "file" for name in measured)
    found = f"{folder}, {there} of {len(measured)} data sets"
    if there < len(measured):
        return Check("SOFTCOST_DATA", "warn", found, "See: softcost datasets")
    return Check("SOFTCOST_DATA", "ok", found)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
