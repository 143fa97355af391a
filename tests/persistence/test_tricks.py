"""Tricks with the file itself: directories, texts and counts that lie."""

import io
import json
import struct

import numpy as np
import pytest
from crafted import npy, opened, outcomes, signed
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import softcost
from softcost import (
    KernelSVC,
    MinimumExpectedCost,
    OneSidedBoosting,
    OneSidedRegression,
    SoftCostClassifierCV,
    StochasticEnsembleBoosting,
)
from softcost.persistence import ModelFileError, describe
from softcost.persistence.archive import LENGTH, Refused, closed, parse_json


def rows():
    X, y = load_iris(return_X_y=True)
    return X[::3], np.array(["a", "b", "c"])[y[::3]]


def stored(model, folder, X=None, y=None):
    """The bytes of the file of a model that is fitted to some rows."""
    known = rows()
    model.fit(known[0] if X is None else X, known[1] if y is None else y)
    softcost.save(model, folder / "good")
    return (folder / "good").read_bytes()


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return stored(KernelSVC(), tmp_path_factory.mktemp("content"))


def refused(content, folder, words):
    """One sentence, for the model and for its description."""
    (folder / "bad").write_bytes(content)
    with pytest.raises(ModelFileError, match=words) as caught:
        softcost.load(folder / "bad")
    assert "\n" not in str(caught.value)


def body(content):
    return bytearray(content[:-LENGTH])


def second(content, mark):
    """Where the header of the second member begins."""
    first = content.find(mark)
    return content.find(mark, first + 4)


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
HEADERS = {
    "no header": (LOCAL, 0, b"\0"),
    "a long extra field": (LOCAL, 28, struct.pack("<H", 60_000)),
    "a name that is no text": (LOCAL, 30, b"\xff"),
    "another sum": (CENTRAL, 16, b"\1\2\3\4"),
    "a patch": (CENTRAL, 8, b"\x20"),
    "strong encryption": (CENTRAL, 8, b"\x40"),
    "encryption": (CENTRAL, 8, b"\x01"),
    "compression": (CENTRAL, 10, b"\x08"),
    "a size of its own": (CENTRAL, 24, b"\xff\xff\xff\x7f"),
    "a place far away": (CENTRAL, 42, struct.pack("<I", 2**31)),
    "the place of another": (CENTRAL, 42, struct.pack("<I", 0)),
}


@pytest.mark.parametrize("name", list(HEADERS))
def test_headers_that_lie(content, name, tmp_path):
    mark, offset, new = HEADERS[name]
    raw = body(content)
    place = second(raw, mark) + offset
    raw[place : place + len(new)] = new
    bad = closed(bytes(raw))
    refused(bad, tmp_path, "not a softcost model")
    with pytest.raises(ModelFileError):
        describe(tmp_path / "bad")


@pytest.mark.parametrize("offset", [2**62, 2**63, 2**64 - 1])
def test_a_zip64_place_beyond_all_files(content, offset, tmp_path):
    """Python's files cannot even be asked for places from 2**63 on."""
    raw = body(content)
    entry, end = raw.rfind(CENTRAL), raw.rfind(b"PK\x05\x06")
    place = struct.pack("<HHQ", 1, 8, offset)
    raw[entry + 42 : entry + 46] = b"\xff" * 4  # see the extra field
    raw[entry + 30 : entry + 32] = struct.pack("<H", len(place))
    (size,) = struct.unpack("<I", raw[end + 12 : end + 16])
    raw[end + 12 : end + 16] = struct.pack("<I", size + len(place))
    raw[end:end] = place
    refused(closed(bytes(raw)), tmp_path, "not a softcost model")


def test_a_directory_of_too_many_members(content, tmp_path):
    """Each takes ten times as much in memory as in the file."""
    good = bytes(body(content))
    start, end = good.find(CENTRAL), good.rfind(b"PK\x05\x06")
    entry = "<4s4B4HL2L5H2L"
    plain = (CENTRAL, 20, 3, 20, *[0] * 7, 0, 4, *[0] * 6)
    names = (b"%04x" % (number % 65536) for number in range(200_000))
    extra = b"".join(struct.pack(entry, *plain) + name for name in names)
    directory, ending = good[start:end] + extra, bytearray(good[end:])
    ending[12:16] = struct.pack("<I", len(directory))
    bad = closed(good[:start] + directory + bytes(ending))
    refused(bad, tmp_path, "too many")


