"""Odd tables, price lists and names: one sentence, or the right answer."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from softcost.persistence.archive import archive, unarchive
from softcost.tables.columns import far_numbers

ROWS = "x,y,t\n" + "".join(f"{i},{i % 7},{'ab'[i % 2]}\n" for i in range(24))
PRICES = '{"a": {"b": 1}, "b": {"a": 2}}'
QUICK = "--softness 2 --param C=1 --cv 2"
FIT = f"fit rows.csv --target t --costs prices.json {QUICK}"


def opened(content):
    """The manifest and the members of a model file."""
    members = unarchive(content, "model")
    return members.manifest, {name: members.take(name) for name in members.names}


def signed(manifest, members):
    sums = {name: hashlib.sha256(one).hexdigest() for name, one in members.items()}
    return archive(manifest | {"checksums": sums}, members)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "prices.json").write_text(PRICES)
    return tmp_path


def said(result, code=2):
    assert result.exit_code == code, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert len(result.stderr) < 2000
    return result.stderr


@pytest.mark.parametrize("cell", ["1e20", "-1e30", "1e140", "1e200", "1e400"])
def test_cells_that_overflow_are_refused_by_row(softcost, folder, cell):
    assert softcost(*f"{FIT} --quiet --model m".split()).exit_code == 0
    (folder / "new.csv").write_text(f"x,y\n1,2\n{cell},3\n")
    for rows in ("1", "20000"):
        line = f"predict m new.csv -o out.csv --rows-at-once {rows}"
        assert "row 2" in said(softcost(*line.split()))
    assert not (folder / "out.csv").exists()


def test_one_dirty_cell_is_told(softcost, folder):
    rows = ROWS.replace("\n9,", "\nnine,").replace("\n8,", "\n7,")
    (folder / "rows.csv").write_text(rows)
    line = " ".join(softcost(*FIT.split()).stderr.split())
    assert "read as words, since 1 of its cells" in line
    assert "'nine' in row 10" in line
    assert "read as words" not in softcost(*f"{FIT} --nominal x".split()).stderr


@pytest.mark.parametrize("cell", ["1e20", "-1e13"])
def test_a_cell_that_makes_the_others_alike_is_told(softcost, folder, cell):
    (folder / "rows.csv").write_text(ROWS.replace("\n9,", f"\n{cell},"))
    line = softcost(*FIT.split()).stderr
    assert f"column 'x' holds {float(cell):g} in row 10" in line
    for rows in (ROWS, ROWS.replace("\n9,", "\n1e6,"), ROWS.replace(",3,", ",,")):
        (folder / "rows.csv").write_text(rows)
        assert "look alike" not in softcost(*FIT.split()).stderr
    columns = pd.DataFrame({"zero": [0.0] * 9, "one": [0.0] * 8 + [1e30]})
    assert far_numbers(columns.assign(empty=np.nan)) == []


def test_labels_that_a_spreadsheet_would_compute_are_told(softcost, folder):
    for label, told in (("=1+1", True), ("@x", True), ("-1", False), ("-a", True)):
        (folder / "rows.csv").write_text(ROWS.replace(",a\n", f",{label}\n"))
        prices = {label: {"b": 1}, "b": {label: 2}}
        (folder / "prices.json").write_text(json.dumps(prices))
        assert softcost(*f"{FIT} --quiet --model m".split()).exit_code == 0
        result = softcost("predict", "m", "rows.csv", "-o", "out.csv")
        assert (f"{label!r} may be a formula" in result.stderr) == told
        assert result.exit_code == 0
        assert set(pd.read_csv("out.csv", dtype=str)["prediction"]) <= {label, "b"}
        assert softcost("predict", "m", "rows.csv").stderr == ""


BOMB = "- &a0 [l, l, l, l, l, l, l, l, l]\n" + "".join(
    f"- &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(20)
)
LISTS = {
    "bomb.yaml": (f"classes:\n{BOMB}matrix: []\n", "aliases are not read"),
    "twice.yaml": ("a: {b: 1}\na: {b: 3}\nb: {a: 2}\n", "named twice"),
    "inner.yaml": ("a: {b: 1, b: 5}\nb: {a: 2}\n", "named twice"),
    "huge.json": ('{"a": {"b": 1' + "0" * 400 + '}, "b": {"a": 2}}', "write a number"),
    "deep.json": ('{"a":' * 5000 + "1" + "}" * 5000, "not a JSON"),
    "deep.toml": ("a = " + "[" * 5000 + "]" * 5000, "not a TOML"),
    "deep.yaml": ("[" * 5000, "not a YAML"),
    "long.json": ('{"a": {"b": "' + "z" * 5_000_000 + '"}, "b": {"a": 1}}', "write a"),
}


@pytest.mark.bad_input
@pytest.mark.parametrize("name", list(LISTS))
def test_odd_price_lists(softcost, folder, name):
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    text, words = LISTS[name]
    (folder / name).write_text(text)
    assert words in said(softcost("costs", "check", name))


def test_many_columns_and_a_long_header(softcost, folder):
    """Longer than the longest cell that Python's csv takes."""
    names = [f"a column with a long name and number {i}" for i in range(6000)]
    frame = pd.DataFrame(np.zeros((24, 6000), int), columns=names)
    frame["t"] = ["a", "b"] * 12
    frame.to_csv("wide.csv", index=False, sep=";")
    assert len((folder / "wide.csv").read_text().splitlines()[0]) > 131_072
    line = "costs template wide.csv --target t --json"
    assert json.loads(softcost(*line.split()).stdout)["class_counts"] == {
        "a": 12, "b": 12,
    }  # fmt: skip


