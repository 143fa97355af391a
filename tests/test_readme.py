"""The examples of the README run as they stand."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks(language):
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_python_examples_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for code in blocks("python"):
        exec(compile(code, str(README), "exec"), names)
        written = re.findall(r'"(\w+\.html)"', code)
        assert all((tmp_path / name).stat().st_size > 0 for name in written)


def test_commands_and_options_exist():
    from click.testing import CliRunner

    from softcost.cli import main

    lines = [line for block in blocks("bash") for line in block.splitlines()]
    commands = {
        tuple(match.group(1).split())
        for line in lines
        for match in re.finditer(
            r"(?:^|&& |/)softcost ((?:costs |reproduce )?[a-z]+)", line
        )
    }
    assert ("demo",) in commands
    assert ("fit",) in commands
    for command in commands:
        shown = CliRunner().invoke(main, [*command, "--help"])
        assert shown.exit_code == 0, command
        used = {
            option
            for line in lines
            if f"softcost {' '.join(command)} " in line
            for option in re.findall(r"--[a-z-]+", line.partition("softcost ")[2])
        }
        assert all(option in shown.output for option in used), (command, used)
