"""The layers below the schemas: archive, arrays, text, values, references, manifest.

Each by itself, and at its limits.
"""

import io
import json
import os
import re
import sys
import zipfile
from types import SimpleNamespace
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import pandas as pd
import pytest
import skops.io
from crafted import npy, opened, refuses, signed
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import softcost
from softcost import MinimumExpectedCost, RegressionOneVsAll
from softcost.persistence import ModelFileError, codec, json_value
from softcost.persistence import archive as archive_module
from softcost.persistence.archive import (
    Members,
    NotCovered,
    Refused,
    archive,
    character_width,
    check_members,
    json_bytes,
    json_memory,
    most_memory,
    opened_zip,
    parse_json,
    read_array,
    read_bytes,
    stored_array,
    unarchive,
)
from softcost.persistence.codec import Builder, Reader, Writer, decode, reference_number
from softcost.persistence.manifest import (
    FORMAT,
    check_manifest,
    describe_model,
    made_with,
    says_what_it_is,
)
from softcost.persistence.schema import (
    Answers,
    Array,
    Kind,
    Labels,
    ListOf,
    Names,
    Part,
    Plain,
    Real,
    Record,
    Shapes,
    Text,
    Tuple,
    Type,
    Whole,
    either,
    numbers,
    read_cell,
)
from softcost.persistence.skops_types import (
    OLDEST,
    PACKED,
    check_skops,
    is_plain_json,
    listed,
    refused_type,
    restored_skops,
    stored_skops,
)
from softcost.persistence.types_lightgbm import Booster, booster_text, make_booster

# ---------------------------------------------------------------- the archive


def info(name, size=4, **changes):
    one = ZipInfo(name)
    one.file_size = one.compress_size = size
    for field, value in changes.items():
        setattr(one, field, value)
    return one


def test_members_of_an_archive():
    check_members([info("a"), info("b")], 8)
    check_members([], 0)
    check_members([info("a", flag_bits=2)], 8)
    for infos, size, words in (
        ([info("a"), info("a")], 8, "it has two parts of one name"),
        ([info("a", compress_type=ZIP_DEFLATED)], 8, "its parts are compressed"),
        ([info("a", compress_size=5)], 8, "its parts are compressed"),
        ([info("a", flag_bits=1)], 8, "its parts are encrypted"),
        ([info("a"), info("b", flag_bits=9)], 8, "its parts are encrypted"),
        ([info("a"), info("b")], 7, "its parts are larger than the file"),
    ):
        with refuses(words):
            check_members(infos, size)


def test_entries_are_counted_with_a_thousand_bytes_each(monkeypatch):
    content = b"PK\x01\x02" * 7
    monkeypatch.setattr(archive_module, "most_memory", lambda size: 7000)
    with pytest.raises(zipfile.BadZipFile):
        opened_zip(content)
    monkeypatch.setattr(archive_module, "most_memory", lambda size: 6999)
    with refuses("it has too many parts"):
        opened_zip(content)


def test_every_member_is_taken_once():
    content = archive({"a": 1}, {"x": b"1", "y": b"2"})
    members = unarchive(content, "model")
    assert isinstance(members, Members)
    assert members.size == len(content)
    assert members.manifest == {"a": 1}
    assert members.names == list(members.digests) == ["x", "y"]
    assert members.take("x") == b"1"
    assert members.names == ["y"]
    for name in ("x", "z" * 200):
        with refuses(f"it has no part '{name[:80]}', or names it twice"):
            members.take(name)


def test_what_is_no_archive():
    good = archive({}, {})
    assert unarchive(good, "model").manifest == {}
    for bad, words in (
        (good[1:], "is not a softcost model, or it is cut off"),
        (good[:-1], "is not a softcost model, or it is cut off"),
        (b"PK" + b"x" * 200, "is not a softcost model, or it is cut off"),
        (good[:-1] + b"x", "is damaged: its contents"),
        (archive([1], {}), "is not a softcost model: it has no manifest"),
        (
            archive_module.closed(b"PK" + b"x" * 99 + archive_module.MARK),
            "parts cannot be read",
        ),
    ):
        with refuses(words, ModelFileError):
            unarchive(bad, "model")


