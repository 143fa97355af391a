"""``softcost evaluate`` beside the best single answer."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats


def run(softcost, models, name, *options):
    words = ("evaluate", models / name, models / "new.csv", "--target", "t")
    return softcost(*words, *options)


@pytest.mark.parametrize("name", ["good", "poor"])
def test_the_saving_is_that_over_the_best_single_answer(
    softcost, models, strict, tmp_path, name
):
    found = strict(run(softcost, models, name, "--json").stdout)
    truth = pd.read_csv(models / "new.csv")["t"]
    softcost("predict", models / name, models / "new.csv", "-o", tmp_path / "out.csv")
    answers = pd.read_csv(tmp_path / "out.csv")["prediction"]
    price = np.where(truth == "yes", 3.0, 1.0)
    paid = price * (answers != truth)
    always = {label: price * (truth != label) for label in ("no", "yes")}
    best = min(always, key=lambda label: always[label].mean())
    assert found["constant"]["label"] == best
    assert found["constant"]["cost"] == pytest.approx(always[best].mean())
    wanted = stats.ttest_rel(always[best], paid).confidence_interval(0.95)
    saving = found["saving"]
    assert (saving["low"], saving["high"]) == pytest.approx(tuple(wanted))
    assert saving["shown"] == (wanted.low > 0)
    assert found["cost_se"] == pytest.approx(stats.sem(paid))


def test_it_is_said_in_words(softcost, models):
    shown = run(softcost, models, "good").stdout
    assert "Always answering yes costs" in shown
    assert "Compared with always answering yes, it saves" in shown


def test_actions_are_answers_that_a_model_has_to_beat(softcost, models, strict):
    words = ("--costs", models / "prices.csv", "--action", "ask:0.01", "--quiet")
    line = "--target t --softness 2 --param C=1 --cv 2 --reduction mec --learner linear"
    model = models / "asks"
    fitted = softcost(
        "fit", models / "train.csv", *words, *line.split(), "--model", model
    )
    assert fitted.exit_code == 0, fitted.output
    found = strict(run(softcost, models, "asks", "--json").stdout)
    assert found["constant"] == {"label": "ask", "cost": pytest.approx(0.01)}
    assert found["advice"]["verdict"] != "better"


def test_another_system_is_part_of_the_comparison(softcost, models, strict, tmp_path):
    table = pd.read_csv(models / "new.csv")
    rng = np.random.default_rng(0)
    wrong = rng.random(len(table)) < 0.3
    truth = table["t"]
    flipped = truth.map({"no": "yes", "yes": "no"})
    table["clerk"], table["oracle"] = truth.where(~wrong, flipped), truth
    path = tmp_path / "answered.csv"
    table.to_csv(path, index=False)
    words = ["evaluate", models / "good", path, "--target", "t", "--answers", "clerk",
             "--answers", "oracle"]  # fmt: skip
    found = strict(softcost(*words, "--json").stdout)
    price = np.where(truth == "yes", 3.0, 1.0)
    clerk, oracle = found["others"]
    assert (clerk["name"], oracle["name"]) == ("clerk", "oracle")
    assert clerk["error"] == pytest.approx(wrong.mean())
    assert clerk["cost"] == pytest.approx((price * wrong).mean())
    assert oracle["cost"] == 0
    assert clerk["saving"]["saving"] == pytest.approx(clerk["cost"] - found["cost"])
    plain = strict(softcost(*words[:5], "--json").stdout)
    assert plain["cost"] == found["cost"]  # the column is not used by the model
    shown = softcost(*words).stdout
    head, _, *lines = shown.splitlines()[1:]
    assert head.split() == ["model", "clerk", "oracle"]
    line = next(line for line in lines if line.startswith("error "))
    assert f"{100 * wrong.mean():.2f}%" in line
    assert "Compared with clerk, the model saves" in shown
    assert "Compared with oracle, the model costs" in shown
    table["clerk"] = "perhaps"
    table.to_csv(path, index=False)
    refused = softcost(*words)
    assert refused.exit_code == 2
    assert "--answers 'clerk'" in refused.stderr
    assert "'perhaps'" in refused.stderr
    missing = softcost(*words[:5], "--answers", "nobody")
    assert missing.exit_code == 2
    assert "--answers" in missing.stderr
