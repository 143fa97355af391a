"""``softcost choose`` and ``softcost page``; actions and the riskiest rows."""

import json

import numpy as np
import pandas as pd
import pytest

from softcost import load, save
from softcost.persistence import describe


@pytest.fixture(scope="module")
def kept(menu, softcost, tmp_path_factory):
    """A model with those of its front, its page, and what fit has told."""
    folder = tmp_path_factory.mktemp("kept")
    model, page = folder / "kept.softcost", folder / "kept.html"
    fit = ["fit", menu.data, "--target", "class", "--costs", menu.costs, "--reduction",
           "mec", "--softness", "5", "--param", "C=0.1,10", "--cv", "3", "--action",
           "ask:1.5", "--currency", "EUR", "--test-size", "0.3"]  # fmt: skip
    outputs = ["--model", model, "--report", page, "--json", "--quiet"]
    result = softcost(*fit, *outputs)
    assert result.exit_code == 0, result.output
    return model, page, json.loads(result.stdout)


def test_the_page_of_a_model_is_that_of_fit(kept, softcost, tmp_path):
    model, page, _ = kept
    again = tmp_path / "again.html"
    result = softcost("page", model, "-o", again)
    assert result.exit_code == 0, result.output
    assert again.read_bytes() == page.read_bytes()


def test_another_model_is_chosen_without_training(kept, softcost, strict, tmp_path):
    model, _, _ = kept
    search = load(model)["search"]
    table = search.tradeoff_.loc[sorted(search.candidates_)]
    limit = float(table["error"].median())
    other = tmp_path / "other.softcost"
    asked = ["choose", model, "--max-error", repr(limit), "-o", other]
    told = strict(softcost(*asked, "--json").stdout)
    within = table[table["error"] <= limit]
    assert told["chosen"]["cost"] == within["cost"].min()
    chosen = load(other)["search"]
    assert chosen.best_index_ == within["cost"].idxmin()
    page = tmp_path / "other.html"
    assert softcost("page", other, "-o", page).exit_code == 0
    missed = softcost("choose", model, "--max-error", "0", "-o", other)
    assert missed.exit_code == 3
    assert other.exists()


def test_a_candidate_is_chosen_by_its_number(kept, softcost, strict, tmp_path):
    model, _, _ = kept
    search, other = load(model)["search"], tmp_path / "other.softcost"
    assert describe(model)["notes"]["importance"] is not None
    for number in search.candidates_:
        result = softcost("choose", model, "--candidate", number, "-o", other, "--json")
        assert result.exit_code == 0, result.output
        told = strict(result.stdout)["chosen"]
        assert told["candidate"] == number == load(other)["search"].best_index_
        assert told["cost"] == search.tradeoff_["cost"][number]
        assert all("__" not in name for name in told["params"])
        same = number == search.best_index_
        for name in ("held_out", "importance"):  # of the model that was chosen before
            assert (describe(other)["notes"][name] is not None) == same


def test_a_choice_at_other_costs(kept, menu, softcost, strict, tmp_path):
    model, _, _ = kept
    search, other = load(model)["search"], tmp_path / "other.softcost"
    names = [str(name) for name in search.actions_]
    costs = pd.DataFrame(search.cost_matrix_, names[:3], names)
    costs.iloc[0, 1:3] *= 40
    path = tmp_path / "costs.csv"
    costs.drop(columns="ask").to_csv(path)  # its price stays
    counts = search.confusion_.sum(axis=1)
    expected = (counts * costs.to_numpy()).sum(axis=(1, 2)) / counts.sum(axis=(1, 2))
    result = softcost("choose", model, "--costs", path, "-o", other, "--json")
    assert result.exit_code == 0, result.output
    assert "ask" in result.stderr
    chosen = load(other)["search"]
    among = sorted(search.candidates_)
    assert chosen.best_index_ == among[expected[among].argmin()]
    np.testing.assert_allclose(chosen.tradeoff_["cost"], expected)
    np.testing.assert_allclose(-chosen.cv_results_["mean_test_score"],
                               chosen.cv_results_["cost"], rtol=0.1)  # fmt: skip
    told = strict(result.stdout)
    assert told["chosen"]["cost"] == pytest.approx(expected[chosen.best_index_])
    assert told["before"]["cost"] == pytest.approx(expected[search.best_index_])
    # It decides by the new costs, as a model of the same probabilities would.
    rows = menu.rows(50, seed=3).drop(columns="class")
    again = search.candidates_[chosen.best_index_].set_params(cost_matrix=costs)
    X = load(model)["columns"].transform(rows)
    assert load(other).predict(rows).tolist() == again.predict(X).tolist()
    assert describe(other)["costs"] == costs.to_numpy().tolist()
    page = tmp_path / "other.html"
    assert softcost("page", other, "-o", page).exit_code == 0
    sizes = counts[0].sum(axis=1)
    least = (sizes @ costs.to_numpy()).min() / sizes.sum()
    assert chosen.constant_["cost"] == pytest.approx(least)


