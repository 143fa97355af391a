"""Kinds of fields: what each takes and refuses, writes and does not write."""

import numpy as np
import pandas as pd
import pytest

from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    Answers,
    Array,
    Flag,
    Labels,
    ListOf,
    Names,
    Nothing,
    Part,
    Plain,
    Real,
    Record,
    Shapes,
    Text,
    Tuple,
    Whole,
    either,
    length,
    maybe,
    numbers,
    one_of,
    whole_numbers,
)
from softcost.persistence.types_trees import check_tree


class Given:
    """Arrays and parts by their number, in place of a file."""

    def __init__(self, *values):
        self.values = values

    def array(self, node):
        return self.values[node["array"]]

    def part(self, node):
        return self.values[node["type"]]


LARGEST = 2**53
# Kind: what it takes, and what it does not.
KINDS = {
    "flag": (Flag(), [True, False], [0, 1, None, "true", []]),
    "whole": (Whole(0, 5), [0, 3, 5], [-1, 6, True, 1.0, "1", None, []]),
    "any whole": (Whole(), [-LARGEST, LARGEST], [LARGEST + 1, -LARGEST - 1, 10**400]),
    "length": (length("n"), [0, 7, 2**31], [-1, 2**31 + 1]),
    "real": (
        Real(0, 1),
        [0, 1, 0.5],
        [-1e-9, 1.01, True, "nan", "1", None, LARGEST + 1],
    ),
    "any real": (Real(), [-1e300, LARGEST, 0.5], ["inf", LARGEST + 1, 10**400, 1e999]),
    "not finite": (Real(finite=False), ["nan", "inf", "-inf", 2], ["infinity", "", {}]),
    "text": (Text(), ["", "a"], [1, None, ["a"]]),
    "word": (one_of("a", "b"), ["a", "b"], ["c", "", None, 0]),
    "nothing": (Nothing(), [None], [0, False, "", []]),
    "maybe": (maybe(Whole(1)), [None, 1], [0, "1", False]),
    "either": (either(Flag(), Whole(2)), [True, 2], [1, "x", None]),
    "list": (ListOf(Whole(0)), [[], [1, 2]], [[-1], 1, {}, None, "12"]),
    "pair": (
        Tuple((Text(), Flag())),
        [["a", True]],
        [["a"], ["a", 1], ["a", True, 1], "ab"],
    ),
    "names": (Names("d"), [[], ["a", "b"]], [["a", 1], "ab", None]),
    "number": (
        Plain(),
        [1, -2.5, LARGEST],
        [LARGEST + 1, 1e999, {"float": "1"}, {"float": 1}],
    ),
    "plain": (
        Plain(),
        [
            None,
            True,
            "a",
            [1, [2]],
            {"tuple": [1]},
            {"dict": [["a", 1], [2, []]]},
            {"float": "inf"},
            {"objects": ["a", 1, None, {"float": "nan"}], "shape": [2, 2]},
            {"frame": [{"objects": ["a"], "shape": [1]}], "names": ["x"], "index": 1},
            {"frame": [], "names": [], "index": 0},
            {
                "series": {"objects": [1, 2], "shape": [2]},
                "name": None,
                "index": [5, "b"],
            },
        ],
        [
            {"tuple": 1},
            {"dict": 1},
            {"dict": [["a"]]},
            {"dict": [[["a"], 1]]},
            {},
            {"a": 1},
            {"objects": ["a"], "shape": [2]},
            {"objects": ["a"], "shape": [1.0]},
            {"objects": [["a"]], "shape": [1]},
            {"objects": "a", "shape": [1]},
            {"objects": ["a"], "shape": [-1]},
            {"objects": ["a"], "shape": 1},
            {"objects": [], "shape": [0, 10**9]},
            {"frame": [], "names": [], "index": 10**12},
            {"frame": [], "names": ["x"], "index": 0},
            {"frame": [{"objects": ["a"], "shape": [1]}], "names": ["x"], "index": 2},
            {
                "frame": [{"objects": ["a"], "shape": [1]}],
                "names": ["x"],
                "index": True,
            },
            {
                "frame": [{"objects": ["a"], "shape": [1, 1]}],
                "names": ["x"],
                "index": 1,
            },
            {"frame": [1], "names": ["x"], "index": 1},
            {"frame": 1, "names": [], "index": 0},
            {
                "series": {"objects": [1], "shape": [1]},
                "name": None,
                "index": ["a", "b"],
            },
            {"series": {"objects": [1], "shape": [1, 1]}, "name": None, "index": 1},
        ],
    ),
}


