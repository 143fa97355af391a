"""``softcost predict`` and ``softcost evaluate``."""

import io
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import softcost as library
from softcost.metrics import error_rate, g_mean, mean_cost
from softcost.workflow.stored_model import StoredModel


def predicted(menu):
    """What the library says of the rows."""
    model = library.load(menu.model)
    X = menu.rows()[["Größe", "price, net", "kind"]]
    return model, X


def exactly(file):
    """Predictions with every bit of their scores."""
    table = pd.read_csv(file, dtype=str)
    scores = [name for name in table if name.startswith("score_")]
    return table.assign(**{name: [float(x) for x in table[name]] for name in scores})


def test_csv_has_label_and_scores(menu, softcost, tmp_path):
    out = tmp_path / "out.csv"
    result = softcost("predict", menu.model, menu.data, "-o", out)
    assert result.exit_code == 0
    assert result.output == ""
    found = exactly(out)
    model, X = predicted(menu)
    names = [f"score_{name}" for name in model.classes_]
    assert list(found) == ["row", "prediction", *names]
    assert found["prediction"].tolist() == model.predict(X).tolist()
    assert np.array_equal(found[names].to_numpy(), model.decision_function(X))


@pytest.mark.parametrize("rows", [7, 89, 90, 1000])
def test_pieces_make_no_difference(menu, softcost, tmp_path, rows):
    for name in ("out.csv", "out.parquet", "out.csv.gz"):
        whole, parts = tmp_path / f"whole.{name}", tmp_path / f"parts.{name}"
        softcost("predict", menu.model, menu.data, "-o", whole)
        softcost("predict", menu.model, menu.data, "-o", parts, "--rows-at-once", rows)
        read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
        pd.testing.assert_frame_equal(read(whole), read(parts))


def test_a_default_model_streams_parquet(softcost, tmp_path):
    """Blocks of any size give the bits that the whole table gives, in both formats."""
    rng = np.random.default_rng(0)
    n = 130
    table = pd.DataFrame({f"x{i}": rng.normal(size=n) for i in range(4)})
    table["colour"] = rng.choice(["red", "green", "blue"], n)
    table.loc[::7, "x1"] = np.nan
    score = table["x0"] + (table["colour"] == "red")
    labels = np.array(["low", "mid", "high"])[np.digitize(score, [-0.2, 0.9])]
    table.assign(label=labels).to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "costs.csv").write_text(
        ",low,mid,high\nlow,0,1,5\nmid,2,0,1\nhigh,9,3,0\n"
    )
    fit = ["--target", "label", "--costs", tmp_path / "costs.csv", "--quiet"]
    model, data = tmp_path / "model", tmp_path / "rows.parquet"
    result = softcost("fit", tmp_path / "train.csv", *fit, "--model", model)
    assert result.exit_code == 0, result.output
    table.to_parquet(data)
    whole = library.load(model).predict(table)
    expected = None
    for rows in (1, 8, 33, 1000):
        out = tmp_path / f"{rows}.parquet"
        result = softcost("predict", model, data, "-o", out, "--rows-at-once", rows)
        assert result.exit_code == 0, result.output
        found = pd.read_parquet(out)
        assert found["prediction"].tolist() == whole.tolist()
        expected = found if expected is None else expected
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    from_csv = tmp_path / "rows.csv"
    table.to_csv(from_csv, index=False)
    softcost("predict", model, from_csv, "-o", tmp_path / "csv.parquet")
    found = pd.read_parquet(tmp_path / "csv.parquet")
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_many_features_are_predicted_in_small_pieces(
    menu, softcost, tmp_path, monkeypatch
):
    """A file says how many are made of a column: not all rows are there at once."""
    sizes, table = [], StoredModel.table

    def counted(self, raw, *others):
        sizes.append(len(raw))
        return table(self, raw, *others)

    monkeypatch.setattr(StoredModel, "table", counted)
    softcost("predict", menu.model, menu.data, "-o", tmp_path / "whole.csv")
    features = library.load(menu.model)[-1].n_features_in_
    place = "softcost.workflow.stored_model._CELLS_AT_ONCE"
    monkeypatch.setattr(place, 30 * features)
    softcost("predict", menu.model, menu.data, "-o", tmp_path / "parts.csv")
    assert sizes[0] == len(menu.rows()) == sum(sizes[1:])
    assert max(sizes[1:]) == 30
    pd.testing.assert_frame_equal(
        exactly(tmp_path / "parts.csv"), exactly(tmp_path / "whole.csv")
    )


