"""``softcost compare``."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats


def run(softcost, models, first, second, *options):
    words = ("compare", models / first, models / second, models / "new.csv")
    return softcost(*words, "--target", "t", *options)


def test_savings_are_those_of_the_predictions(softcost, models, strict, tmp_path):
    truth = pd.read_csv(models / "new.csv")["t"]
    paid, wrong = [], []
    for name in ("poor", "good"):
        out = tmp_path / "out.csv"
        softcost("predict", models / name, models / "new.csv", "-o", out)
        answers = pd.read_csv(out)["prediction"]
        wrong.append((answers != truth).astype(float))
        paid.append(np.where(truth == "yes", 3.0, 1.0) * wrong[-1])
    found = strict(run(softcost, models, "poor", "good", "--json").stdout)
    for name, (before, after) in (("cost_saving", paid), ("error_saving", wrong)):
        wanted = stats.ttest_rel(before, after).confidence_interval(0.95)
        facts = found[name]
        assert facts["saving"] == pytest.approx(before.mean() - after.mean())
        assert (facts["low"], facts["high"]) == pytest.approx(tuple(wanted))
    assert found["models"][0]["cost"] == pytest.approx(paid[0].mean())
    assert found["different_answers"] == int((wrong[0] != wrong[1]).sum())


def test_the_sentences_go_with_the_order(softcost, models):
    assert "good is cheaper than" in run(softcost, models, "poor", "good").stdout
    assert "poor is more expensive" in run(softcost, models, "good", "poor").stdout
    same = run(softcost, models, "good", "good").stdout
    assert "Neither is shown to be cheaper" in same
    assert "0 of them answered differently" in same


def test_models_of_other_classes_are_refused(softcost, models, menu):
    words = (models / "good", menu.model, models / "new.csv", "--target", "t")
    result = softcost("compare", *words)
    assert result.exit_code == 2
    assert "do not have the same answers" in result.stderr
