"""The command line as such: help without imports, one-sentence errors, exit codes."""

import json
import os
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import softcost
from softcost.cli import COMMANDS, main
from softcost.cli.console import BadInput, JobFailed, bad_input, failed_job
from softcost.cli.main import LazyGroup

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "numba", "rich", "joblib")


@pytest.fixture
def run():
    """Call the command line in this process."""
    return lambda *args: CliRunner().invoke(main, list(args), prog_name="softcost")


def python(*args, **options):
    return subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, **options
    )


CHEAP = [
    ["--help"],
    ["--version"],
    ["datasets", "--json"],
    *([name, "--help"] for name in COMMANDS),
    ["costs", "check", "--help"],
    ["reproduce", "status", "--help"],
]


@pytest.mark.parametrize("command", CHEAP, ids=" ".join)
def test_cheap_commands_import_nothing_heavy(command):
    """After the command, none of the slow packages has been imported."""
    program = (
        "import sys\n"
        "from softcost.cli import main\n"
        "try:\n"
        f"    main({command!r}, prog_name='softcost')\n"
        "finally:\n"
        f"    loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    print('heavy:', loaded, file=sys.stderr)\n"
    )
    done = python("-c", program)
    assert done.returncode == 0
    assert done.stderr.strip() == "heavy: []"


@pytest.mark.parametrize("args", [["--help"], ["-h"], []])
def test_help_lists_commands_and_exit_codes(run, args):
    result = run(*args)
    assert result.exit_code == 0
    for name, (_, line) in COMMANDS.items():
        assert name in result.stdout
        assert line in result.stdout
    for code in ("0    done", "1    the job failed", "2    wrong", "130  interrupted"):
        assert code in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_line_in_the_help_is_the_command_s_own(run, name):
    command = main.get_command(click.Context(main), name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.get_short_help_str(limit=200) == COMMANDS[name][1]
    result = run(name, "--help")
    assert result.exit_code == 0
    assert COMMANDS[name][1] in result.stdout


def test_version(run):
    result = run("--version")
    assert result.exit_code == 0
    assert softcost.__version__ in result.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["doctr"], "did you mean 'doctor'?"),
        (["xyzzy"], "There is no command 'xyzzy'; see 'softcost --help'."),
        (["--nope"], "--nope"),
        (["datasets", "--nope"], "see 'softcost datasets --help'"),
        (["datasets", "extra"], "extra"),
        (["datasets", "--data-dir"], "--data-dir"),
        (["datasets", "--data-dir", "no/such/place"], "no/such/place"),
        (["datasets", "--data-dir", __file__], "is a file"),
        (["doctor", "--json=yes"], "--json"),
    ],
)
def test_wrong_command_lines_are_one_sentence_and_code_2(run, args, words):
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("softcost: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def group_with(function):
    """A command line with one command, which does what it is told."""
    group = LazyGroup(commands_by_name={"it": ("nowhere:it", "Do it.")})
    command = click.Command("it", callback=function)
    group.get_command = lambda ctx, name: command
    return group


def raising(error):
    def function():
        raise error

    return function


def test_expected_errors_have_codes_and_one_line():
    def bad():
        with bad_input():
            raise ValueError("softness=2\n  must be at most 1.")

    for function, code, words in [
        (bad, 2, "softcost: softness=2 must be at most 1.\n"),
        (raising(BadInput("no")), 2, "softcost: no\n"),
        (raising(JobFailed("did not work")), 1, "softcost: did not work\n"),
        (raising(KeyboardInterrupt()), 130, "\nsoftcost: interrupted.\n"),
        (raising(EOFError()), 1, "\nsoftcost: the input ended too early.\n"),
    ]:
        result = CliRunner().invoke(group_with(function), ["it"])
        assert result.exit_code == code
        assert result.stderr == words
        assert result.stdout == ""


def test_faults_of_ours_keep_their_traceback():
    for error in (KeyError("bug"), ValueError("bug"), TypeError("bug")):
        result = CliRunner().invoke(group_with(raising(error)), ["it"])
        assert result.exit_code == 1
        assert result.exception is error
        assert "Please report it" in error.__notes__[0]
    with pytest.raises(ZeroDivisionError), bad_input():
        raise ZeroDivisionError


@pytest.mark.parametrize("error", [MemoryError(), OSError("the disk is full.")])
def test_what_a_machine_lacks_is_a_failed_job(error):
    with (
        pytest.raises(JobFailed, match=r"memory|the disk is full"),
        failed_job(),
    ):
        raise error
    with pytest.raises(BrokenPipeError), failed_job():
        raise BrokenPipeError
    with pytest.raises(ValueError, match="ours"), failed_job():
        raise ValueError("ours")


def test_exit_code_of_a_command_is_kept():
    @click.pass_context
    def function(context):
        context.exit(1)

    assert CliRunner().invoke(group_with(function), ["it"]).exit_code == 1
    assert CliRunner().invoke(group_with(lambda: None), ["it"]).exit_code == 0


def test_group_can_be_called_from_python():
    with pytest.raises(BadInput):
        group_with(raising(BadInput("no"))).main(["it"], standalone_mode=False)


def test_python_dash_m_is_the_same_program():
    done = python("-m", "softcost", "--version")
    assert done.returncode == 0
    assert done.stdout.startswith("softcost, version")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_a_real_process_with_130():
    program = (
        "import signal, time\n"
        "import softcost.cli.datasets as module\n"
        "from softcost.cli import main\n"
        "def wait(name, folder):\n"
        "    print('ready', flush=True)\n"
        "    while True:\n"
        "        time.sleep(1)\n"
        "module._facts = wait\n"
        "# Processes in the background ignore interrupts by default.\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "main(['datasets'], prog_name='softcost')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors.strip() == "softcost: interrupted."


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_leaves_gets_no_traceback():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "softcost", "datasets", "--json"],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["datasets", "doctor"])
def test_real_process_writes_strict_json_and_nothing_else(command, tmp_path):
    environment = os.environ | {"SCIKIT_LEARN_DATA": str(tmp_path)}
    done = python("-m", "softcost", command, "--json", env=environment)
    assert done.returncode == 0

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    assert json.loads(done.stdout, parse_constant=refuse)
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["datasets", "doctor"])
def test_piped_tables_have_no_colour_codes(command):
    done = python("-m", "softcost", command)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
