"""Nobody's file crashes the process, takes its memory or reads its files."""

import copy
import importlib
import io
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from crafted import ROOM, crafted, npy, opened, outcome, outcomes, signed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import softcost
from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MinimumExpectedCost,
    OneSidedBoosting,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
)
from softcost.linear import LinearClassifier, NystroemClassifier, OneSidedNystroem
from softcost.persistence import ModelFileError
from softcost.persistence.skops_types import ESTIMATORS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork")
EXPECTED = ("refused", "predicts", "raises")
PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]


def rows():
    X, y = load_iris(return_X_y=True)
    return X[::3], y[::3]


MODELS = {
    "search": SoftCostClassifierCV(
        OneSidedRegression(),
        cost_matrix=PRICES,
        softness=2,
        cv=2,
        param_grid={"C": [1.0]},
    ),
    "machines": KernelSVC(),
    "one-sided": OneSidedRegression(cost_matrix=PRICES),
    "tournament": FilterTree(cost_matrix=PRICES),
    "forest": MinimumExpectedCost(RandomForestClassifier(3, random_state=0)),
    "boosting": CostSensitiveOneVsOne(
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)
    ),
    "lightgbm": OneSidedRegression(
        OneSidedBoosting(n_estimators=3, min_child_samples=5), cost_matrix=PRICES
    ),
    "calibrated": MinimumExpectedCost(CalibratedClassifierCV(KernelSVC(), cv=2)),
    "actions": CostSensitiveOneVsOne(
        cost_matrix=[[*row, 0.5] for row in PRICES], actions=["ask"]
    ),
    "temperature": MinimumExpectedCost(calibration="temperature"),
    "isotonic": MinimumExpectedCost(KernelSVC(), calibration="isotonic"),
    "sigmoid": MinimumExpectedCost(KernelSVC(), calibration="sigmoid"),
    "neighbours": MinimumExpectedCost(KNeighborsClassifier()),
    "other": RegressionOneVsAll(Lasso(0.01), cost_matrix=PRICES),
    "linear": CostSensitiveOneVsOne(LinearClassifier(), cost_matrix=PRICES),
    "landmarks": NystroemClassifier("rbf", n_landmarks=9),
    "landmark costs": OneSidedRegression(
        OneSidedNystroem(n_landmarks=9), cost_matrix=PRICES
    ),
}


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The bytes of a file of every model."""
    folder, (X, y) = tmp_path_factory.mktemp("models"), rows()
    found = {}
    for name, model in MODELS.items():
        softcost.save(model.fit(X, y), folder / name)
        found[name] = (folder / name).read_bytes()
    return found


@pytest.mark.parametrize(
    "seeds", [range(5), pytest.param(range(5, 20), marks=pytest.mark.slow)], ids=len
)
def test_crafted_files_are_refused_or_predict(contents, tmp_path, seeds):
    good = [tmp_path / name for name in contents]
    for path, content in zip(good, contents.values(), strict=True):
        path.write_bytes(content)
    bad = [tmp_path / f"{name} {seed}" for name in contents for seed in seeds]
    for path in bad:
        name, _, seed = path.name.rpartition(" ")
        path.write_bytes(crafted(contents[name], int(seed)))
    found = dict(zip([*good, *bad], outcomes([*good, *bad], rows()[0]), strict=True))
    assert {found[path] for path in good} == {"predicts"}
    wrong = {path.name: one for path, one in found.items() if one not in EXPECTED}
    assert not wrong
    assert sum(found[path] == "refused" for path in bad) > len(bad) / 2


def changed_array(content, wanted, change):
    """A file in which arrays of a shape and type are changed."""
    manifest, members = opened(content)
    hits = 0
    for name in [name for name in members if name.endswith(".npy")]:
        values = np.load(io.BytesIO(members[name]))
        if wanted(values):
            members[name] = npy(change(values.copy()))
            hits += 1
    assert hits
    return signed(manifest, members)


def put(place, number):
    def change(values):
        values.flat[place] = number
        return values

    return change


FAR = {
    "a child far away": ("forest", lambda v: v.dtype == int and (v == -1).any(),
                         put(0, 10**9)),
    "a feature far away": ("boosting", lambda v: v.dtype == int and v.ndim == 1
                           and len(v) > 3 and v.max() < 4, put(0, 10**9)),
    "a loop": ("boosting", lambda v: v.dtype == int and v.ndim == 1 and len(v) > 8,
               lambda v: v * 0),
    "vectors of fewer features": ("machines", lambda v: v.dtype == np.float32,
                                  lambda v: v[:, :2].copy()),
    "vectors of more features": ("one-sided", lambda v: v.dtype == np.float32,
                                 lambda v: np.tile(v, 100)),
    "doubles as singles": ("machines", lambda v: v.dtype == np.float32,
                           lambda v: v.astype(float)),
    "landmarks of fewer features": ("landmarks", lambda v: v.dtype == np.float32,
                                    lambda v: v[:, :2].copy()),
    "fewer landmarks": ("landmarks", lambda v: v.dtype == np.float32,
                        lambda v: v[:3].copy()),
    "a centre of one feature": ("landmark costs", lambda v: v.shape == (4,),
                                lambda v: v[:1].copy()),
    "more features in each": ("linear", lambda v: v.shape == (4, 3),
                              lambda v: np.tile(v, (100, 1))),
    "fewer machines": ("linear", lambda v: v.shape in ((4, 3), (3,)),
                       lambda v: v[..., :2].copy()),
    "infinite vectors": ("machines", lambda v: v.dtype == np.float32,
                         put(0, np.inf)),
    "no class of this number": ("tournament", lambda v: v.shape == (2, 3)
                                and v.dtype == int, put(0, 77)),
}  # fmt: skip


def all_refused(folder, files):
    """Whether every file is refused, in processes of their own."""
    paths = [folder / str(number) for number in range(len(files))]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content)
    found = dict(zip(files, outcomes(paths, rows()[0]), strict=True))
    assert set(found.values()) == {"refused"}, found
    for path in paths:
        with pytest.raises(ModelFileError, match="cannot be read as a model"):
            softcost.load(path)


def test_numbers_that_machine_code_would_follow(contents, tmp_path):
    files = {
        name: changed_array(contents[model], wanted, change)
        for name, (model, wanted, change) in FAR.items()
    }
    all_refused(tmp_path, files)


TEXTS = {
    "left_child=": "left_child=999999 ",
    "split_feature=": "split_feature=999999 ",
    "num_leaves=": "num_leaves=9",
    "leaf_value=": "leaf_value=nan ",
    "tree_sizes=": "tree_sizes=99999999 ",
    "decision_type=": "decision_type=1 ",
    "num_cat=0": "num_cat=5",
    "is_linear=0": "is_linear=1",
    "num_class=1": "num_class=9",
    "max_feature_idx=": "max_feature_idx=9",
    "threshold=": "threshold=--",
    "end of trees": "end of tre",
}


def test_texts_that_lightgbm_would_follow(contents, tmp_path):
    def changed(line):
        def change(values):
            text = values.tobytes().decode()
            assert line in text
            return np.frombuffer(text.replace(line, TEXTS[line], 1).encode(), np.uint8)

        return change

    files = {
        line: changed_array(
            contents["lightgbm"], lambda values: values.dtype == np.uint8, changed(line)
        )
        for line in TEXTS
    }
    all_refused(tmp_path, files)


def with_part(content, part):
    """A file whose part in skops' format is another one."""
    manifest, members = opened(content)
    name = next(name for name in members if name.endswith(".skops"))
    return signed(manifest, members | {name: part})