@pytest.mark.parametrize("name", list(KINDS))
def test_what_kinds_take_and_refuse(name):
    kind, good, bad = KINDS[name]
    for node in good:
        kind.read(node, Given(), {})
    for node in bad:
        with pytest.raises(Refused):
            kind.read(node, Given(), {})


def test_lengths_of_one_name_are_equal():
    dims = {}
    length("n").read(3, Given(), dims)
    assert dims == {"n": 3}
    ListOf(Whole(), "n").read([1, 2, 3], Given(), dims)
    for kind, node in ((ListOf(Whole(), "n"), [1]), (Names("n"), ["a"])):
        with pytest.raises(Refused, match="length 3"):
            kind.read(node, Given(), dims)
    # What does not fit leaves no length behind.
    one = either(Tuple((length("m"), Text())), Tuple((length("m"), Whole())))
    assert one.read([2, 5], Given(), dims) == (2, 5)
    assert dims == {"n": 3, "m": 2}
    assert ListOf(Whole(), as_tuple=True).read([1], Given(), {}) == (1,)


F8, I8, NODE = np.ones((2, 3)), np.ones(2, np.int64), {"array": 0}
ARRAYS = [
    (
        numbers("n", "d"),
        [F8, F8.astype("f4"), F8[:0]],
        [F8[0], F8[None], F8 > 0, F8.astype(int), F8 * np.nan, F8 * np.inf, F8 * 1j],
    ),
    (numbers("n", "d", finite=False), [F8 * np.nan], [F8[0]]),
    (numbers("n", least=0), [F8[0], F8[0] * 0], [-F8[0]]),
    (whole_numbers("n"), [I8, I8 * 0], [I8 - 2, I8.astype("i4"), I8 + 0.5, I8 > 0]),
    (whole_numbers("n", least=-1), [I8 - 2], [I8 - 3]),
    (
        Array("u1", ("n",), most=1),
        [np.zeros(2, "u1"), np.ones(2, "u1")],
        [np.full(2, 2, "u1")],
    ),
    (Array("f8", (1, "d")), [F8[:1]], [F8]),
    (Shapes((numbers("d"), numbers("t", "d"))), [F8, F8[0]], [F8[None], I8]),
    (
        Labels("K"),
        [
            I8[:1],
            np.arange(3),
            np.array(["a", "b"]),
            np.array([False, True]),
            np.array(["a", "b"], object),
            np.array([-0.5, 2.0]),
        ],
        [
            I8,
            I8[:0],
            np.array([2, 1]),
            np.array(["a", 1], object),
            np.array([0, np.nan]),
            np.array([-np.inf, 0]),
            F8,
            3,
        ],
    ),
    (
        Answers("E"),
        [np.array([]), np.array(["b", "a"]), np.array(["b", 1], object)],
        [np.array([1, 1]), F8, "ab"],
    ),
]


@pytest.mark.parametrize("number", range(len(ARRAYS)))
def test_what_arrays_must_be(number):
    kind, good, bad = ARRAYS[number]
    for values in good:
        found = kind.read(NODE, Given(values), {})
        assert np.array_equal(found, values, equal_nan=values.dtype.kind == "f")
    for values in bad:
        with pytest.raises(Refused):
            kind.read(NODE, Given(values), {})


def test_masks_and_states_of_generators():
    node = {"masked": {"array": 0}, "mask": {"array": 1}}
    found = Plain().read(node, Given(F8, F8 > 1), {})
    assert np.array_equal(found, F8)
    for mask in (F8, F8[0] > 0):
        with pytest.raises(Refused):
            Plain().read(node, Given(F8, mask), {})
    state = np.random.RandomState(3)
    keys = state.get_state()[1]
    node = {"random_state": {"array": 0}, "place": 624, "spare": None}
    assert Plain().read(node, Given(keys), {}).normal() == state.normal()
    for change, values in (
        ({"place": 625}, keys),
        ({"place": -1}, keys),
        ({"place": True}, keys),
        ({}, keys[1:]),
        ({}, keys.astype("i8")),
        ({"spare": "x"}, keys),
    ):
        with pytest.raises(Refused):
            Plain().read(node | change, Given(values), {})
    for place in (0, 624):
        Plain().read(node | {"place": place}, Given(keys), {})


def test_parts_of_some_types():
    some = Record("Tree", {}, None, is_estimator=False)
    assert Part(["Tree"]).read({"type": 0}, Given(some), {}) is some
    for kind in (Part(["Machines"]), Part()):
        with pytest.raises(Refused, match="not allowed"):
            kind.read({"type": 0}, Given(some), {})


