"""Output in terminals of several widths: nothing is cut or broken within a word."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import uuid

import pytest
from rich.console import Console

from softcost.cli import console
from softcost.cli.console import print_table, show_progress

WIDTHS = (60, 80, 120, 200)
RULE = re.compile("[─━]+")


def words_of(text):
    return sorted(word for word in text.split() if not RULE.fullmatch(word))


@pytest.fixture
def table_folder(menu, tmp_path):
    """A table and prices with short names, which no line is too narrow for."""
    menu.rows(110).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "prices.json").write_text(json.dumps(menu.prices), encoding="utf-8")
    return tmp_path


FIT = [
    "fit", "rows.csv", "--target", "class", "--costs", "prices.json", "--action",
    "ask:0.8", "--cv", "2", "--softness", "0,1", "--test-size", "0.3", "--reduction",
    "mec", "--currency", "EUR", "--model", "m", "--report", "r",
]  # fmt: skip


@pytest.mark.parametrize("details", [False, True])
def test_results_fit_into_every_width(table_folder, softcost, monkeypatch, details):
    monkeypatch.chdir(table_folder)
    words = {}
    for width in WIDTHS:
        environment = {"COLUMNS": str(width), "FORCE_COLOR": "1", "NO_COLOR": "1"}
        result = softcost(*FIT, *["--details"] * details, env=environment)
        assert result.exit_code == 0, result.output
        text = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
        assert max(map(len, text.splitlines())) <= width
        words[width] = words_of(text)
        head = next(line for line in text.splitlines() if line.startswith("model "))
        assert {"cost,", "EUR", "error", "vs", "regular"} <= set(head.split())
        assert len(head) <= 78
        assert ("standard error" in text) == details
    assert all(found == words[200] for found in words.values())


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_real_terminal_shows_whole_words(table_folder, width):
    """Standard output and error together, with the progress bar."""
    command = [sys.executable, "-m", "softcost", *FIT]
    script = table_folder / "run.sh"
    script.write_text(
        " ".join(command) + '\necho END\ntmux -L "$2" wait-for -S "$1"\nsleep 600\n'
    )
    done, server = f"done-{uuid.uuid4().hex}", f"softcost-{uuid.uuid4().hex}"

    # The size of the terminal counts, not that of the one that the tests run in.
    inherited = {name: value for name, value in os.environ.items()
                 if name not in ("COLUMNS", "LINES")}  # fmt: skip

    def tmux(*words):
        environment = inherited | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            ["tmux", "-u", "-L", server, "-f", os.devnull, *words], text=True,
            capture_output=True, check=True, cwd=table_folder, env=environment,
        ).stdout  # fmt: skip

    size = ("-x", str(width), "-y", "160")
    try:
        tmux("new-session", "-d", *size, f"sh {script} {done} {server}")
        tmux("wait-for", done)
        lines = tmux("capture-pane", "-p").splitlines()
    finally:
        tmux("kill-server")
    assert "END" in lines
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert not re.search(r"━.*softcost:", text)  # no line ends a progress bar
    whole = subprocess.run(command, text=True, capture_output=True, cwd=table_folder)
    assert whole.returncode == 0, whole.stderr
    every = set(whole.stdout.split()) | set(whole.stderr.split()) | {"END"}
    broken = {word for word in words_of(text) if word not in every}
    assert broken <= {"training", "0%", "-:--:--"}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_breaks_texts_between_words_and_numbers_never(monkeypatch, width):
    file = io.StringIO()
    made = Console(file=file, width=width, markup=False, highlight=False, emoji=False)
    monkeypatch.setattr(console, "stdout_console", lambda to_stderr=False: made)
    text = "an explanation of a column that is longer than sixty characters by far"
    rows = [["a name of a model", "0.1234 ± 0.05", text], ["b", "12.00 %", "short"]]
    print_table([("model", "left"), ("cost", "right"), ("remarks", "left")], rows)
    shown = file.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert "0.1234 ± 0.05" in shown
    heads = ["model", "cost", "remarks"]
    assert words_of(shown) == sorted(" ".join([*heads, *rows[0], *rows[1]]).split())


def test_lines_are_printed_above_the_progress_bar(monkeypatch):
    """rich redraws the bar below what its console prints."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress("training", quiet=False):
        console.say("a sentence.")
    lines = re.split(r"\r\n|\n|\r|\x1b\[2K", terminal.getvalue())
    assert "softcost: a sentence." in [re.sub(r"\x1b\[[0-9;?]*\w", "", line)
                                       for line in lines]  # fmt: skip


OTHERS = {
    "evaluate": "evaluate m new.csv --target class --answers clerk",
    "compare": "compare m m new.csv --target class",
    "explain": "explain m new.csv --target class --rows 20 --repeats 1",
    "explain a row": "explain m new.csv --row 3 --rows 20",
    "monitor": "monitor m new.csv --date day --truth class --answer clerk",
    "check": "costs check prices.json --data rows.csv --target class",
}


@pytest.fixture(scope="module")
def trained_folder(menu, softcost, tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal")
    menu.rows(110).to_csv(folder / "rows.csv", index=False)
    rows = menu.rows(120, seed=1)
    days = [f"2026-{number // 20 + 1:02d}-01" for number in range(120)]
    rows.assign(clerk=rows["class"].iloc[0], day=days).to_csv(
        folder / "new.csv", index=False
    )
    (folder / "prices.json").write_text(json.dumps(menu.prices), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        words = [word for word in FIT if word not in ("--report", "r")]
        result = softcost(*words, "--quiet")
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("command", list(OTHERS))
def test_other_results_fit_into_every_width(
    trained_folder, softcost, monkeypatch, command
):
    monkeypatch.chdir(trained_folder)
    words = {}
    for width in WIDTHS:
        environment = {"COLUMNS": str(width), "FORCE_COLOR": "1", "NO_COLOR": "1"}
        result = softcost(*OTHERS[command].split(), env=environment)
        assert result.exit_code in (0, 4), result.output
        text = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
        assert max(map(len, text.splitlines())) <= width
        words[width] = words_of(text)
    assert all(found == words[200] for found in words.values())
