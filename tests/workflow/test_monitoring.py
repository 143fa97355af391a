"""Monitoring a model in use: costs agree with `evaluate`, changes raise alarms."""

import json

import numpy as np
import pandas as pd
import pytest

from softcost.errors import InputError
from softcost.persistence import load, save
from softcost.persistence.model_file import read_model
from softcost.workflow import evaluate_model, monitor_model

PRICES = ",no,yes,maybe\nno,0,1,1\nyes,6,0,2\nmaybe,3,1,0\n"


def make_rows(rng, n, shares=(0.5, 0.3, 0.2), shift=0.0):
    y = rng.choice(3, n, p=shares)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n).round(3) + 1.5 * y + shift,
            "city": rng.choice(["Oslo", "Rome", "Bern"], n, p=[0.5, 0.3, 0.2]),
            "t": np.array(["no", "yes", "maybe"])[y],
        }
    )


def dated(rows, n_days=240, first="2026-01-01"):
    days = np.arange(len(rows)) * n_days // len(rows)
    moments = pd.Timestamp(first) + pd.to_timedelta(days, unit="D")
    return rows.assign(day=moments.strftime("%Y-%m-%d"))


@pytest.fixture(scope="module")
def folder(softcost, tmp_path_factory):
    """A model, and a log of months in which nothing changes."""
    folder = tmp_path_factory.mktemp("monitor")
    rng = np.random.default_rng(10)
    make_rows(rng, 600).to_csv(folder / "train.csv", index=False)
    (folder / "prices.csv").write_text(PRICES)
    result = softcost(
        "fit", folder / "train.csv", "--target", "t", "--costs", folder / "prices.csv",
        "--reduction", "mec", "--learner", "linear", "--softness", "0,0.5", "--cv", "3",
        "--quiet", "--currency", "EUR", "--model", folder / "m",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    log = dated(make_rows(rng, 1200))
    log.to_csv(folder / "rows.csv", index=False)
    result = softcost(
        "predict", folder / "m", folder / "rows.csv", "--keep-all", "-o",
        folder / "log.csv",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def log(folder):
    return pd.read_csv(folder / "log.csv", dtype={"t": object})


@pytest.fixture
def monitored(folder, tmp_path):
    def run(frame, **options):
        path = tmp_path / "changed.csv"
        frame.to_csv(path, index=False)
        words = {"answer": "prediction"} | options
        return monitor_model(str(folder / "m"), str(path), "day", "t", **words)

    return run


def raised_by(result):
    return {alarm["test"] for alarm in result["alarms"]}


def test_nothing_is_raised_if_nothing_changes(folder, log, monitored):
    result = monitored(log)
    assert result["alarms"] == []
    assert result["tested"] == ["cost", "classes", "columns"]
    assert [facts["period"] for facts in result["periods"]] == [
        f"2026-0{month}" for month in range(1, 9)
    ]
    json.dumps(result, allow_nan=False)


def test_costs_are_those_of_evaluate_and_predict(folder, log, monitored):
    result = monitored(log)
    evaluated = evaluate_model(str(folder / "m"), str(folder / "rows.csv"), "t")
    assert result["total"]["cost"] == pytest.approx(evaluated["cost"])
    assert result["total"]["expected"] == pytest.approx(log["expected_cost"].mean())
    rows = [facts["rows"] for facts in result["periods"]]
    means = [facts["cost"] for facts in result["periods"]]
    assert sum(rows) == result["rows"] == len(log)
    assert np.average(means, weights=rows) == pytest.approx(evaluated["cost"])
    for facts in result["periods"]:
        assert facts["low"] <= facts["cost"] <= facts["high"]


def test_the_model_answers_if_the_log_does_not(log, monitored):
    given = monitored(log)
    predicted = monitored(log.drop(columns="prediction"), answer=None)
    assert predicted["periods"] == given["periods"]


def test_the_order_of_the_file_does_not_matter_between_days(log, monitored):
    days = log["day"].unique()[::-1]
    backwards = pd.concat([log[log["day"] == day] for day in days])
    assert monitored(backwards)["periods"] == monitored(log)["periods"]


def test_a_growing_log_does_not_change_its_past(log, monitored):
    """Evidence of the first months is the same with and without later months."""
    whole = monitored(log)["periods"]
    early = monitored(log[log["day"] < "2026-05"])["periods"]
    assert early == whole[: len(early)]


def test_more_mistakes_raise_an_alarm_about_costs(log, monitored):
    rng = np.random.default_rng(1)
    late = (log["day"] >= "2026-05").to_numpy() & (rng.random(len(log)) < 0.5)
    log.loc[late, "t"] = rng.permutation(log.loc[late, "t"].to_numpy())
    result = monitored(log)
    assert raised_by(result) == {"cost"}
    (alarm,) = result["alarms"]
    assert alarm["since"] in ("2026-04", "2026-05")
    assert "no longer hold" in alarm["sentence"]
    assert monitored(log, max_cost=5.0)["alarms"] == []
    assert monitored(log[log["day"] < "2026-05"])["alarms"] == []
    acted = monitored(log, since="2026-08-01")
    assert [facts["period"] for facts in acted["periods"]] == ["2026-08"]


def test_expensive_rows_are_told_from_a_worse_model(log, monitored):
    """Easy rows are missing: costs are high, as the model expects."""
    easy = log["expected_cost"] < log["expected_cost"].quantile(0.6)
    result = monitored(log[~easy], max_cost=0.4)
    alarm = next(alarm for alarm in result["alarms"] if alarm["test"] == "cost")
    assert "the rows are more expensive" in alarm["sentence"]


def test_answers_of_others_are_told_from_a_worse_model(log, monitored):
    result = monitored(log.assign(prediction="maybe"), answer="prediction")
    alarm = next(alarm for alarm in result["alarms"] if alarm["test"] == "cost")
    assert "not its predictions" in alarm["sentence"]


def test_drift_of_classes_and_columns_is_told_apart(log, monitored):
    late = log["day"] >= "2026-05"
    moved = log.assign(city=log["city"].mask(late, "Rome"))
    result = monitored(moved)
    assert [alarm["column"] for alarm in result["alarms"]] == ["city"]
    assert result["alarms"][0]["since"] in ("2026-04", "2026-05")
    assert "'Rome'" in result["alarms"][0]["sentence"]
    shifted = log.assign(size=log["size"].where(~late, log["size"] + 2))
    assert [alarm["column"] for alarm in monitored(shifted)["alarms"]] == ["size"]
    fewer = log.drop(index=log.index[late & (log["t"] == "no")])
    assert "classes" in raised_by(monitored(fewer))


def test_missing_cells_and_new_words_are_drift(log, monitored):
    late = (log["day"] >= "2026-05").to_numpy()
    half = late & (np.arange(len(log)) % 2 == 0)
    result = monitored(log.assign(size=log["size"].mask(half)))
    assert "missing" in result["alarms"][0]["sentence"]
    result = monitored(log.assign(city=log["city"].mask(half, "Paris")))
    assert result["alarms"][0]["column"] == "city"
    assert "'Paris'" in " ".join(result["warnings"])


def test_classes_may_be_known_later(log, monitored):
    """Rows without a class count for columns, not for costs."""
    late = log["day"] >= "2026-07"
    result = monitored(log.assign(t=log["t"].mask(late)))
    assert result["labelled"] == int((~late).sum())
    assert result["periods"][-1]["cost"] is None
    assert result["periods"][:6] == monitored(log)["periods"][:6]
    late_drift = log.assign(t=log["t"].mask(late), city=log["city"].mask(late, "Rome"))
    assert raised_by(monitored(late_drift)) == {"columns"}
    nothing = monitored(log.assign(t=np.nan))
    assert nothing["total"]["cost"] is None
    assert "no cost is known" in " ".join(nothing["warnings"])


def test_new_classes_are_reported_and_left_out(log, monitored):
    result = monitored(log.assign(t=log["t"].where(log.index % 10 > 0, "never")))
    assert result["labelled"] == len(log) - 120
    assert "120 rows have classes" in " ".join(result["warnings"])
    assert "'never'" in " ".join(result["warnings"])


def test_a_log_needs_no_columns_of_the_model(log, monitored):
    told = []
    slim = monitored(log[["day", "prediction", "t"]], tell=told.append)
    assert slim["tested"] == ["cost", "classes"]
    assert "'size', 'city'" in " ".join(told)
    full = monitored(log)
    for brief, facts in zip(slim["periods"], full["periods"], strict=True):
        assert brief["cost"] == facts["cost"]
        assert brief["expected"] is None
    with pytest.raises(InputError, match="cannot be predicted"):
        monitored(log[["day", "prediction", "t"]], answer=None)


@pytest.mark.parametrize(
    ("every", "first", "count"),
    [
        ("day", "2026-01-01", 240),
        ("week", "2025-12-29", 35),
        ("quarter", "2026-Q1", 3),
        ("year", "2026", 1),
    ],
)
def test_periods_of_the_calendar(log, monitored, every, first, count):
    periods = monitored(log, every=every)["periods"]
    assert periods[0]["period"] == first
    assert len(periods) == count


def test_pieces_of_a_log_give_the_same(log, monitored, monkeypatch):
    whole = monitored(log)
    monkeypatch.setattr("softcost.workflow.stored_model._ROWS_AT_ONCE", 70)
    assert monitored(log) == whole


def test_other_prices_have_another_limit(folder, log, monitored, tmp_path):
    dear = tmp_path / "dear.csv"
    dear.write_text(PRICES.replace("6", "60"))
    result, before = monitored(log, costs=str(dear)), monitored(log)
    assert result["limit"]["expected"] > before["limit"]["expected"]
    same = tmp_path / "same.csv"
    same.write_text(PRICES)
    limit = monitored(log, costs=str(same))["limit"]["expected"]
    held_out = load(folder / "m")[-1].tradeoff_["cost"]
    assert np.isclose(held_out, limit).any()


def test_costs_by_formula(softcost, tmp_path, folder):
    rng = np.random.default_rng(3)
    rows = make_rows(rng, 500, (0.6, 0.4, 0.0)).assign(amount=rng.uniform(1, 9, 500))
    rows[:300].to_csv(tmp_path / "train.csv", index=False)
    dated(rows[300:]).to_csv(tmp_path / "log.csv", index=False)
    result = softcost(
        "fit", tmp_path / "train.csv", "--target", "t", "--cost", "yes>no = amount",
        "--cost", "no>yes = 1", "--reduction", "mec", "--learner", "linear",
        "--cv", "2", "--softness", "0", "--quiet", "--model", tmp_path / "m",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    paths = str(tmp_path / "m"), str(tmp_path / "log.csv")
    monitored = monitor_model(*paths, "day", "t")
    assert monitored["prices"] == "by row"
    cost = evaluate_model(*paths, "t")["cost"]
    assert monitored["total"]["cost"] == pytest.approx(cost)
    assert monitored["alarms"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"date": "when"}, "'when' is not a column"),
        ({"date": "city"}, "'Oslo' in row|'Rome' in row|'Bern' in row"),
        ({"answer": "day"}, "without a price"),
        ({"since": "soon"}, "'soon' is not a date"),
        ({"since": "2030-01-01"}, "no rows from 2030"),
        ({"every": "hour"}, "must be one of day, week"),
        ({"false_alarms": 0.0}, "between 0 and 1"),
        ({"max_cost": 0.0}, "must be above the lowest possible cost"),
    ],
)
def test_wrong_words_are_refused(folder, change, words):
    options = {"date": "day", "truth": "t", "answer": "prediction"} | change
    with pytest.raises(InputError, match=words):
        monitor_model(str(folder / "m"), str(folder / "log.csv"), **options)


