"""Schemas: models come back as they were, and every field of every type counts."""

import copy
import io
import json
import warnings
from collections import UserList
from functools import cache

import lightgbm
import numpy as np
import pandas as pd
import pytest
from crafted import at, npy, opened, places, signed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import softcost
from softcost import (
    Budget,
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MetaCost,
    MinimumExpectedCost,
    OneSidedBoosting,
    OneSidedRegression,
    OneSidedSVR,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    StochasticEnsembleBoosting,
)
from softcost.learners import BoostedTrees
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.persistence import ModelFileError
from softcost.persistence.codec import registry
from softcost.reductions import BlendedClassifier, ClippedTargetRegressor, SoftmaxScores
from softcost.tables import DenseFeatures, TableEncoder

# LightGBM 4.5 with scikit-learn 1.6
pytestmark = [
    pytest.mark.filterwarnings("ignore:The LGBM"),
    pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed"),
]
PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]


def rows():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])
    return pd.DataFrame(X[::5], columns=list("abcd")), names[y[::5]]


def search(**options):
    grid = {"C": [1.0]}
    return SoftCostClassifierCV(
        OneSidedRegression(),
        cost_matrix=PRICES,
        softness=2,
        cv=2,
        param_grid=grid,
        **options,
    )


BOOSTED = {"max_iter": 2, "min_samples_leaf": 2}
MODELS = {
    "search": lambda: search(),
    "budget": lambda: search(criterion=Budget(error=0.9)),
    "folds": lambda: search().set_params(cv=StratifiedKFold(2)),
    "actions": lambda: search().set_params(
        cost_matrix=[[*row, 0.5] for row in PRICES], actions=["ask"]
    ),
    "table": lambda: make_pipeline(TableEncoder(), LinearClassifier()),
    "coded table": lambda: make_pipeline(
        TableEncoder({"a": "nominal", "b": "number"}, output="codes"),
        DenseFeatures([0]),
        LinearClassifier(),
    ),
    "texts": lambda: make_pipeline(
        TableEncoder({"a": "text", "b": "number"}), LinearClassifier()
    ),
    "encoded table": lambda: make_pipeline(
        TableEncoder({"a": "nominal", "b": "number"}), LinearClassifier()
    ),
    "KernelSVC": lambda: KernelSVC("rbf"),
    "OneSidedSVR": lambda: OneSidedSVR(),
    "LinearClassifier": lambda: LinearClassifier(),
    "OneSidedLinear": lambda: OneSidedLinear(),
    "NystroemClassifier": lambda: NystroemClassifier(n_landmarks=5),
    "OneSidedNystroem": lambda: OneSidedNystroem(n_landmarks=5),
    "osr": lambda: OneSidedRegression(cost_matrix=PRICES),
    "linear osr": lambda: OneSidedRegression(OneSidedLinear()),
    "landmarks": lambda: OneSidedRegression(OneSidedNystroem(n_landmarks=5)),
    "csovo": lambda: CostSensitiveOneVsOne(LogisticRegression()),
    "tree": lambda: FilterTree(LinearClassifier(), cost_matrix=PRICES),
    "other": lambda: RegressionOneVsAll(Lasso(0.01)),
    "ridge": lambda: RegressionOneVsAll(Ridge()),
    "clipped": lambda: OneSidedRegression(
        ClippedTargetRegressor(DecisionTreeRegressor(max_depth=2))
    ),
    "lightgbm": lambda: OneSidedRegression(
        OneSidedBoosting(n_estimators=2, min_child_samples=5), cost_matrix=PRICES
    ),
    "boosted trees": lambda: MinimumExpectedCost(
        BoostedTrees(n_estimators=2, min_child_samples=5)
    ),
    "gbse": lambda: StochasticEnsembleBoosting(n_rounds=2, random_state=0),
    "linear gbse": lambda: StochasticEnsembleBoosting(
        LinearClassifier(), n_rounds=2, random_state=0
    ),
    "metacost": lambda: MetaCost(
        DecisionTreeClassifier(), n_resamples=2, random_state=0
    ),
    "costing": lambda: Costing(KNeighborsClassifier(), n_draws=2, random_state=0),
    "forest": lambda: MinimumExpectedCost(RandomForestClassifier(2, random_state=0)),
    "more trees": lambda: MinimumExpectedCost(ExtraTreesClassifier(2, random_state=0)),
    "trees of costs": lambda: RegressionOneVsAll(
        ExtraTreesRegressor(2, random_state=0)
    ),
    "neighbours": lambda: RegressionOneVsAll(KNeighborsRegressor()),
    "boosting": lambda: MinimumExpectedCost(HistGradientBoostingClassifier(**BOOSTED)),
    "boosted costs": lambda: RegressionOneVsAll(
        HistGradientBoostingRegressor(**BOOSTED)
    ),
    "gradient boosting": lambda: MinimumExpectedCost(
        GradientBoostingClassifier(n_estimators=2)
    ),
    "gradient-boosted costs": lambda: RegressionOneVsAll(
        GradientBoostingRegressor(n_estimators=2, init="zero")
    ),
    "LGBMClassifier": lambda: MinimumExpectedCost(
        lightgbm.LGBMClassifier(n_estimators=2, min_child_samples=5, verbose=-1)
    ),
    "LGBMRegressor": lambda: RegressionOneVsAll(
        lightgbm.LGBMRegressor(n_estimators=2, min_child_samples=5, verbose=-1)
    ),
    "calibrated": lambda: MinimumExpectedCost(
        CalibratedClassifierCV(LinearClassifier(), cv=2)
    ),
    "blend": lambda: MinimumExpectedCost(
        BlendedClassifier(
            [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier())],
            random_state=0,
        )
    ),
    "margins": lambda: MinimumExpectedCost(
        SoftmaxScores(OneSidedRegression(softness=1.0))
    ),
    "guess": lambda: MinimumExpectedCost(DummyClassifier(strategy="prior")),
    "mean costs": lambda: RegressionOneVsAll(DummyRegressor()),
    "temperature": lambda: MinimumExpectedCost(calibration="temperature"),
    "isotonic": lambda: MinimumExpectedCost(LinearClassifier(), calibration="isotonic"),
    "sigmoid": lambda: MinimumExpectedCost(LinearClassifier(), calibration="sigmoid"),
    "frozen": lambda: MinimumExpectedCost(
        FrozenEstimator(LogisticRegression().fit(*rows()))
    ),
    "columns": lambda: make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(), MinMaxScaler()), ["a", "b"]),
            (StandardScaler(), ["c"]),
            (OneHotEncoder(sparse_output=False, max_categories=3,
                           handle_unknown="ignore"), ["d"]),
        ),
        LogisticRegression(),
    ),
    "column numbers": lambda: make_pipeline(
        make_column_transformer((MinMaxScaler(), [0, 3])), LinearClassifier()
    ),
}  # fmt: skip
# Types and checks of these are those of others.
ALIKE = {
    "budget", "folds", "OneSidedSVR", "OneSidedLinear", "OneSidedNystroem",
    "linear osr", "landmarks", "other", "clipped", "linear gbse", "more trees",
    "trees of costs", "boosted costs", "sigmoid", "gradient-boosted costs",
    "LGBMRegressor",
}  # fmt: skip
DIFFERENT = [name for name in MODELS if name not in ALIKE]
VALUES = ("OneSidedSVR", "OneSidedLinear", "OneSidedNystroem")


