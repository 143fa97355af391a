"""No output destroys an input: every option that writes, onto every file it reads."""

import os
import shutil

import pytest

FIT = "fit rows.csv --target class --costs prices.json --test rest.csv --quiet"
ONTO = [
    *(
        f"{FIT} {option} {file}"
        for option in ("--model", "--report")
        for file in ("rows.csv", "prices.json", "rest.csv", "./rows.csv", "link.csv")
    ),
    f"{FIT} --model OUT --report OUT",
    *(
        f"predict menu.softcost rows.csv -o {file}"
        for file in ("rows.csv", "link.csv", "hard.csv", "model.csv")
    ),
    "choose menu.softcost -o menu.softcost",
    "page menu.softcost -o menu.softcost",
    "export menu.softcost -o menu.softcost",
    "monitor menu.softcost rows.csv --date a --truth class --report rows.csv",
    "monitor menu.softcost rows.csv --date a --truth class --report menu.softcost",
    "costs template rows.csv --target class -o rows.csv",
    "costs template rows.csv --target class -o link.csv",
]
DEVICES = [
    f"{FIT} --model /dev/null",
    f"{FIT} --report /dev/null",
    f"{FIT} --model pipe",
    "predict menu.softcost rows.csv -o pipe.csv",
    "choose menu.softcost -o pipe",
    "page menu.softcost -o /dev/null",
    "monitor menu.softcost rows.csv --date a --truth class --report pipe",
    "costs template rows.csv --target class -o pipe.csv",
    "demo -o /dev/null",
    "demo -o pipe",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, menu):
    found = tmp_path_factory.mktemp("outputs")
    shutil.copy(menu.data, found / "rows.csv")
    shutil.copy(menu.data, found / "rest.csv")
    shutil.copy(menu.costs, found / "prices.json")
    shutil.copy(menu.model, found / "menu.softcost")
    os.symlink("rows.csv", found / "link.csv")
    os.symlink("menu.softcost", found / "model.csv")
    os.link(found / "rows.csv", found / "hard.csv")
    for name in ("pipe", "pipe.csv"):
        os.mkfifo(found / name)
    return found


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.bad_input
@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
@pytest.mark.parametrize("line", [*ONTO, *DEVICES])
def test_inputs_and_devices_are_refused_before_any_work(
    softcost, folder, line, monkeypatch
):
    monkeypatch.chdir(folder)
    before = contents(folder)
    result = softcost(*line.split(" "))
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    words = ("is read and cannot be", "two outputs", "device or a pipe")
    assert any(one in result.stderr for one in words), result.stderr
    assert contents(folder) == before
    assert sorted(os.listdir(folder)) == sorted([*before, "pipe", "pipe.csv"])


def test_every_option_that_writes_is_in_the_list():
    """A new output option has to be added above."""
    from softcost.cli import COMMANDS, main

    writers = set()
    for name in COMMANDS:
        command = main.get_command(None, name)
        for sub, one in (getattr(command, "commands", None) or {"": command}).items():
            for option in one.params:
                words = f"{option.help if hasattr(option, 'help') else ''}".lower()
                known = {"-o", "--output", "--model", "--report"} & {*option.opts}
                if known or "where it goes" in words:
                    writers.add(f"{name} {sub}".strip())
    assert writers == {
        "fit", "predict", "choose", "page", "monitor", "export", "costs template",
        "demo", "reproduce pages",
    }  # fmt: skip
