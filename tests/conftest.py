"""Fixtures for all tests."""

import os
import shutil
from functools import partialmethod
from inspect import signature
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

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
