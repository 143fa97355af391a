"""Bad tables get the right answer or one clear sentence, from Python and in a shell."""

import numpy as np
import pandas as pd
import pytest

from softcost import SoftCostClassifierCV
from softcost.tables import DenseFeatures, TableEncoder, read_table

N = 90
CLASSES = ["no", "yes"]
COSTS = [[0, 1], [5, 0]]


def base():
    """A table whose column ``size`` tells the class, most of the time."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=N)
    labels = np.where(size + 0.3 * rng.normal(size=N) > 0, "yes", "no")
    city = rng.choice(["Oslo", "Rome", "Bonn"], N)
    return pd.DataFrame({"size": size.round(3), "city": city}), labels


DAYS = pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d").tolist()
WORDS = [f"w{number}" for number in range(N)]
# For each: another column, and a part of the sentence that refuses it, or None if the
# column is used or left out and the answers are right.
COLUMNS = {
    "all missing": ([None] * N, None),
    "all empty texts": ([""] * N, None),
    "constant": ([5] * N, None),
    "one number, else missing": ([*[None] * (N - 1), 5], None),
    "infinity": ([np.inf, *range(N - 1)], "'more' of .* row 1"),
    "infinity as text": (["1", "-inf", "2"] * 30, "'more' of .* row 2"),
    "too large": ([*range(N - 1), 1e200], "'more' of .* row 90"),
    "mixed types": ([1, "a", 2.5, None, True, "x"] * 15, None),
    "numbers and a word": ([*range(N - 1), "?!"], None),
    "numbers and unknown": ([*(np.arange(N - 1) / 7), "unknown"], None),
    "open-ended dates": (["9999-12-31", *DAYS[1:]], None),
    "impossible dates": (["2023-02-30", *DAYS[1:]], None),
    "texts in place of dates": ([*DAYS[:-1], "soon"], None),
    "a category for each row": (WORDS, None),
    "hardly any category twice": (["w1", *WORDS[1:]], None),
    "lists": ([[1], [2], [1, 2]] * 30, None),
    "control characters": (["a\x1b[31m", "b\x00", "\u202e"] * 30, None),
    "numbers of 400 digits": ([10**400 + number for number in range(N)], None),
    "large numbers": ([(-1) ** k * 1e15 * k for k in range(N)], None),
    "tiny numbers": ([1e-300 * (k % 7) for k in range(N)], None),
    "durations and texts": (["1:30:00", "2:75:00", "never"] * 30, None),
    "several kinds of missing": ([None, "", "NA", "n/a", "1", "2"] * 15, None),
}
# For each: what is done to rows that are to be predicted, and as above.
CHANGES = {
    "unseen category": (lambda X: X.assign(city="Paris"), None),
    "all cells missing": (lambda X: X.assign(city=None, size=None), None),
    "reordered columns": (lambda X: X[["city", "size"]], None),
    "another column": (lambda X: X.assign(more=1), None),
    "a number for a word": (lambda X: X.assign(city=7), None),
    "a missing column": (lambda X: X.drop(columns="city"), "'city' is not a column"),
    "a renamed column": (
        lambda X: X.rename(columns={"size": "Size"}),
        "did you mean 'Size'",
    ),
    "a word for a number": (lambda X: X.assign(size="many"), "'size' .* 'many' in row"),
    "infinity": (lambda X: X.assign(size=np.inf), "'size' .* 'inf' in row 1"),
}


HARMLESS = [name for name, (_, words) in COLUMNS.items() if words is None]
REFUSED = [name for name, (_, words) in COLUMNS.items() if words is not None]


def with_column(*names):
    """The base table with odd columns, called ``more``, ``more 1`` and so on."""
    X, labels = base()
    for number, name in enumerate(names):
        cells = pd.Series(COLUMNS[name][0], dtype=object)
        X[f"more {number}" if number else "more"] = cells
    return X, labels


def check(labels, predictions):
    """Predictions are classes, and cheaper than any constant one."""
    assert {*predictions} <= {*CLASSES}
    costs = pd.DataFrame(COSTS, CLASSES, CLASSES)
    pairs = zip(labels, predictions, strict=True)
    paid = np.mean([costs.loc[true, answer] for true, answer in pairs])
    assert paid < 0.8 * costs.loc[labels].mean().min()


@pytest.mark.parametrize("name", HARMLESS)
def test_columns_that_are_used_or_left_out(name, tmp_path):
    X, labels = with_column(name)
    encoder = TableEncoder(output="codes")
    codes = encoder.fit_transform(X, labels)
    assert {"size", "city"} <= {*encoder.kinds_}
    assert not np.isinf(codes).any()
    np.testing.assert_array_equal(encoder.transform(X), codes)
    for row in (0, N - 1):
        few = encoder.transform(X.iloc[[row]])[0]
        np.testing.assert_allclose(few, codes[row], atol=1e-12)
    dense = DenseFeatures(encoder.categorical_features_).fit_transform(codes, labels)
    assert np.isfinite(dense).all()
    X.to_csv(tmp_path / "table.csv", index=False)
    again = TableEncoder(output="codes")
    # Older versions of pandas read the last digit of a text differently.
    np.testing.assert_allclose(
        again.fit_transform(read_table(str(tmp_path / "table.csv")), labels),
        codes,
        rtol=1e-14,
    )


def test_training_from_python():
    X, labels = with_column(*HARMLESS)
    search = SoftCostClassifierCV(cost_matrix=COSTS, cv=2, random_state=0)
    check(labels, search.fit(X, labels).predict(X))


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_are_refused(name):
    X, labels = with_column(name)
    with pytest.raises(ValueError, match=COLUMNS[name][1]):
        SoftCostClassifierCV(cost_matrix=COSTS).fit(X, labels)


@pytest.fixture(scope="module")
def search():
    X, labels = base()
    return SoftCostClassifierCV(cost_matrix=COSTS, cv=2, random_state=0).fit(X, labels)


@pytest.mark.parametrize("name", list(CHANGES))
def test_prediction_from_python(name, search):
    X, labels = base()
    change, words = CHANGES[name]
    if words is not None:
        with pytest.raises(ValueError, match=words):
            search.predict(change(X))
        return
    predictions = search.predict(change(X))
    np.testing.assert_array_equal(search.predict(change(X).iloc[:1]), predictions[:1])
    assert {*predictions} <= {*CLASSES}
    if "cells" not in name:
        check(labels, predictions)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (base()[0][[]], "no column"),
        (pd.DataFrame({"id": range(N)}), "no column"),
        (base()[0].iloc[:0], "row"),
        (base()[0].assign(more=np.arange(N) * 1j), "complex"),
        (pd.concat([base()[0], base()[0]], axis=1), "'size'"),
    ],
)
def test_tables_without_a_sense(X, words):
    with pytest.raises(ValueError, match=words):
        SoftCostClassifierCV(cost_matrix=COSTS).fit(X, base()[1][: len(X)])


OPTIONS = (
    "--learner", "linear", "--softness", "0", "--param", "C=1", "--cv", "2", "--quiet",
)  # fmt: skip


@pytest.fixture
def fit(tmp_path, softcost):
    """Train with a table from a file, quickly."""
    prices = tmp_path / "prices.csv"
    prices.write_text(",no,yes\nno,0,1\nyes,5,0\n")

    def run(X, labels):
        X.assign(answer=labels).to_csv(tmp_path / "rows.csv", index=False)
        return softcost(
            "fit", tmp_path / "rows.csv", "--target", "answer", "--costs", prices,
            *OPTIONS, "--model", tmp_path / "model",
        )  # fmt: skip

    return run


def predicted(softcost, folder, X):
    X.to_csv(folder / "new.csv", index=False)
    out = folder / "out.csv"
    return softcost("predict", folder / "model", folder / "new.csv", "-o", out), out


def test_training_in_a_shell(fit, tmp_path, softcost):
    X, labels = with_column(*HARMLESS)
    result = fit(X, labels)
    assert result.exit_code == 0, result.output
    result, out = predicted(softcost, tmp_path, X)
    assert result.exit_code == 0, result.output
    check(labels, pd.read_csv(out)["prediction"].astype(str).to_numpy())


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_are_refused_in_a_shell(name, fit):
    result = fit(*with_column(name))
    assert result.exit_code != 0
    assert "'more'" in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_prediction_in_a_shell(fit, tmp_path, softcost):
    X, labels = base()
    assert fit(X, labels).exit_code == 0
    for change, words in CHANGES.values():
        result, out = predicted(softcost, tmp_path, change(X))
        assert "Traceback" not in result.output
        if words is None:
            assert result.exit_code == 0, result.output
            assert {*pd.read_csv(out)["prediction"]} <= {*CLASSES}
        else:
            assert result.exit_code != 0