def test_two_members_of_one_name(content, tmp_path):
    manifest, members = opened(content)
    good = signed(manifest, members | {"arrays/0.npz": members["arrays/0.npy"]})
    raw = bytes(body(good)).replace(b"arrays/0.npz", b"arrays/0.npy")
    refused(closed(raw), tmp_path, "same name")


TEXTS = {
    "half a letter": (b'"\\ud800"', "surrogate"),
    "another encoding": ('"a"'.encode("utf-16"), "JSON"),
    "a long number": (b"[" + b"1" * 9999 + b"]", "JSON"),
    "infinity": (b"[Infinity]", "JSON"),
    "a key twice": (b'{"type": 1, "type": 2}', "duplicate"),
    "two values": (b"{} {}", "JSON"),
    "an endless exponent": (b'{"type": 1e999}', "not allowed"),
}


@pytest.mark.parametrize("name", list(TEXTS))
def test_texts_that_are_no_strict_json(content, name, tmp_path):
    manifest, members = opened(content)
    text, words = TEXTS[name]
    refused(signed(manifest, members | {"structure.json": text}), tmp_path, words)


@pytest.mark.parametrize(
    ("millions", "letter"), [(26, "😀".encode()), (66, b"\\u2713")]
)
def test_one_wide_letter_makes_a_text_wide(millions, letter):
    """Of so many letters one less wide may be."""
    text = b'"' + b"a" * millions * 2**20 + letter + b'"'
    with pytest.raises(Refused, match="too much memory"):
        parse_json(text, len(text))
    few = b'"' + b"a" * 2**20 + letter + b'"'
    assert len(parse_json(few, len(few))) == 2**20 + 1


def test_letters_of_all_widths_are_read():
    """And a backslash before a u is one."""
    for text in ("a", "é", "ж", "✓", "😀", "\\ud800", "\x1b"):
        assert parse_json(json.dumps(text, ensure_ascii=False).encode(), 0) == text


def test_halves_of_letters_in_arrays(content, tmp_path):
    manifest, members = opened(content)
    name = next(
        name for name, one in members.items()
        if name.endswith(".npy") and np.load(io.BytesIO(one)).dtype.kind == "U"
    )  # fmt: skip
    for letter in (0xD800, 0xDFFF, 0x110000):
        labels = np.load(io.BytesIO(members[name])).copy()
        labels.view("<u4")[-1] = letter
        bad = signed(manifest, members | {name: npy(labels)})
        refused(bad, tmp_path, "code points")


LINES = {
    "the text ends": "none\0",
    "another number of features": "none\rmax_feature_idx=0\rx=1",
    "other sizes": "none\rtree_sizes=99999999\rx=1",
    "a million classes": "none\rnum_class=1000000\rx=1",
    "another end of line": "none\x0b",
}


def many_vectors(content):
    """Of so many, all kernel values for some rows would take too much memory."""
    manifest, members = opened(content)
    structure = json.loads(members["structure.json"])
    fitted, many = structure["fitted"]["_machines"]["fitted"], 400_000
    for name, values in (
        ("support", np.arange(many)),
        ("vectors", np.zeros((many, 4), np.float32)),
        ("coef", np.ones((many, 3))),
    ):
        members[f"arrays/{fitted[name]['array']}.npy"] = npy(values)
    return signed(manifest, members)


def test_what_compiled_code_would_follow(content, tmp_path):
    """LightGBM ends a line at a carriage return, and the text at a zero."""
    model = OneSidedRegression(OneSidedBoosting(n_estimators=3, min_child_samples=5))
    manifest, members = opened(stored(model, tmp_path))
    paths = [tmp_path / str(number) for number in range(len(LINES))]
    for path, last in zip(paths, LINES.values(), strict=True):
        changed = {}
        for name, one in members.items():
            values = np.load(io.BytesIO(one)) if name.endswith(".npy") else np.empty(0)
            if values.dtype != np.uint8:
                continue
            head, _, trees = values.tobytes().decode().partition("\n\n")
            lines = sorted(head.split("\n")[1:], key=lambda x: "feature_infos" in x)
            before = lines[-1].rpartition(" ")[0]
            text = "\n".join(["tree", *lines[:-1], f"{before} {last}"])
            raw = f"{text}\n\n{trees}".encode()
            changed[name] = npy(np.frombuffer(raw, np.uint8).copy())
        assert changed
        path.write_bytes(signed(manifest, members | changed))
    (tmp_path / "large").write_bytes(many_vectors(content))
    found = outcomes([*paths, tmp_path / "large"], np.repeat(rows()[0], 6, axis=0))
    assert found == ["refused"] * len(LINES) + ["predicts"]