def schema_file(state):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("schema.json", json.dumps({"protocol": 2, **state}))
    return file.getvalue()


def parts():
    X, y = rows()
    node = {"__class__": "dtype", "__module__": "numpy", "content": None}
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b"[" + b" " * 10**8 + b"]")
    wide = schema_file({"a": [[]] * 10**6})
    return {
        "a loader that does not fit": schema_file({"__loader__": "LossNode", **node}),
        "an object of another": schema_file({"__loader__": "ObjectNode", **node}),
        "a function": schema_file(
            {"__loader__": "FunctionNode", "__class__": "system", "__module__": "os"}
        ),
        "a reader of files": skops.io.dumps(CountVectorizer(input="filename")),
        "machines of libsvm": skops.io.dumps(SVC().fit(X, y)),
        "a bomb": bomb.getvalue(),
        "many lists": wide,
        "not a zip": b"PK" * 100,
    }


def test_parts_that_skops_must_not_see(contents, tmp_path):
    files = {name: with_part(contents["other"], part) for name, part in parts().items()}
    all_refused(tmp_path, files)


def test_a_module_beside_the_model_is_not_imported(contents, tmp_path, monkeypatch):
    """Which skops does, up to 0.15, before it asks whether the type is trusted."""
    (tmp_path / "beside.py").write_text("raise SystemExit('this ran')")
    monkeypatch.syspath_prepend(tmp_path)
    node = {"__class__": "Learner", "__module__": "beside", "content": None}
    for loader in ("ObjectNode", "TypeNode", "FunctionNode", "MethodNode"):
        part = schema_file({"__loader__": loader, **node})
        (tmp_path / "model").write_bytes(with_part(contents["other"], part))
        with pytest.raises(ModelFileError):
            softcost.load(tmp_path / "model")
        assert "beside" not in sys.modules


