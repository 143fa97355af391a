"""Compiled code that is damaged, gone or not to be written is compiled again."""

import importlib.util
import itertools
import os
import subprocess
import sys
import warnings

import numba
import pytest

from softcost.solvers import compilation
from softcost.solvers.compilation import jit

SOURCE = "def twice(x):\n    return 2 * x\n"


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Compile the same function again and again, as new processes would."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "toy.py").write_text(SOURCE)
    numbers = itertools.count()

    def make():
        compilation._said.clear()
        name = f"toy{next(numbers)}"
        spec = importlib.util.spec_from_file_location(name, tmp_path / "toy.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # code from the cache imports it
        spec.loader.exec_module(module)
        return jit(module.twice)

    def call():
        function = make()
        assert function(21) == 42
        return sum(function.stats.cache_hits.values())

    return call


def files(tmp_path, ending):
    return [path for path in (tmp_path / "cache").rglob(f"*{ending}") if path.is_file()]


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("how", ["cut", "changed", "empty", "other", "gone"])
def test_damaged_files_are_compiled_again(compiled, tmp_path, ending, how):
    assert (compiled(), compiled()) == (0, 1)
    for path in files(tmp_path, ending):
        content = path.read_bytes()
        spoilt = {
            "cut": content[: len(content) // 2],
            "changed": content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
            "empty": b"",
            "other": b"\x80\x04c os\nsystem\n.",
        }
        path.unlink() if how == "gone" else path.write_bytes(spoilt[how])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert compiled() == 0
    assert len(heard) == (how != "gone")
    assert all("is compiled again" in str(one.message) for one in heard)
    assert compiled() == 1


def test_a_full_disk_is_said_once(compiled, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compilation.CheckedFile, "_open_for_write", full)
    with pytest.warns(RuntimeWarning, match="cannot be kept in .*No space") as heard:
        assert compiled() == 0
    assert len(heard) == 1


needs_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX users")


@needs_users
@pytest.mark.parametrize("name", ["cache", "."])
def test_folders_that_others_can_write_are_not_used(
    compiled, tmp_path, monkeypatch, name
):
    """Neither the folder itself nor those above it."""
    home = tmp_path.parent / f"{tmp_path.name}-home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert (compiled(), compiled()) == (0, 1)
    (tmp_path / name).chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"other users can change it.*NUMBA_CACHE"):
        assert compiled() == 0
    with pytest.warns(RuntimeWarning, match="other users can change it"):
        assert compiled() == 1
    (folder,) = (home / "softcost" / "compiled").iterdir()
    assert folder.stat().st_mode & 0o077 == 0


@needs_users
def test_nothing_is_cached_without_a_private_folder(compiled, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tmp_path.chmod(0o777)
    assert (compiled(), compiled()) == (0, 0)
    assert not files(tmp_path, ".nbi")


@needs_users
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_files_that_others_can_write_are_compiled_again(compiled, tmp_path, ending):
    assert (compiled(), compiled()) == (0, 1)
    for path in files(tmp_path, ending):
        path.chmod(0o666)
    with pytest.warns(RuntimeWarning, match="other users can change"):
        assert compiled() == 0


@needs_users
def test_private_paths(tmp_path, monkeypatch):
    assert compilation.is_private(tmp_path / "new" / "folder")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert not compilation.is_private(shared / "folder")
    shared.chmod(0o1777)  # as /tmp: others can add to it, but not replace what is there
    assert compilation.is_private(shared / "folder")
    (tmp_path / "link").symlink_to(shared)
    shared.chmod(0o777)
    assert not compilation.is_private(tmp_path / "link" / "folder")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    stat = foreign.stat()
    if stat.st_uid:  # root's files are trusted by everyone
        monkeypatch.setattr(compilation.os, "geteuid", lambda: stat.st_uid + 1)
        assert not compilation.is_private(foreign)
    elif os.geteuid() == 0:
        os.chown(foreign, 12345, 12345)
        assert not compilation.is_private(foreign)


def test_code_of_another_numba_is_compiled_again(compiled, monkeypatch):
    """Intact, but what it holds cannot be made: a type was renamed, for instance."""
    compiled()

    def renamed(self, *args):
        raise AttributeError("module has no attribute 'Rows'")

    with monkeypatch.context() as patch:
        patch.setattr("numba.core.caching.CompileResultCacheImpl.rebuild", renamed)
        with pytest.warns(RuntimeWarning, match="is compiled again"):
            assert compiled() == 0
    assert compiled() == 1


def test_machines_are_compiled_whatever_numba_is_told():
    program = (
        "import numpy as np\nfrom softcost import KernelSVC\n"
        "X = np.arange(12.0)[:, None]\n"
        "print(KernelSVC().fit(X, X[:, 0] > 5).predict([[0.0], [11.0]]).tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[False, True]", done.stderr


@pytest.mark.slow
def test_compiling_is_said_once_and_only_where_it_happens(tmp_path):
    program = (
        "import numpy as np\nfrom softcost import LinearClassifier\n"
        "X = np.arange(12.0)[:, None]\n"
        "for C in (1.0, 2.0):\n"
        "    LinearClassifier(C=C).fit(X, X[:, 0] > 5)\n"
    )
    (tmp_path / "again.py").write_text(program)
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    env.pop("SOFTCOST_QUIET", None)

    def lines(**more):
        done = subprocess.run(
            [sys.executable, tmp_path / "again.py"],
            env=env | more,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    program += (
        "if __name__ == '__main__':\n"
        "    from joblib import Parallel, delayed\n"
        "    fits = [delayed(LinearClassifier(loss='logistic').fit)(X, X[:, 0] > 5)]\n"
        "    Parallel(2)(fits * 2)\n"
    )
    (tmp_path / "again.py").write_text(program)
    (line,) = lines()
    assert line.startswith("softcost: compiling for this processor")
    assert lines() == []
    elsewhere = {"NUMBA_CACHE_DIR": str(tmp_path / "other"), "SOFTCOST_QUIET": "1"}
    assert lines(**elsewhere) == []