class Kept:
    """Where arrays go."""

    def __init__(self):
        self.arrays = []

    def array(self, values):
        self.arrays.append(values)
        return {"array": len(self.arrays) - 1}

    def part(self, value):
        return {"type": type(value).__name__}

    def mark(self):
        return len(self.arrays)

    def rollback(self, mark):
        del self.arrays[mark:]


def test_what_is_written():
    for kind, value, node in (
        (Flag(), np.True_, True),
        (Whole(), np.int64(3), 3),
        (Real(), np.float64(2), 2.0),
        (Real(), np.inf, "inf"),
        (Real(), np.int32(7), 7),
        (Text(), np.str_("a"), "a"),
        (Nothing(), None, None),
        (maybe(Whole()), None, None),
        (maybe(Whole()), 2, 2),
        (ListOf(Whole()), (1, 2), [1, 2]),
        (Tuple((Whole(), Text())), (1, "a"), [1, "a"]),
        (Plain(), (1, "a"), {"tuple": [1, "a"]}),
        (Plain(), {2: None}, {"dict": [[2, None]]}),
        (Plain(), np.float64("nan"), {"float": "nan"}),
        (Plain(), np.int8(4), 4),
        (
            Plain(),
            np.array(["a", None], object),
            {"objects": ["a", None], "shape": [2]},
        ),
        (Plain(), np.bool_(1), True),
        (Part(["Flag"]), Flag(), {"type": "Flag"}),
        (
            Plain(),
            np.array([True, 2, np.nan], object),
            {"objects": [True, 2, {"float": "nan"}], "shape": [3]},
        ),
    ):
        found = kind.write(value, Kept())
        assert found == node
        assert type(found) is type(node)


def test_what_is_not_written():
    for kind, value in (
        (Flag(), 1),
        (Whole(), True),
        (Whole(), 1.0),
        (Real(), True),
        (Real(), "1"),
        (Text(), 1),
        (one_of("a"), "b"),
        (Nothing(), 0),
        (ListOf(Whole()), {1}),
        (Tuple((Whole(),)), (1, 2)),
        (Tuple((Whole(),)), 1),
        (Part(["Tree"]), Flag()),
        (Plain(), {(1,): 2}),
        (Plain(), 2**53 + 1),
        (Plain(), np.array([{}], object)),
        (Plain(), np.array([2**60], object)),
        (Plain(), pd.DataFrame({("a", "b"): [1]})),
        (maybe(Whole()), "a"),
        (Plain(), pd.Series([1], pd.MultiIndex.from_tuples([(1, 2)]))),
        (numbers("n"), F8),
        (numbers("n"), np.array(["a"])),
    ):
        with pytest.raises(NotCovered):
            kind.write(value, Kept())
    kept = Kept()
    pair = either(Tuple((numbers("n"), Flag())), Tuple((numbers("n"), Whole())))
    assert pair.write((F8[0], 1), kept) == [{"array": 0}, 1]
    assert len(kept.arrays) == 1  # what did not fit is taken back
    whole_numbers("n").write(np.array([1], np.int32), kept)
    assert kept.arrays[-1].dtype == np.int64
    numbers("n").write(F8[0].astype("f4"), kept)
    assert kept.arrays[-1].dtype == np.float32


# Left, right, which of them are inner, feature.
GOOD = ([1, 0, 3, 0, 0], [2, 0, 4, 0, 0], [1, 0, 1, 0, 0], [0, 9, 1, -9, 5])


def tree(change=lambda left, right, inner, feature: None, d=2):
    parts = [np.array(one) for one in GOOD]
    change(*parts)
    check_tree(parts[0], parts[1], parts[2].astype(bool), parts[3], d)


def put(part, place, value):
    def change(*parts):
        parts[part][place] = value

    return change


def test_what_a_tree_is():
    tree()
    tree(put(3, 1, 77))  # a leaf looks at nothing
    single = np.zeros(1, int)
    check_tree(single, single, single > 0, single, 0)
    empty = np.zeros(0, int)
    with pytest.raises(Refused, match="no tree"):
        check_tree(empty, empty, empty > 0, empty, 0)
    for change, words in (
        (put(0, 0, 5), "no node"),
        (put(0, 0, 0), "no node"),
        (put(0, 0, -1), "no node"),
        (put(0, 2, 2), "before its parent"),
        (put(0, 2, 1), "before its parent"),
        (put(0, 0, 3), "two parents"),
        (put(2, 0, 0), "no tree"),
        (put(2, 4, 1), "no tree"),
        (put(3, 0, 2), "feature"),
        (put(3, 2, -1), "feature"),
    ):
        with pytest.raises(Refused, match=words):
            tree(change)
    with pytest.raises(Refused, match="feature"):
        tree(d=1)