def test_streams(menu, softcost, tmp_path):
    out = tmp_path / "out.csv"
    softcost("predict", menu.model, menu.data, "-o", out)
    text = menu.data.read_bytes()
    result = softcost("predict", menu.model, "-", input=text)
    assert result.exit_code == 0
    assert result.stdout == out.read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="POSIX shell")
def test_a_real_pipe(menu, tmp_path):
    """As in the README, with Latin letters in a C locale."""
    done = subprocess.run(
        f"'{sys.executable}' -m softcost predict '{menu.model}' -"
        f" < '{menu.data}' > out.csv",
        shell=True,
        cwd=tmp_path,
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    text = (tmp_path / "out.csv").read_bytes().decode("utf-8")
    assert len(pd.read_csv(io.StringIO(text))) == 90
    assert "Brötchen ✓" in text


def test_kept_columns_and_labels_only(menu, softcost, strict, tmp_path):
    out = tmp_path / "out.csv"
    result = softcost(
        "predict", menu.model, menu.data, "-o", out, "--keep", "class", "--keep",
        "Größe", "--no-scores", "--json",
    )  # fmt: skip
    found = pd.read_csv(out)
    assert list(found) == ["row", "class", "Größe", "prediction"]
    assert found["class"].tolist() == menu.rows()["class"].tolist()
    told = strict(result.stdout)
    assert told["rows"] == 90
    assert told["predictions"] == {
        name: int((found["prediction"] == name).sum()) for name in menu.classes
    }


def test_new_words_and_empty_cells_are_no_trouble(menu, softcost, tmp_path):
    text = '"price, net",kind,Größe,other\n1.5,never seen,,x\n,,,\nNA,?,nan,y\n'
    result = softcost("predict", menu.model, "-", input=text.encode())
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 4


def test_a_header_alone_gives_a_header(menu, softcost):
    for options in ([], ["--no-scores"]):
        result = softcost(
            "predict", menu.model, "-", *options, input='Größe,kind,"price, net"\n'
        )
        assert result.exit_code == 0, result.stderr
        assert result.stdout.startswith("row,prediction")
        assert len(result.stdout.splitlines()) == 1


def test_a_failure_in_the_middle_leaves_the_old_file(menu, softcost, tmp_path):
    bad = tmp_path / "bad.csv"
    text = menu.data.read_text(encoding="utf-8").splitlines()
    text[60] = 'many,0,"a b",x'
    bad.write_text("\n".join(text), encoding="utf-8")
    for name in ("out.csv", "out.parquet"):
        out = tmp_path / name
        out.write_text("precious")
        result = softcost("predict", menu.model, bad, "-o", out, "--rows-at-once", "7")
        assert result.exit_code == 2
        assert "holds 'many' in row 60" in result.stderr
        assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bad.csv", "out.csv", "out.parquet",
    ]  # fmt: skip


