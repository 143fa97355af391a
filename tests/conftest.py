"""Fixtures for all tests."""

import json
import os
import shutil
from functools import partialmethod
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from softcost.cli import main

# A slow machine fails no test: neither an example nor making it has a time limit.
settings.register_profile(
    "softcost",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("softcost")

# click 8.1 mixes standard error into standard output unless it is told not to.
if "mix_stderr" in signature(CliRunner).parameters:
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)


@pytest.fixture(scope="session")
def data_dir():
    """The directory with the data files, named by SOFTCOST_DATA."""
    folder = os.environ.get("SOFTCOST_DATA")
    if not folder:
        pytest.skip("SOFTCOST_DATA is not set: the data files are not here")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"SOFTCOST_DATA={folder} is not a directory")
    return path


# A real browser, for pages.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Only a page that never does what a test waits for gets here, however busy the machine.
PATIENCE = 300_000  # milliseconds


@pytest.fixture(scope="session")
def patience():
    """How long a page may take, in milliseconds."""
    return PATIENCE


def chromium():
    """Where Chromium is: SOFTCOST_CHROMIUM, or the system's."""
    told = os.environ.get("SOFTCOST_CHROMIUM")
    names = [told] if told else ["chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    path = chromium()
    if path is None:
        pytest.skip("no Chromium here: install it, or name it in SOFTCOST_CHROMIUM")
    api = pytest.importorskip("playwright.sync_api", reason="Chromium needs playwright")
    api.expect.set_options(timeout=PATIENCE)
    with api.sync_playwright() as playwright:
        # Each start has a new, empty profile.
        running = playwright.chromium.launch(
            executable_path=path, args=FLAGS, timeout=PATIENCE
        )
        yield running
        running.close()


# Small tables, price lists and models for the command line.
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


@pytest.fixture(scope="session")
def priced(menu, softcost):
    """A model that knows what answers are expected to cost, and may ask a person."""
    path = menu.folder / "priced.softcost"
    prices = menu.folder / "with-action.json"
    asked = {name: {**row, "ask": 0.7} for name, row in menu.prices.items()}
    prices.write_text(json.dumps(asked), encoding="utf-8")
    result = softcost(
        "fit", menu.data, "--target", "class", "--costs", prices, "--reduction", "mec",
        "--learner", "linear", "--softness", "0,0.5", "--cv", "3", "--quiet",
        "--model", path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return path


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