@cache
def fitted(name):
    """A model; a function makes it, so that each test fits its own."""
    X, y = rows()
    if name in ("column numbers", "gbse"):
        X = X.to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MODELS[name]().fit(X, X["a"] if name in VALUES else y), X


@cache
def content(name, folder):
    softcost.save(fitted(name)[0], folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("schemas")


# What only a fit looks at, and a loaded model has in another form.
FIT_ONLY = (
    "bin_thresholds_", "n_threads", "model.ensemble", "model.cv", "booster_",
    "_class_map", "_best_score", "_Booster", "constant_hessian",
    "space.basis", "summary_",
)  # fmt: skip


def same(mine, theirs, path=""):
    """Whether two values are equal in all that both keep."""
    if path.endswith(FIT_ONLY):
        return
    if isinstance(mine, UserList):  # of columns, in older versions of scikit-learn
        mine = mine.data
    if isinstance(mine, np.ndarray) and path.endswith(".estimators_"):
        mine, theirs = mine.ravel().tolist(), theirs.ravel().tolist()
    if isinstance(mine, np.ndarray):
        assert mine.dtype.kind == theirs.dtype.kind, path
        np.testing.assert_array_equal(mine, theirs, err_msg=path)
    elif isinstance(mine, pd.DataFrame):
        pd.testing.assert_frame_equal(mine, theirs, check_dtype=False)
    elif isinstance(mine, list | tuple):
        assert type(mine) is type(theirs), path
        assert len(mine) == len(theirs), path
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            same(one, other, f"{path}.{number}")
    elif isinstance(mine, dict):
        assert mine.keys() == theirs.keys(), path
        for name, one in mine.items():
            same(one, theirs[name], f"{path}.{name}")
    elif isinstance(mine, float | int | str | slice | None):
        assert mine == theirs or (mine != mine and theirs != theirs), path
    elif hasattr(mine, "__dict__"):
        assert type(mine) is type(theirs), path
        for name in {*vars(mine)} & {*vars(theirs)}:
            same(vars(mine)[name], vars(theirs)[name], f"{path}.{name}")


@pytest.mark.parametrize("name", list(MODELS))
def test_models_come_back_as_they_were(name, folder):
    content(name, folder)
    (folder / "model").write_bytes(content(name, folder))
    (model, X), loaded = fitted(name), softcost.load(folder / "model")
    assert type(loaded) is type(model)
    for use in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, use):
            mine, theirs = getattr(model, use)(X), getattr(loaded, use)(X)
            assert np.array_equal(mine, theirs)
    same(model, loaded, name)
    assert repr(loaded.get_params()) == repr(model.get_params())
    if name != "other":  # skops numbers parts by where they are in memory
        softcost.save(loaded, folder / "again")
        assert (folder / "again").read_bytes() == content(name, folder)


