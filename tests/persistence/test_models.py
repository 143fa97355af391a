"""Models on disk: the same answers elsewhere, and no doubtful file."""

import hashlib
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

import softcost
from softcost import (
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
    WeightedAllPairs,
    ZhouLiuRescaling,
    reductions,
)
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.persistence import ModelFileError, describe
from softcost.persistence.archive import archive, unarchive
from softcost.persistence.codec import registry
from softcost.persistence.manifest import FORMAT
from softcost.persistence.skops_types import ESTIMATORS

NAMES = ["plain iris", "Ünïcode ✓", "c,d"]
PRICES = pd.DataFrame([[0, 1, 5], [2, 0, 5], [9, 8, 0.0]], index=NAMES, columns=NAMES)

ASKING = PRICES.assign(ask=0.5)


def rows():
    """A third of iris as a table with a column of words, and string labels."""
    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame(X[::3].copy(), columns=["a", "b b", "ç", "d"])
    return table, np.array(NAMES)[y[::3]]


def search(reduction=None, **options):
    grid = options.pop("param_grid", {"C": [1.0, 16.0]})
    reduction = OneSidedRegression() if reduction is None else reduction
    return SoftCostClassifierCV(
        reduction, cost_matrix=PRICES, softness=3, cv=2, param_grid=grid, **options
    )


SEARCHES = {
    "search": search(),
    "search and pipeline": make_pipeline(MinMaxScaler(), search(FilterTree())),
    "search of linear": search(CostSensitiveOneVsOne(LogisticRegression())),
    "search of linear machines": search(OneSidedRegression(OneSidedLinear())),
    "search of landmarks": search(OneSidedRegression(OneSidedNystroem(n_landmarks=9))),
    "search of expected": search(MinimumExpectedCost(), param_grid={}),
    "search with actions": search().set_params(cost_matrix=ASKING),
    "columns": make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), ["a", "d"]),
            (OneHotEncoder(sparse_output=False), ["b b"]),
        ),
        search(),
    ),
}
REDUCTIONS = {
    "OneSidedRegression": OneSidedRegression(),
    "CostSensitiveOneVsOne": CostSensitiveOneVsOne(),
    "WeightedAllPairs": WeightedAllPairs(),
    "FilterTree": FilterTree(),
    "ZhouLiuRescaling": ZhouLiuRescaling(),
    "RegressionOneVsAll": RegressionOneVsAll(),
    "pairs with actions": CostSensitiveOneVsOne(
        LogisticRegression(), cost_matrix=ASKING
    ),
    "tree with actions": FilterTree(
        cost_matrix=ASKING, order=[*NAMES[1:], "ask", NAMES[0]]
    ),
    "expected cost with actions": MinimumExpectedCost(
        cost_matrix=ASKING.to_numpy(), classes=NAMES, actions=[5]
    ),
    "MetaCost": MetaCost(n_resamples=3, random_state=0),
    "StochasticEnsembleBoosting": StochasticEnsembleBoosting(
        n_rounds=3, random_state=0
    ),
    "Costing": Costing(),
    "MinimumExpectedCost": MinimumExpectedCost(),
    "one-sided boosting": OneSidedRegression(
        OneSidedBoosting(n_estimators=3, min_child_samples=5)
    ),
    "boosting": CostSensitiveOneVsOne(HistGradientBoostingClassifier(max_iter=3)),
    "boosted costs": OneSidedRegression(HistGradientBoostingRegressor(max_iter=3)),
    "ridge": RegressionOneVsAll(Ridge()),
    "forest": MinimumExpectedCost(RandomForestClassifier(3, random_state=0)),
    "calibrated": MinimumExpectedCost(CalibratedClassifierCV(KernelSVC(), cv=2)),
    "temperature": MinimumExpectedCost(calibration="temperature"),
    "isotonic": MinimumExpectedCost(
        RandomForestClassifier(3, random_state=0), calibration="isotonic"
    ),
    "sigmoid": MinimumExpectedCost(KernelSVC(), calibration="sigmoid"),
    "neighbours": CostSensitiveOneVsOne(
        Costing(KNeighborsClassifier()), random_state=0
    ),
    "linear costs": OneSidedRegression(OneSidedLinear()),
    "linear pairs": CostSensitiveOneVsOne(LinearClassifier()),
    "linear rounds": StochasticEnsembleBoosting(
        LinearClassifier(loss="logistic"), n_rounds=3, random_state=0
    ),
    "linear tree": FilterTree(LinearClassifier()),
    "landmark costs": RegressionOneVsAll(OneSidedNystroem(n_landmarks=9)),
    "landmark pairs": WeightedAllPairs(NystroemClassifier("rbf", n_landmarks=9)),
    "landmark rounds": StochasticEnsembleBoosting(
        NystroemClassifier("linear", n_landmarks=9), n_rounds=3, random_state=0
    ),
}
REGRESSORS = {
    "OneSidedSVR": OneSidedSVR(),
    "OneSidedLinear": OneSidedLinear(),
    "OneSidedNystroem": OneSidedNystroem(n_landmarks=9, gamma=0.5),
}
MACHINES = REGRESSORS | {
    "KernelSVC": KernelSVC(),
    "LinearClassifier": LinearClassifier(),
    "NystroemClassifier": NystroemClassifier(n_landmarks=9, random_state=None),
    "machine in a pipeline": make_pipeline(MinMaxScaler(), KernelSVC(kernel="rbf")),
}
MODELS = SEARCHES | REDUCTIONS | MACHINES
ELSEWHERE = (
    *SEARCHES,
    "FilterTree",
    "one-sided boosting",
    "boosting",
    "ridge",
    "forest",
    "OneSidedSVR",
)


