"""The README names commands that exist and numbers that were measured."""

import json
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks(language):
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


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


RESULTS = README.parent / "benchmarks" / "results"


def committed(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["results"]


def headline(title):
    """A paragraph that begins with a title in bold, as one line."""
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"^\*\*{title}\.\*\* (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split())


def test_what_you_gain_is_what_the_demo_found():
    (demo,) = committed("demo")
    regular, hard, soft = (demo["models"][one] for one in ("regular", "hard", "soft"))
    said = headline("What you gain")
    assert f"the soft model loses {soft['saving_percent']:.0f} % less money" in said
    assert (
        f"misreads {soft['error']:.1%} instead of {regular['error']:.1%}".replace(
            "%", " %"
        )
        in said
    )
    assert f"misreads {hard['error']:.0%}".replace("%", " %") in said
    assert 2 < hard["cost"] / regular["cost"] < 3
    assert "loses more than twice as much" in said
    assert {10: "means of ten splits"}[demo["splits"]] in said
    assert f"the cheaper one on {soft['cheaper_than_regular']} of them" in said


def test_how_long_it_takes_is_what_the_benchmark_measured():
    (measured,) = (
        one
        for one in committed("search")
        if (one["data"], one["family"], one["peer"]) == ("digits", "OSR", "grid")
        and one.get("build", "native") == "native"
    )
    said = headline("How long it takes")
    assert f"on {measured['n']} digits, takes {measured['ours_seconds']:.1f} s" in said
    peer = round(measured["peer_seconds"], -1)
    assert f"takes about {peer:.0f} " in said
    sampled, of, candidates = measured["peer_sampled"].split()[:3]
    assert of == "of"
    assert f"over {candidates} candidates" in said
    assert f"from {sampled} of its candidates" in said


def test_the_version_is_said_alike_everywhere():
    from softcost import __version__

    said = (README.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in said
    changes = (README.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert newest[0] == "Unreleased"
    if "dev" not in __version__:
        assert newest[1] == __version__
