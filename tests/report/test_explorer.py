"""The explorer page as text, and what it reads from a search."""

import json
import pickle
import re
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np
import pandas as pd
import pytest
from made_up import from_confusion, made_up
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from softcost import CostSensitiveOneVsOne, OneSidedRegression, SoftCostClassifierCV
from softcost.report import (
    ExplorerData,
    explorer_html,
    notebook_html,
    python_lines,
    write_explorer,
)
from softcost.report.explorer import page_data
from softcost.svm import OneSidedSVR

PRICES = np.array([[0, 1, 7], [2, 0, 3], [11, 5, 0]])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


def searched(iris, **settings):
    X, y = iris
    told = {"cost_matrix": PRICES, "softness": 3, "param_grid": {"C": [1, 8]}, "cv": 3}
    given = {"reduction": OneSidedRegression()} | told | settings
    return SoftCostClassifierCV(**given).fit(X, y)


@pytest.fixture(scope="module")
def search(iris):
    return searched(iris)


def island(page):
    text = re.search(
        r'<script type="application/json" id="softcost-data">(.*?)</script>', page, re.S
    )[1]
    return json.loads(text)


def big(confusion, softness=None):
    n, n_classes, _ = confusion.shape
    prices = np.random.default_rng(0).uniform(0, 9, (n_classes, n_classes))
    return from_confusion(
        confusion,
        prices,
        [f"a class of a long name, number {k}" for k in range(n_classes)],
        np.tile(np.linspace(0, 1, 20), n // 20),
        {"C": np.repeat(2.0 ** np.arange(n // 20), 20)},
    )


def test_the_largest_page_is_below_500_kB():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 1000, (200, 20, 20)).astype(float)
    assert len(explorer_html(big(counts)).encode()) < 500_000
    assert len(explorer_html(big(counts * 1e6)).encode()) < 500_000
    weights = rng.gamma(0.5, 3, (200, 20, 20))
    assert len(explorer_html(big(weights)).encode()) < 500_000


def numbers_of(text):
    """Integers from groups of characters, of which the last is in A-Za-f."""
    for word in re.findall("[g-z0-9_-]*[A-Za-f]", text):
        signs = ascii_uppercase + ascii_lowercase + digits + "-_"
        value = sum(signs.index(one) % 32 << 5 * k for k, one in enumerate(word))
        yield -(value // 2) if value % 2 else value // 2


def test_many_prices_survive_the_packing():
    rng = np.random.default_rng(3)
    short = rng.integers(0, 90_000, (75, 75)) / 100
    for prices in (short, short * 100, short / 1e9, rng.uniform(size=(75, 75))):
        found = page_data(
            replace(big(np.ones((20, 75, 75))), cost_matrix=prices)
        )["prices"]  # fmt: skip
        if isinstance(found, dict):
            values = [*numbers_of(found["text"])]
            found = np.reshape(values, (75, 75)) / 10 ** found["decimals"]
        np.testing.assert_array_equal(found, prices)


def test_a_page_of_many_classes_and_models_is_below_500_kB():
    rng = np.random.default_rng(0)
    K, n = 200, 100
    wrong = rng.random((n, K, K)) < 0.02  # about 800 kinds of mistakes
    counts = wrong * rng.integers(1, 4, (n, K, K)) + 10.0 * np.eye(K)
    data = big(counts)
    prices = np.round(data.cost_matrix, 1)
    assert len(explorer_html(replace(data, cost_matrix=prices)).encode()) < 500_000


def test_confusion_matrices_survive_the_packing():
    rng = np.random.default_rng(1)
    for confusion, allowed in (
        (rng.integers(0, 9, (20, 4, 4)).astype(float), 0),
        (rng.poisson(0.4, (20, 4, 4)) + np.eye(4), 0),
        (rng.gamma(0.5, 3, (20, 4, 4)), 5.1e-6),
    ):
        packed = page_data(big(confusion))
        out = np.zeros((20, 16))
        for row, text in enumerate(packed["cells"]):
            cell, previous = -1, 0
            for number in numbers_of(text):
                cell += -number if number < 0 else previous >= 0
                out[row, cell] = max(number, 1) * packed["unit"]
                previous = number
        total = confusion.sum(axis=(1, 2)).max()
        np.testing.assert_allclose(
            out.reshape(confusion.shape), confusion, atol=allowed * total
        )


def test_text_cannot_leave_the_island():
    bad = "</script><script>alert(1)</script><!--\u2028&amp;"
    page = explorer_html(made_up([bad, "b", "c"], title=bad))
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert island(page)["classes"][0] == bad
    assert island(page)["title"] == bad


def test_the_policy_allows_this_script_and_style_only():
    page = explorer_html(made_up())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace(
        "http-equiv", ""
    )
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page
    )
    assert not re.search(r"""\sstyle=["']|\son\w+=["']""", page)


def test_the_page_is_strict_json_and_the_same_every_time():
    data = made_up()
    data.table.loc[0, "cost_se"] = np.nan
    data.table["C"] = [np.inf, *data.table["C"][1:]]
    page = explorer_html(data)
    told = island(page)
    columns = dict(told["columns"])
    assert columns["cost_se"][0] is None
    assert columns["C"][0] == "inf"
    assert columns["on_front"] == data.table["on_front"].tolist()
    np.testing.assert_array_equal(columns["cost"], data.table["cost"])
    assert explorer_html(data) == page


def test_lines_quote_what_they_tell():
    data = made_up()
    table = data.table.assign(C="it's; rm -rf $HOME")
    told = page_data(
        replace(
            data, table=table, command="fit --C {C} {other} {{softness}}",
            python="fit({C}, {softness}, {index})",
        )
    )  # fmt: skip
    assert told["commands"][1] == """fit --C 'it'"'"'s; rm -rf $HOME' {other} {0.25}"""
    assert told["pythons"][1] == """fit("it's; rm -rf $HOME", 0.25, 1)"""


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    assert write_explorer(path, made_up()) == path
    before = path.read_text(encoding="utf-8")
    assert before == explorer_html(made_up())

    def full(source, target):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        write_explorer(path, made_up(rng=9))
    assert path.read_text(encoding="utf-8") == before
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no directory .*nowhere"):
        write_explorer(tmp_path / "nowhere" / "page.html", made_up())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confusion": np.zeros((2, 3, 3))}, "confusion has shape"),
        ({"cost_matrix": np.zeros((2, 2))}, "cost_matrix has shape"),
        ({"chosen": 99}, "chosen must be a row"),
        ({"realised_cost": np.zeros((2, 3, 3))}, "realised_cost has shape"),
        ({"test_confusion": np.zeros((1, 3, 3))}, "test_confusion has shape"),
        ({"hard": -1}, "hard must be a row"),
        ({"params": ("gamma",)}, r"lacks \['gamma'\]"),
        ({"table": pd.DataFrame()}, "table has 0 rows"),
    ],
)
def test_data_that_do_not_fit_together_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(made_up(), **change)


def test_a_search_writes_its_page(search, tmp_path):
    path = search.to_html(tmp_path / "page.html", title="Irises")
    told = island(path.read_text(encoding="utf-8"))
    assert told["title"] == "Irises"
    assert told["classes"] == ["0", "1", "2"]
    assert told["prices"] == PRICES.tolist()
    assert told["chosen"] == search.best_index_
    assert (told["rows"], told["features"], told["folds"]) == (150, 4, 3)
    assert told["params"] == ["C"]
    table = search.tradeoff_
    hard = table[table["softness"] == 0]
    regular = table[table["softness"] == 1]
    assert hard["cost"].idxmin() == told["hard"]
    assert table["error"][told["regular"]] == regular["error"].min()


def test_a_search_before_fitting(tmp_path):
    search = SoftCostClassifierCV(OneSidedRegression())
    with pytest.raises(NotFittedError):
        search.to_html(tmp_path / "page.html")
    with pytest.raises(NotFittedError):
        search.explore()
    assert "iframe" not in search._repr_html_()


def test_a_notebook_shows_the_page_in_a_frame_on_request(search):
    shown = search.explore(title="Iris")._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2
    assert 'title="Iris"' in shown
    assert "iframe" not in search._repr_html_()
    assert "sk-container" in search._repr_mimebundle_()["text/html"]
    assert notebook_html(made_up(), height=99).count('height="99"') == 1


def nested(model):
    return make_pipeline(StandardScaler(), model)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "reduction": OneSidedRegression(OneSidedSVR(kernel="rbf")),
            "classes": [0, 1, 2],
        },
        {
            "reduction": CostSensitiveOneVsOne(LogisticRegression()),
            "param_grid": {"C": [0.1, 1]},
        },
        {"cost_matrix": None},
    ],
    ids=["default", "kernel", "linear", "no prices"],
)
def test_the_python_line_trains_the_candidate(iris, settings):
    X, y = iris
    search = searched(iris, **settings)
    lines = page_data(ExplorerData.from_search(search))["pythons"]
    for row in (0, search.best_index_, 5):
        names = {"X": X, "y": y, "cost_matrix": search.cost_matrix_}
        exec(lines[row], names)  # with its imports, and nothing else
        expected = search.candidate(row).predict(X)
        np.testing.assert_array_equal(names["model"].predict(X), expected)