def test_every_type_is_in_some_model(folder):
    """A new schema has to be added above."""
    seen = set()
    for name in MODELS:
        _, members = opened(content(name, folder))
        structure = json.loads(members["structure.json"])
        nodes = [at(structure, path) for path in places(structure)]
        seen |= {node["type"] for node in nodes if isinstance(node, dict)
                 and isinstance(node.get("type"), str)}  # fmt: skip
    alike = {  # made by the same function as one that is there, or only parameters
        "WeightedAllPairs", "ZhouLiuRescaling", "RandomForestRegressor",
        "KFold", "GroupKFold", "StratifiedGroupKFold", "ShuffleSplit",
        "StratifiedShuffleSplit", "LeastCost", "LeastError", "MaxOfBoth", "Tolerance",
        "Constant", "OneClass", "RandomizedPair",
        # in test_boosting_types.py, since they are optional
        "XGBClassifier", "XGBRegressor", "CatBoostClassifier", "CatBoostRegressor",
    }  # fmt: skip
    assert set(registry()) - seen <= alike


def is_refused(path):
    """Whether a file is refused; nothing but a refusal is raised."""
    try:
        softcost.load(path)
    except ModelFileError:
        return True
    return False


# Arrays of which a file may say what it likes, by what is done to them: tables that
# nothing is predicted from, NaN where no row had a weight, what a fit has counted.
TOLD = {"SoftCostClassifierCV.cv_results_", "LogisticRegression.n_iter_",
        "MetaCost.relabelled_"}  # fmt: skip
BOOSTED_TREES = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
SCORES = {f"{one}.{name}" for one in (*BOOSTED_TREES, "GradientBoostingClassifier")
          for name in ("train_score_", "validation_score_")}  # fmt: skip