def changed(content, change):
    """A file whose structure and arrays a function changes."""
    manifest, members = opened(content)
    structure = json.loads(members["structure.json"])
    change(structure, members)
    members["structure.json"] = json.dumps(structure).encode()
    return signed(manifest, members)


def columns():
    step = ColumnTransformer([("a", MinMaxScaler(), [0, 1])])
    return make_pipeline(step, LogisticRegression())


def test_columns_that_nobody_counted(tmp_path):
    """The places of all columns are written out."""

    def change(structure, members):
        node = structure["params"]["steps"][0][1]
        node["fitted"]["n_features_in_"] = 2**31 - 1

    bad = changed(stored(columns(), tmp_path), change)
    refused(bad, tmp_path, "without names")


def test_a_file_starts_no_processes(tmp_path):
    """Jobs of a ColumnTransformer would be processes."""
    model = columns().fit(*rows())
    model[0].set_params(n_jobs=2)
    softcost.save(model, tmp_path / "model")
    assert softcost.load(tmp_path / "model")[0].n_jobs is None


def test_groups_without_end(tmp_path):
    """A column for every number up to that of a group would take gigabytes."""
    X = np.array([["u"], ["v"]] * 10, dtype=object)
    encoder = OneHotEncoder(max_categories=2)
    good = stored(
        make_pipeline(encoder, DecisionTreeClassifier()), tmp_path, X, X[:, 0]
    )

    def change(structure, members):
        members["arrays/999.npy"] = npy(np.array([0, 2**40]))
        structure["params"]["steps"][0][1]["fitted"]["groups"] = [{"array": 999}]

    (tmp_path / "bad").write_bytes(changed(good, change))
    assert outcomes([tmp_path / "bad"], np.zeros((1, 1))) == ["refused"]


def test_groups_that_the_encoder_does_not_make(tmp_path):
    """Its columns would be fewer than those that it writes to."""
    X = np.array([[f"w{number % 40}"] for number in range(80)], dtype=object)
    model = make_pipeline(OneHotEncoder(sparse_output=False), DecisionTreeClassifier())
    good = stored(model, tmp_path, X, np.arange(80) % 2)

    def change(structure, members):
        encoder, tree = (step for _, step in structure["params"]["steps"])
        members["arrays/999.npy"] = npy(np.zeros(40, np.int64))
        encoder["fitted"]["groups"] = [{"array": 999}]
        tree["fitted"]["n_features_in_"] = 1

    refused(changed(good, change), tmp_path, "does not group rare categories")
    rare = make_pipeline(
        OneHotEncoder(sparse_output=False, max_categories=3), DecisionTreeClassifier()
    )
    stored(rare, tmp_path, X, np.arange(80) % 2)
    found = softcost.load(tmp_path / "good")
    assert np.array_equal(found[0].transform(X), rare[0].transform(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MinimumExpectedCost(DecisionTreeClassifier()), "prices by class"),
        (StochasticEnsembleBoosting(n_rounds=2, random_state=0), "in pairs with rows"),
    ],
)
def test_classes_without_a_price_list(model, words, tmp_path):
    """Or a small file would be asked for squares of the number of its classes."""

    def change(structure, members):
        fitted, many = structure["fitted"], 60_000
        members[f"arrays/{fitted['classes_']['array']}.npy"] = npy(np.arange(many))
        if "_error_weight" in fitted:
            for name, value in (("_error_weight", 1.0), ("prior_", 1 / many)):
                number = fitted[name]["array"]
                members[f"arrays/{number}.npy"] = npy(np.full(many, value))
        else:
            fitted["costs_by_example_"] = True
        del members[f"arrays/{fitted['_raw_matrix']['array']}.npy"]
        fitted["_raw_matrix"] = None

    refused(changed(stored(model, tmp_path), change), tmp_path, words)