def test_the_python_lines_encode_the_columns(iris):
    X = pd.DataFrame(iris[0], columns=list("abcd")).assign(
        e=np.where(iris[0][:, 0] > 5, "long", "short")
    )
    steps = [("numbers", nested(MinMaxScaler()), list("abcd")),
             ("words", OneHotEncoder(sparse_output=False), ["e"])]  # fmt: skip
    encoder = ColumnTransformer(steps)
    search = searched((encoder.fit_transform(X), iris[1]))
    text = python_lines(search, ["C"], encoder)
    names = {"X": X, "y": iris[1], "cost_matrix": search.cost_matrix_}
    exec(text.replace("{C}", "8").replace("{softness}", "0.5"), names)
    row = search.tradeoff_.query("C == 8 and softness == 0.5").index[0]
    np.testing.assert_array_equal(
        names["model"].predict(names["columns"].transform(X)),
        search.candidate(row).predict(encoder.transform(X)),
    )


def test_parameters_inside_a_pipeline_are_set(iris):
    search = searched(
        iris,
        reduction=CostSensitiveOneVsOne(nested(LogisticRegression())),
        param_grid={"logisticregression__C": [0.1, 1]},
    )
    line = ExplorerData.from_search(search).python
    assert ".set_params(logisticregression__C={logisticregression__C})" in line