def test_a_missing_date_is_refused_with_its_row(log, monitored):
    log.loc[41, "day"] = "31st"
    with pytest.raises(InputError, match="'31st' in row 42"):
        monitored(log)


def test_a_model_without_notes_needs_a_limit(folder, log, tmp_path):
    told = []
    path = tmp_path / "bare"
    save(load(folder / "m"), path)
    words = (str(path), str(folder / "log.csv"), "day", "t")
    result = monitor_model(*words, answer="prediction", tell=told.append)
    assert result["tested"] == ["cost"]  # cross-validation has the cost
    assert "no profile" in " ".join(told)


@pytest.mark.parametrize(
    "profile",
    [
        {"size": {"bins": [1.0], "counts": [1]}},
        {"size": {"bins": [2.0, 1.0], "counts": [0, 1, 1, 0]}},
        {"size": {"bins": ["a"], "counts": [0, 1, 1]}},
        {"size": {"bins": [1.0], "counts": [0, -1, 1]}},
        {"shoe": {"bins": [1.0], "counts": [0, 1, 1]}},
        {"size": 3},
        [1, 2],
        7,
    ],
)
def test_an_invalid_profile_is_refused(folder, tmp_path, profile):
    model, manifest = read_model(str(folder / "m"))
    path = tmp_path / "odd"
    save(model, path, notes=manifest["notes"] | {"profile": profile})
    with pytest.raises(InputError, match="profile is invalid"):
        monitor_model(str(path), str(folder / "log.csv"), "day", "t")