def test_what_is_opened_without_waiting(tmp_path, monkeypatch):
    """A pipe to which nobody writes would keep whoever opens it waiting."""
    opened, closed = [], []
    really, close = os.open, os.close

    def watched(path, flags):
        opened.append(flags)
        return really(path, flags | os.O_NONBLOCK)

    monkeypatch.setattr(os, "open", watched)
    monkeypatch.setattr(os, "close", lambda one: closed.append(one) or close(one))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match=r"pipe is a pipe or a device, not a"):
        read_bytes(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is a directory, not a model file"):
        read_bytes(tmp_path)
    assert len(closed) == 2
    (tmp_path / "file").write_bytes(b"content")
    assert read_bytes(tmp_path / "file") == b"content"
    assert all(flags & os.O_NONBLOCK for flags in opened)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing"):
        read_bytes(tmp_path / "nothing")

    def forbidden(path, flags):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(ModelFileError, match="is a directory, not a model file"):
        read_bytes(tmp_path)
    with pytest.raises(PermissionError, match="denied"):
        read_bytes(tmp_path / "file")


# ---------------------------------------------------------------- arrays


def header(dtype, shape, columns_first=False, version=(1, 0), size=0):
    """The bytes of an array whose header says what it likes."""
    said = {"descr": dtype, "fortran_order": columns_first, "shape": shape}
    text = repr(said).encode().ljust(117) + b"\n"
    length = len(text).to_bytes(2, "little")
    return b"\x93NUMPY" + bytes(version) + length + text + bytes(size)


LONG = (0, 2**40 - 1)


def test_headers_of_arrays():
    for dtype, shape, size in (
        ("<f8", (2,), 16), ("<f8", (), 8), ("<f8", (0, 3), 0), ("<f8", (1,) * 8, 8),
        ("<f4", LONG, 0), ("<U2", (1,), 8), (f"<U{2**18 - 1}", (0,), 0),
    ):  # fmt: skip
        found = read_array(header(dtype, shape, size=size))
        assert found.shape == shape
        assert found.dtype == np.dtype(dtype)
        assert found.flags.writeable
    shape, typed = "an array has an impossible shape", "an array of type"
    for content, words in (
        (header("<f8", (1,) * 9, size=8), shape),
        (header("<f4", (0, 2**40)), shape),
        (header("<f8", (-1, -1), size=8), shape),
        (header("<f8", (0, -1)), shape),
        (header("<f8", (True,), size=8), shape),
        (header("<f8", (1,), size=7), "an array is not as long"),
        (header("<f8", (1,), size=9), "an array is not as long"),
        (header("<f8", (2, 2), True, size=32), typed),
        (header(">f8", (1,), size=8), typed),
        (header("<f2", (1,), size=2), typed),
        (header("<c8", (1,), size=8), typed),
        (header([("a", "<f8")], (1,), size=8), typed),
        (header(f"<U{2**18}", (0,)), typed),
        (header("<U0", (1,)), typed),
        (header("<f8", (1,), version=(2, 0), size=8), "an array has no readable"),
        (header("<f8", (1,), version=(1, 1), size=8), "an array has no readable"),
        (header("<f8", [1], size=8), "an array has no readable header"),
        (b"", "an array has no readable header"),
    ):
        with refuses(words):
            read_array(content)


def test_arrays_by_columns():
    values = np.arange(6.0).reshape(2, 3)
    file = io.BytesIO()
    np.save(file, np.asfortranarray(values))
    for content in (file.getvalue(), npy(values)):
        assert np.array_equal(read_array(content, by_columns=True), values)
    with refuses("an array of type float64 is not allowed"):
        read_array(file.getvalue())
    assert np.array_equal(read_array(stored_array(values.T)), values.T)
    assert read_array(stored_array(np.float64(3))).shape == ()


def test_bits_of_arrays():
    for good in (np.zeros(0, bool), np.zeros(0, "U3"), np.array([True, False])):
        assert np.array_equal(read_array(npy(good)), good)
    for letter in (0xD7FF, 0xE000, 0x10FFFF):
        assert read_array(npy(np.array(["a" + chr(letter)])))[0] == "a" + chr(letter)
    for letter in (0xD800, 0xDFFF, 0x110000):
        for place in (0, 1):
            letters = np.full(2, 97, "<u4")
            letters[place] = letter
            with refuses("an array of text has what is no character"):
                read_array(npy(letters.view("<U2")))
    with refuses("an array of truth values has others than 0 and 1"):
        read_array(npy(np.array([0, 2], np.uint8).view(bool)))


class Kept:
    """A file in memory: arrays by number, parts by name."""

    def __init__(self, *arrays):
        self.arrays = list(arrays)

    def array(self, node):
        if isinstance(node, np.ndarray):
            self.arrays.append(node)
            return {"array": len(self.arrays) - 1}
        return self.arrays[reference_number(node, "array")]

    def part(self, node):
        return ("part", node)

    def mark(self):
        return len(self.arrays)

    def rollback(self, mark):
        del self.arrays[mark:]


def test_arrays_with_one_of_several_shapes():
    kind = Shapes((numbers("d"), numbers("t", "d")))
    for good in (np.ones(3), np.ones((2, 3))):
        kept, dims = Kept(), {}
        assert np.array_equal(kind.read(kind.write(good, kept), kept, dims), good)
        assert dims == dict(zip("td"[-good.ndim :], good.shape, strict=True))
    for bad in (np.ones(()), np.ones((1, 1, 1))):
        with refuses("an array with shape", NotCovered):
            kind.write(bad, Kept())
        with refuses(f"{bad.ndim} axes, not 1"):
            kind.read({"array": 0}, Kept(bad), {})


def test_what_arrays_are_written_as():
    for kind, value, dtype in (
        (numbers("n"), np.arange(2), "f8"),
        (numbers("n"), np.ones(2, "f4"), "f4"),
        (Array("i8", ("n",)), np.ones(2, "u4"), "i8"),
        (Array("u1", ("n",)), np.ones(2, bool), "u1"),
    ):
        kept = Kept()
        kind.write(value, kept)
        assert kept.arrays[0].dtype == dtype
    for kind, value in (
        (Array("i8", ("n",)), np.ones(2)),
        (numbers("n"), np.ones(2) * 1j),
        (numbers("n"), np.array(["a"])),
    ):
        with refuses("an array of", NotCovered):
            kind.write(value, Kept())


# ---------------------------------------------------------------- text


@pytest.mark.parametrize(
    "letter", [*map(chr, (0, 0x7F, 0x80, 0xFF, 0x100, 0xFFFD, 0x10000, 0x10FFFF))]
)
def test_how_wide_letters_are(letter):
    """As wide as Python makes them."""
    wide = sys.getsizeof(letter * 2) - sys.getsizeof(letter)
    for text in (letter, "a" + letter, letter + "a"):
        assert character_width(text.encode()) == wide
    assert json_memory(letter.encode()) == 2 * wide * len(letter.encode())


def test_what_a_text_may_take(monkeypatch):
    assert most_memory(7) == 3 * 7 + 120 * 2**20
    assert character_width(b"") == 1
    plain = json_memory(b"a")
    for sign in b'[{":,':
        made = {"[": [], "{": {}, '"': "", ",": 2**40, ":": 2**40}[chr(sign)]
        assert json_memory(bytes([sign])) - plain >= sys.getsizeof(made) - 24
    assert json_memory(b"\\u0061") == (1 + 4) * 6
    assert json_memory("Ā\\u0061".encode()) == (2 + 4) * 8
    monkeypatch.setattr("softcost.persistence.archive.most_memory", lambda size: size)
    text = b"[1]"
    assert parse_json(text, json_memory(text)) == [1]
    with refuses("its description would take too much memory"):
        parse_json(text, json_memory(text) - 1)


def test_texts_that_are_refused():
    for text, words in (
        (b"[" * 10**5, "its description is nested too deeply"),
        (b'{"a": 1, "a": 2}', "its description is not strict JSON (a key occurs"),
        (b"[NaN]", "its description is not strict JSON (NaN is no JSON)"),
        (b'"\\udfff"', "its description is not strict JSON (half a character)"),
        (b'"\\\\\\ud800"', "its description is not strict JSON (half a character)"),
        (b"\xff", "its description is not strict JSON"),
        (b"", "its description is not strict JSON"),
    ):
        with refuses(words):
            parse_json(text, len(text))
    assert parse_json(b'"\\\\ud800"', 9) == "\\ud800"
    assert parse_json(b'{"a": 1, "b": 2}', 9) == {"a": 1, "b": 2}
    assert parse_json(json_bytes({"é": [None, 1.5]}), 9) == {"é": [None, 1.5]}
    assert json_bytes("é") == '"é"'.encode()
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes(np.nan)


# ---------------------------------------------------------------- values


def back(value, kind=None):
    """A value that was written, and read as plain data."""
    kind, kept = kind or Plain(), Kept()
    node = json.loads(json.dumps(kind.write(value, kept)))
    found = kind.read(node, kept, {})
    return found.made() if hasattr(found, "made") else found


TABLES = {
    "numbers": pd.DataFrame({"a": [1.5, np.nan], "b": [1, 2], "c": [True, False]}),
    "words": pd.DataFrame({"a": ["x", None]}, dtype=object),
    "names of rows": pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"]),
    "rows from one": pd.DataFrame({"a": [1.0]}, index=pd.RangeIndex(1, 2)),
    "every other row": pd.DataFrame({"a": [1.0, 2]}, index=pd.RangeIndex(0, 4, 2)),
    "a name twice": pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
    "numbers for names": pd.DataFrame([[1.0, 2.0]], columns=[3, "a"]),
    "no rows": pd.DataFrame({"a": np.zeros(0)}),
    "nothing": pd.DataFrame(),
    "a column": pd.Series([1.0, 2.0], name="a"),
    "a column without a name": pd.Series([1, 2], index=["x", 5]),
    "words in a column": pd.Series(["x", np.nan], dtype=object, name=3),
}


@pytest.mark.parametrize("name", list(TABLES))
def test_tables_come_back(name):
    table, found = TABLES[name], back(TABLES[name])
    assert type(found) is type(table)
    assert found.index.tolist() == table.index.tolist()
    assert isinstance(found.index, pd.RangeIndex) == (
        table.index.equals(pd.RangeIndex(len(table)))
    )
    frame, wanted = (pd.DataFrame(one) for one in (found, table))
    assert repr(frame.columns.tolist()) == repr(wanted.columns.tolist())
    for number in range(wanted.shape[1]):
        mine, theirs = frame.iloc[:, number], wanted.iloc[:, number]
        if theirs.dtype != object:  # which some versions of pandas make text
            assert mine.dtype == theirs.dtype
        assert mine.isna().tolist() == theirs.isna().tolist()
        assert mine.dropna().tolist() == theirs.dropna().tolist()


@pytest.mark.parametrize(
    "value",
    [
        None, True, "a", 3, -2.5, 2**53, -(2**53), [1, [2]], (1, ("a",)),
        {"a": 1, 2: (3,), None: [], 2.5: {}, True: 0},
    ],
)  # fmt: skip
def test_plain_values_come_back(value):
    assert back(value) == value
    assert repr(back(value)) == repr(value)


def test_numbers_and_arrays_come_back():
    for number in (np.inf, -np.inf, np.nan):
        assert repr(back(number)) == repr(number)
    for array in (
        np.arange(3), np.array([[1.5, np.nan]]), np.array(["a", "bc"]),
        np.array([["a", None], [2, True]], object), np.zeros(0, object),
        np.array([np.inf, -3, 2**53], object),
    ):  # fmt: skip
        found = back(array)
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert repr(found.tolist()) == repr(array.tolist())
    scalars = np.array(["a", np.float64(2.5), np.int8(3), np.bool_(1)], object)
    assert repr(back(scalars).tolist()) == "['a', 2.5, 3, True]"
    masked = np.ma.MaskedArray([1.0, 2.0], [True, False])
    assert back(masked).mask.tolist() == [True, False]
    assert back(masked).data.tolist() == [1.0, 2.0]
    words = np.ma.MaskedArray(np.array(["a", None], object), [False, True])
    assert back(words).data.tolist() == ["a", None]
    assert back(words).mask.tolist() == [False, True]


@pytest.mark.parametrize("draws", [0, 1, 2])
def test_generators_come_back(draws):
    """With the spare number that a normal draw leaves."""
    state = np.random.RandomState(3)
    state.normal(size=draws)
    found = back(state)
    for mine, theirs in zip(state.get_state(), found.get_state(), strict=True):
        assert np.array_equal(mine, theirs)


def test_values_that_are_not_written():
    for value, words in (
        (np.random.RandomState(np.random.PCG64(0)), "a random generator of another"),
        ({(1,): 2}, "a dict with keys other than"),
        (2**53 + 1, "a whole number that is too large"),
        (-(2**53) - 1, "a whole number that is too large"),
        (np.array([2**53 + 1], object), "a whole number that is too large"),
        (np.array([{}, None], object), "dict among words"),
        (pd.Series([1], pd.MultiIndex.from_tuples([(1, 2)])), "a table with more"),
        (pd.DataFrame({("a", "b"): [1]}), "a table with more than one level"),
    ):
        with refuses(words, NotCovered):
            Plain().write(value, Kept())
    days = pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])})
    # times as such, or with pandas 2 their nanoseconds
    with refuses("among words|number that is too large", NotCovered):
        Plain().write(days, Kept())
    with refuses("names of features that are no text", NotCovered):
        Names("d").write(np.array(["a", 1], object), Kept())


