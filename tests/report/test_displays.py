"""The displays draw what the table says."""

import builtins

import numpy as np
import pandas as pd
import pytest
from made_up import made_up

from softcost import CostMatrixDisplay, SoftnessCurveDisplay, TradeoffDisplay
from softcost.metrics import pareto_mask

matplotlib = pytest.importorskip("matplotlib")


class Search:
    """What the displays read of a fitted search."""

    def __init__(self, error_weight=None):
        data = made_up("abcd", 4, 6)
        weighted = data.table["error"] ** 0.5
        self.tradeoff_ = data.table.assign(weighted_error=weighted)
        self.best_index_ = data.chosen
        self.error_measure_ = "error" if error_weight is None else "weighted_error"
        self.cost_matrix_, self.classes_ = data.cost_matrix, np.array(list("abcd"))
        self.actions_ = self.classes_


@pytest.fixture(autouse=True)
def no_window():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def texts(legend):
    return {text.get_text() for text in legend.get_texts()}


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_tradeoff(weight):
    search = Search(weight)
    display = TradeoffDisplay.from_estimator(search)
    error = "error" if weight is None else "weighted_error"
    points = search.tradeoff_[[error, "cost"]].to_numpy()
    np.testing.assert_array_equal(display.points_.get_offsets(), points)
    front = points[pareto_mask(points)]
    np.testing.assert_array_equal(
        display.front_.get_xydata(), front[np.argsort(front[:, 0])]
    )
    assert texts(display.ax_.get_legend()) == {"front", "hard", "regular", "chosen"}
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()


def test_tradeoff_on_given_axes_without_error_bars():
    import matplotlib.pyplot as plt

    table = Search().tradeoff_[["softness", "cost", "error"]]
    _, ax = plt.subplots()
    display = TradeoffDisplay.from_frame(table[table["softness"] > 0], ax=ax, s=9)
    assert display.ax_ is ax
    assert texts(ax.get_legend()) == {"front", "regular"}
    assert display.points_.get_sizes() == [9]
    assert TradeoffDisplay(table).plot(error_bars=False).hard is None


def test_softness_curve():
    search = Search()
    display = SoftnessCurveDisplay.from_estimator(search)
    table = search.tradeoff_
    least = table.groupby("softness")["cost"].min()
    line = display.ax_.get_lines()[0].get_xydata()
    np.testing.assert_array_equal(line, np.column_stack([least.index, least]))
    errors = display.error_ax_.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(errors, table["error"].to_numpy()[display.rows_])
    assert "best C at each" in display.ax_.get_xlabel()
    display.figure_.canvas.draw()


def test_softness_curve_of_a_bare_table():
    table = Search().tradeoff_[["softness", "cost", "error"]]
    display = SoftnessCurveDisplay.from_frame(table, color="black")
    assert display.ax_.get_legend() is None


def test_cost_matrix():
    search = Search()
    display = CostMatrixDisplay.from_estimator(search)
    shown = [[float(text.get_text()) for text in row] for row in display.text_]
    np.testing.assert_allclose(shown, search.cost_matrix_)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == list("abcd")
    assert display.ax_.get_ylabel() == "true class"
    display.figure_.canvas.draw()


def test_cost_matrix_with_an_action():
    frame = pd.DataFrame(
        [[1, 0, 7], [0, 5, 7]], index=["x", "y"], columns=["y", "x", "ask"]
    )
    display = CostMatrixDisplay.from_matrix(frame)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()][2] == "ask"
    assert len(display.ax_.get_yticklabels()) == 2
    assert display.text_[1, 2].get_text() == "7"


def test_cost_matrix_goes_by_label_where_it_has_some():
    frame = pd.DataFrame([[1, 0], [0, 5]], index=["x", "y"], columns=["y", "x"])
    display = CostMatrixDisplay.from_matrix(frame, colorbar=False)
    assert display.text_[0, 1].get_text() == "1"
    assert display.text_[1, 0].get_text() == "5"


@pytest.mark.parametrize(
    ("matrix", "labels", "message"),
    [(np.zeros((3, 2)), None, "shape"), (np.zeros((2, 2)), ["a"], "labels has 1")],
)
def test_cost_matrix_refuses(matrix, labels, message):
    with pytest.raises(ValueError, match=message):
        CostMatrixDisplay.from_matrix(matrix, labels)


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install"):
        TradeoffDisplay.from_estimator(Search())
