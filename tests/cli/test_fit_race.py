"""``softcost fit --minutes``."""


def test_a_race_shows_the_best_of_each_family(menu, softcost, strict):
    fit = ["fit", menu.data, "--target", "class", "--costs", menu.costs, "--minutes",
           "1e-9", "--seed", "3", "--softness", "0,1", "--cv", "3"]  # fmt: skip
    told = strict(softcost(*fit, "--json", "--quiet").stdout)
    assert told["reduction"] == "auto"
    tried = [one for one in told["families"] if "cost" in one]
    assert {one["family"] for one in tried} == {"linear", "blend"}
    assert told["cross_validated"]["chosen"]["family"] == "blend"
    (linear,) = [one for one in tried if one["family"] == "linear"]
    assert "no time was left" in linear["skipped"]
    others = [one for one in told["families"] if "cost" not in one]
    assert {one["family"] for one in others} >= {"extra-trees", "boosted-trees"}
    assert all(one["skipped"] for one in others)
    shown = softcost(*fit, "--quiet", "--details")
    assert shown.exit_code == 0
    for one in told["families"]:
        assert one["family"] in shown.output


def test_named_families_race_as_they_are_given(menu, softcost, strict):
    fit = [*menu.fit, "--reduction", "mec,osr", "--minutes", "1e-9", "--seed", "3"]
    result = softcost(*fit, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    told = strict(result.stdout)
    assert [one["family"] for one in told["families"]] == ["mec-linear", "osr-svm"]
    assert told["families"][1]["skipped"] == "no time was left"


def test_minutes_are_more_than_none(menu, softcost):
    result = softcost(*menu.fit, "--minutes", "0")
    assert result.exit_code == 2
    assert "--minutes" in result.stderr