def test_estimators_without_a_schema_travel_if_they_are_harmless(tmp_path):
    X, y = rows()
    path = tmp_path / "model"
    for learner in (GaussianNB(), LogisticRegression(max_iter=500)):
        model = MinimumExpectedCost(learner, cost_matrix=PRICES).fit(X, y)
        softcost.save(model, path)
        found = softcost.load(path)
        assert np.array_equal(found.decision_function(X), model.decision_function(X))
    model = CostSensitiveOneVsOne(SVC(), cost_matrix=PRICES).fit(X, y)
    with pytest.raises(ValueError, match=r"not allowed, sklearn\.svm.*trusted"):
        softcost.save(model, path)
    softcost.save(model, path, trusted=[SVC])
    with pytest.raises(ModelFileError, match=r"not allowed, sklearn\.svm"):
        softcost.load(path)
    found = softcost.load(path, trusted=["sklearn.svm._classes.SVC"])
    assert np.array_equal(found.predict(X), model.predict(X))


LISTED = [(module, name) for module, names in ESTIMATORS.items() for name in names]


@pytest.mark.parametrize(("module", "name"), LISTED)
@pytest.mark.filterwarnings("ignore")  # of fits to so few rows
def test_every_listed_estimator_travels(module, name, tmp_path):
    X, y = rows()
    made = getattr(importlib.import_module(module), name)
    model = make_pipeline(GaussianNB()) if name == "Pipeline" else made()
    given = y if name == "LabelBinarizer" else X
    model.fit(y) if name == "LabelBinarizer" else model.fit(X, y)
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    use = "predict" if hasattr(model, "predict") else "transform"
    assert np.array_equal(getattr(found, use)(given), getattr(model, use)(given))


def test_categories_that_a_search_would_not_find(tmp_path):
    """Or a column far away would be written to."""
    X, y = rows()
    model = make_pipeline(OneHotEncoder(sparse_output=False), LogisticRegression())
    softcost.save(model.fit(X[:, :1].round(), y), tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    known = model[0].categories_[0]
    spoilt = changed_array(
        content, lambda v: np.array_equal(v, known), lambda v: v[::-1].copy()
    )
    all_refused(tmp_path, {"order": spoilt})


def test_what_is_no_estimator_has_no_place_among_them(contents, tmp_path):
    manifest, members = opened(contents["forest"])
    structure = json.loads(members["structure.json"])
    forest = structure["fitted"]["estimator_"]
    structure["fitted"]["estimator_"] = forest["fitted"]["estimators_"][0]["fitted"][
        "tree_"
    ]
    members["structure.json"] = json.dumps(structure).encode()
    (tmp_path / "model").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError, match="Tree"):
        softcost.load(tmp_path / "model")


