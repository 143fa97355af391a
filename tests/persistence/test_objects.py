"""What objects are taken apart into, and what is made of it again.

`test_schemas` compares whole models; here is what few models have.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from softcost.persistence import types_softcost
from softcost.persistence.archive import NotCovered
from softcost.persistence.codec import Builder, Reader, Writer, registry
from softcost.persistence.schema import Record
from softcost.persistence.types_softcost import Shape, shape_of
from softcost.search import LeastCost, LeastError, MaxOfBoth, Tolerance
from softcost.svm import KernelSVC

X = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [3.0, 0.0]] * 3)
Y = np.array([0, 1, 1, 0] * 3)


def take(value):
    """What is written of an object's fitted state."""
    return registry()[type(value).__name__].take(value)


def make(name, params, fitted):
    """An object of a type, from what a file holds."""
    return registry()[name].build(params, fitted)


def columns(**options):
    return ColumnTransformer([("a", MinMaxScaler(), [1])], **options)


def boosted(**options):
    return HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1, **options)


# An object that is not covered, and a word of the reason.
NOT_COVERED = [
    (columns(remainder="passthrough").fit(X), "with a remainder"),
    (columns(transformer_weights={"a": 2.0}).fit(X), "with weights"),
    (SimpleImputer(add_indicator=True).fit(X), "with an indicator"),
    (OneHotEncoder(drop="first").fit(X), "that drops"),
    (OneHotEncoder(dtype=np.float32).fit(X), "another type than"),
    (
        CalibratedClassifierCV(DummyClassifier(), method="isotonic", cv=2).fit(X, Y),
        "that is not sigmoid",
    ),
    (DecisionTreeClassifier().fit(X, np.c_[Y, Y]).tree_, "several out"),
]
NEW = [
    columns(), SimpleImputer(), OneHotEncoder(), boosted(), CalibratedClassifierCV(),
    KNeighborsClassifier(), KernelSVC(),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(NOT_COVERED)))
def test_what_is_not_covered(number):
    value, words = NOT_COVERED[number]
    with pytest.raises(NotCovered, match=words):
        take(value)


@pytest.mark.parametrize("number", range(len(NEW)))
def test_what_is_not_fitted(number):
    value = NEW[number]
    assert take(value) is None
    schema = registry()[type(value).__name__]
    node = schema.write(value, Writer(()))
    assert node["fitted"] is None
    record = schema.read(node, Reader(None, ()))
    found = schema.build(Builder(()).build(record.params), None)
    assert type(found) is type(value)
    assert repr(found) == repr(value)
    assert set(vars(found)) == set(vars(value))


def test_trees_of_another_version():
    """Whose nodes hold more, or less."""
    tree = DecisionTreeClassifier().fit(X, Y).tree_
    state = tree.__getstate__()
    names = list(state["nodes"].dtype.names)
    more = np.zeros(3, [(name, int) for name in [*names, "other"]])
    less = np.zeros(3, [(name, int) for name in names[1:]])
    for nodes in (more, less):
        other = SimpleNamespace(
            __getstate__=lambda nodes=nodes: state | {"nodes": nodes}, n_outputs=1
        )
        with pytest.raises(NotCovered, match="of another version"):
            registry()["Tree"].take(other)
    model = boosted().fit(X, Y)
    nodes = model._predictors[0][0].nodes
    for names in ([*nodes.dtype.names, "other"], nodes.dtype.names[1:]):
        model._predictors[0][0].nodes = np.zeros(3, [(name, int) for name in names])
        with pytest.raises(NotCovered, match="of another version"):
            take(model)


def test_machines_with_another_certificate(monkeypatch):
    machines = KernelSVC().fit(X, Y)._machines
    assert "certificate_steps" in take(machines)
    monkeypatch.setattr(types_softcost, "_CERTIFICATE", {"steps": "i8"})
    with pytest.raises(NotCovered, match="a certificate of another form"):
        take(machines)


