"""Fixtures for all tests."""

import os
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