@pytest.fixture(scope="module")
def fitted():
    """Every model, fitted once."""
    X, y = rows()
    for name, model in MODELS.items():
        if name in REDUCTIONS and "actions" not in name:
            model.set_params(cost_matrix=PRICES)
        model.fit(X, X["a"] if name in REGRESSORS else y)
    return MODELS


def answers(model):
    X, _ = rows()
    out = [model.predict(X)]
    if hasattr(model, "decision_function"):
        out.append(model.decision_function(X))
    return out


def test_no_reduction_is_forgotten():
    public = {
        name
        for name in reductions.__all__
        if isinstance(getattr(reductions, name), type)
        and issubclass(getattr(reductions, name), reductions.Reduction)
    }
    assert public - {"Reduction", "FlatReduction"} <= set(REDUCTIONS)


@pytest.mark.parametrize("name", list(MODELS))
def test_loaded_model_is_the_same(fitted, name, tmp_path):
    model, path = fitted[name], tmp_path / "model"
    softcost.save(model, path)
    loaded = softcost.load(path)
    assert type(loaded) is type(model)
    for mine, theirs in zip(answers(model), answers(loaded), strict=True):
        assert mine.dtype.kind == theirs.dtype.kind
        assert np.array_equal(mine, theirs)
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_loaded_machines_have_all_their_attributes(fitted, tmp_path):
    for name, machine in MACHINES.items():
        if name == "machine in a pipeline":
            continue
        softcost.save(machine, tmp_path / "model")
        mine, theirs = vars(machine), vars(softcost.load(tmp_path / "model"))
        assert set(mine) == set(theirs)
        for attribute in set(mine) - {"_machines"}:
            assert np.array_equal(mine[attribute], theirs[attribute]), attribute


def test_a_machine_that_did_not_converge_is_told_of_once(tmp_path):
    X, y = rows()
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1 or tol"):
        machine = LinearClassifier(tol=1e-12, max_iter=1).fit(X, y)
    softcost.save(machine, tmp_path / "model")
    assert not softcost.load(tmp_path / "model").converged_.all()


@pytest.mark.parametrize(
    ("learner", "params"),
    [
        (LinearClassifier(), {"type": "KernelSVC", "params": {}}),
        (LinearClassifier(), {"type": "NystroemClassifier", "params": {}}),
        (NystroemClassifier("rbf"), {"params": {"kernel": "linear"}}),
        (KernelSVC(), {"type": "LinearClassifier", "params": {}}),
    ],
)
def test_machines_of_another_learner_are_refused(learner, params, tmp_path):
    X, y = rows()
    for model, where in (
        (learner, lambda node: node),
        (CostSensitiveOneVsOne(learner), lambda node: node["params"]["learner"]),
    ):
        softcost.save(model.fit(X, y), tmp_path / "model")
        manifest, members = opened((tmp_path / "model").read_bytes())
        structure = json.loads(members["structure.json"])
        where(structure).update(params)
        members["structure.json"] = json.dumps(structure).encode()
        (tmp_path / "model").write_bytes(signed(manifest, members))
        with pytest.raises(ModelFileError):
            softcost.load(tmp_path / "model")