def test_models_from_python_work_too(softcost, strict, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    data, model = tmp_path / "iris.csv", tmp_path / "model"
    X.assign(kind=y).to_csv(data, index=False)
    for table in (X, X.to_numpy()):
        library.save(
            library.OneSidedRegression(cost_matrix=prices).fit(table, y), model
        )
        told = softcost("evaluate", model, data, "--target", "kind", "--json")
        found = strict(told.stdout)
        assert found["classes"] == ["0", "1", "2"]
        assert found["error"] < 0.1
    result = softcost("predict", model, data)
    assert result.exit_code == 2
    assert "5 columns and the model needs 4" in result.stderr


def test_rows_that_a_model_from_python_refuses_are_bad_input(softcost, tmp_path):
    """Its steps are not ours: this one cannot do with empty cells."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    data, model = tmp_path / "iris.csv", tmp_path / "model"
    library.save(library.OneSidedRegression().fit(X, y), model)
    X.iloc[3, 0] = np.nan
    X.assign(kind=y).to_csv(data, index=False)
    for words in (
        ["predict", model, data],
        ["evaluate", model, data, "--target", "kind"],
    ):
        result = softcost(*words)
        assert result.exit_code == 2
        assert "NaN" in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--keep", "prediction"], "column 'prediction'"),
        (["--keep", "score_ham & eggs"], "column 'score_ham & eggs'"),
        (["--keep", "kind", "--keep", "kind"], "--keep names 'kind' twice"),
    ],
)
def test_kept_columns_that_are_there_already(menu, softcost, tmp_path, options, words):
    data = tmp_path / "menu.csv"
    added = {"prediction": 1, "score_ham & eggs": 2}
    menu.rows().assign(**added).to_csv(data, index=False)
    result = softcost("predict", menu.model, data, "-o", tmp_path / "out.csv", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    kept = softcost("predict", menu.model, data, "--no-scores", *options[2:])
    assert kept.exit_code == 0


def test_two_classes_have_two_scores(softcost, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[50:], np.array(["no", "yes"])[y[50:] - 1]
    model = library.OneSidedRegression().fit(X, y)
    library.save(model, tmp_path / "model")
    X.to_csv(tmp_path / "data.csv", index=False)
    result = softcost("predict", tmp_path / "model", tmp_path / "data.csv")
    found = exactly(io.StringIO(result.stdout))
    assert np.array_equal(found["score_yes"], model.decision_function(X))
    assert np.array_equal(found["score_no"], -found["score_yes"])
    assert found["prediction"].tolist() == model.predict(X).tolist()


def test_evaluate_is_what_the_metrics_say(menu, softcost, strict):
    told = softcost("evaluate", menu.model, menu.data, "--target", "class", "--json")
    found = strict(told.stdout)
    model, X = predicted(menu)
    true, guess = menu.rows()["class"].to_numpy(str), model.predict(X)
    assert found["cost"] == pytest.approx(
        mean_cost(true, guess, cost_matrix=menu.prices)
    )
    assert found["error"] == pytest.approx(error_rate(true, guess))
    assert found["g_mean"] == pytest.approx(g_mean(true, guess))
    counts = pd.crosstab(true, guess).reindex(columns=found["classes"], fill_value=0)
    assert found["confusion"] == counts.loc[found["classes"]].to_numpy().tolist()
    for one in found["most_expensive_mistakes"]:
        price = menu.prices[one["true"]][one["predicted"]]
        assert one["cost"] == one["times"] * price
    total = sum(one["cost"] for one in found["most_expensive_mistakes"])
    assert total == pytest.approx(found["cost"] * found["rows"])


def test_evaluate_in_words(menu, softcost, tmp_path):
    costs = tmp_path / "other.json"
    costs.write_text(menu.costs.read_text().replace("9", "90"))
    result = softcost(
        "evaluate", menu.model, menu.data, "--target", "class", "--costs", costs
    )
    assert result.exit_code == 0
    for word in (
        "weighted error",
        "recall",
        "→ Brötchen ✓",
        "Most expensive mistakes",
    ):
        assert word in result.stdout
    assert "x predicted" in result.stdout


def test_rows_are_read_as_those_of_the_fit(softcost, tmp_path, monkeypatch):
    """One German row is read as the whole table was, and so are typed cells."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, 80), "D")
    amount = rng.integers(1, 9, 80) * 1000.0
    late = (days.month > 6) ^ (amount > 4000)
    typed = pd.DataFrame({"day": days, "amount": amount, "paid": rng.random(80) < 0.5})
    typed["class"] = np.where(late, "late", "soon")
    texts = pd.DataFrame(
        {
            "day": days.strftime("%d.%m.%Y"),
            "amount": [f"{one // 1000:.0f}.000" for one in amount],
            "paid": np.where(typed["paid"], "WAHR", "FALSCH"),
            "class": typed["class"],
        }
    )
    texts.to_csv("texts.csv", sep=";", index=False)
    texts.iloc[:1].to_csv("one.csv", index=False)
    typed.to_parquet("typed.parquet")
    (tmp_path / "prices.json").write_text('{"late": {"soon": 5}, "soon": {"late": 1}}')
    line = "fit texts.csv --target class --costs prices.json --softness 2 --param C=16"
    assert softcost(*line.split(), "--cv", "2", "--model", "m").exit_code == 0

    def scores(name):
        assert softcost("predict", "m", name, "-o", "out.csv").exit_code == 0
        return pd.read_csv("out.csv")

    wanted = scores("texts.csv")
    pd.testing.assert_frame_equal(scores("typed.parquet"), wanted)
    pd.testing.assert_frame_equal(scores("one.csv"), wanted.iloc[:1])


@pytest.fixture(scope="module")
def shop(softcost, tmp_path_factory):
    """A folder with a model that knows ids, words, numbers and dates."""
    folder = tmp_path_factory.mktemp("shop")
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300, 120), "D")
    table = pd.DataFrame(
        {
            "order_id": np.arange(120) * 3 + 1000,
            "size": rng.normal(0, 1, 120).round(3),
            "kind": rng.choice(["a", "b"], 120),
            "day": days.strftime("%d.%m.%Y"),
        }
    )
    table["class"] = np.where(table["size"] > 0, "late", "soon")
    table.to_csv(folder / "data.csv", index=False)
    (folder / "prices.json").write_text('{"late": {"soon": 5}, "soon": {"late": 1}}')
    line = "--target class --softness 2 --cv 3 --quiet --reduction mec"
    words = ("--costs", folder / "prices.json", "--model", folder / "model")
    result = softcost("fit", folder / "data.csv", *line.split(), *words)
    assert result.exit_code == 0, result.output
    return folder, table