def test_a_single_model_takes_other_costs(kept, softcost, tmp_path):
    alone, other = tmp_path / "alone.softcost", tmp_path / "other.softcost"
    pipeline = load(kept[0])
    del pipeline["search"].candidates_
    save(pipeline, alone, notes=describe(kept[0])["notes"])
    names = [str(name) for name in pipeline["search"].actions_]
    costs = pd.DataFrame(7 * pipeline["search"].cost_matrix_, names[:3], names)
    costs.to_csv(tmp_path / "costs.csv")
    words = ["choose", alone, "--costs", tmp_path / "costs.csv", "-o", other]
    assert softcost(*words).exit_code == 0
    found = load(other)["search"]
    assert found.best_index_ == pipeline["search"].best_index_
    np.testing.assert_allclose(
        found.tradeoff_["cost"], 7 * pipeline["search"].tradeoff_["cost"]
    )


def test_what_cannot_be_chosen_is_said(menu, kept, softcost, tmp_path):
    other = tmp_path / "other.softcost"
    alone = tmp_path / "alone.softcost"
    search = load(kept[0])
    numbers = ", ".join(map(str, sorted(search["search"].candidates_)))
    strange = tmp_path / "strange.csv"
    names = [str(name) for name in search["search"].classes_]
    costs = pd.DataFrame(1.0 - np.eye(3), names, names).assign(**{"a stranger": 1.0})
    costs.to_csv(strange)
    del search["search"].candidates_
    save(search, alone)
    for arguments, words in (
        ([alone, "-o", other], "--keep front"),
        ([kept[0], "-o", kept[0]], "kept.softcost"),
        ([kept[0], "--candidate", "999", "-o", other], numbers),
        ([kept[0], "--candidate", "0", "--max-error", "0.1", "-o", other], "leave out"),
        ([kept[0], "--costs", strange, "-o", other], "a stranger"),
        ([kept[0], "--min-recall", "nobody=0.5", "-o", other], "not a class"),
        (
            [kept[0], "--tolerance", "1se", "--max-error", "0.1", "-o", other],
            "not both",
        ),
    ):
        result = softcost("choose", *arguments)
        assert result.exit_code == 2, result.output
        assert words in result.stderr
    assert not other.exists()


def test_odd_notes_make_no_traceback(kept, softcost, tmp_path):
    odd = tmp_path / "odd.softcost"
    notes = describe(kept[0])["notes"]
    for change in (
        {"advice": 3},
        {"held_out": [1]},
        {"expected": {}},
        {"commands": 7},
        {"not_chosen": [3]},
    ):
        save(load(kept[0]), odd, notes=notes | change)
        result = softcost("page", odd, "-o", tmp_path / "odd.html")
        assert result.exit_code == 2, result.output
        assert "metadata is invalid" in result.stderr


def test_an_action_is_told_of(kept, menu, softcost):
    _, _, told = kept
    assert told["actions"] == ["ask"]
    asked, chosen = told["asked"], told["cross_validated"]["chosen"]
    share = asked["actions"]["ask"] / asked["rows"]
    assert share == pytest.approx(1 - chosen["coverage"])
    if asked["saving"] is not None:
        saved = asked["saving"]["cost"] - chosen["cost"]
        assert asked["saving"]["saving"] == pytest.approx(saved)
    for words, text in (("ask", "NAME:PRICE"), ("a:x", "NAME:PRICE"),
                        (f"{menu.classes[0]}:1", "already")):  # fmt: skip
        result = softcost(*menu.fit, "--action", words)
        assert result.exit_code == 2
        assert text in result.stderr


def test_the_riskiest_rows_are_those_in_doubt(kept, menu, softcost, tmp_path):
    every, few = tmp_path / "every.csv", tmp_path / "few.csv"
    for model, key, sign in ((kept[0], "expected_cost", -1), (menu.model, None, 1)):
        assert softcost("predict", model, menu.data, "-o", every).exit_code == 0
        result = softcost("predict", model, menu.data, "-o", few, "--top", "7",
                          "--rows-at-once", "11")  # fmt: skip
        assert result.exit_code == 0, result.output
        whole, part = pd.read_csv(every), pd.read_csv(few)
        assert len(part) == 7
        if key is None:
            scores = np.sort(whole.filter(like="score_").to_numpy(), axis=1)
            risk = scores[:, -1] - scores[:, -2]
        else:
            risk = whole[key].to_numpy()
        order = np.argsort(sign * risk, kind="stable")[:7]
        np.testing.assert_array_equal(part["row"], order + 1)
        assert part["prediction"].tolist() == whole["prediction"].iloc[order].tolist()
    result = softcost("predict", menu.model, menu.data, "--top", "3", "--no-scores")
    assert result.exit_code == 2
