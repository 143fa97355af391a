"""Prices by row that cannot be used are refused before training."""

import pytest

TABLE = "x,cost_a,cost_b,t\n" + "".join(
    f"{i},{int(i % 2)},{int(i % 2 == 0)},{'ab'[i % 2]}\n" for i in range(20)
)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("3,1,0,b", "3,,0,b", "missing cost"),
        ("3,1,0,b", "3,-1,0,b", "cheaper than the true label"),
        ("3,1,0,b", "3,1,2,b", "cheaper than the true label"),
        ("3,1,0,b", "3,1,0,c", "'c'"),
        ("3,1,0,b", "3,much,0,b", "needs a finite number"),
    ],
)
def test_wrong_prices_by_row(softcost, tmp_path, monkeypatch, old, new, words):
    def fail(*args, **options):
        raise AssertionError("trained")

    monkeypatch.setattr("softcost.workflow.training.fit_model", fail)
    data, test = tmp_path / "data.csv", tmp_path / "test.csv"
    assert old in TABLE
    data.write_text(TABLE.replace(old, new))
    test.write_text(TABLE)
    options = ("--target", "t", "--cost-columns", "cost_")
    for first, second in ((data, test), (test, data)):
        result = softcost("fit", first, *options, "--test", second)
        assert result.exit_code == 2, result.exception
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert words in result.stderr