def test_expected_costs_are_in_money(softcost, shop, tmp_path):
    folder, _ = shop
    out = tmp_path / "out.csv"
    softcost("predict", folder / "model", folder / "data.csv", "-o", out)
    found = pd.read_csv(out)
    prices = [f"expected_cost_{name}" for name in ("late", "soon")]
    next_best = ["next_best", "next_best_costs_more"]
    own = ["row", "order_id", "prediction", "expected_cost"]
    assert list(found) == [*own, *next_best, *prices]
    assert (found["next_best"] != found["prediction"]).all()
    more = found[prices].sum(axis=1) - 2 * found["expected_cost"]
    np.testing.assert_allclose(found["next_best_costs_more"], more)
    chances = found["expected_cost_soon"] / 5
    np.testing.assert_allclose(found["expected_cost_late"], 1 - chances)
    chosen = np.where(found["prediction"] == "late", *(found[name] for name in prices))
    np.testing.assert_array_equal(found["expected_cost"], chosen)


def test_ids_are_kept_unless_other_columns_are_asked_for(softcost, shop, tmp_path):
    folder, table = shop
    out = tmp_path / "out.csv"
    words = ("predict", folder / "model", folder / "data.csv", "-o", out, "--no-scores")
    softcost(*words)
    assert pd.read_csv(out)["order_id"].tolist() == table["order_id"].tolist()
    softcost(*words, "--keep", "size")
    assert list(pd.read_csv(out)) == ["row", "size", "prediction"]
    table.drop(columns="order_id").to_csv(tmp_path / "bare.csv", index=False)
    softcost("predict", folder / "model", tmp_path / "bare.csv", *words[3:])
    assert list(pd.read_csv(out)) == ["row", "prediction"]


def test_rows_unlike_before_are_told_of(softcost, shop, tmp_path, strict):
    folder, table = shop
    odd = table.assign(size=np.where(np.arange(120) < 100, 2.0, 90.0))
    odd.loc[:6, "kind"], odd.loc[3:4, "day"] = "c", "01.01.2031"
    odd.to_csv(tmp_path / "odd.csv", index=False)
    words = ("-o", tmp_path / "out.csv", "--json", "--rows-at-once", "50")
    usual = softcost("predict", folder / "model", folder / "data.csv", *words)
    assert strict(usual.stdout)["warnings"] == []
    result = softcost("predict", folder / "model", tmp_path / "odd.csv", *words)
    size, day, kind, mix = strict(result.stdout)["warnings"]
    assert "'size' is outside" in size
    assert "in 20 of 120 rows (90 to 90)" in size
    assert "'day' is outside" in day
    assert "in 2 of 120 rows (2031-01-01" in day
    assert (
        "'kind' has values that the training data do not have, 'c', in 7 of 120" in kind
    )
    assert "'late' in 100% of the rows" in mix
    assert result.stderr.count("softcost: warning: ") == 4


def test_columns_whose_shares_changed_by_chance_are_not_told_of(softcost, shop, strict):
    folder, table = shop
    text = table.iloc[:8].to_csv(index=False)
    words = ("predict", folder / "model", "-", "-o", folder / "few.csv", "--json")
    assert strict(softcost(*words, input=text.encode()).stdout)["warnings"] == []