FREE = {
    "shorter": TOLD | SCORES | {"Calibration.present"},
    "deeper": TOLD | {"Ridge.coef_"},
    "negative": TOLD | {"SoftCostClassifierCV.tradeoff_", "Machines.certificate_steps"},
    "not finite": TOLD | SCORES | {
        "SoftCostClassifierCV.tradeoff_", "Machines.intercept", "Machines.offset",
        "Machines.certificate_intercept", "Machines.certificate_violation",
        "Machines.certificate_dual_gap", "Machines.certificate_objective",
        "LinearModels.intercept", "LandmarkModels.coef", "LinearMachines.certificate",
        "LinearMachines.gap", *(f"{one}.gain" for one in BOOSTED_TREES),
        *(f"MinMaxScaler.{name}" for name in (
            "scale_", "min_", "data_min_", "data_max_", "data_range_")),
        "SimpleImputer.statistics_", "OneHotEncoder.categories_",
    },
    "of another type": set(),
}  # fmt: skip


def changed_arrays(values):
    """What may be done to an array, by name."""
    if values.ndim:
        yield "deeper", values[None]
        yield "shorter", values[:-1] if len(values) else np.zeros(1)
    if values.dtype.kind == "f" and values.size:
        spoilt = values.copy()
        spoilt.flat[-1] = np.nan
        yield "not finite", spoilt
    if values.dtype.kind == "i" and values.size:
        spoilt = values.copy()
        spoilt.flat[-1] = -5
        yield "negative", spoilt
    if values.dtype.kind in "if":
        yield "of another type", values.astype(np.complex128)


def learnt_arrays(structure):
    """Field and number of every array that fitting learns, one of each field."""
    found = {}
    for path in places(structure):
        node = at(structure, path)
        sides = [key for key in path if key in ("params", "fitted")]
        if isinstance(node, dict) and set(node) == {"array"} and sides[-1] == "fitted":
            last = max(place for place, key in enumerate(path) if key == "fitted")
            kind = at(structure, path[:last])["type"]
            found[f"{kind}.{path[last + 1]}"] = node["array"]
    return found.items()


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_array_is_looked_at(name, folder):
    manifest, members = opened(content(name, folder))
    accepted = {how: set() for how in FREE}
    for field, number in learnt_arrays(json.loads(members["structure.json"])):
        member = f"arrays/{number}.npy"
        for how, values in changed_arrays(np.load(io.BytesIO(members[member]))):
            (folder / "bad").write_bytes(
                signed(manifest, members | {member: npy(values)})
            )
            if not is_refused(folder / "bad"):
                accepted[how].add(field)
    for how, fields in accepted.items():
        assert fields <= FREE[how], how


# What need not be there: names of features, and what only some fits have.
OPTIONAL = {
    "feature_names_in_", "n_iter_", "solver_", "relabelled_", "_sklearn_output_config",
    "refit_time_", "portfolio_", "holdout_confusion_", "mix_", "best_estimator_",
    "_calibration", "_columns", "n_classes_", "n_features_in_", "realised_cost_",
    "skipped_", "prior_", "costs_by_row_", "breaks_ties_", "encoder_",
    "candidates_",
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_field_is_needed_and_no_other(name, folder):
    manifest, members = opened(content(name, folder))
    structure = json.loads(members["structure.json"])

    def refused(path, change):
        changed = copy.deepcopy(structure)
        change(at(changed, path))
        bad = members | {"structure.json": json.dumps(changed).encode()}
        (folder / "bad").write_bytes(signed(manifest, bad))
        assert is_refused(folder / "bad"), path

    seen = set()
    for path in places(structure):
        node = at(structure, path)
        if not isinstance(node, dict) or "type" not in node or node["type"] in seen:
            continue
        seen.add(node["type"])
        refused(path, lambda one: one.update(extra=1))
        refused(path, lambda one: one["params"].update(extra=1))
        refused(path, lambda one: one.update(type="Stranger"))
        refused(path, lambda one: one.update(params=[]))
        if node["fitted"] is None:
            continue
        refused(path, lambda one: one["fitted"].update(extra=1))
        refused(path, lambda one: one.update(fitted=[]))
        for field in set(node["fitted"]) - OPTIONAL:
            refused(path, lambda one, field=field: one["fitted"].pop(field))