def test_without_a_refit_the_line_chooses_from_the_search(iris):
    told = page_data(ExplorerData.from_search(searched(iris, refit=False)))
    assert told["pythons"][4] == "search.choose(lambda table: 4)"


def test_prices_by_example_are_shown_as_means(iris):
    X, y = iris
    costs = PRICES[y] * np.random.default_rng(0).uniform(0.5, 2, (len(y), 1))
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    search = SoftCostClassifierCV(
        OneSidedRegression(), softness=2, param_grid={"C": [1]}, cv=3
    )
    search.fit(X, y, costs=costs, sample_weight=weight)
    for k in range(3):
        mean = np.average(costs[y == k], axis=0, weights=weight[y == k])
        np.testing.assert_allclose(search.cost_matrix_[k], mean)
    data = ExplorerData.from_search(search)
    assert data.by_example
    assert data.python.endswith(".fit(X, y, costs=costs)")
    np.testing.assert_allclose(
        data.realised_cost.sum(axis=(1, 2)),
        search.tradeoff_["cost"] * data.confusion.sum(axis=(1, 2)),
    )
    assert (data.realised_cost[data.confusion == 0] == 0).all()


def test_the_advice_is_that_of_the_search(search):
    told = page_data(ExplorerData.from_search(search, currency="EUR"))
    saved = search.saving("constant")
    assert f"{saved.saving:.4g} EUR per row" in told["advice"]["sentences"][0]
    assert (told["advice"]["verdict"] == "better") == saved.shown
    assert told["constant"]["label"] == str(search.constant_["label"])
    copied = pickle.loads(pickle.dumps(search))  # without held-out predictions
    assert page_data(ExplorerData.from_search(copied))["advice"] is None


def test_prices_are_in_the_order_of_the_classes(iris):
    X, y = iris
    names = np.array(["c", "a", "b"])
    search = SoftCostClassifierCV(
        OneSidedRegression(),
        cost_matrix=PRICES,
        classes=names,
        softness=2,
        param_grid={"C": [1]},
        cv=3,
    ).fit(X, names[y])
    order = [1, 2, 0]
    np.testing.assert_array_equal(search.cost_matrix_, PRICES[np.ix_(order, order)])
    pooled = search.confusion_.sum(axis=1)
    paid = (pooled * search.cost_matrix_).sum(axis=(1, 2)) / pooled.sum(axis=(1, 2))
    np.testing.assert_allclose(search.tradeoff_["cost"], paid)


def test_with_weighted_errors_these_count(iris):
    search = searched(iris, error_weight={0: 5.0, 1: 1.0, 2: 1.0})
    assert ExplorerData.from_search(search).error == "weighted_error"