def test_answers_beyond_the_classes(softcost, tmp_path, strict):
    """A model that may ask a person is used and measured like others."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame(rng.normal(size=(120, 2)) + y[:, None], columns=["a", "b"])
    search = library.SoftCostClassifierCV(
        library.MinimumExpectedCost(),
        cost_matrix=[[0, 5, 1.0], [3, 0, 1.0]],
        actions=["ask"],
        softness=2,
    ).fit(X, y)
    library.save(search, tmp_path / "model")
    X.assign(t=y).to_csv(tmp_path / "data.csv", index=False)
    out = tmp_path / "out.csv"
    words = (tmp_path / "model", tmp_path / "data.csv")
    result = softcost("predict", *words, "-o", out, "--keep", "t")
    assert result.exit_code == 0, result.output
    found = pd.read_csv(out)
    assert found["prediction"].tolist() == [str(one) for one in search.predict(X)]
    assert {"0", "1", "ask"} == set(found["prediction"])
    assert (found["expected_cost_ask"] == 1).all()
    costs = found[["expected_cost_0", "expected_cost_1", "expected_cost_ask"]]
    np.testing.assert_array_equal(found["expected_cost"], costs.min(axis=1))
    measured = strict(softcost("evaluate", *words, "--target", "t", "--json").stdout)
    assert measured["cost"] == pytest.approx(-search.score(X, y))
    twice = (tmp_path / "model", *words, "--target", "t", "--json")
    compared = strict(softcost("compare", *twice).stdout)
    assert compared["models"][0]["cost"] == measured["cost"]
    assert compared["cost_saving"]["saving"] == 0


def test_row_numbers_and_all_columns_go_along(menu, softcost, tmp_path):
    out, few = tmp_path / "out.csv", tmp_path / "few.csv"
    words = ["predict", menu.model, menu.data, "--rows-at-once", "11"]
    assert softcost(*words, "-o", out, "--keep-all").exit_code == 0
    found, table = pd.read_csv(out), pd.read_csv(menu.data)
    np.testing.assert_array_equal(found["row"], np.arange(len(table)) + 1)
    pd.testing.assert_frame_equal(found[list(table.columns)], table)
    assert softcost(*words, "-o", few, "--keep-all", "--top", "5").exit_code == 0
    top = pd.read_csv(few)
    same = table.iloc[top["row"].to_numpy() - 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(top[list(table.columns)], same)
    # Predictions may be predicted again: the numbers of the first time are kept.
    shuffled = found[list(table.columns)].assign(row=found["row"][::-1].to_numpy())
    shuffled.to_csv(tmp_path / "again.csv", index=False)
    again = ["predict", menu.model, tmp_path / "again.csv", "-o", few, "--keep-all"]
    assert softcost(*again).exit_code == 0
    np.testing.assert_array_equal(pd.read_csv(few)["row"], found["row"][::-1])
    both = softcost(*words, "-o", out, "--keep-all", "--keep", "kind")
    assert both.exit_code == 2
    assert "--keep" in both.stderr


def test_names_of_columns_cannot_control_a_terminal(softcost, tmp_path):
    """The header is escaped; cells are data and stay as they are."""
    rows = pd.DataFrame({"a\x1b[31m": np.arange(40) % 2 + np.arange(40) / 400})
    rows["y"] = np.where(np.arange(40) % 2, "x\x1b[2J", "z")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    prices = pd.DataFrame([[0, 1], [2, 0]], ["x\x1b[2J", "z"], ["x\x1b[2J", "z"])
    prices.to_csv(tmp_path / "prices.csv", index_label="true")
    model, output = tmp_path / "m.softcost", tmp_path / "out.csv"
    fit = ["fit", tmp_path / "rows.csv", "--target", "y", "--model", model]
    done = softcost(*fit, "--costs", tmp_path / "prices.csv", "--reduction", "mec")
    assert done.exit_code == 0, done.output
    done = softcost("predict", model, tmp_path / "rows.csv", "--keep-all", "-o", output)
    assert done.exit_code == 0, done.output
    header, first = output.read_text().splitlines()[:2]
    assert "\x1b" not in header
    assert "a\\x1b[31m" in header
    assert "z" in first
