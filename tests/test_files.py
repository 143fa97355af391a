"""Outputs: whole or not at all, and never over what is read."""

import os
import stat
import subprocess
import sys

import pytest

from softcost.files import atomic_write, check_output

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_write_leaves_nothing_and_loses_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("before")

    def fail():
        with atomic_write(path) as place:
            place.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "before"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("how", ["same", "relative", "link", "hard link", "new"])
@posix
def test_inputs_are_refused_by_any_name(how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, path = tmp_path / "rows.csv", tmp_path / "out.csv"
    if how != "new":
        data.write_text("precious")
    if how == "link":
        path.symlink_to(data)
    elif how == "hard link":
        os.link(data, path)
    else:
        path = "./rows.csv" if how == "relative" else data
    with pytest.raises(ValueError, match="is read and cannot be the output"):
        check_output(path, reads=[data])
    with (
        pytest.raises(ValueError, match="is read"),
        atomic_write(path, reads=[data]) as place,
    ):
        place.write_text("lost")
    assert how == "new" or data.read_text() == "precious"


def test_two_outputs_need_two_files(tmp_path):
    with pytest.raises(ValueError, match="two outputs"):
        check_output(tmp_path / "a", writes=[tmp_path / "." / "a"])
    check_output(tmp_path / "a", writes=["-"])


@posix
def test_devices_pipes_and_directories_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (os.devnull, tmp_path / "pipe"):
        with pytest.raises(OSError, match="device or a pipe"), atomic_write(path):
            pytest.fail("written")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError, match="is a directory"):
        check_output(tmp_path)
    with pytest.raises(FileNotFoundError, match="no directory"):
        check_output(tmp_path / "no" / "a")


@posix
def test_links_are_followed_and_modes_kept(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    with atomic_write(link) as place:
        place.write_text("after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


KILLED = """
import os, signal, sys
from softcost.files import atomic_write
with atomic_write(sys.argv[1]) as place:
    place.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    path = tmp_path / "a.csv"
    subprocess.run([sys.executable, "-c", KILLED, path])
    assert len(names(tmp_path)) == 1
    stranger = tmp_path / ".softcost-00000000-1-ff.a.csv"  # of another machine
    stranger.write_text("")
    with atomic_write(path) as place:
        place.write_text("whole")
        with atomic_write(path) as second:  # one that is alive is left alone
            second.write_text("second")
        assert place.exists()
    assert path.read_text() == "whole"
    assert names(tmp_path) == sorted([stranger.name, "a.csv"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    def full(descriptor):
        with open("/dev/full", "wb", buffering=0) as file:
            file.write(b"x")

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OSError, match="cannot be written: no space left on device"),
        atomic_write(tmp_path / "a") as place,
    ):
        place.write_text("x")
    assert names(tmp_path) == []


@pytest.mark.parametrize("letter", ["a", "ü", "€", "𝄞"])
def test_the_longest_name_that_a_file_may_have(tmp_path, letter):
    """Names are limited to 255 bytes, however many characters these are."""
    stem = letter * (251 // len(letter.encode()))
    target = tmp_path / f"{stem}.csv"
    with atomic_write(target) as place:
        assert place.suffix == ".csv"
        place.write_text("done")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
