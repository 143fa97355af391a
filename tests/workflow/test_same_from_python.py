"""The same table gives the same model from ``softcost fit`` and from Python."""

import numpy as np
import pandas as pd
import pytest

import softcost as library
from softcost import SoftCostClassifierCV
from softcost.costs import read_costs
from softcost.tables import read_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def write_table(path, n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    size = y + rng.normal(0, 0.8, n)
    table = pd.DataFrame({"size": [f"{value:.2f}".replace(".", ",") for value in size]})
    if n < 1000:
        day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D")
        table["when"] = day.strftime("%d.%m.%Y")
        table["city"] = np.array(["Oslo", "Rome", ""])[rng.integers(0, 3, n)]
        table["id"] = np.arange(n)
    table["paid"] = np.array(["no", "yes"])[y]
    table.to_csv(path, index=False, sep=";")


@pytest.mark.parametrize(
    ("n", "held_out"),
    [(500, 500), pytest.param(60_000, 3 * 20_000, marks=pytest.mark.slow)],
)
def test_fit_and_three_lines_of_python(softcost, tmp_path, n, held_out):
    data, prices = tmp_path / "rows.csv", tmp_path / "prices.csv"
    write_table(data, n)
    prices.write_text(",no,yes\nno,0,1\nyes,5,0\n")
    line = ("--target", "paid", "--costs", prices, "--softness", "2", "--quiet")
    done = softcost("fit", data, *line, "--model", tmp_path / "model")
    assert done.exit_code == 0, done.output
    done = softcost("predict", tmp_path / "model", data, "-o", tmp_path / "out.csv")
    assert done.exit_code == 0, done.output

    table = read_table(str(data))
    search = SoftCostClassifierCV(
        cost_matrix=read_costs(str(prices)), softness=2, random_state=0
    )
    search.fit(table.drop(columns="paid"), table["paid"])

    saved = library.load(tmp_path / "model")
    pd.testing.assert_frame_equal(
        search.tradeoff_, saved["search"].tradeoff_, check_exact=True
    )
    assert search.best_index_ == saved["search"].best_index_
    assert search.confusion_[0].sum() == held_out
    written = pd.read_csv(tmp_path / "out.csv", dtype=str)
    np.testing.assert_array_equal(search.predict(table), written["prediction"])
    np.testing.assert_array_equal(saved.predict(table), written["prediction"])
    names = [f"expected_cost_{name}" for name in search.classes_]
    if set(names) <= set(written):
        expected = search.expected_costs(table)
        np.testing.assert_array_equal(expected, written[names].map(float))
