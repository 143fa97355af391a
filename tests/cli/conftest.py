"""Small tables, price lists and models for the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from softcost.cli import main

CLASSES = ["ham & eggs", "spam, fried", "Brötchen ✓"]
PRICES = {
    "ham & eggs": {"spam, fried": 1, "Brötchen ✓": 4},
    "spam, fried": {"ham & eggs": 2, "Brötchen ✓": 8},
    "Brötchen ✓": {"ham & eggs": 9, "spam, fried": 3},
}
QUICK = ("--softness", "3", "--param", "C=1,16", "--cv", "3", "--quiet")


@pytest.fixture(scope="session")
def softcost():
    """Call the command line in this process."""

    def run(*args, **options):
        words = [str(word) for word in args]
        return CliRunner().invoke(main, words, prog_name="softcost", **options)

    return run


@pytest.fixture(scope="session")
def strict():
    """Read strict JSON."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return lambda text: json.loads(text, parse_constant=refuse)


def make_menu(n=90, seed=0):
    """Rows with numbers, words, empty cells and class names that need quotes."""
    rng = np.random.default_rng(seed)
    number = rng.integers(0, 3, n)
    table = pd.DataFrame(
        {
            "Größe": (number + rng.normal(0, 0.4, n)).round(3),
            "price, net": (rng.normal(0, 1, n) * 100).round(1),
            "kind": np.array(["a b", "ü", "=1+1"])[
                np.where(rng.random(n) < 0.7, number, 0)
            ],
            "class": np.array(CLASSES)[number],
        }
    )
    table = table.astype({"kind": object})
    table.loc[::11, "Größe"] = np.nan
    table.loc[::13, "kind"] = np.nan
    return table


class Menu:
    """A folder with a table, a price list and a model of them."""

    classes, prices, quick = CLASSES, PRICES, QUICK
    rows = staticmethod(make_menu)

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "menu.csv"
        self.costs = folder / "prices.json"
        self.model = folder / "menu.softcost"

    @property
    def fit(self):
        """The shortest command line that trains."""
        return ("fit", self.data, "--target", "class", "--costs", self.costs, *QUICK)

    def matrix(self):
        table = pd.DataFrame(PRICES).T.fillna(0.0)
        return table.loc[sorted(CLASSES), sorted(CLASSES)]


@pytest.fixture(scope="session")
def menu(tmp_path_factory, softcost):
    """Rows with odd names, their prices, and a model of them."""
    made = Menu(tmp_path_factory.mktemp("menu"))
    make_menu().to_csv(made.data, index=False)
    made.costs.write_text(json.dumps(PRICES), encoding="utf-8")
    result = softcost(*made.fit, "--model", made.model)
    assert result.exit_code == 0, result.output
    return made


@pytest.fixture
def compared():
    """A type of text that counts how often one is compared with another."""

    class Compared(str):
        count = 0

        def __str__(self):
            return self

        def strip(self):
            return self

        def __eq__(self, other):
            Compared.count += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    return Compared
