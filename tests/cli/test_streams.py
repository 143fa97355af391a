"""Standard streams that are closed, full or ASCII, and a process short of memory."""

import os
import subprocess
import sys

import pytest

from softcost.cli.console import exhausted_resource

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX shells")

COMMAND = f"{sys.executable} -m softcost"


def shell(line, **variables):
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=os.environ | variables
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["datasets", "datasets --json", "fit --help"])
def test_a_full_disk_behind_standard_output(command):
    done = shell(f"{COMMAND} {command} > /dev/full")
    assert done.returncode == 1
    assert (
        done.stderr == "softcost: cannot write the output: no space left on device.\n"
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize(("command", "code"), [("datasets", 0), ("costs check x", 2)])
def test_a_closed_stream_stops_nothing(command, code, closed):
    done = shell(f"{COMMAND} {command} {closed}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    if closed in ("2>&-", "<&-"):
        assert done.stdout == shell(f"{COMMAND} {command}").stdout


def test_a_file_does_not_get_the_number_of_a_closed_stream(tmp_path):
    """Or a message of a native library would end up in the file."""
    program = (
        "import os\n"
        "from softcost.cli.console import prepare_streams\n"
        "prepare_streams()\n"
        f"file = open({str(tmp_path / 'file')!r}, 'w')\n"
        "os.write(1, b'native message')\n"
        "assert file.fileno() > 2\n"
    )
    done = shell(f'{sys.executable} -c "$PROGRAM" >&-', PROGRAM=program)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "file").read_text() == ""


def test_characters_that_the_terminal_lacks_are_replaced():
    program = (
        "from softcost.cli.console import prepare_streams\n"
        "prepare_streams()\n"
        "print('1 ± 2 → ü')\n"
    )
    line = f'{sys.executable} -c "$PROGRAM"'
    done = shell(line, PROGRAM=program, PYTHONIOENCODING="ascii")
    assert done.stdout == "1 +- 2 -> \\xfc\n"
    done = shell(line, PROGRAM=program, PYTHONIOENCODING="utf-8")
    assert done.stdout == "1 ± 2 → ü\n"


@pytest.mark.parametrize(
    ("error", "limit", "sentence"),
    [
        (MemoryError(), None, "there is not enough memory."),
        (MemoryError(), 2 * 10**9, "This process may use 2.0 GB (ulimit -v)."),
        (MemoryError("X has too many rows."), None, "X has too many rows."),
        (ImportError("failed to map segment"), 10**8, "This process may use 0.1 GB"),
        (OSError("Could not load shared object file"), 10**8, "not enough memory"),
        (OSError(28, "No space left on device"), None, "no space left on device."),
        (ImportError("failed to map segment"), None, None),
        (OSError("something else"), 10**8, None),
        (ValueError("a fault of softcost"), 10**8, None),
    ],
)
def test_what_a_machine_lacks_is_one_sentence(monkeypatch, error, limit, sentence):
    """Libraries fail to load in several ways if their memory cannot be mapped."""
    monkeypatch.setattr("softcost.cli.console._memory_limit", lambda: limit)
    reason = exhausted_resource(error)
    if sentence is None:
        assert reason is None
    else:
        assert sentence in reason
