"""``softcost monitor``: exit codes, JSON and the page."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def logs(models):
    """A log in which nothing changes, and another in which much does."""
    rows = pd.read_csv(models / "new.csv")
    rows = pd.concat([rows] * 4, ignore_index=True)
    days = pd.to_timedelta(np.arange(len(rows)) // 5, unit="D")
    rows["day"] = (pd.Timestamp("2026-03-01") + days).strftime("%d.%m.%Y")
    rows.to_csv(models / "same.csv", index=False)
    late = np.arange(len(rows)) >= 300
    wrong = rows["t"].mask(late, rows["t"].map({"no": "yes", "yes": "no"}))
    rows.assign(t=wrong, a=rows["a"].where(~late, 9.0)).to_csv(
        models / "changed.csv", index=False
    )
    return models


@pytest.fixture
def run(softcost, logs, monkeypatch):
    monkeypatch.chdir(logs)
    return lambda log, *words: softcost(
        "monitor", "good", log, "--date", "day", "--truth", "t", *words
    )


def test_no_alarm_ends_with_0(run):
    result = run("same.csv")
    assert result.exit_code == 0, result.output
    assert "No alarm (cost, classes, columns)." in result.stdout
    assert "2026-06" in result.stdout
    assert "Limit: " in result.stdout


def test_an_alarm_ends_with_4(run, strict):
    result = run("changed.csv")
    assert result.exit_code == 4
    assert "ALARM in 2026-0" in result.stdout
    assert "--since DATE" in result.stderr
    as_json = run("changed.csv", "--json")
    assert as_json.exit_code == 4
    facts = strict(as_json.stdout)
    for alarm in facts["alarms"]:
        assert alarm["sentence"] in result.stdout


def test_bad_input_ends_with_2(run):
    for words in (["--since", "soon"], ["--answer", "b"], ["--false-alarms", "0"]):
        result = run("same.csv", *words)
        assert result.exit_code == 2
        assert words[0] in result.stderr


def test_the_page_has_the_same_alarms(run, logs, strict):
    result = run("changed.csv", "--report", "<b>.html", "--json")
    assert result.exit_code == 4
    page = (logs / "<b>.html").read_text(encoding="utf-8")
    assert "<script" not in page
    for alarm in strict(result.stdout)["alarms"]:
        words = alarm["sentence"].replace("'", "&#x27;")
        assert words in page
    assert run("same.csv", "--report", "quiet.html").exit_code == 0
    assert "No alarm" in (logs / "quiet.html").read_text(encoding="utf-8")


def test_the_page_loads_nothing_and_runs_nothing(run, logs, browser, patience):
    rows = pd.read_csv(logs / "changed.csv").rename(columns={"t": "<img src=x>"})
    rows.to_csv(logs / "odd.csv", index=False)
    run("odd.csv", "--truth", "<img src=x>", "--report", "odd.html")
    page = browser.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("request", lambda request: messages.append(request.url))
    page.goto((logs / "odd.html").as_uri(), timeout=patience)
    assert page.locator("svg circle").count() == 4
    assert page.locator(".verdict.alarm").count() == 1
    assert page.evaluate("getComputedStyle(document.body).maxWidth") == "960px"
    page.close()
    assert len(messages) == 1  # the page itself
