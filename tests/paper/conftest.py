"""Small pieces of the experiments, on sets that come with scikit-learn."""

import sys

import pytest

from softcost.paper import make_request, plan, run_unit
from softcost.paper.reproduction import facts

DEADLY = '''
"""An algorithm that does what its switch says, once."""
import os
import signal
from pathlib import Path

from sklearn.naive_bayes import GaussianNB


class Switched(GaussianNB):
    def __init__(self, switch=None, priors=None, var_smoothing=1e-9):
        super().__init__(priors=priors, var_smoothing=var_smoothing)
        self.switch = switch

    def fit(self, X, y):
        switch = Path(self.switch)
        if switch.exists():
            word = switch.read_text()
            if "always" not in word:
                switch.unlink()
            if word.startswith("die"):
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("the switch was on")
        return super().fit(X, y)
'''


@pytest.fixture(scope="session")
def data_facts():
    """Size and checksum of the sets in use."""
    return facts(["iris", "wine"], None)


@pytest.fixture(scope="session")
def units(data_facts):
    """All units of two runs of one target on iris."""
    return plan(make_request("inconsistent", ["iris"], runs=2), data_facts)


@pytest.fixture(scope="session")
def unit(units):
    """One-sided regression on iris."""
    return units[0]


@pytest.fixture(scope="session")
def results(units):
    """Cells of all units, by unit."""
    return {unit: run_unit(unit) for unit in units}


@pytest.fixture
def switched(tmp_path, monkeypatch):
    """A factory of estimators that fail or die while their switch is on."""
    (tmp_path / "switched_model.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("switched_model")

    def make(word):
        switch = tmp_path / "switch"
        if word:
            switch.write_text(word)
        return module.Switched(str(switch))

    yield make
    sys.modules.pop("switched_model", None)