def test_another_process_predicts_bit_for_bit(fitted, tmp_path):
    X, _ = rows()
    np.save(tmp_path / "rows.npy", X.to_numpy())
    wanted = {}
    for number, name in enumerate(ELSEWHERE):
        model = fitted[name]
        softcost.save(model, tmp_path / f"{number}.model")
        digest = hashlib.sha256()
        for part in answers(model):
            digest.update(part.astype("U30" if part.dtype.kind in "UO" else float))
        wanted[f"{number}.model"] = (name, digest.hexdigest())
    program = (
        "import hashlib, json, sys\n"
        "import numpy as np, pandas as pd\n"
        "import softcost\n"
        "X = pd.DataFrame(np.load('rows.npy'), columns=['a', 'b b', 'ç', 'd'])\n"
        "for name in sys.argv[1:]:\n"
        "    model, digest = softcost.load(name), hashlib.sha256()\n"
        "    parts = [model.predict(X)]\n"
        "    if hasattr(model, 'decision_function'):\n"
        "        parts.append(model.decision_function(X))\n"
        "    for part in parts:\n"
        "        words = part.dtype.kind in 'UO'\n"
        "        digest.update(part.astype('U30' if words else float))\n"
        "    print(name, digest.hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *wanted],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    found = dict(line.split() for line in done.stdout.splitlines())
    assert found == {name: digest for name, (_, digest) in wanted.items()}


def test_loaded_search_keeps_its_table_but_not_the_training_data(fitted, tmp_path):
    model = fitted["search"]
    softcost.save(model, tmp_path / "model")
    model.candidate(0)  # the saved one is as it was
    loaded = softcost.load(tmp_path / "model")
    pd.testing.assert_frame_equal(loaded.tradeoff_, model.tradeoff_)
    assert np.array_equal(loaded.confusion_, model.confusion_)
    with pytest.raises(ValueError, match="has no training data"):
        loaded.choose("max")


def test_training_rows_do_not_travel(tmp_path):
    """A number that only one row has is not to be found where no machine needs it."""
    X, y = rows()
    X.loc[7, "a"] = 1234.56789
    model = search(CostSensitiveOneVsOne(LogisticRegression())).fit(X, y)
    softcost.save(model, tmp_path / "model")
    assert np.float64(1234.56789).tobytes() not in (tmp_path / "model").read_bytes()


def test_manifest_says_what_the_model_is(fitted, tmp_path):
    path = tmp_path / "model"
    softcost.save(fitted["columns"], path, notes={"target": "kind", "n": np.int64(3)})
    with ZipFile(path) as file:
        assert file.testzip() is None
        text = file.read("manifest.json").decode()
        stored = {name: file.read(name) for name in file.namelist()[1:]}
    manifest = json.loads(text, parse_constant=pytest.fail)
    assert manifest == describe(path)
    last = fitted["columns"][-1]
    assert manifest["format"] == FORMAT
    assert manifest["softcost"] == softcost.__version__
    assert manifest["classes"] == last.classes_.tolist() == sorted(NAMES)
    assert manifest["costs"] == PRICES.loc[sorted(NAMES), sorted(NAMES)].values.tolist()
    assert manifest["softness"] == last.best_softness_
    assert manifest["params"] == last.best_params_
    assert manifest["features"]["names"] == ["a", "b b", "ç", "d"]
    assert manifest["features"]["dtypes"] == {
        "a": "float64",
        "d": "float64",
        "b b": "str",
    }
    columns, table = manifest["tradeoff"]["columns"], manifest["tradeoff"]["rows"]
    assert columns == list(last.tradeoff_)
    assert len(table) == len(last.tradeoff_)
    assert manifest["notes"] == {"target": "kind", "n": 3}
    assert manifest["checksums"] == digests(stored)
    assert not any(name.endswith(".skops") for name in stored)


def digests(members):
    return {
        name: hashlib.sha256(content).hexdigest() for name, content in members.items()
    }


def test_costs_in_the_manifest(fitted, tmp_path):
    X, y = rows()
    softcost.save(fitted["KernelSVC"], tmp_path / "model")
    assert describe(tmp_path / "model")["costs"] is None
    costs = np.ones((len(y), 3)) - np.eye(3)[np.unique(y, return_inverse=True)[1]]
    model = OneSidedRegression().fit(X, y, costs=costs)
    softcost.save(model, tmp_path / "model")
    assert describe(tmp_path / "model")["costs"] == "by example"
    inner = SoftCostClassifierCV(
        OneSidedRegression(cost_matrix=PRICES.to_numpy(), classes=NAMES),
        softness=2, cv=2, param_grid={"C": [1.0]},
    ).fit(X, y)  # fmt: skip
    softcost.save(inner, tmp_path / "model")
    wanted = PRICES.loc[sorted(NAMES), sorted(NAMES)].values.tolist()
    assert describe(tmp_path / "model")["costs"] == wanted


@pytest.fixture(scope="module")
def content(tmp_path_factory, fitted):
    """The bytes of a small model file."""
    path = tmp_path_factory.mktemp("content") / "model"
    X, y = rows()
    softcost.save(OneSidedRegression(cost_matrix=PRICES).fit(X[::4], y[::4]), path)
    return path.read_bytes()


def test_every_truncation_is_refused(content, tmp_path):
    for length in range(len(content)):
        with pytest.raises(ModelFileError):
            unarchive(content[:length], "model")
    for length in range(0, len(content), len(content) // 20):
        (tmp_path / "model").write_bytes(content[:length])
        with pytest.raises(ValueError, match="model is not a softcost model"):
            softcost.load(tmp_path / "model")


def test_every_changed_byte_is_refused(content, tmp_path):
    changed = bytearray(content)
    for place in range(len(content)):
        changed[place] ^= 1 << (place % 8)
        with pytest.raises(ModelFileError, match=r"softcost model|damaged"):
            unarchive(bytes(changed), "model")
        changed[place] ^= 1 << (place % 8)
    assert bytes(changed) == content
    for extra in (b"\n", b"0" * 64, content):
        with pytest.raises(ModelFileError):
            unarchive(content + extra, "model")


class Trap:
    """Unpickled, it would write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def opened(content):
    """The manifest and the members of a file."""
    members = unarchive(content, "model")
    return members.manifest, {name: members.take(name) for name in members.names}


def signed(manifest, members):
    """A file whose checksums are right, whatever it holds."""
    return archive(manifest | {"checksums": digests(members)}, members)


def wrong_files(content):
    manifest, members = opened(content)
    damaged = manifest | {"checksums": digests(members) | {"structure.json": "0" * 64}}
    structure = json.loads(members["structure.json"])
    other = {"structure.json": json.dumps(OTHER).encode()}
    junk = members | {"structure.json": b"junk"}
    half = members | {"structure.json": members["structure.json"][:300]}
    more = members | {"arrays/999.npy": members["arrays/0.npy"]}
    deep = members | {"structure.json": b"[" * 100_000 + b"]" * 100_000}
    unread = members | {"arrays/0.npy": members["arrays/0.npy"][:-8]}
    stranger = members | {
        "structure.json": json.dumps(structure | {"type": "os.system"}).encode()
    }
    return {
        "empty": (b"", "not a softcost model"),
        "text": (b"a,b\n1,2\n" * 99, "not a softcost model"),
        "zip": (skops.io.dumps(LogisticRegression()), "not a softcost model"),
        "newer": (archive(manifest | {"format": FORMAT + 1}, members), "upgrade"),
        "older": (archive(manifest | {"format": 1}, members), "refit"),
        "no format": (archive({}, members), "format"),
        "true": (archive(manifest | {"format": True}, members), "format"),
        "sum": (archive(damaged, members), "do not match their checksums"),
        "no sums": (archive({"format": FORMAT}, members), "checksum"),
        "list": (archive([1], members), "no manifest"),
        "other": (signed(manifest, other), "its manifest"),
        "junk": (signed(manifest, junk), "cannot be read as a model"),
        "half": (signed(manifest, half), "cannot be read as a model"),
        "more": (signed(manifest, more), "without a reference"),
        "deep": (signed(manifest, deep), "nested too deeply"),
        "unread": (signed(manifest, unread), "header"),
        "stranger": (signed(manifest, stranger), "not allowed"),
    }


OTHER = {"type": "LeastCost", "params": {}, "fitted": {}}


@pytest.mark.parametrize("name", [
    "empty", "text", "zip", "newer", "older", "no format", "true", "sum", "no sums",
    "list", "other", "junk", "half", "more", "deep", "unread", "stranger",
])  # fmt: skip
def test_wrong_files_get_one_sentence(content, name, tmp_path):
    stored, words = wrong_files(content)[name]
    path = tmp_path / "model"
    path.write_bytes(stored)
    with pytest.raises(ModelFileError, match=words) as caught:
        softcost.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        softcost.load(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match="directory"):
        softcost.load(tmp_path)


def test_pickle_is_never_loaded(content, tmp_path):
    trap, trace = tmp_path / "trap", tmp_path / "trace"
    stored = pickle.dumps(Trap(trace))
    manifest, members = opened(content)
    for name in members:
        trap.write_bytes(signed(manifest, members | {name: stored}))
        with pytest.raises(ModelFileError):
            softcost.load(trap)
    trap.write_bytes(stored)
    with pytest.raises(ModelFileError):
        softcost.load(trap)
    assert not trace.exists()


class Stranger(ClassifierMixin, BaseEstimator):
    """A learner from somewhere else."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.ones(len(X))


def test_types_from_elsewhere_are_refused_both_ways(tmp_path):
    X, y = rows()
    model = CostSensitiveOneVsOne(Stranger()).fit(X, y)
    path = tmp_path / "model"
    path.write_text("precious")
    with pytest.raises(ValueError, match=r"not allowed, .*Stranger"):
        softcost.save(model, path)
    assert path.read_text() == "precious"
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    name = f"{Stranger.__module__}.Stranger"
    softcost.save(model, path, trusted=[name])
    with pytest.raises(ModelFileError, match=r"not allowed, .*Stranger"):
        softcost.load(path)
    loaded = softcost.load(path, trusted=[Stranger])
    assert np.array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("rule", [lambda table: 0, os.system])
def test_functions_are_not_stored(rule, tmp_path):
    X, y = rows()
    model = search().fit(X, y).set_params(criterion=rule)
    with pytest.raises(ValueError, match="holds something that a model file cannot"):
        softcost.save(model, tmp_path / "model")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("model", [KernelSVC(), make_pipeline(KernelSVC()), 3, None])
def test_only_fitted_estimators_are_saved(model, tmp_path):
    with pytest.raises(ValueError, match="fit it first"):
        softcost.save(model, tmp_path / "model")
    assert not any(tmp_path.iterdir())


def test_places_that_cannot_be_written(fitted, tmp_path):
    model = fitted["KernelSVC"]
    with pytest.raises(IsADirectoryError, match="is a directory"):
        softcost.save(model, tmp_path)
    with pytest.raises(FileNotFoundError, match="no directory"):
        softcost.save(model, tmp_path / "no" / "model")


def test_a_failed_write_leaves_the_old_file(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model"
    softcost.save(fitted["KernelSVC"], path)
    before = path.read_bytes()

    def refuse(*args):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no space left"):
        softcost.save(fitted["search"], path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_links_are_followed_and_devices_refused(fitted, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    softcost.save(fitted["KernelSVC"], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").is_file()
    with pytest.raises(OSError, match="is a device"):
        softcost.save(fitted["KernelSVC"], os.devnull)
    assert Path(os.devnull).is_char_device()


def test_equal_models_are_equal_files(content, tmp_path):
    X, y = rows()
    softcost.save(
        OneSidedRegression(cost_matrix=PRICES).fit(X[::4], y[::4]), tmp_path / "again"
    )
    assert (tmp_path / "again").read_bytes() == content


def test_metadata_requests_are_in_nobody_s_way(tmp_path):
    X, y = rows()
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
    model = CostSensitiveOneVsOne(inner, cost_matrix=PRICES).fit(X, y)
    softcost.save(model, tmp_path / "model")
    loaded = softcost.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_series_as_parameters_travel(tmp_path):
    X, y = rows()
    model = OneSidedRegression(classes=pd.Series(NAMES, name="kinds")).fit(X, y)
    softcost.save(model, tmp_path / "model")
    loaded = softcost.load(tmp_path / "model")
    pd.testing.assert_series_equal(loaded.classes, model.classes, check_dtype=False)


OPTIONAL = ("catboost", "xgboost")


def test_every_schema_has_its_class():
    """Every name can be imported: none is left over from a renaming."""
    for name, schema in registry().items():
        library = schema.module.partition(".")[0]
        if library in OPTIONAL and importlib.util.find_spec(library) is None:
            continue
        assert schema.load().__name__ == name
    for module, names in ESTIMATORS.items():
        home = __import__(module, fromlist=["*"])
        assert all(hasattr(home, name) for name in names), module


def test_votes_and_margins_are_those_of_the_fit(tmp_path):
    """Machines saved by earlier versions have votes alone, which others calibrate."""
    X, y = rows()
    model = KernelSVC().fit(X, y)
    softcost.save(model, tmp_path / "machine.softcost")
    loaded = softcost.load(tmp_path / "machine.softcost")
    np.testing.assert_array_equal(
        loaded.decision_function(X), model.decision_function(X)
    )