def test_a_large_cell_is_not_echoed_whole(softcost, folder):
    (folder / "rows.csv").write_text("x,t\n1,a\n2," + "z" * 5_000_000 + "\n3,b\n")
    said(softcost(*FIT.split()))


def texts(value):
    """All texts of a JSON document."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("evil", ["\x1b]0;owned\x07\x1b[2J", "\x9b2J", "\u202egnp.exe"])
def test_names_do_not_steer_the_terminal(softcost, folder, evil):
    """Neither classes nor columns, in tables, sentences or JSON."""
    rows = ROWS.replace(",a\n", f",{evil}\n").replace("x,", f"x{evil},", 1)
    (folder / "rows.csv").write_text(rows)
    (folder / "prices.json").write_text(json.dumps({evil: {"b": 1}, "b": {evil: 2}}))
    for line in (
        FIT,
        "costs check prices.json",
        f"fit rows.csv --target t --costs nothing{evil}.json",
        f"{FIT} --model m",
        "evaluate m rows.csv --target t",
        "evaluate m rows.csv --target t --json",
        "compare m m rows.csv --target t",
        "explain m rows.csv --target t",
        "explain m rows.csv --target t --json",
        "choose m -o chosen --max-error 0.5",
        "predict m prices.json",
    ):
        result = softcost(*line.split())
        told = result.stdout + result.stderr
        assert all(one.isprintable() or one == "\n" for one in told), line
        if line.endswith("--json"):
            assert evil in "".join(texts(json.loads(result.stdout)))


def test_a_price_list_of_many_classes(softcost, folder):
    names = [f"c{i}" for i in range(300)]
    costs = np.random.default_rng(0).uniform(1, 9, (300, 300))
    np.fill_diagonal(costs, 0)
    pd.DataFrame(costs, names, names).to_csv("many.csv")
    found = json.loads(softcost("costs", "check", "many.csv", "--json").stdout)
    assert found["never_worthwhile"] is None
    assert "300 x 300" in softcost("costs", "check", "many.csv").stdout


NOTES = [
    {"columns": []}, {"columns": {"x": "color"}}, {"columns": {"x": None}},
    {"columns": {}}, {"target": 5}, {"cost_columns": ["a"]}, {"fingerprint": {}},
    {"fingerprint": [1]}, {"fingerprint": {"salt": "00"}},
]  # fmt: skip
MANIFESTS = [
    {"classes": "ab"}, {"features": None}, {"features": {"count": -1}},
    {"costs": [[0, 1]]}, {"costs": [[0, "x"], [1, 0]]}, {"notes": []},
    {"tradeoff": {"columns": ["a"], "rows": [[1, 2]]}}, {"params": 3}, {"model": 7},
    {"made_with": {"numpy": 2}}, {"costs": [[0, 10**400], [1, 0]]},
]  # fmt: skip


@pytest.mark.parametrize("change", [*({"notes": one} for one in NOTES), *MANIFESTS])
def test_odd_manifests(softcost, folder, menu, change):
    manifest, members = opened(menu.model.read_bytes())
    (folder / "m").write_bytes(signed(manifest | change, members))
    for line in ("predict m rows.csv -o out.csv", "evaluate m rows.csv --target t"):
        assert "softcost model" in said(softcost(*line.split()))


def test_devices_as_inputs(softcost, folder):
    for line in ("predict /dev/zero rows.csv", "predict rows.csv /dev/zero"):
        said(softcost(*line.split()))
