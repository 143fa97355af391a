"""Saved searches: what is shown of them and chosen on is checked as well."""

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from crafted import ODD, at, npy, opened, places, signed
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import softcost
from softcost import (
    Budget,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    SoftCostClassifierCV,
)
from softcost.linear import LinearClassifier
from softcost.persistence import ModelFileError

PRICES = np.array([[0, 1, 5], [2, 0, 5], [9, 8, 0]])
NAMES = np.array(["a", "b", "c"])


def rows():
    X, y = load_iris(return_X_y=True)
    return X[::5], y[::5]


def kept():
    """Of a race with a budget, with a model of every candidate and a mix of two."""
    X, y = rows()
    search = SoftCostClassifierCV(
        CostSensitiveOneVsOne(LinearClassifier()), cost_matrix=PRICES, softness=2,
        cv=2, param_grid={"C": [1.0]}, criterion=Budget(error=0.9), time_limit=600,
    ).fit(X, NAMES[y])  # fmt: skip
    search.keep_candidates([0, 1]).mix(0.9)
    search.skipped_ = pd.DataFrame(
        {"family": [None, "x"], "params": ["C=1", ""], "why": ["slow", "slower"]}
    )
    return search


def families():
    """With costs by example and families by name, as they are chosen for a table."""
    X, y = rows()
    reductions = [
        ("pairs", CostSensitiveOneVsOne(LinearClassifier())),
        ("tree", MinimumExpectedCost(DecisionTreeClassifier(random_state=0))),
    ]
    search = SoftCostClassifierCV(
        reductions, softness=2, cv=2, param_grid={"pairs": {"C": [1.0]}, "tree": {}}
    ).fit(X, NAMES[y], costs=PRICES[y])
    search.portfolio_ = pd.DataFrame(
        {"family": ["pairs", "no"], "used": [True, False], "why": ["", "too large"]}
    )
    search.selection_penalty_ = np.arange(4.0)
    return search.keep_candidates()