def test_a_reader_of_files_cannot_be_smuggled_in(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("top secret words")
    reader = CountVectorizer(input="filename").fit([str(secret)])
    path = tmp_path / "model"
    model = make_pipeline(reader, LogisticRegression())
    model.fit([str(secret)] * 4, [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"not allowed, .*CountVectorizer"):
        softcost.save(model, path)


def test_lists_that_would_take_gigabytes(contents, tmp_path):
    """What JSON takes in memory is bounded before it is parsed."""
    manifest, members = opened(contents["machines"])
    wide = b'{"type": [' + b"[]," * 2_500_000 + b"[]]}"
    (tmp_path / "a").write_bytes(signed(manifest, members | {"structure.json": wide}))
    notes = {"notes": {"a": [[]] * 2_500_000}}
    (tmp_path / "b").write_bytes(signed(manifest | notes, members))
    assert outcomes([tmp_path / "a", tmp_path / "b"], rows()[0]) == ["refused"] * 2


GUESSES = {
    "classes": (DummyClassifier(strategy="uniform"), {"n_classes_": 10**8}, {}),
    "outputs": (DummyClassifier(strategy="prior"), {"n_outputs_": 10**8}, {}),
    "answers": (
        DummyClassifier(strategy="constant", constant=1), {}, {"constant": [1] * 10**5},
    ),
    "sparse": (DummyClassifier(strategy="prior"), {"sparse_output_": True}, {}),
    "means": (DummyRegressor(), {"n_outputs_": 10**8}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(GUESSES))
def test_guesses_that_would_take_gigabytes(name, tmp_path):
    """They are repeated for every row, as often as the file says."""
    model, fitted, params = GUESSES[name]
    softcost.save(model.fit(*rows()), tmp_path / "model")
    manifest, members = opened((tmp_path / "model").read_bytes())
    structure = json.loads(members["structure.json"])
    structure["fitted"] |= fitted
    structure["params"] |= params
    members["structure.json"] = json.dumps(structure).encode()
    (tmp_path / "model").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError):
        softcost.load(tmp_path / "model")


def test_an_array_cannot_be_used_twice(contents, tmp_path):
    """Or a small file could be made into a large model."""
    manifest, members = opened(contents["machines"])
    structure = json.loads(members["structure.json"])
    fitted = structure["fitted"]["_machines"]["fitted"]
    fitted["offset"] = fitted["intercept"]
    members["structure.json"] = json.dumps(structure).encode()
    (tmp_path / "model").write_bytes(signed(manifest, members))
    with pytest.raises(ModelFileError, match="twice"):
        softcost.load(tmp_path / "model")


@pytest.mark.parametrize("how", ["pipe", "device"])
def test_pipes_and_devices_are_no_models(how, tmp_path):
    path = tmp_path / "model"
    if how == "pipe":
        os.mkfifo(path)
    else:
        path = "/dev/zero"
    with pytest.raises(ModelFileError, match="pipe or a device"):
        softcost.load(path)


WATCH = """
import sys
import numpy as np, pandas as pd
import softcost, softcost.persistence.codec, lightgbm
import sklearn.ensemble._hist_gradient_boosting.gradient_boosting, skops.io
X = np.load("rows.npy")
names = sys.argv[1:]
for name in names:
    softcost.load(name).predict(X)  # imports and compiled code are read once
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event in (
    "open", "socket.connect", "subprocess.Popen", "os.system", "ctypes.dlopen"
) else None)
for name in names:
    softcost.load(name).predict(X)
print([one for one in opened if isinstance(one, str)])
"""


def test_nothing_but_the_model_is_opened(contents, tmp_path):
    np.save(tmp_path / "rows.npy", rows()[0])
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", WATCH, *contents]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == str(list(contents)), done.stdout + done.stderr


def test_predictions_and_memory_of_a_large_model(tmp_path):
    """The limit that crafted files are held to leaves room for real ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 200))
    model = OneSidedRegression().fit(X, rng.integers(0, 3, 1500))
    softcost.save(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size > 10**6
    assert outcome(tmp_path / "model", X[:50]) == "predicts"
    assert ROOM == 200 * 2**20


def test_odd_tables_as_parameters(tmp_path):
    """Names of rows and columns of every plain kind."""
    X, y = rows()
    prices = pd.DataFrame(PRICES, index=[0, 1, 2], columns=[0, 1, 2], dtype=float)
    state = np.random.RandomState(3)
    state.normal()
    model = OneSidedRegression(cost_matrix=prices, random_state=state).fit(X, y)
    softcost.save(model, tmp_path / "model")
    found = softcost.load(tmp_path / "model")
    pd.testing.assert_frame_equal(found.cost_matrix, prices)
    assert found.random_state.normal() == state.normal()


def test_a_refusal_is_one_sentence_that_names_the_field(tmp_path):
    """Whatever the field; elsewhere tests only look for the name of the field."""
    X, y = load_iris(return_X_y=True)
    softcost.save(OneSidedRegression().fit(X, y), tmp_path / "m")
    manifest, members = opened((tmp_path / "m").read_bytes())
    structure = json.loads(members["structure.json"])
    for part in ("params", "fitted"):
        for name in structure[part]:
            bad = copy.deepcopy(structure)
            bad[part][name] = {"nonsense": 1}
            changed = {"structure.json": json.dumps(bad).encode()}
            (tmp_path / "bad").write_bytes(signed(manifest, members | changed))
            with pytest.raises(ModelFileError) as caught:
                softcost.load(tmp_path / "bad")
            message = str(caught.value)
            assert name in message
            assert message.endswith(".")
            assert "\n" not in message
