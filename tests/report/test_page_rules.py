"""The page's rules choose the rows that Python's rules choose."""

import json
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import softcost.report
from softcost.search import CRITERIA, choose_row, make_rule
from softcost.search.preference import PreferBlend

NODE = shutil.which("node")
SCRIPT = Path(softcost.report.__file__).parent / "page" / "rules.js"
RUN = """
const cases = JSON.parse(require("fs").readFileSync(0));
const rows = cases.map(([word, table, argument]) => rules[word](table, argument));
console.log(JSON.stringify([Object.keys(rules), rows]));
"""


def random_table(rng):
    """A trade-off with many ties, exact and up to rounding."""
    n = int(rng.integers(1, 15))
    table = pd.DataFrame(
        {
            "softness": rng.integers(0, 4, n) / 3,
            "cost": rng.integers(-1, 4, n) / 7,
            "error": rng.integers(0, 6, n) / 9,
        }
    )
    if rng.random() < 0.5:
        table["cost"] *= 1 + rng.integers(-2, 3, n) * 4e-13
    return table


def random_families(rng, table):
    """The same table with families, and penalties that prefer the blend."""
    n = len(table)
    family = rng.choice(["blend", "trees", "linear"], n)
    penalty = rng.gamma(1.0, 0.2, n) * (rng.random(n) < 0.8)
    return table.assign(family=family), penalty


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_page_rules_agree_with_python():
    rng = np.random.default_rng(0)
    offered = [entry for entry in CRITERIA.values() if entry.on_page]
    cases, expected = [], []
    for _ in range(300):
        table = random_table(rng)
        for entry in offered:
            argument = None
            if entry.argument is not None:
                argument = float(rng.choice([rng.uniform(), *table["error"]]))
            given = {} if argument is None else {entry.argument: argument}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # no candidate within the budget
                expected.append(choose_row(table, entry.word, **given))
            cases.append([entry.word, table.to_dict("list"), argument])
            named, penalty = random_families(rng, table)
            rule = PreferBlend(make_rule(entry.word, **given), penalty)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected.append(rule.choose(named))
            columns = named.to_dict("list") | {"penalty": penalty.tolist()}
            cases.append([entry.word, columns, argument])
    done = subprocess.run(
        [NODE, "-e", SCRIPT.read_text(encoding="utf-8") + RUN],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
    )
    words, rows = json.loads(done.stdout)
    assert words == [entry.word for entry in offered]
    assert rows == expected
