"""``softcost fit``: tables and prices in every form, and what is told."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

import softcost as library
from softcost.persistence import describe
from softcost.search import auto
from softcost.tables import TableEncoder, read_table
from softcost.tables.columns import typed_columns
from softcost.tables.infer import infer_kinds

SETS = {  # six and more plain tables, with classes that are words and numbers
    "iris": 150,
    "zoo": 101,
    "anneal": 898,
    "soybean": 683,
    "arrhythmia": 452,
    "vehicle": 300,
    "nursery": 400,
}


def asymmetric(path, labels):
    """A price list in which the way round matters, as CSV."""
    names = sorted(set(labels))
    size = len(names)
    values = 1.0 + (np.arange(size)[:, None] * 3 + np.arange(size)) % 7
    values[np.diag_indices(size)] = 0
    pd.DataFrame(values, index=names, columns=names).to_csv(path)


@pytest.mark.parametrize("name", list(SETS))
def test_plain_tables_need_target_and_costs_only(
    name, data_dir, tmp_path, softcost, strict
):
    data, costs = tmp_path / f"{name}.csv", tmp_path / "costs.csv"
    table = pd.read_csv(data_dir / f"{name}.csv.gz", dtype=str, keep_default_na=False)
    table = table.sample(min(SETS[name], len(table)), random_state=0)
    table.to_csv(data, index=False)
    asymmetric(costs, table["label"])
    model, out = tmp_path / "model", tmp_path / "out.csv"
    quick = ["--softness", "3", "--cv", "3"]
    if name != "iris":  # several families are tried by default, which takes longer
        quick += ["--reduction", "osr"]
    told = softcost(
        "fit", data, "--target", "label", "--costs", costs, "--model", model, "--json",
        *quick,
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    found = strict(told.stdout)
    assert found["rows"] == len(table)
    assert found["classes"] == table["label"].value_counts().to_dict()
    assert found["reduction"] == ("auto" if name == "iris" else "osr")
    chosen = found["cross_validated"]["chosen"]
    assert chosen["cost"] < found["cross_validated"]["constant"]["cost"]
    assert softcost("predict", model, data, "-o", out).exit_code == 0
    predicted = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert len(predicted) == len(table)
    assert set(predicted["prediction"]) <= set(table["label"])
    told = softcost("evaluate", model, data, "--target", "label", "--json")
    measured = strict(told.stdout)
    wrong = (predicted["prediction"].to_numpy() != table["label"].to_numpy()).mean()
    assert measured["error"] == pytest.approx(wrong)
    assert measured["error"] < 0.2  # these rows were learnt from


def test_table_in_words(menu, softcost, tmp_path):
    report = tmp_path / "page.html"
    result = softcost(
        *menu.fit, "--test-size", "0.3", "--report", report, "--model", tmp_path / "m"
    )
    assert result.exit_code == 0, result.output
    for word in (
        "regular",
        "hard",
        "chosen",
        "vs regular",
        "27 test rows",
    ):
        assert word in result.stdout
    assert str(report) in result.stdout
    page = report.read_text(encoding="utf-8")
    assert "Brötchen" in page
    assert "softcost fit" in page
    assert result.stderr == ""


def test_json_is_what_the_library_says(menu, softcost, strict, tmp_path):
    model = tmp_path / "model"
    result = softcost(*menu.fit, "--json", "--model", model)
    found = strict(result.stdout)
    search = library.load(model)["search"]
    assert found["cross_validated"]["chosen"]["softness"] == search.best_softness_
    cost = search.tradeoff_["cost"][search.best_index_]
    assert found["cross_validated"]["chosen"]["cost"] == cost
    assert found["columns"] == {
        "Größe": "number", "price, net": "number", "kind": "nominal",
    }  # fmt: skip
    assert found["files"] == {"model": str(model), "report": None}
    notes = describe(model)["notes"]
    assert notes["target"] == "class"
    assert notes["cross_validated"] == found["cross_validated"]
    table = search.tradeoff_
    hard = table[table["softness"] == 0]["cost"].min()
    assert found["cross_validated"]["hard"]["cost"] == hard


def test_held_out_results_are_those_of_the_written_model(
    menu, softcost, strict, tmp_path
):
    test, model = tmp_path / "test.csv", tmp_path / "model"
    menu.rows(60, seed=1).to_csv(test, index=False)
    fitted = strict(
        softcost(*menu.fit, "--json", "--model", model, "--test", test).stdout
    )
    own = strict(
        softcost("evaluate", model, test, "--target", "class", "--json").stdout
    )
    assert fitted["test_rows"] == own["rows"] == 60
    for name in ("cost", "error", "weighted_error", "g_mean"):
        assert fitted["held_out"]["chosen"][name] == pytest.approx(own[name])
    regular = fitted["held_out"]["regular"]["cost"]
    saved = 100 * (regular - own["cost"]) / regular
    assert fitted["held_out"]["chosen"]["saving_percent"] == pytest.approx(saved)


def test_nothing_kept_is_said(menu, softcost):
    result = softcost(*menu.fit)
    assert result.exit_code == 0
    assert "nothing was saved" in result.stderr


def test_cost_columns_by_row(menu, softcost, strict, tmp_path):
    """Prices by row that only depend on the class give what the matrix gives."""
    table = menu.rows()
    matrix = menu.matrix()
    for name in menu.classes:
        table[f"cost: {name}"] = matrix.loc[table["class"], name].to_numpy()
    data, model = tmp_path / "rows.csv", tmp_path / "model"
    table.to_csv(data, index=False)
    fitted = strict(
        softcost(
            "fit", data, "--target", "class", "--cost-columns", "cost: ", "--json",
            "--model", model, *menu.quick,
        ).stdout
    )  # fmt: skip
    by_class = strict(softcost(*menu.fit, "--json").stdout)
    assert fitted["columns"] == by_class["columns"]
    for name in ("regular", "hard", "chosen"):
        mine = fitted["cross_validated"][name]["cost"]
        assert mine == pytest.approx(by_class["cross_validated"][name]["cost"])
    own = strict(
        softcost("evaluate", model, data, "--target", "class", "--json").stdout
    )
    assert own["prices"] == "by row"
    other = strict(
        softcost(
            "evaluate",
            model,
            data,
            "--target",
            "class",
            "--json",
            "--costs",
            menu.costs,
        ).stdout
    )
    assert other["cost"] == pytest.approx(own["cost"])
    alone = softcost("evaluate", model, menu.data, "--target", "class")
    assert alone.exit_code == 2
    assert "cost: " in alone.stderr


def test_libsvm_files(softcost, strict, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(1, 4, 80)
    X = (y[:, None] == [1, 2, 3]) + rng.normal(0, 0.3, (80, 3))
    X[:, 2] = np.where(rng.random(80) < 0.5, 0, X[:, 2])
    data, model = tmp_path / "data.libsvm", tmp_path / "model"
    dump_svmlight_file(X, y, str(data), zero_based=False)
    asymmetric(tmp_path / "costs.csv", ["1", "2", "3"])
    fitted = softcost(
        "fit", data, "--target", "label", "--costs", tmp_path / "costs.csv", "--model",
        model, "--softness", "2", "--reduction", "osr", "--quiet", "--json",
    )  # fmt: skip
    assert strict(fitted.stdout)["columns"] == dict.fromkeys("123", "number")
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    softcost("predict", model, data, "-o", whole)
    softcost("predict", model, data, "-o", parts, "--rows-at-once", "3")
    assert whole.read_text() == parts.read_text()
    own = strict(
        softcost("evaluate", model, data, "--target", "label", "--json").stdout
    )
    assert own["error"] < 0.1


def test_identifiers_are_left_out_with_a_warning(menu, softcost, strict, tmp_path):
    table = menu.rows()
    table["id"] = [f"customer {number}" for number in range(len(table))]
    data = tmp_path / "ids.csv"
    table.to_csv(data, index=False)
    words = ("fit", data, "--target", "class", "--costs", menu.costs, *menu.quick[:-1])
    result = softcost(*words, "--json")
    assert strict(result.stdout)["left_out"] == ["id"]
    assert "has a different text in every row" in result.stderr
    assert softcost(*words, "--drop", "id").stderr.count("warning") == 0


def test_options_reach_the_search(menu, softcost, strict, tmp_path):
    model = tmp_path / "model"
    for options, wanted in [
        (["--max-error", "0.5"], {"criterion": "constrained", "max_error": 0.5}),
        (["--tolerance", "1se"], {"criterion": "tolerance", "tolerance": "1se"}),
        (["--criterion", "max"], {"criterion": "max"}),
        (["--error-weight", "balanced"], {"error_weight": "balanced"}),
        (["--softness", "0.2,0.5"], {"softness": [0.2, 0.5]}),
        (["--softness", "1"], {"softness": [1.0]}),
        (["--softness", "0"], {"softness": [0.0]}),
        (["--seed", "7", "--jobs", "2"], {"random_state": 7, "n_jobs": 2}),
    ]:
        result = softcost(*menu.fit, "--model", model, *options)
        assert result.exit_code == 0, result.output
        params = library.load(model)["search"].get_params(deep=False)
        assert {name: params[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("reduction", "learner"),
    [
        ("csovo", "linear"),
        ("mec", "auto"),
        ("csft", "svm"),
        ("osr", "linear"),
        pytest.param("gbse", "linear", marks=pytest.mark.slow),
        ("osr", "nystroem"),
        ("csft", "nystroem"),
    ],
)
def test_other_reductions_train_save_and_predict(
    menu, softcost, reduction, learner, tmp_path
):
    words = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    model, out = tmp_path / "model", tmp_path / "out.csv"
    result = softcost(
        *words, "--reduction", reduction, "--learner", learner, "--model", model
    )
    assert result.exit_code == 0, result.output
    assert softcost("predict", model, menu.data, "-o", out).exit_code == 0
    found = pd.read_csv(out)
    assert ("expected_cost" in found) == (reduction == "mec")
    if reduction == "mec":
        assert (found["expected_cost"] >= 0).all()


def test_scaling_and_filling_are_inside_the_model(menu):
    X = typed_columns(
        read_table(str(menu.data)), infer_kinds(menu.rows().iloc[:, :3]), ""
    )
    encoder = TableEncoder(infer_kinds(menu.rows().iloc[:, :3])).fit_typed(X)
    out = encoder.encode(X)
    assert out.min() == 0
    assert out.max() == 1
    assert not np.isnan(out).any()
    new = X.iloc[:1].assign(kind="never seen")
    names = encoder.get_feature_names_out()
    words = [name.startswith("kind") for name in names]
    assert encoder.encode(new)[0, words].sum() == 0


def test_it_says_when_no_model_beats_a_constant_answer(tmp_path, softcost):
    rng = np.random.default_rng(0)
    y = np.where(rng.uniform(size=200) < 0.1, "fraud", "fine")
    table = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "y": y})
    data, costs = tmp_path / "noise.csv", tmp_path / "costs.csv"
    table.to_csv(data, index=False)
    costs.write_text(",fine,fraud\nfine,0,1\nfraud,100,0\n")
    told = softcost(
        "fit", data, "--target", "y", "--costs", costs, "--softness", "3",
        "--test-size", "0.2",
    )  # fmt: skip
    assert told.exit_code == 0
    assert "always fraud" in told.stdout
    assert "Not cheaper than always answering fraud" in told.stdout


def test_one_command_tells_one_story(tmp_path, softcost, strict):
    """Terminal and page compare the choice with the same regular and hard models."""
    from sklearn.datasets import load_iris

    frame = load_iris(as_frame=True).frame
    data, costs, page = (tmp_path / name for name in ("i.csv", "p.csv", "r.html"))
    frame.to_csv(data, index=False)
    costs.write_text(",0,1,2\n0,0,1,5\n1,1,0,5\n2,9,9,0\n")
    told = softcost(
        "fit", data, "--target", "target", "--costs", costs, "--report", page, "--json",
        "--reduction", "osr",
    )  # fmt: skip
    found = strict(told.stdout)["cross_validated"]
    text = page.read_text(encoding="utf-8")
    island = text.partition('id="softcost-data"')[2].partition(">")[2]
    shown = json.loads(island.partition("</script>")[0])
    columns = dict(shown["columns"])
    for name in ("regular", "hard", "chosen"):
        row = shown[name]
        assert columns["softness"][row] == found[name]["softness"]
        assert columns["C"][row] == found[name]["params"]["C"]
        assert columns["cost"][row] == pytest.approx(found[name]["cost"])


def test_advice_is_the_same_in_terminal_and_json(tmp_path, softcost, strict):
    """Columns that tell something are recommended, noise is not."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 240)
    names = np.array(["no", "yes"])[y]
    costs = tmp_path / "costs.csv"
    costs.write_text(",no,yes\nno,0,1\nyes,3,0\n")
    for signal, verdict in ((4.0, "better"), (0.0, "not better")):
        data = tmp_path / "data.csv"
        table = {"a": rng.normal(size=240) + signal * y, "b": rng.normal(size=240)}
        pd.DataFrame({**table, "t": names}).to_csv(data, index=False)
        for options, rows in (
            ((), "cross_validated"),
            (("--test-size", "0.4"), "held_out"),
        ):
            words = ("fit", data, "--target", "t", "--costs", costs, "--softness", "3",
                     "--param", "C=1", "--quiet", *options)  # fmt: skip
            found = strict(softcost(*words, "--json").stdout)
            facts = found["savings"][rows]["constant"]
            told = found["advice"]
            assert facts["low"] <= facts["saving"] <= facts["high"]
            assert facts["shown"] == (facts["low"] > 0) == (told["verdict"] == "better")
            assert told["verdict"].startswith(verdict.partition(" ")[0])
            shown = softcost(*words).stdout
            assert all(sentence in shown for sentence in told["sentences"])
            gap = found[rows]["constant"]["cost"] - found[rows]["chosen"]["cost"]
            assert facts["saving"] == pytest.approx(gap)