def test_curves_begin_and_end_where_their_steps_do():
    fitted = {"method": "isotonic", "present": np.array([0, 1]), "beta": None}
    curve = np.array([[0.0, 1.0, 4.0], [0.1, 0.5, 0.9]])
    calibration = make("Calibration", {}, fitted | {"curves": [curve]})
    scores = np.array([-9, 0, 0.5, 1, 4, 9.0])
    found = calibration.probabilities(np.c_[-scores, scores])[:, 1]
    np.testing.assert_allclose(found, [0.1, 0.1, 0.3, 0.5, 0.9, 0.9])
    slope = {"method": "sigmoid", "curves": [np.array([[-2.0], [1.0]])]}
    calibration = make("Calibration", {}, fitted | slope)
    found = calibration.probabilities(np.c_[-scores, scores])[:, 1]
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-2 * scores + 1)))


def test_columns_find_their_places_again():
    several = ColumnTransformer(
        [("a", MinMaxScaler(), [1, 3]), ("b", "passthrough", [0])]
    )
    wide = np.c_[X, X, X]
    for value in (several.fit(wide), several.set_params(n_jobs=2).fit(wide)):
        taken = take(value)
        given = {"transformers": several.transformers}
        found = make("ColumnTransformer", given, dict(taken))
        for name in (
            "output_indices_", "_transformer_to_input_indices", "_columns",
            "sparse_output_", "n_features_in_", "_remainder", "transformers_",
        ):  # fmt: skip
            assert repr(getattr(found, name)) == repr(getattr(value, name)), name
        assert found.n_jobs is None
        assert np.array_equal(found.transform(wide), value.transform(wide))
    all_ = ColumnTransformer([("a", MinMaxScaler(), [0, 1])]).fit(X)
    found = make("ColumnTransformer", {"transformers": []}, take(all_))
    assert len(found.transformers_) == len(all_.transformers_)


def machines(kind, model=None, **fitted):
    return Record(kind, {}, {"model": model} | fitted, {"d": 4})


def test_who_makes_which_machines():
    linear = Record("LinearModels", {}, {}, {})
    landmarks = Record("LandmarkModels", {}, {"kernel": "rbf"}, {})
    for found, wanted in (
        (
            machines("Machines", vectors=1, kernel="stump"),
            Shape(("KernelSVC", "OneSidedSVR"), 4, "stump"),
        ),
        (
            machines("Machines", vectors=None, kernel="precomputed"),
            Shape(("KernelSVC", "OneSidedSVR"), None, "precomputed"),
        ),
        (
            machines("LinearMachines", linear),
            Shape(("LinearClassifier", "OneSidedLinear"), 4, "linear"),
        ),
        (
            machines("LinearMachines", landmarks),
            Shape(("NystroemClassifier", "OneSidedNystroem"), 4, "rbf"),
        ),
    ):
        assert shape_of(found) == wanted


@pytest.mark.parametrize(
    "name", [one.name for one in registry().values() if "model_selection" in one.module]
)
def test_ways_to_split_come_back(name):
    schema = registry()[name]
    value = schema.load()(n_splits=4, random_state=None)
    found = schema.read(schema.write(value, Writer(())), Reader(None, ()))
    assert repr(schema.build(found.params, found.fitted)) == repr(value)


def test_small_parts_come_back():
    for name, given in (("OneClass", 3), ("Constant", -2.5), ("Constant", np.inf)):
        schema = registry()[name]
        value = schema.load()(given)
        found = schema.read(schema.write(value, Writer(())), Reader(None, ()))
        made = schema.build(found.params, found.fitted)
        assert repr(vars(made)) == repr(vars(value))
    for value in (LeastCost(), LeastError(), MaxOfBoth(), Tolerance("1se")):
        schema = registry()[type(value).__name__]
        found = schema.read(schema.write(value, Writer(())), Reader(None, ()))
        assert schema.build(found.params, found.fitted) == value
