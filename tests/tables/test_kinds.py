"""Kinds of columns: what is recognised, and the numbers that are made of it."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import softcost
from softcost.tables import KINDS, RowParser, TableEncoder, TextComponents, read_table
from softcost.tables.cells import missing_texts

N = 60
OTHER = np.arange(N) % 7
RNG = np.random.default_rng(0)
COMPLAINTS = [
    " ".join(["the", *RNG.choice(["parcel", "invoice", "router", "line"], 2), "was",
              *RNG.choice(["late", "wrong", "broken", "slow", "missing"], 2),
              f"on day {number}"])
    for number in range(N)
]  # fmt: skip
DAYS = pd.date_range("2024-01-01", periods=N)
TYPED = {
    "integers": (OTHER * 3, "number"),
    "nullable integers": (pd.array([None, *range(N - 1)], dtype="Int64"), "number"),
    "booleans": (OTHER > 3, "boolean"),
    "nullable booleans": (pd.array([None, True] * 30, dtype="boolean"), "boolean"),
    "strings": (pd.array(["a b", "c", None] * 20, dtype="string"), "nominal"),
    "categories": (pd.Categorical(["u", "v", None] * 20), "nominal"),
    "days": (DAYS, "date"),
    "missing days": ([pd.NaT, *DAYS[1:]], "date"),
    "moments": (pd.date_range("2024-01-01", periods=N, freq="7h"), "date and time"),
    "time zone": (
        pd.date_range("2024-01-01", periods=N, freq="7h", tz="Europe/Oslo"),
        "date and time",
    ),
    "months": (pd.period_range("2020-01", periods=N, freq="M"), "date"),
    "quarters": (pd.period_range("2010Q1", periods=N, freq="Q"), "date"),
    "date objects": ([day.date() for day in DAYS], "date"),
    "open-ended": (np.array(["9999-12-31", *DAYS[1:]], "datetime64[s]"), "date"),
    "durations": (pd.to_timedelta(OTHER * 4000 + 0.5, unit="s"), "duration"),
    "times": ([datetime.time(i % 24, i) for i in range(N)], "duration"),
    "mixed": ([1, "a", 2.5, None, True, "x"] * 10, "nominal"),
    "mixed numbers": ([1, "2", 2.5, None, "7", 3] * 10, "number"),
    "lists": ([[1, 2], [3], []] * 20, "nominal"),
    "texts": (COMPLAINTS, "text"),
}


def from_file(table, folder):
    """The same table as the command line reads it."""
    table.to_csv(folder / "table.csv", index=False)
    return read_table(str(folder / "table.csv"))


@pytest.mark.parametrize("name", list(TYPED))
def test_typed_columns_are_read_as_their_text_in_a_file(name, tmp_path):
    cells, kind = TYPED[name]
    table = pd.DataFrame({"x": cells, "other": OTHER})
    encoder, again = TableEncoder(output="codes"), TableEncoder(output="codes")
    codes = encoder.fit_transform(table)
    assert encoder.kinds_ == {"x": kind, "other": "number"}
    raw = from_file(table, tmp_path)
    np.testing.assert_array_equal(again.fit_transform(raw), codes)
    assert again.kinds_ == encoder.kinds_
    same = [one.tolist() for one in encoder.categories_]
    assert [one.tolist() for one in again.categories_] == same
    np.testing.assert_array_equal(encoder.transform(raw), codes)
    for number in (0, 1, N - 1):  # few rows are parsed in another way
        row = table.iloc[[number]]
        np.testing.assert_allclose(encoder.transform(row)[0], codes[number], atol=1e-12)


def test_tables_of_other_libraries_are_read_like_those_of_pandas():
    polars = pytest.importorskip("polars")
    pytest.importorskip("narwhals")
    hours = [datetime.timedelta(hours=k) if k else None for k in range(N)]
    table = polars.DataFrame(
        {
            "integer": [None, *range(N - 1)],
            "real": np.linspace(0, 1, N),
            "flag": [True, None, False] * 20,
            "word": ["a", None, "b"] * 20,
            "category": polars.Series(["1", "2", None] * 20, dtype=polars.Categorical),
            "day": [None, *(day.date() for day in DAYS[1:])],
            "moment": [None, *DAYS[1:].to_pydatetime() + pd.Timedelta("90min")],
            "duration": hours,
            "time": [datetime.time(k % 24, 5) for k in range(N)],
            "text": COMPLAINTS,
            "list": [[1], [2, 3], None] * 20,
        }
    )
    encoder = TableEncoder(output="codes")
    codes = encoder.fit_transform(table)
    assert encoder.kinds_ == {
        "integer": "number", "real": "number", "flag": "boolean", "word": "nominal",
        "category": "nominal", "day": "date", "moment": "date and time",
        "duration": "duration", "time": "duration", "text": "text", "list": "nominal",
    }  # fmt: skip
    native = pd.DataFrame(
        {name: pd.Series(table[name].to_list(), dtype=object) for name in table.columns}
    )
    native["category"] = native["category"].astype("category")
    np.testing.assert_array_equal(
        TableEncoder(output="codes").fit_transform(native), codes
    )
    np.testing.assert_allclose(encoder.transform(table[:2]), codes[:2], atol=1e-12)
    arrow = table.drop("list").to_arrow()
    without = TableEncoder(output="codes").fit_transform(arrow)
    np.testing.assert_array_equal(without, codes[:, :-1])
    with pytest.raises(ValueError, match="collect"):
        encoder.transform(table.lazy())


def test_a_categorical_type_is_respected():
    table = pd.DataFrame({"x": pd.Categorical([3, 1, 1] * 20), "other": OTHER})
    encoder = TableEncoder().fit(table)
    assert encoder.kinds_["x"] == "nominal"
    assert encoder.categories_[0].tolist() == ["1", "3"]


def test_days_have_a_trend_and_parts():
    days = pd.to_datetime(["2024-02-29 06:30", "2023-12-31 00:00"])
    encoder = TableEncoder(output="codes").fit(pd.DataFrame({"when": days}))
    assert encoder.get_feature_names_out().tolist() == [
        f"when ({part})"
        for part in ("days", "month", "day of month", "weekday", "hour")
    ]
    parts = [[day.month, day.day, day.weekday()] for day in days]
    codes = encoder.transform(pd.DataFrame({"when": days}))
    np.testing.assert_array_equal(codes[:, 1:4], parts)
    np.testing.assert_array_equal(codes[:, 4], [6.5, 0])
    elapsed = (days[0] - days[1]) / pd.Timedelta("1D")
    assert codes[0, 0] - codes[1, 0] == pytest.approx(elapsed)


def test_durations_are_hours():
    cells = ["1:30:00", "0 days 02:00:00", "-0:15", "", "n/a", "100:00:36.0"]
    encoder = TableEncoder(output="codes").fit(pd.DataFrame({"x": cells}))
    assert encoder.kinds_ == {"x": "duration"}
    expected = [1.5, 2, -0.25, np.nan, np.nan, 100.01]
    codes = encoder.transform(pd.DataFrame({"x": cells}))[:, 0]
    np.testing.assert_allclose(codes, expected)
    with pytest.raises(ValueError, match="duration"):
        encoder.transform(pd.DataFrame({"x": ["1:75"]}))


def test_implausible_dates_are_missing_and_reported():
    cells = ["9999-12-31", "0001-01-01", *DAYS.strftime("%Y-%m-%d")[2:]]
    encoder = TableEncoder(output="codes").fit(pd.DataFrame({"x": cells}))
    assert encoder.kinds_ == {"x": "date"}
    assert any("9999-12-31" in remark for remark in encoder.summary_[0].remarks)
    codes = encoder.transform(pd.DataFrame({"x": cells}))
    assert np.isnan(codes[:2]).all()
    assert not np.isnan(codes[2:]).any()


def test_identifiers_and_names_are_not_free_text():
    table = pd.DataFrame(
        {
            "token": [f"A{number:04d}-x" for number in range(N)],
            "person": [f"Ann Number{number}" for number in range(N)],
            "remark": COMPLAINTS,
            "few": [COMPLAINTS[number % 5] for number in range(N)],
        }
    )
    assert TableEncoder().fit(table).kinds_ == {"remark": "text", "few": "nominal"}


def test_text_tells_what_its_words_tell(tmp_path):
    late = np.array(["late" in text for text in COMPLAINTS])
    table = pd.DataFrame({"remark": COMPLAINTS})
    model = make_pipeline(TableEncoder(), LogisticRegression(C=100)).fit(table, late)
    assert model.score(table, late) > 0.9
    softcost.save(model, tmp_path / "model")
    loaded = softcost.load(tmp_path / "model")
    new = pd.DataFrame({"remark": ["late, late", "never seen", None, "", "slow line"]})
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))


@pytest.mark.parametrize(
    "texts", [["", None, np.nan], ["?!", "..", "--"], ["a", "b", "c"], ["same"] * 3]
)
def test_texts_without_words(texts):
    components = TextComponents().fit_transform(texts)
    assert len(components) == 3
    assert np.isfinite(components).all()
    assert TextComponents().fit(texts).transform([]).shape[0] == 0


def test_every_kind_is_described():
    for name, kind in KINDS.items():
        example = kind.example(1.5, ["a"])
        typed, wrong = kind.read_row_cells([example, None, ""])
        assert not wrong.any(), name
        assert pd.isna(typed[1:]).all()
        whole, _ = kind.read(pd.Series([example, None, ""], dtype=object))
        pd.testing.assert_series_equal(pd.Series(typed), pd.Series(whole))
        parts = kind.typed_columns("x", typed)
        assert list(parts) == list(kind.typed_kinds("x"))
        assert {*kind.monitored("x")} <= {*parts}
        parser = RowParser({"x": name})
        parser.read([{"x": example}, {"x": None}])


PATTERNED = [name for name, kind in KINDS.items() if kind.json_pattern(6) is not None]


@pytest.mark.parametrize("name", PATTERNED)
@given(data=st.data())
def test_texts_of_the_pattern_can_be_read(name, data):
    """A service promises that it accepts them."""
    kind, digits = KINDS[name], data.draw(st.integers(1, 15))
    text = data.draw(st.from_regex(kind.json_pattern(digits)))
    typed, wrong = kind.read_row_cells([text])
    assert not wrong.any()
    assert np.isfinite(typed).all()
    if name.startswith("number"):
        assert abs(typed[0]) < 10.0**digits


@pytest.mark.parametrize("name", [name for name in KINDS if "date" in name])
@given(moment=st.datetimes())
def test_dates_of_json_can_be_read(name, moment):
    texts = [moment.isoformat(), f"{moment.isoformat()}Z", moment.date().isoformat()]
    assert not KINDS[name].read_row_cells(texts)[1].any()


def test_texts_for_missing_cells():
    for name, kind in KINDS.items():
        if not isinstance(kind, type(KINDS["nominal"])):
            typed, wrong = kind.read_row_cells(missing_texts(frozenset(["-9"])),
                                               frozenset(["-9"]))  # fmt: skip
            assert not wrong.any(), name
            assert pd.isna(typed).all()


def test_two_columns_that_become_one():
    table = pd.DataFrame({"when": DAYS, "when (days)": OTHER})
    with pytest.raises(ValueError, match="rename"):
        TableEncoder().fit(table)