def test_families_are_tried_on_samples_of_many_rows(
    softcost, strict, tmp_path, monkeypatch
):
    monkeypatch.setattr(auto, "MANY_ROWS", 150)
    monkeypatch.setattr(auto, "SAMPLE_ROWS", 90)
    monkeypatch.setattr(auto, "SAMPLE_TEST_ROWS", 45)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = pd.DataFrame({"a": y + rng.normal(0, 0.5, 200), "t": y})
    table.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "prices.csv").write_text("t,0,1\n0,0,1\n1,7,0\n")
    words = ("--costs", tmp_path / "prices.csv", "--target", "t", "--softness", "2")
    line = ("fit", tmp_path / "rows.csv", *words, "--model", tmp_path / "m", "--quiet")
    for more, sample, held_out in (([], 90, 45), (["--cv", "2"], None, 100)):
        result = softcost(*line, *more, "--json")
        assert result.exit_code == 0, result.output
        told = strict(result.stdout)
        assert told["sample"] == sample
        search = library.load(tmp_path / "m")["search"]
        counts = search.confusion_.sum(axis=(2, 3))
        np.testing.assert_array_equal(counts, held_out)  # of every fold
        assert search.n_samples_ == 200
    shown = softcost(*line).stdout
    assert "3 samples of 90 rows" in shown
