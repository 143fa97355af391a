"""Names of reductions and learners, and what they stand for."""

from types import SimpleNamespace

import pytest

from softcost.cli.train._names import LEARNERS
from softcost.cli.train._reductions import make_reduction
from softcost.reductions import CATALOGUE


def make(reduction, learner, n_rows=100, cost_columns=None):
    job = SimpleNamespace(
        reduction=reduction, learner=learner, cost_columns=cost_columns
    )
    return make_reduction(job, n_rows)


def test_the_help_has_a_line_for_every_reduction(softcost):
    lines = softcost("fit", "--help").stdout.splitlines()
    for name, entry in CATALOGUE.items():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.split(maxsplit=1)[1].startswith(entry.summary)
        assert ("prices by class only" in line) == entry.by_class_only
        assert len(line) <= 80


@pytest.mark.parametrize("reduction", list(CATALOGUE))
def test_every_reduction_with_every_learner_can_be_named(reduction):
    for learner in LEARNERS:
        if reduction == "mec" and learner in ("svm", "nystroem"):
            with pytest.raises(ValueError, match="needs probabilities"):
                make(reduction, learner)
            continue
        model, name = make(reduction, learner)
        assert name in LEARNERS[1:]
        assert type(model) is CATALOGUE[reduction].load()
        assert model.learner is not None
    assert make(reduction, "auto", 10**6)[1] == "boosting"


@pytest.mark.parametrize("reduction", ["cszl", "metacost"])
def test_some_reductions_need_prices_by_class(reduction):
    with pytest.raises(ValueError, match="needs prices by class"):
        make(reduction, "auto", cost_columns="cost_")
