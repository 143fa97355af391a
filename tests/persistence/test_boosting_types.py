"""Boosted trees of XGBoost and CatBoost are saved without trusting their formats."""

import contextlib
import copy
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from crafted import at, npy, opened, places, signed
from sklearn.datasets import load_iris

import softcost
from softcost import CostSensitiveOneVsOne, MinimumExpectedCost, RegressionOneVsAll
from softcost.persistence import ModelFileError

# LightGBM 4.5 with scikit-learn 1.6
pytestmark = [
    pytest.mark.filterwarnings("ignore:The LGBM"),
    pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed"),
]
PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
QUIET = {"iterations": 3, "verbose": 0, "allow_writing_files": False, "random_state": 0}


def xgboost(name, **params):
    library = pytest.importorskip("xgboost")
    return getattr(library, name)(n_estimators=3, random_state=0, **params)


def catboost(name, **params):
    return getattr(pytest.importorskip("catboost"), name)(**QUIET, **params)


MODELS = {
    "xgboost": lambda: MinimumExpectedCost(xgboost("XGBClassifier")),
    "xgboost, pruned": lambda: CostSensitiveOneVsOne(
        xgboost("XGBClassifier", gamma=2, num_parallel_tree=2, subsample=0.5)
    ),
    "xgboost, costs": lambda: RegressionOneVsAll(xgboost("XGBRegressor", max_depth=9)),
    "catboost": lambda: MinimumExpectedCost(catboost("CatBoostClassifier")),
    "catboost, pairs": lambda: CostSensitiveOneVsOne(catboost("CatBoostClassifier")),
    "catboost, costs": lambda: RegressionOneVsAll(catboost("CatBoostRegressor")),
}
# What prediction does not use.
FREE = {"gain", "hessian", "weight"}


def rows(frame=True):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return pd.DataFrame(X, columns=["a", "b", 'c"\n', "d"]) if frame else X, y


@pytest.fixture(params=list(MODELS), scope="module")
def saved(request, tmp_path_factory):
    """A fitted model, rows, and its file."""
    X, y = rows(frame="pairs" not in request.param)
    model = MODELS[request.param]().set_params(cost_matrix=PRICES).fit(X, y)
    path = tmp_path_factory.mktemp("boosting") / "model"
    softcost.save(model, path)
    return model, X, path


def test_models_come_back_as_they_were(saved, tmp_path):
    model, X, path = saved
    loaded = softcost.load(path)
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            mine, theirs = getattr(model, method)(X), getattr(loaded, method)(X)
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_allclose(
        model.feature_importances_, loaded.feature_importances_, rtol=1e-6
    )
    assert repr(loaded.get_params()) == repr(model.get_params())
    softcost.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def predicts_or_is_refused(path, X):
    """Whether a file is refused; compiled code must survive it otherwise."""
    try:
        model = softcost.load(path)
    except ModelFileError:
        return False
    errors: tuple[type[Exception], ...] = (ValueError, TypeError)
    if "_catboost" in sys.modules:
        errors = (*errors, sys.modules["_catboost"].CatBoostError)
    with contextlib.suppress(errors):
        model.predict(X)
    return True


def tree_fields(structure):
    """Place of every fitted field of the first boosted trees of a file."""
    for path in places(structure):
        node = at(structure, path)
        if isinstance(node, dict) and {"sizes", "depths"} & set(node):
            return path
    raise AssertionError("no trees")


@pytest.mark.parametrize("saved", ["xgboost", "catboost"], indirect=True)
def test_every_field_is_needed_and_no_other(saved, tmp_path):
    _, X, path = saved
    manifest, members = opened(path.read_bytes())
    structure = json.loads(members["structure.json"])
    place = tree_fields(structure)

    def accepted(change):
        changed = copy.deepcopy(structure)
        change(at(changed, place))
        bad = members | {"structure.json": json.dumps(changed).encode()}
        (tmp_path / "bad").write_bytes(signed(manifest, bad))
        return predicts_or_is_refused(tmp_path / "bad", X)

    assert not accepted(lambda node: node.update(extra=1))
    for field in at(structure, place):
        assert not accepted(lambda node, field=field: node.pop(field)), field
        for wrong in ({}, -7, "x", [[1]]):
            if field == "scale" and wrong == -7:
                continue
            assert not accepted(lambda n, f=field, w=wrong: n.update({f: w})), field
    for field in ("n_classes", "n_features"):
        if field in at(structure, place):
            assert not accepted(lambda n, f=field: n.update({f: n[f] + 1})), field