def test_blocks_of_rows_and_pairs_change_nothing(monkeypatch):
    X, y = rows()
    boosted = StochasticEnsembleBoosting(n_rounds=3, random_state=0)
    for model, name, limit in (
        (KernelSVC(), "svm.machines._MOST_VALUES", 100),
        (boosted, "reductions.stochastic_ensemble._MAX_CELLS", 70),
    ):
        model.fit(np.tile(X, (2, 1)), np.tile(y, 2))
        wanted = model.decision_function(X)
        monkeypatch.setattr(f"softcost.{name}", limit)
        assert np.array_equal(model.decision_function(X), wanted)


MANIFESTS = [
    {"classes": ["x", "y", "z"]}, {"actions": ["a", "b", "c", "d"]}, {"costs": None},
    {"features": {"count": 2**30, "names": None, "dtypes": {}}},
    {"final": "softcost.search.estimator.SoftCostClassifierCV"},
    {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 5]]},
]  # fmt: skip


@pytest.mark.parametrize("change", MANIFESTS)
def test_manifests_of_another_model(change, tmp_path):
    prices = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
    model = OneSidedRegression(cost_matrix=prices)
    manifest, members = opened(stored(model, tmp_path))
    assert manifest["costs"] == prices
    words = "manifest"
    refused(signed(manifest | change, members), tmp_path, words)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A file in which candidates decide by one tree, and where that stands."""
    X, y = rows()
    reduction = MinimumExpectedCost(DecisionTreeClassifier(random_state=0))
    prices = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
    search = SoftCostClassifierCV(
        reduction, cost_matrix=prices, softness=3, param_grid={}, cv=2
    )
    path = tmp_path_factory.mktemp("shared") / "good"
    softcost.save(search.fit(X, y).keep_candidates(range(3)), path)
    manifest, members = opened(path.read_bytes())
    structure = json.loads(members["structure.json"])
    kept = dict(structure["fitted"]["candidates_"]["dict"])
    assert place(structure)["same"] == first(structure)["name"]
    assert sum("same" in one for one in kept.values()) == 1  # the chosen one itself
    return manifest, members


def first(structure):
    return structure["fitted"]["best_estimator_"]["fitted"]["estimator_"]


def place(structure):
    """One that stands for the tree of the chosen candidate."""
    kept = [
        one for _, one in structure["fitted"]["candidates_"]["dict"] if "fitted" in one
    ]
    return kept[0]["fitted"]["estimator_"]


REFERENCES = {
    "nobody": lambda all_: place(all_).update(same=99),
    "a truth value": lambda all_: place(all_).update(same=False),
    "a word": lambda all_: place(all_).update(same="0"),
    "a list": lambda all_: place(all_).update(same=[0]),
    "another type": lambda all_: place(all_).update(type="KernelSVC"),
    "no type": lambda all_: place(all_).pop("type"),
    "more than that": lambda all_: place(all_).update(params={}),
    "itself": lambda all_: first(all_).update(same=first(all_)["name"]),
    "what holds it": lambda all_: first(all_)["params"].update(
        random_state={"type": first(all_)["type"], "same": first(all_)["name"]}
    ),
    "what comes after": lambda all_: all_["fitted"].update(
        candidates_=all_["fitted"].pop("candidates_"),
        best_estimator_=all_["fitted"].pop("best_estimator_"),
    ),
    "a name that is no number": lambda all_: first(all_).update(name="0"),
    "no name": lambda all_: first(all_).pop("name"),
    "a part that holds one": lambda all_: next(
        one for _, one in all_["fitted"]["candidates_"]["dict"] if "fitted" in one
    ).update(name=7),
    "a name that is taken": lambda all_: all_["fitted"]["candidates_"]["dict"][-1][
        1
    ].update(first(all_)),
}


@pytest.mark.parametrize("name", list(REFERENCES))
def test_places_that_stand_for_what_they_cannot(shared, name, tmp_path):
    manifest, members = shared
    structure = json.loads(members["structure.json"])
    REFERENCES[name](structure)
    text = json.dumps(structure).encode()
    bad = signed(manifest, members | {"structure.json": text})
    refused(bad, tmp_path, "cannot be read as a model")


def test_places_stand_for_a_bounded_multiple_of_the_file(shared, tmp_path, monkeypatch):
    """Or a small file would predict as long as the square of its size."""
    content = signed(*shared)
    (tmp_path / "good").write_bytes(content)
    softcost.load(tmp_path / "good")
    monkeypatch.setattr("softcost.persistence.codec._MOST_TIMES", 0)
    refused(content, tmp_path, "too many")
