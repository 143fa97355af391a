"""Budgets, guarantees and how sure the choice is, on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import softcost as library


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """Options that train on rows of three classes, and where these are."""
    folder = tmp_path_factory.mktemp("claims")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(0, 1, (300, 3)) + 1.5 * np.eye(3)[y]
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table["class"] = np.array(["fine", "late", "x=fraud"])[y]
    table.to_csv(folder / "claims.csv", index=False)
    prices = {
        "fine": {"late": 1, "x=fraud": 4},
        "late": {"fine": 2, "x=fraud": 3},
        "x=fraud": {"fine": 9, "late": 7},
    }
    (folder / "prices.json").write_text(json.dumps(prices))
    return (
        "fit", folder / "claims.csv", "--target", "class",
        "--costs", folder / "prices.json", "--reduction", "mec", "--learner", "linear",
        "--param", "C=1", "--softness", "5", "--cv", "3",
    )  # fmt: skip


def test_a_guarantee_is_told_everywhere(claims, softcost, strict, tmp_path):
    model = tmp_path / "model"
    options = ("--max-error", "0.6", "--confidence", "0.9", "--model", model)
    result = softcost(*claims, *options, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    told = strict(result.stdout)
    assert told["budget_met"] is True
    assert told["guarantee"]["kind"] == "exact"
    assert told["holdout_rows"] == told["guarantee"]["rows"] == 60
    (limit,) = told["guarantee"]["limits"]
    assert limit["bound"] == 0.6
    assert limit["tested"] <= 0.6
    assert limit["p_value"] <= 0.1
    search = library.load(model)["search"]
    assert search.guarantee_ == told["guarantee"]
    assert search.holdout == pytest.approx(0.2)
    assert search.n_samples_ == 240
    shown = softcost(*claims, *options).stdout
    assert "budget met: error at most 60.00% (confidence 0.9, shown on 60" in shown


def test_rows_kept_for_the_test_are_not_seen_by_the_encoder(claims, softcost, tmp_path):
    """Changing what they hold changes nothing but the test."""
    table = pd.read_csv(claims[1])
    kept = np.random.default_rng(0).permutation(300)[:60]
    table.loc[kept, ["a", "b", "c"]] *= 1000.0
    other = tmp_path / "claims.csv"
    table.to_csv(other, index=False)
    models = []
    for path in (claims[1], other):
        model = tmp_path / "model"
        words = [path if word == claims[1] else word for word in claims]
        limits = ("--max-error", "1", "--confidence", "0.5", "--quiet")
        assert softcost(*words, *limits, "--model", model).exit_code == 0
        models.append(library.load(model))
    rows = pd.read_csv(claims[1])[["a", "b", "c"]]
    first, second = (model["columns"].transform(rows) for model in models)
    np.testing.assert_array_equal(first, second)
    pd.testing.assert_frame_equal(*(model["search"].tradeoff_ for model in models))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-error", "0"], "an error of at most 0 by cross-validation"),
        (["--min-recall", "x=fraud=1"], "a recall of 'x=fraud' of at least 1 by cross"),
        (
            ["--min-recall", "x=fraud=1", "--confidence", "0.9"],
            "no sample can prove a rate of zero",
        ),
        (
            ["--max-error", "0.001", "--confidence", "0.99"],
            "not even 0 errors would do, since that takes",
        ),
        (
            ["--max-error", "0.01", "--confidence", "0.9", "--holdout", "0"],
            "in 300 rows, is chosen",
        ),
    ],
)
def test_a_budget_out_of_reach_is_seen_even_when_quiet(
    claims, softcost, strict, tmp_path, options, words
):
    model = tmp_path / "model"
    result = softcost(*claims, *options, "--quiet", "--json", "--model", model)
    assert result.exit_code == 3
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    told = strict(result.stdout)
    assert told["budget_met"] is False
    assert told["guarantee"]["missing"] in result.stderr
    assert model.exists()
    assert "budget NOT met" in softcost(*claims, *options).stdout


def test_without_a_budget_there_is_nothing_to_meet(claims, softcost, strict):
    told = strict(softcost(*claims, "--json", "--quiet").stdout)
    assert told["budget_met"] is None
    assert told["guarantee"] is None


def test_without_holdout_rows_the_line_says_approximately(claims, softcost):
    options = ("--max-error", "0.9", "--confidence", "0.9", "--holdout", "0")
    result = softcost(*claims, *options)
    assert result.exit_code == 0
    assert "approximately, by cross-validated predictions" in result.stdout
    assert "warning: the guarantee is approximate" in result.stderr


def test_how_sure_the_choice_is(claims, softcost, strict, tmp_path):
    model = tmp_path / "model"
    told = strict(softcost(*claims, "--json", "--quiet", "--model", model).stdout)
    sure, search = told["sensitivity"], library.load(model)["search"]
    changes = [one["change"] for one in sure["prices"]]
    assert changes == sorted(changes)
    pooled = search.confusion_.sum(axis=1) / search.confusion_[0].sum()
    names = search.classes_.tolist()
    for one in sure["prices"]:
        cell = names.index(one["true"]), names.index(one["predicted"])
        for end, row in ((one["low"], one["below"]), (one["high"], one["above"])):
            if row is not None:  # where the new one costs as much as the chosen one
                prices = search.cost_matrix_.copy()
                prices[cell] = end
                costs = (pooled * prices).sum(axis=(1, 2))
                assert costs[row] == pytest.approx(costs[search.best_index_])
    first = sure["first"]
    assert first["true"] != first["predicted"]
    assert {one["first"] for one in sure["differences"]} >= {"chosen"}
    shown = softcost(*claims, "--quiet").stdout
    wrong = f"predicting {first['predicted']} for a true {first['true']}"
    assert f"sensitive price: {wrong}" in " ".join(shown.split())
    assert shown.count("95% CI") <= 2  # one for each saving


def test_a_rule_that_cannot_be_followed_says_nothing(softcost, strict, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    table = pd.DataFrame({"a": y + rng.normal(0, 0.7, 60), "class": y})
    for label in (0, 1):
        table[f"price {label}"] = np.where(y == label, 0, rng.uniform(1, 5, 60))
    table.to_csv(tmp_path / "rows.csv", index=False)
    result = softcost(
        "fit", tmp_path / "rows.csv", "--target", "class", "--cost-columns", "price ",
        "--criterion", "max", "--reduction", "mec", "--learner", "linear", "--json",
        "--param", "C=1", "--softness", "3", "--cv", "3", "--quiet",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert strict(result.stdout)["sensitivity"] is None