ONE = {"objects": ["a"], "shape": [1]}
TWO = {"objects": ["a", "b"], "shape": [2]}
UNKNOWN, WORDS = "a value of no known kind", "an array of words of another shape"
ROWS, STATE = "a table with other names", "not the state of a random generator"
VALUES = [
    ({"other": 1}, UNKNOWN), ({}, UNKNOWN), ({"float": "nan", "x": 1}, UNKNOWN),
    ({"float": "1"}, "not a number"), ({"float": ["nan"]}, "not a number"),
    ({"tuple": "ab"}, "not a tuple"), ({"tuple": {"tuple": []}}, "not a tuple"),
    ({"dict": {}}, "not a dict"), ({"dict": ["ab"]}, "not a dict"),
    ({"dict": [["a", 1], ["b"]]}, "not a dict"),
    ({"dict": [["a", 1, 2]]}, "not a dict"),
    ({"dict": [[["a"], 1]]}, "not a number"),
    ({"dict": [[{"float": "x"}, 1]]}, "not a word or a number"),
    ({"dict": [[{"float": "nan", "x": 1}, 1]]}, "not a word or a number"),
    ({"objects": "a", "shape": [1]}, WORDS), ({"objects": ["a"], "shape": 1}, WORDS),
    ({"objects": ["a"], "shape": [True]}, WORDS),
    ({"objects": ["a", "b"], "shape": [2, -1, -1]}, WORDS),
    ({"objects": [], "shape": [0, 1]}, WORDS),
    ({"objects": ["a"], "shape": [1, 2]}, WORDS),
    ({"masked": 1, "mask": {"array": 0}}, "not an array"),
    ({"masked": {"tuple": []}, "mask": {"array": 0}}, "not an array"),
    ({"frame": "a", "names": [], "index": 0}, "not a table"),
    ({"frame": [], "names": "", "index": 0}, "not a table"),
    ({"frame": [ONE], "names": [], "index": 1}, "there are 0 where 1 belong"),
    ({"frame": [ONE, TWO], "names": ["a", "b"], "index": 1}, "a table with columns of"),
    (
        {"frame": [{"objects": ["a"], "shape": [1, 1]}], "names": ["a"], "index": 1},
        "a table with columns of different length",
    ),
    ({"frame": [], "names": [], "index": 1}, ROWS),
    ({"frame": [], "names": [], "index": ["a"]}, ROWS),
    ({"frame": [ONE], "names": ["a"], "index": 2}, ROWS),
    ({"frame": [ONE], "names": ["a"], "index": True}, ROWS),
    ({"frame": [ONE], "names": ["a"], "index": "a"}, ROWS),
    ({"frame": [ONE], "names": ["a"], "index": ["a", "b"]}, ROWS),
    ({"frame": [ONE], "names": ["a"], "index": [[1]]}, "not a number"),
    ({"frame": [ONE], "names": [[]], "index": 1}, "not a number"),
    ({"series": ONE, "name": [], "index": 1}, "not a number"),
    ({"series": ONE, "name": None, "index": 0}, ROWS),
    (
        {"series": {"objects": ["a"], "shape": [1, 1]}, "name": None, "index": 1},
        "not a column",
    ),
    ({"random_state": {"array": 0}, "place": 0, "spare": None}, STATE),
    ({"random_state": {"array": 1}, "place": -1, "spare": None}, STATE),
    ({"random_state": {"array": 1}, "place": 625, "spare": None}, STATE),
    ({"random_state": {"array": 1}, "place": True, "spare": None}, STATE),
    ({"random_state": {"array": 2}, "place": 0, "spare": None}, STATE),
    ({"random_state": {"array": 1}, "place": 0, "spare": "x"}, "not a number"),
    ({"random_state": {"array": 1}, "place": 0, "spare": 1e999}, "too large a number"),
    ({"masked": {"array": 0}, "mask": {"array": 3}}, "a mask of another shape"),
    ({"masked": {"array": 0}, "mask": {"array": 0}}, "a mask of another shape"),
    (2**53 + 1, "too large a number"), (-(2**53) - 1, "too large a number"),
    (1e999, "too large a number"), ([[1e999]], "too large a number"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_values_that_are_not_read(number):
    node, words = VALUES[number]
    kept = Kept(
        np.zeros(624), np.zeros(624, np.uint32), np.zeros(623, np.uint32),
        np.zeros(3, bool),
    )  # fmt: skip
    with refuses(words):
        Plain().read(node, kept, {})


def test_parts_among_values_and_cells():
    for node in ({"type": "Tree"}, {"skops": 0}, {"type": "Tree", "same": 0}):
        assert Plain().read(node, Kept(), {}) == ("part", node)
    for cell in (None, True, "a", 1, 2.5, 2**53, -(2**53)):
        assert read_cell(cell) is cell or read_cell(cell) == cell
    for word in ("inf", "-inf"):
        assert read_cell({"float": word}) == float(word)
    for cell in ([], ["a"]):
        with refuses("not a number"):
            read_cell(cell)


def test_labels_answers_and_names():
    order = "labels that are not in order, or not different"
    for kind, value, words in (
        (Labels("K"), np.array([1, 2]), None),
        (Labels("K"), np.array(["a"]), None),
        (Labels("K"), np.zeros(0), "not a list of labels"),
        (Labels("K"), np.zeros((1, 1)), "not a list of labels"),
        (Labels("K"), np.array([1, 1]), order),
        (Labels("K"), np.array([2, 1]), order),
        (Labels("K"), np.array([1, 3, 2]), order),
        (Labels("K"), np.array([0.0, np.inf]), order),
        (Labels("K"), np.array([np.nan]), order),
        (Labels("K"), np.array(["a", 1], object), order),
        (Answers("E"), np.zeros(0), None),
        (Answers("E"), np.array(["b", 1], object), None),
        (Answers("E"), np.array([1, 2, 1]), "answers that are not different"),
        (Answers("E"), np.zeros((1, 1)), "not a list of answers"),
    ):
        kept, dims = Kept(), {}
        node = kind.write(value, kept)
        if words is None:
            assert np.array_equal(kind.read(node, kept, dims), value)
            assert dims == {kind.name: len(value)}
            continue
        with refuses(words):
            kind.read(node, kept, dims)
    for kind, node, words in (
        (Labels("K"), [1, 2], "not a list of labels"),
        (Answers("E"), [1, 2], "not a list of answers"),
        (Names("d"), "ab", "not a list of names"),
        (Names("d"), ["a", 1], "not a list of names"),
    ):
        with refuses(words):
            kind.read(node, Kept(), {})
    found = Names("d").read(["a", "b"], Kept(), {})
    assert found.dtype == object
    assert back(np.array(["a", "b"], object), Names("d")).tolist() == ["a", "b"]


# ---------------------------------------------------------------- references


@pytest.mark.parametrize(
    "node", [{"array": -1}, {"array": 2**31}, {"array": True}, {"array": "0"}, {},
             {"array": 0, "more": 1}, {"skops": 0}, [0], None]
)  # fmt: skip
def test_references_that_are_none(node):
    for good in (0, 2**31 - 1):
        assert reference_number({"array": good}, "array") == good
    with refuses("not a reference to an array"):
        reference_number(node, "array")


class Parts:
    """Members of a file of some size."""

    def __init__(self, size=10**9, **members):
        self.size, self.members = size, members

    @property
    def names(self):
        return list(self.members)

    def take(self, name):
        return self.members.pop(name)


def coefficients(first, name=None):
    """A part with two arrays, perhaps one that has a name."""
    fitted = {"coef": {"array": first}, "intercept": {"array": first + 1}}
    node = {"type": "LinearModels", "params": {}, "fitted": fitted}
    return node if name is None else node | {"name": name}


def file_of(*arrays):
    return {f"arrays/{i}.npy": npy(one) for i, one in enumerate(arrays)}


SAME = {"type": "LinearModels", "same": 0}


def test_how_much_places_may_stand_for():
    """A thousand times the size of the file: here as much as one part."""
    arrays = (np.ones((2, 3)), np.ones(3))
    members = file_of(*arrays, *arrays)
    first, second = coefficients(0), coefficients(2, name=0)
    own = len(json_bytes(coefficients(2)))
    own += sum(len(members[f"arrays/{number}.npy"]) for number in (2, 3))
    reader = Reader(Parts(own, **members), ())
    reader.part(first)
    named = reader.part(second)
    for _ in range(1000):
        assert reader.part(SAME) is named
    with refuses("its places stand for too much"):
        reader.part(SAME)


def test_references_to_parts():
    reader = Reader(Parts(**file_of(np.ones((2, 3)), np.ones(3))), ())
    nowhere = "not a reference to a part before it"
    for node, words in (
        (3, "not a part"), ([], "not a part"),
        ({"type": 3}, "3 is of a type that is not allowed"),
        ({"type": "os.system"}, "os.system is of a type that is not allowed"),
        ({}, "None is of a type that is not allowed"), (SAME, nowhere),
    ):  # fmt: skip
        with refuses(words):
            reader.part(node)
    named = reader.part(coefficients(0, name=0))
    assert reader.part(SAME) is named
    for change in ({"same": 1}, {"same": False}, {"type": "Tree"}, {"more": 1}):
        with refuses(nowhere):
            reader.part(SAME | change)
    arrays = np.ones((2, 3)), np.ones(3)
    for name, words in (
        (0, "a part has a name that it cannot have"),
        ("1", "a part has a name that it cannot have"),
        (True, "a part has a name that it cannot have"),
    ):
        reader._members.members.update(file_of(*arrays))
        with refuses(words):
            reader.part(coefficients(0, name=name))


def test_a_named_part_holds_no_reference():
    inner = {"type": "Constant", "params": {}, "fitted": {"value": 1.0}}
    models = {"type": "FittedModels", "params": {}, "fitted": {"members": []}}
    reader = Reader(Parts(), ())
    first = reader.part(inner | {"name": 0})
    again = {"type": "Constant", "same": 0}
    found = reader.part(models | {"fitted": {"members": [again, inner]}})
    assert found.fitted["members"][0] is first
    with refuses("a part with a name holds one that stands elsewhere"):
        reader.part(models | {"fitted": {"members": [again]}, "name": 1})
    reader.part(models | {"fitted": {"members": [inner]}, "name": 1})


def test_files_with_more_than_they_refer_to():
    node = {"type": "Constant", "params": {}, "fitted": {"value": 1.0}}
    text = json.dumps(node).encode()
    found = decode(Parts(**{"structure.json": text}))
    assert found.value == 1.0
    with refuses("it has parts that nothing refers to"):
        decode(Parts(**{"structure.json": text, "arrays/0.npy": b""}))


def test_files_that_are_deeper_than_python_goes(monkeypatch):
    """Whatever texts the parser of this version still reads."""
    nested = []
    for _ in range(10**5):
        nested = [nested]
    structure = {"type": "KFold", "params": {"n_splits": nested}, "fitted": {}}
    monkeypatch.setattr(codec, "parse_json", lambda text, size: structure)
    with refuses("its description is nested too deeply"):
        decode(Parts(**{"structure.json": b""}))
    while nested:  # as deep for the one that clears it away
        nested = nested.pop()


class Mine:
    """Of no package that is known."""


def test_what_is_written_once_and_referred_to():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    other = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    writer = Writer(())
    nodes = [
        Plain().write([one], writer)[0] for one in (tree, other, tree, other, tree)
    ]
    assert [node.get("name") for node in nodes[:2]] == [0, 1]
    assert [node.get("same") for node in nodes] == [None, None, 0, 1, 0]
    assert {node["type"] for node in nodes} == {"DecisionTreeClassifier"}
    names = list(writer.members)
    assert names == [f"arrays/{number}.npy" for number in range(len(names))]
    mark = writer.mark()
    third = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    writer.part(third)
    writer.rollback(mark)
    assert list(writer.members) == names
    assert "same" not in writer.part(third)  # it is not there any more
    with pytest.raises(NotCovered, match="Mine"):
        writer.part(Mine())


def test_what_is_ours_has_a_schema_or_is_not_written():
    strange = MinimumExpectedCost(DecisionTreeClassifier())
    strange.extra_ = 1
    for one, words in (
        (strange, "MinimumExpectedCost has 'extra_', which has no schema"),
        (Whole(), "Whole has no schema"),
    ):
        writer = Writer(["softcost"])
        with refuses(words, NotCovered):
            writer.part(one)
        assert not writer.members


def test_scikit_learn_s_own_way_where_a_schema_does_not_cover():
    """What was written of it by the schema is taken back."""
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    odd = DecisionTreeClassifier().fit(X, np.array([y, y]).T)  # two outputs
    writer = Writer(())
    with pytest.raises(NotCovered, match="not allowed"):
        writer.part(odd)
    assert not writer.members
    lasso = Lasso().fit(X, y)
    assert writer.part(lasso) == {"skops": 0}
    assert list(writer.members) == ["parts/0.skops"]
    record = Reader(Parts(**writer.members), ()).part({"skops": 0})
    found = Builder(()).build([(record, record)])
    assert np.array_equal(found[0][0].predict(X), lasso.predict(X))
    assert found[0][1] is found[0][0]


# ---------------------------------------------------------------- kinds


def test_one_of_three_kinds():
    """The first that fits, wherever it stands; what does not fit leaves nothing."""
    kind = either(Text(), Tuple((Whole(name="n"), numbers("n"))), ListOf(Whole()))
    for value, written in (("a", "a"), ([1, 2, 3], [1, 2, 3]), ([1, 2], [1, 2])):
        kept = Kept()
        assert kind.write(value, kept) == written
        assert not kept.arrays
        assert kind.read(written, Kept(), {}) == value
    kept, dims = Kept(), {}
    node = kind.write((1, np.ones(1)), kept)
    assert node == [1, {"array": 0}]
    assert kind.read(node, kept, dims) == (1, np.ones(1))
    assert dims == {"n": 1}
    with refuses("not a list"):
        kind.read(None, Kept(), {})
    with refuses("where a list belongs", NotCovered):
        kind.write(None, Kept())
    with pytest.raises(NotImplementedError):
        Kind().write(None, Kept())
    with pytest.raises(NotImplementedError):
        Kind().read(None, Kept(), {})


def test_kinds_in_words():
    for kind, node, words in (
        (Whole(0, 5), 6, "not from 0 to 5"),
        (Real(0, 1), 1.5, "not from 0 to 1"),
        (Real(), "nan", "not a finite number"),
        (Real(), 2**53 + 1, "too large a number"),
        (Real(), -(2**53) - 1, "too large a number"),
        (Real(finite=False), 1e999, "too large a number"),
        (Text(("a", "b")), "c", "not one of a, b"),
    ):
        with refuses(words):
            kind.read(node, None, {})
    for number in (2**53, -(2**53)):
        assert Real().read(number, None, {}) == number
    for kind, value in ((Real(), np.nan), (Real(), -np.inf)):
        assert kind.write(value, None) == str(value)
    with refuses("where text belongs", NotCovered):
        Text(("a",)).write("b", None)


class Gives:
    """Writes and reads parts of one type."""

    def __init__(self, kind):
        self.kind = kind

    def part(self, value):
        return {"type": self.kind} if value is Mine else Record(self.kind, {}, None)


def test_places_for_parts():
    for kind, name, good in (
        (Part(), "Tree", True), (Part(["Tree"]), "Tree", True),
        (Part(["Machines"]), "Tree", False), (Part(["Tree"]), None, False),
    ):  # fmt: skip
        if good:
            assert kind.read({}, Gives(name), {}).type == name
            assert kind.write(Mine, Gives(name)) == {"type": name}
            continue
        with refuses(f"{name} has no place here"):
            kind.read({}, Gives(name), {})
        if kind.types:
            with refuses("has no place here", NotCovered):
                kind.write(Mine, Gives(name))


# ---------------------------------------------------------------- schemas


def agree(record):
    if record.params.get("n_splits") == 13:
        raise Refused("thirteen")


FOLDS = Type(
    "sklearn.model_selection:KFold", {"n_splits": Whole(2), "shuffle": Plain()},
    {"one_": Whole(0), "two_": Whole(0), "three_": Whole(0)},
    frozenset({"three_"}), frozenset({"unkept"}), check=agree,
)  # fmt: skip


def test_how_objects_are_written():
    folds = KFold(3)
    assert FOLDS.name == "KFold"
    assert FOLDS.load() is KFold
    params = {"n_splits": 3, "shuffle": False}
    del folds.random_state
    node = FOLDS.write(folds, Kept())
    assert node == {"type": "KFold", "params": params, "fitted": None}
    folds.one_, folds.unkept, folds._metadata_request = 1, Mine(), Mine()
    assert FOLDS.write(folds, Kept())["fitted"] == {"one_": 1}
    folds.b_ = folds.a_ = 1
    with pytest.raises(NotCovered, match="KFold has 'a_', which has no schema"):
        FOLDS.write(folds, Kept())
    folds = KFold(3)
    folds.one_ = "x"
    del folds.random_state
    with pytest.raises(NotCovered, match=r"KFold.one_: .*'x'"):
        FOLDS.write(folds, Kept())


NODE = {"type": "KFold", "params": {"n_splits": 2}, "fitted": None}
LEARNT = {"one_": 1, "two_": 2}


def test_how_objects_are_read():
    assert FOLDS.read(NODE, None).fitted is None
    found = FOLDS.read(NODE | {"fitted": LEARNT}, None)
    assert found.fitted == LEARNT
    assert found.params == {"n_splits": 2}
    assert found.get("one_") == 1
    assert found.get("three_") is None
    assert FOLDS.read(NODE, None).get("one_") is None
    odd = "KFold is not written as it should be"
    for change, words in (
        ({"more": 1}, odd), ({"params": []}, odd), ({"fitted": []}, odd),
        ({"fitted": 0}, odd), ({"params": {"other": 1}}, "KFold has no 'other'"),
        ({"fitted": LEARNT | {"other": 1}}, "KFold has no 'other'"),
        ({"fitted": {}}, "KFold lacks one_"), ({"fitted": {"one_": 1}}, "KFold lacks"),
        ({"params": {"n_splits": 1}}, "n_splits: not from 2"),
        ({"params": {"n_splits": 13}}, "KFold: thirteen"),
    ):  # fmt: skip
        with refuses(words):
            FOLDS.read(NODE | change, None)


def test_how_objects_are_made():
    """Parameters that this version's class does not have are left out."""
    folds = FOLDS.build({"n_splits": 4, "of_another_version": 1}, {"one_": 1})
    assert type(folds) is KFold
    assert (folds.n_splits, folds.one_) == (4, 1)
    assert not hasattr(folds, "of_another_version")


# ---------------------------------------------------------------- LightGBM


def booster(text):
    return SimpleNamespace(model_to_string=lambda num_iteration: text)


def test_boosters_that_are_none():
    with refuses("a LightGBM model without trees", NotCovered):
        booster_text(booster("tree\n"))
    with refuses("not known here .the trees do not end", NotCovered):
        booster_text(booster("tree\nend of trees\nmore"))
    assert make_booster(None) is None
    for node, values in (
        ({}, None), ([], None), ({"lightgbm": {"array": 0}, "more": 1}, None),
        ({"lightgbm": {"array": 0}}, np.zeros(0, np.uint8)),
        ({"lightgbm": {"array": 0}}, np.zeros((1, 1), np.uint8)),
        ({"lightgbm": {"array": 0}}, np.zeros(3, np.int8)),
    ):  # fmt: skip
        with refuses("not a booster"):
            Booster().read(node, Kept(values), {})
    with refuses("the trees do not end"):
        Booster().read({"lightgbm": {"array": 0}}, Kept(np.zeros(1, np.uint8)), {})


def test_boosters_without_lightgbm(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match="lightgbm"):
        make_booster("text")


# ---------------------------------------------------------------- skops


def packed(schema, method=ZIP_STORED, **arrays):
    file = io.BytesIO()
    with ZipFile(file, "w", method) as archive_:
        archive_.writestr("schema.json", json.dumps(schema))
        for name, content in arrays.items():
            archive_.writestr(name, content)
    return file.getvalue()


def node(name="numpy.ndarray", loader="NdArrayNode", **more):
    module, _, kind = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": kind} | more


GOOD = npy(np.ones(2))
TWICE = "an array is named twice, or is not there"


def test_parts_of_skops():
    for schema in (
        {}, node(file="a"), [node(file="a", __id__=1), node(file="a", __id__=1)],
        {"deep": [{"inside": node("builtins.dict", "DictNode")}]},
        node("sklearn.linear_model._coordinate_descent.Lasso", "ObjectNode"),
    ):  # fmt: skip
        check_skops(packed(schema, a=GOOD), ())
    for schema, words in (
        (node("os.system"), "of a type that is not allowed, os.system;"),
        ({"x": [node("os.system", "TypeNode")]}, "of a type that is not allowed, os."),
        ({"__class__": "x"}, "of a type that is not allowed, None.x;"),
        ({"__loader__": "x"}, "of a type that is not allowed, None.None;"),
        (node("numpy.ndarray", "DictNode"), "of a type that is not allowed, numpy.n"),
        ([node(f"z.{i}") for i in "dbca"], "of a type that is not allowed, z.a, z.b, "
         "z.c;"),
        (node(file="b"), TWICE), ([node(file="a"), node(file="a", __id__=1)], TWICE),
        ([node(file="a", __id__=2), node(file="a", __id__=1)], TWICE),
    ):  # fmt: skip
        with refuses(words):
            check_skops(packed(schema, a=GOOD), ())
    with refuses("an array has no readable header"):
        check_skops(packed({}, a=b"junk"), ())
    check_skops(packed({}, a=b"junk"), ["my.Own"])
    by_columns = io.BytesIO()
    np.save(by_columns, np.ones((2, 3), order="F"))
    check_skops(packed(node(file="a"), a=by_columns.getvalue()), ())
    bad = {"parts/0.skops": packed(node("os.system"), a=GOOD)}
    with refuses("of a type that is not allowed, os.system;"):
        Reader(Parts(**bad), ()).part({"skops": 0})
    found = Reader(Parts(**bad), ["os.system"]).part({"skops": 0})
    assert found.params["content"].startswith(b"PK")
    with refuses("a part is compressed"):
        check_skops(packed({}, ZIP_DEFLATED), ())
    for broken in (b"", b"PK", packed({})[:-9]):
        with refuses("a part cannot be read"):
            check_skops(broken, ())
    file = io.BytesIO()
    with ZipFile(file, "w") as archive_:
        archive_.writestr("other.json", "{}")
    with refuses("a part cannot be read"):
        check_skops(file.getvalue(), ())
    content = packed({}, a=bytes(99), b=bytes(99))
    size = content.rfind(b"PK\x01\x02") + 24
    larger = content[:size] + (len(content)).to_bytes(4, "little") + content[size + 4 :]
    with refuses("a part is larger than its file"):
        check_skops(larger, ())


def test_parts_of_skops_that_are_nested(monkeypatch):
    """Deeper than Python goes, in a text that it could read."""

    def endless(schema):
        raise RecursionError

    monkeypatch.setattr("softcost.persistence.skops_types._nodes", endless)
    with refuses("a part is nested too deeply"):
        check_skops(packed({}), ())


@pytest.mark.parametrize("content", ["1", "2.5", '"a"', "true", "null"])
def test_plain_json_of_skops(content):
    name = node("builtins.str", "JsonNode", content=content)
    assert is_plain_json(name)
    assert refused_type(name, ()) == ""


@pytest.mark.parametrize("content", ["[1]", "{}", "x", None, 3, "[" * 10**5])
def test_json_of_skops_that_is_not_plain(content):
    name = node("builtins.str", "JsonNode", content=content)
    assert not is_plain_json(name)
    assert refused_type(name, ()) == "builtins.str"
    assert not is_plain_json({})


def test_what_is_allowed_with_trust():
    names = [f"{kind.__module__}.{kind.__name__}" for kind in PACKED]
    assert names
    for name in names:
        one = node(name, "ObjectNode")
        assert refused_type(one, ()) == name
        assert refused_type(one, ["my.Own"]) == ""
    ours = node("my.Own", "ObjectNode")
    assert refused_type(ours, ["my.Own"]) == ""
    assert refused_type(ours, ["my.Other"]) == "my.Own"
    lasso = f"{Lasso.__module__}.Lasso"
    assert lasso in listed()
    assert refused_type(node(lasso, "ObjectNode"), ()) == ""
    assert refused_type(node(lasso, "TypeNode"), ()) == lasso


@pytest.mark.parametrize(
    ("version", "safe"), [("0.15.9", False), ("0.16", True), ("1.0.dev1", True)]
)
def test_versions_of_skops_that_are_not_safe(version, safe, monkeypatch):
    assert OLDEST == (0, 16)
    X = np.array([[0.0], [1.0], [2.0]])
    model = Lasso().fit(X, [0, 1, 2])
    content = stored_skops(model, ())
    monkeypatch.setattr("skops.__version__", version)
    if safe:
        assert np.array_equal(restored_skops(content, ()).predict(X), model.predict(X))
        return
    with refuses(f"skops {version} is not safe: install 0.16 or newer"):
        restored_skops(content, ())


def test_versions_are_told_where_they_may_be_the_reason(tmp_path, monkeypatch):
    """Only skops' parts depend on them; a schema's own refusal has other reasons."""
    X = np.array([[0.0], [1.0], [2.0]] * 2)
    softcost.save(RegressionOneVsAll(Lasso()).fit(X, [0, 1, 2] * 2), tmp_path / "m")
    found, members = opened((tmp_path / "m").read_bytes())

    def broken(content, trusted):
        raise ValueError("of another\n size")

    monkeypatch.setattr(codec, "restored_skops", broken)
    here = found["made_with"]["numpy"]
    for changed, words in (
        ({"numpy": "1.2.3"}, f"; it was written with numpy 1.2.3 (here {here})"),
        ({"numpy": here}, ""),
    ):
        made = found["made_with"] | changed
        (tmp_path / "m").write_bytes(signed(found | {"made_with": made}, members))
        told = f"cannot be read as a model (of another size){words}."
        with pytest.raises(ModelFileError, match=re.escape(told)):
            softcost.load(tmp_path / "m")
    softcost.save(RegressionOneVsAll(Ridge()).fit(X, [0, 1, 2] * 2), tmp_path / "m")
    found, members = opened((tmp_path / "m").read_bytes())
    made = found["made_with"] | {"numpy": "1.2.3"}
    bad = members | {"structure.json": b"[]"}
    (tmp_path / "m").write_bytes(signed(found | {"made_with": made}, bad))
    with pytest.raises(ModelFileError, match=r"as a model \([^()]*\)\.$"):
        softcost.load(tmp_path / "m")


def test_what_skops_does_not_store(monkeypatch):
    def broken(value):
        raise RuntimeError("no")

    with pytest.raises(NotCovered, match=r"not allowed, .*Mine"):
        stored_skops(Mine(), ())
    monkeypatch.setattr(skops.io, "dumps", broken)
    with pytest.raises(NotCovered, match="Mine: no"):
        stored_skops(Mine(), ())


# ---------------------------------------------------------------- the manifest


def manifest(**changes):
    known = {
        "format": FORMAT, "softcost": "1", "made_with": {"numpy": "2"}, "model": "a.B",
        "final": "a.B", "classes": ["x", "y"], "actions": ["x", "y"],
        "features": {"count": 2, "names": None, "dtypes": {}},
        "costs": [[0, 1], [1, 0]], "softness": 0.5, "params": {}, "tradeoff": None,
        "notes": {}, "checksums": {},
    }  # fmt: skip
    return SimpleNamespace(manifest=known | changes, digests={})


GOOD_FORMS = [
    {}, {"classes": None, "actions": None, "costs": None}, {"costs": "by example"},
    {"classes": [1, 2.5, "x", True], "costs": None}, {"softness": None},
    {"features": {"count": 0, "names": [], "dtypes": {}}},
    {"features": {"count": 2**31 - 1, "names": None, "dtypes": {"a": "str"}}},
    {"features": {"count": None, "names": None, "dtypes": {}}},
    {"tradeoff": {"columns": ["a"], "rows": [[1], [2]]}}, {"params": {"a": []}},
    {"actions": ["x", "y", "z"], "costs": [[0, 1, 2], [1, 0, 2]]},
]  # fmt: skip
BAD_FORMS = {
    "softcost": [1, None], "made_with": [[], {"a": 1}, {"a": "1", "b": 2}],
    "model": [None, 1], "final": [None, []], "classes": ["xy", [None], ["x", []], {}],
    "actions": ["xy", [None], 3], "costs": ["much", {}, 3, [[0, 1]]],
    "features": [
        None, {}, {"count": 2, "names": None},
        {"count": 2, "names": ["a"], "dtypes": {}},
        {"count": 1, "names": [1], "dtypes": {}},
        {"count": 1, "names": "a", "dtypes": {}},
        {"count": 2**31, "names": None, "dtypes": {}},
        {"count": -1, "names": None, "dtypes": {}},
        {"count": True, "names": None, "dtypes": {}},
        {"count": 1, "names": None, "dtypes": {"a": 1}},
        {"count": 1, "names": None, "dtypes": []},
    ],
    "params": [None, []], "tradeoff": [[], {}, {"columns": ["a"], "rows": [[]]}],
    "notes": [None, []],
}  # fmt: skip


def test_forms_of_manifests():
    for change in GOOD_FORMS:
        check_manifest(manifest(**change), "model")
    for name, values in BAD_FORMS.items():
        words = f"^model is not a softcost model: '{name}' in its manifest has another"
        for value in values:
            with refuses(words, ModelFileError):
                check_manifest(manifest(**{name: value}), "model")
        lacking = manifest()
        del lacking.manifest[name]
        with refuses(words, ModelFileError):
            check_manifest(lacking, "model")
    lacking = manifest()
    del lacking.manifest["softness"]
    with pytest.raises(ModelFileError, match="'softness' in its manifest"):
        check_manifest(lacking, "model")


def test_formats_of_manifests():
    assert FORMAT == 2
    damaged = manifest(checksums={"a": "b"})
    for found, words in (
        (manifest(format=3), "model has format 3, written by softcost 1, and this"),
        (manifest(format=1), "model has format 1, written by softcost 1 before its"),
        (manifest(format=10**30), f"model has format {'1' + '0' * 19}, written"),
        (manifest(format=3, softcost="9" * 99), f"softcost {'9' * 40}, and this"),
        (damaged, "model is damaged: its parts do not match their checksums"),
        *(
            (manifest(format=odd), "model is not a softcost model: it names no format")
            for odd in (None, "2", True, 0, -1, 2.0)
        ),
    ):
        with refuses(words, ModelFileError):
            check_manifest(found, "model")
    lacking = manifest(format=3)
    del lacking.manifest["softcost"]
    with pytest.raises(ModelFileError, match=r"written by softcost \?, and this"):
        check_manifest(lacking, "model")


def test_values_for_manifests():
    table = pd.DataFrame({"a": [1, 2], "b": [np.nan, "x"]})
    for value, wanted in (
        (np.array([1.5, np.inf]), [1.5, None]), (np.int64(3), 3), (np.bool_(1), True),
        (table, {"columns": ["a", "b"], "rows": [[1, None], [2, "x"]]}),
        ({1: (2, np.nan)}, {"1": [2, None]}), ([-np.inf, None, "a"], [None, None, "a"]),
        (KFold(2), "KFold(n_splits=2, random_state=None, shuffle=False)"),
        (SimpleNamespace(a="x\n y"), "namespace(a='x\\n y')"), (1 + 2j, "(1+2j)"),
    ):  # fmt: skip
        found = json_value(value)
        assert found == wanted
        assert type(found) is type(wanted)
    assert set(made_with()) == {
        "python", "numpy", "pandas", "scikit-learn", "scipy", "skops",
    }  # fmt: skip
    assert all(isinstance(one, str) for one in made_with().values())


PRICES = [[0, 1], [5, 0]]


def described(model):
    return describe_model(model, {"a": b"1"}, {"n": np.int64(1)})


def test_what_manifests_say():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": list("xyxy")})
    y = np.array(["u", "v", "u", "v"])
    coded = ColumnTransformer([
        ("n", StandardScaler(), ["a"]),
        ("w", make_pipeline(OneHotEncoder(sparse_output=False)), ["b"]),
    ])  # fmt: skip
    last = MinimumExpectedCost(
        DecisionTreeClassifier(), cost_matrix=PRICES, softness=0.25
    )
    model = make_pipeline(coded, make_pipeline(last)).fit(X, y)
    found = described(model)
    assert found["format"] == FORMAT
    assert found["softcost"] == softcost.__version__
    assert found["model"] == "sklearn.pipeline.Pipeline"
    assert found["final"].endswith(".MinimumExpectedCost")
    assert found["classes"] == found["actions"] == ["u", "v"]
    assert found["costs"] == PRICES
    assert found["softness"] == 0.25
    assert found["tradeoff"] is None
    assert found["notes"] == {"n": 1}
    assert list(found["checksums"]) == ["a"]
    assert found["features"] == {
        "count": 2, "names": ["a", "b"], "dtypes": {"a": "float64", "b": "str"},
    }  # fmt: skip
    assert "learner__max_depth" not in found["params"]
    assert says_what_it_is(found, model)
    for name, other in (
        ("model", "x"), ("final", "x"), ("classes", ["u", "w"]), ("actions", ["u"]),
        ("features", {}), ("costs", None),
    ):  # fmt: skip
        assert not says_what_it_is(found | {name: other}, model)
    spoilt = MinimumExpectedCost(DecisionTreeClassifier(), actions=5)
    spoilt.classes_ = np.array([0, 1])
    assert not says_what_it_is(found, spoilt)


def test_what_manifests_say_of_costs_and_actions():
    X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    ask = [[0, 1, 0.5], [5, 0, 0.5]]
    model = MinimumExpectedCost(
        DecisionTreeClassifier(), cost_matrix=ask, actions=["ask"]
    )
    found = described(model.fit(X, y))
    assert found["actions"] == [0, 1, "ask"]
    assert found["costs"] == ask
    by_row = MinimumExpectedCost(DecisionTreeClassifier()).fit(
        X, y, costs=np.array(PRICES)[y]
    )
    assert described(by_row)["costs"] == "by example"
    other = MinimumExpectedCost(
        DecisionTreeClassifier(), cost_matrix=PRICES, classes=[1, 0]
    )
    assert described(other.fit(X, y))["costs"] == [[0, 5], [1, 0]]
    plain = LogisticRegression().fit(X, y)
    assert described(plain)["costs"] is None
    assert described(plain)["softness"] is None
    assert described(plain)["features"] == {"count": 1, "names": None, "dtypes": {}}
    inner = MinimumExpectedCost(DecisionTreeClassifier(), cost_matrix=PRICES)
    search = softcost.SoftCostClassifierCV(inner, softness=2, cv=2, param_grid={})
    found = described(search.fit(X, y))
    assert found["costs"] == PRICES
    assert found["softness"] == search.best_softness_
    assert found["params"] == json_value(search.best_params_)
    assert found["tradeoff"] == json_value(search.tradeoff_)
    scaled = make_pipeline(MinMaxScaler(), LogisticRegression()).fit(X, y)
    assert described(scaled)["features"]["count"] == 1
    assert describe_model(plain, {}, None)["notes"] == {}


def test_records_become_objects_once():
    """What is built of records is built once for each."""
    record = Record("Constant", {}, {"value": 1.0})
    other = Record("Constant", {}, {"value": 1.0})
    built = codec.Builder(()).build({"a": record, "b": (record, other), "c": [3]})
    assert built["a"] is built["b"][0]
    assert built["a"] is not built["b"][1]
    assert built["c"] == [3]