@pytest.mark.parametrize("saved", ["xgboost, pruned", "catboost"], indirect=True)
def test_damaged_arrays_are_refused_or_predict(saved, tmp_path):
    """Numbers of nodes, features and borders beyond what there is never get through."""
    _, X, path = saved
    manifest, members = opened(path.read_bytes())
    structure = json.loads(members["structure.json"])
    fields = at(structure, tree_fields(structure))
    rng = np.random.default_rng(0)
    for field, node in fields.items():
        if not isinstance(node, dict):
            continue
        member = f"arrays/{node['array']}.npy"
        values = np.load(io.BytesIO(members[member]))
        damaged = [values[:-1], values[None], values.astype(complex)]
        if values.dtype.kind == "f":
            spoilt = values.copy()
            spoilt[-1] = np.nan
            damaged += [] if field in FREE else [spoilt]
        for wrong in damaged:
            file = signed(manifest, members | {member: npy(wrong)})
            (tmp_path / "bad").write_bytes(file)
            assert not predicts_or_is_refused(tmp_path / "bad", X), field
        for _ in range(5):
            wrong = values.copy()
            if wrong.dtype.kind != "f":
                place, most = rng.integers(len(wrong)), len(values) + 3
                wrong[place] = rng.choice([rng.integers(most), most, 2**31 - 1, 255])
            else:
                rng.shuffle(wrong)
            file = signed(manifest, members | {member: npy(wrong)})
            (tmp_path / "bad").write_bytes(file)
            predicts_or_is_refused(tmp_path / "bad", X)


def test_a_tree_with_too_many_levels(tmp_path):
    X, y = rows(frame=False)
    model = MinimumExpectedCost(xgboost("XGBClassifier")).fit(X, y > 0)
    softcost.save(model, tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    fields = at(
        structure := json.loads(members["structure.json"]), tree_fields(structure)
    )
    n_trees, levels = 3, 10**5
    inner = np.arange(levels)
    left = np.full(2 * levels + 1, -1)
    left[2 * inner] = 2 * inner + 1
    left = np.where(np.arange(len(left)) % 2 == 0, left, -1)
    right = np.where(left >= 0, left + 1, -1)
    chain = {
        "sizes": np.full(n_trees, len(left)),
        "left": np.tile(left, n_trees),
        "right": np.tile(right, n_trees),
    }
    for field, node in fields.items():
        if not isinstance(node, dict) or field == "base_score":
            continue
        member = f"arrays/{node['array']}.npy"
        old = np.load(io.BytesIO(members[member]))
        new = chain.get(field, np.zeros(n_trees * len(left)))
        members[member] = npy(new.astype(old.dtype))
    (tmp_path / "bad").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError, match="levels"):
        softcost.load(tmp_path / "bad")


@pytest.mark.parametrize(
    "learner",
    [
        lambda: xgboost("XGBClassifier", booster="dart"),
        lambda: xgboost("XGBClassifier", objective="binary:hinge"),
        lambda: catboost("CatBoostClassifier", grow_policy="Depthwise"),
        lambda: catboost("CatBoostClassifier", loss_function="CrossEntropy"),
    ],
)
def test_other_models_need_trust(learner, tmp_path):
    X, y = rows(frame=False)
    model = CostSensitiveOneVsOne(learner(), cost_matrix=PRICES).fit(X, y)
    with pytest.raises(ValueError, match="name its types in trusted"):
        softcost.save(model, tmp_path / "model")


@pytest.mark.parametrize(
    "others", [{"num_threads": 10**6}, {"verbose": "0 num_threads=9"}, {1: 2}, [1]]
)
def test_parameters_of_lightgbm_cannot_be_smuggled_in(others, tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = rows(frame=False)
    learner = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1)
    softcost.save(RegressionOneVsAll(learner).fit(X, y), tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    structure = json.loads(members["structure.json"])
    pairs = [[key, value] for key, value in others.items()] if others != [1] else None
    for path in places(structure):
        node = at(structure, path)
        if isinstance(node, dict) and "_other_params" in node:
            node["_other_params"] = others if pairs is None else {"dict": pairs}
    members["structure.json"] = json.dumps(structure).encode()
    (tmp_path / "bad").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError, match="_other_params"):
        softcost.load(tmp_path / "bad")
