"""Progress: shares that only grow, lines now and then, silence where asked for."""

import pytest

from softcost import OneSidedRegression
from softcost.cli import console as _progress
from softcost.cli.console import _joined, _lines, show_progress
from softcost.search import SoftCostClassifierCV


def test_several_searches_are_one_share():
    shares = []
    listener = _joined(shares.append, 2)
    for done in (1, 2, 4, 1, 3, 4):
        listener(done, 4)
    assert shares == [0.125, 0.25, 0.5, 0.625, 0.875, 1.0]


def test_time_left_is_judged_after_the_first_piece(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: clock[0])
    show = _lines("training")
    for clock[0], share in [(50, 0.1), (60, 0.2), (61, 0.21), (80, 0.4), (140, 1.0)]:
        show(share)
    assert capsys.readouterr().err.splitlines() == [
        "training: 10%",  # not yet known
        "training: 20%, 80 s left",
        "training: 40%, 60 s left",
        "training: 100%, 0 s left",
    ]


@pytest.mark.parametrize("quiet", [True, False])
def test_searches_report_and_the_results_do_not_change(quiet, capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_SILENT_AT_FIRST", -1.0)
    monkeypatch.setattr(_progress, "_SECONDS_BETWEEN_LINES", 0.0)
    X, y = [[0.0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 0, 1]
    search = SoftCostClassifierCV(
        OneSidedRegression(), softness=3, cv=2, param_grid={"C": [1.0, 2.0]}
    )
    with show_progress("training", quiet):
        search.fit(X, y)
    told = capsys.readouterr()
    assert told.out == ""
    assert ("training: 100%" in told.err) is not quiet
    assert search.verbose == 0


@pytest.mark.parametrize("quiet", [True, False])
def test_what_suits_the_table_is_said_before_it_is_tried(quiet, capsys):
    told = []

    class Listener(SoftCostClassifierCV):
        """Looks at what was said when the first piece of work begins."""

        def _choose(self, rule):
            told.append(capsys.readouterr().err)
            return self

    X = [[1e20 * value, float("nan" if value % 3 else value)] for value in range(40)]
    search = Listener("auto", softness=2, cv=2, random_state=0)
    with show_progress("training", quiet):
        search.fit(X, [0, 1] * 20)
    assert ("trying what suits this table: " in told[0]) is not quiet
    assert ("not extra-trees" in told[0]) is not quiet
    assert ("scale the features" in told[0]) is not quiet