SEARCHES = {"kept": kept, "families": families}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Manifest, members and structure of the file of each search."""
    path, found = tmp_path_factory.mktemp("searches") / "model", {}
    for name, make in SEARCHES.items():
        softcost.save(make(), path)
        manifest, members = opened(path.read_bytes())
        found[name] = manifest, members, json.loads(members["structure.json"])
    return found


def changed(file, change):
    """A file whose fitted fields, and arrays, a function has changed."""
    manifest, members, structure = file
    structure, members = copy.deepcopy(structure), dict(members)
    change(structure["fitted"], members)
    return signed(
        manifest, members | {"structure.json": json.dumps(structure).encode()}
    )


def entry(node, key):
    """The pair of a dict in a file that has this key."""
    return next(pair for pair in node["dict"] if pair[0] == key)


def column(fitted, name):
    return fitted["tradeoff_"]["names"].index(name)


def lacks(field, key):
    """Take a key out of a dict."""

    def change(fitted, members):
        node = fitted[field]
        node["dict"].remove(entry(node, key))

    return change


def says(field, key, value):
    def change(fitted, members):
        entry(fitted[field], key)[1] = value

    return change


def puts(field, value):
    return lambda fitted, members: fitted.update({field: value})


def renamed(old, new):
    def change(fitted, members):
        fitted["tradeoff_"]["names"][column(fitted, old)] = new

    return change


def retyped(name, dtype):
    def change(fitted, members):
        number = fitted["tradeoff_"]["frame"][column(fitted, name)]["array"]
        members[f"arrays/{number}.npy"] = npy(np.zeros(2, dtype))

    return change


def no_candidates(fitted, members):
    fitted["tradeoff_"] = {"frame": [], "names": [], "index": 0}


def params_of(position, change):
    def changes(fitted, members):
        change(entry(fitted["cv_results_"], "params")[1], position)

    return changes


def short_scores(fitted, members):
    number = entry(fitted["cv_results_"], "mean_test_score")[1]["array"]
    members[f"arrays/{number}.npy"] = npy(np.zeros(1))


def model_of_other_classes(fitted, members):
    """One of the kept models answers with other words."""
    one = fitted["candidates_"]["dict"][0][1]
    number = one["fitted"]["classes_"]["array"]
    members[f"arrays/{number}.npy"] = npy(np.array(["x", "y", "z"]))


def other_side(fitted, members):
    """A part of a mix that is no reduction."""
    fitted["mix_"]["params"]["first"] = fitted["mix_"]["params"]["first"]["params"][
        "learner"
    ]


def swapped_rows(number):
    def change(fitted, members):
        fitted["candidates_"]["dict"][0][0] = number

    return change


def told(field, name, cells):
    def change(fitted, members):
        place = fitted[field]["names"].index(name)
        fitted[field]["frame"][place] = cells

    return change


BAD = {
    "no softness": ("kept", renamed("softness", "hardness")),
    "a name twice": ("kept", renamed("C", "cost")),
    "a name that is a number": ("kept", renamed("C", 7)),
    "no errors": ("kept", renamed("g_mean_se", "other")),
    "complex costs": ("kept", retyped("cost", bool)),
    "a front of numbers": ("kept", retyped("on_front", float)),
    "no front": ("kept", renamed("on_front", "front")),
    "no candidates": ("kept", no_candidates),
    "no results": ("kept", puts("cv_results_", None)),
    "results by number": ("kept", puts("cv_results_", {"dict": [[1, 2]]})),
    "no parameters": ("kept", lacks("cv_results_", "params")),
    "parameters of one": ("kept", params_of(0, lambda ones, at: ones.pop(at))),
    "a text for parameters": (
        "kept", params_of(0, lambda ones, at: ones.__setitem__(at, "x"))
    ),
    "parameters without softness": (
        "kept", params_of(1, lambda ones, at: ones.__setitem__(at, {"dict": []}))
    ),
    "no scores": ("kept", lacks("cv_results_", "mean_test_score")),
    "scores of one": ("kept", short_scores),
    "no chosen parameters": ("kept", puts("best_params_", [])),
    "a chosen softness of text": ("kept", says("best_params_", "softness", "0")),
    "a chosen softness that is true": ("kept", says("best_params_", "softness", True)),
    "no constant": ("kept", puts("constant_", None)),
    "a constant of a strange class": ("kept", says("constant_", "label", "x")),
    "a constant of lists": ("kept", says("constant_", "label", [])),
    "a constant without a cost": ("kept", lacks("constant_", "cost")),
    "a constant without errors": ("kept", says("constant_", "error", None)),
    "no guarantee": ("kept", puts("guarantee_", [])),
    "neither met nor missed": ("kept", lacks("guarantee_", "met")),
    "met and missed": ("kept", says("guarantee_", "missing", "all")),
    "missed without a word": ("kept", says("guarantee_", "met", False)),
    "passed by a stranger": ("kept", says("guarantee_", "passed", [2])),
    "passed by a truth value": ("kept", says("guarantee_", "passed", [True])),
    "passed by no list": ("kept", says("guarantee_", "passed", None)),
    "limits of text": ("kept", says("guarantee_", "limits", ["error"])),
    "no limits": ("kept", lacks("guarantee_", "limits")),
    "prices by class, paid by row": ("kept", lambda fitted, members: fitted.update(
        realised_cost_=members.__setitem__("arrays/9999.npy", npy(np.zeros((2, 3, 3))))
        or {"array": 9999})),
    "a choice after the last": ("kept", puts("best_index_", 2)),
    "a choice before the first": ("kept", puts("best_index_", -1)),
    "nothing kept": ("kept", puts("candidates_", {"dict": []})),
    "kept in a list": ("kept", puts("candidates_", [])),
    "kept by no row": ("kept", swapped_rows(2)),
    "kept by a negative row": ("kept", swapped_rows(-1)),
    "kept by a word": ("kept", swapped_rows("0")),
    "kept by a truth value": ("kept", swapped_rows(True)),
    "kept is no model": ("kept", lambda fitted, members:
                         fitted["candidates_"]["dict"][0].__setitem__(1, 3)),
    "kept with other classes": ("kept", model_of_other_classes),
    "mixed with a learner": ("kept", other_side),
    "skipped in a list": ("kept", puts("skipped_", [])),
    "skipped without a reason": ("kept", lambda fitted, members:
                                 fitted["skipped_"]["names"].__setitem__(2, "who")),
    "skipped for numbers": (
        "kept", told("skipped_", "why", {"objects": [1, 2], "shape": [2]})
    ),
    "families of numbers": (
        "families", told("tradeoff_", "family", {"objects": [1] * 4, "shape": [4]})
    ),
    "used by a word": (
        "families", told("portfolio_", "used", {"objects": ["x", "y"], "shape": [2]})
    ),
    "paid for nobody": ("families", lambda fitted, members: members.update(
        {f"arrays/{fitted['realised_cost_']['array']}.npy": npy(np.zeros((9, 3, 3)))})),
    "paid in words": ("families", puts("realised_cost_", "much")),
    "a penalty for one": ("families", lambda fitted, members: members.update(
        {f"arrays/{fitted['selection_penalty_']['array']}.npy": npy(np.zeros(1))})),
    "an infinite penalty": ("families", lambda fitted, members: members.update(
        {f"arrays/{fitted['selection_penalty_']['array']}.npy":
         npy(np.full(4, np.inf))})),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BAD))
def test_tables_of_another_form(name, files, tmp_path):
    search, change = BAD[name]
    (tmp_path / "bad").write_bytes(changed(files[search], change))
    with pytest.raises(ModelFileError, match="cannot be read as a model") as caught:
        softcost.load(tmp_path / "bad")
    assert "\n" not in str(caught.value)
    assert "attribute" not in str(caught.value)  # refused, not stumbled over


TOLD = (
    "tradeoff_", "cv_results_", "constant_", "guarantee_", "best_params_", "skipped_",
    "portfolio_", "realised_cost_", "candidates_", "selection_penalty_",
    "best_score_", "best_softness_",
    "refit_time_", "n_samples_", "n_splits_",
)  # fmt: skip


@pytest.mark.parametrize("name", list(SEARCHES))
def test_what_is_accepted_can_be_shown_and_chosen_on(name, files, tmp_path):
    """Whatever odd value stands somewhere, there is no half of a search."""
    manifest, members, structure = files[name]
    every = [path for path in places(structure["fitted"])
             if len(path) < 7 and path and path[0] in TOLD]  # fmt: skip
    rng, accepted = np.random.default_rng(0), 0
    for path in [every[number] for number in rng.permutation(len(every))[:150]]:
        odd = ODD[rng.integers(len(ODD))]
        bad = copy.deepcopy(structure)
        at(bad["fitted"], path[:-1])[path[-1]] = odd
        content = json.dumps(bad).encode()
        (tmp_path / "model").write_bytes(
            signed(manifest, members | {"structure.json": content})
        )
        try:
            search = softcost.load(tmp_path / "model")
        except ModelFileError:
            continue
        accepted += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.predict(rows()[0])
            search.choose("constrained", max_error=0.3)
            search.to_html(tmp_path / "page.html")
    assert accepted > 5


@pytest.mark.parametrize("name", list(SEARCHES))
def test_searches_come_back_with_all_that_they_keep(name, files, tmp_path):
    manifest, members, _ = files[name]
    (tmp_path / "model").write_bytes(signed(manifest, members))
    found, X = softcost.load(tmp_path / "model"), rows()[0]
    wanted = SEARCHES[name]()
    assert found.candidates_.keys() == wanted.candidates_.keys()
    for row, one in wanted.candidates_.items():
        assert np.array_equal(found.candidates_[row].predict(X), one.predict(X))
    for table in ("tradeoff_", "skipped_", "portfolio_"):
        if hasattr(wanted, table):
            pd.testing.assert_frame_equal(
                getattr(found, table), getattr(wanted, table), check_dtype=False
            )
    if name == "families":
        assert np.array_equal(found.realised_cost_, wanted.realised_cost_)
        assert np.array_equal(found.selection_penalty_, wanted.selection_penalty_)
