"""Standard streams that are closed, full or ASCII, and a process short of memory."""

import os
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="limits need POSIX")

COMMAND = f"{sys.executable} -m softcost"


def shell(line, **variables):
    # Coverage would complain of the same lack of memory, after the command.
    others = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=others | variables
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


def test_too_little_memory_to_load_the_libraries():
    done = shell(f"ulimit -v 200000; {COMMAND} doctor")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "softcost: there is not enough memory. This process may use 0.2 GB "
        "(ulimit -v).\n"
    )
    assert "Traceback" not in done.stderr
