"""Costs of rows by formulas over columns."""

import ast
import json
import random

import numpy as np
import pandas as pd
import pytest

from softcost.costs import (
    CostFormula,
    FormulaError,
    RowCostFormulas,
    row_cost_matrices,
)

COLUMNS = {"x": np.array([1.0, -2.0, 30.0]), "my col": np.array([0.5, 2.0, 8.0])}


def value(expression, columns=COLUMNS):
    return CostFormula(None, None, expression).evaluate(columns, 3).tolist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("7", [7, 7, 7]),
        ("1.5e1 + .5 - 2.", [13.5] * 3),
        ("2 + 3 * 4", [14] * 3),
        ("(2 + 3) * 4", [20] * 3),
        ("12 / 3 / 2 - 1 - 1", [0] * 3),
        ("abs(x)", [1, 2, 30]),
        ("--2 * +`my col`", [1, 4, 16]),
        ("-x + 30", [29, 32, 0]),
        ("max(x, `my col`, 1)", [1, 2, 30]),
        ("MIN(`my col`, 2)", [0.5, 2, 2]),
        ("if(x > 0, x, 4)", [1, 4, 30]),
        ("if(x<=1,1,if(x==30,7,9))", [1, 1, 7]),
        ("if(x != 1, 1 / (x - 1) + 9, 5)", [5, 9 - 1 / 3, 9 + 1 / 29]),
    ],
)
def test_values_of_expressions(expression, expected):
    np.testing.assert_allclose(value(expression), expected)


def random_expression(rng, depth=0):
    """An expression that Python evaluates in the same way."""
    kind = rng.randrange(6 if depth < 5 else 2)
    if kind == 0:
        return f"{rng.uniform(0.1, 9):.3g}"
    if kind == 1:
        return rng.choice(["x", "y"])
    parts = [random_expression(rng, depth + 1) for _ in range(2)]
    if kind == 2:
        return f"abs({parts[0]})"
    if kind == 3:
        return f"{rng.choice(['min', 'max'])}({parts[0]}, {parts[1]})"
    if kind == 4:
        return f"({parts[0]} {rng.choice('+-*/')} {parts[1]})"
    return f"{parts[0]} {rng.choice('+-*')} -{parts[1]}"


def test_agrees_with_python():
    rng = random.Random(0)
    for _ in range(300):
        expression = random_expression(rng)
        names = {"x": rng.uniform(1, 9), "y": rng.uniform(1, 9)}
        known = {"abs": abs, "min": min, "max": max, "__builtins__": {}}
        try:
            expected = eval(compile(ast.parse(expression, mode="eval"), "", "eval"),
                            known | names)  # fmt: skip
        except ZeroDivisionError:
            continue
        columns = {name: np.array([number]) for name, number in names.items()}
        try:
            cost = CostFormula(None, None, expression).evaluate(columns, 1)
        except FormulaError:
            assert expected < 0
            continue
        np.testing.assert_allclose(cost, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "true", "predicted"),
    [
        ("a>b=1", "a", "b"),
        (" very good > bad =1", "very good", "bad"),
        ("'a>b' > \"c=d\" = 1", "a>b", "c=d"),
        ('\'it\'\'s\'>"say ""no""" = 1', "it's", 'say "no"'),
        ("*>ask = 1", None, "ask"),
        ("'*'>* = 1", "*", None),
        ("0>1 = 1", "0", "1"),
        ("-1.5>été = 1", "-1.5", "été"),
    ],
)
def test_cells(text, true, predicted):
    formula = CostFormula.parse(text)
    assert (formula.true, formula.predicted) == (true, predicted)
    assert CostFormula.parse(formula.text) == formula


@pytest.mark.parametrize(
    "text",
    [
        "", "fn", "= 3", "a>b", "a>b =", "a>b == 2", "a>b>c = 1", "xy = 4", "'fn' = 1",
        "a>b = 2 ** 3", "a>b = 2 * * 3", "a>b = x y", "a>b = 2x", "a>b = (x",
        "a>b = x)",
        "a>b = f(3)", "a>b = x.__class__()", "a>b = __import__('os').system('ls')",
        "a>b = [1]", "a>b = lambda: 1", "a>b = x; y", "a>b = x := 1", "a>b = 'x'",
        "a>b = 1e999", "a>b = 0x10 * 2", "a>b = min(x)", "a>b = abs(x, 1)",
        "a>b = if(x, 1, 2)", "a>b = if(x > 1, 2)", "a>b = x > 1", "a>b = 1_000",
        "a>b = x if x else 1", "a>b = 0,75 * x", "a>b = ``", "a>b = x %", "a>b = x\0",
        "a>b = " + "(" * 60 + "1" + ")" * 60, "a>b = " + "-" * 80 + "1",
        "a>b = " + "abs(" * 60 + "1" + ")" * 60, "a>b = " + "1 + " * 1000 + "1",
        "a>b = " + "9" * 1990,
    ],
)  # fmt: skip
def test_bad_formulas_are_named(text):
    with pytest.raises(FormulaError) as caught:
        CostFormula.parse(text)
    message = str(caught.value)
    assert message.startswith("cost ")
    assert "\n" not in message
    assert len(message) < 400


def test_a_long_sum_is_not_deep():
    formula = CostFormula.parse("a>b = " + "+".join("1" * 990))
    assert formula.evaluate({}, 2).tolist() == [990, 990]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("x - 5", "negative.*row 8 of t.csv"),
        ("1 / (x - 1)", "divides by zero.*row 8 of t.csv"),
        ("(x - 1) / (x - 1)", "divides by zero.*row 8 of t.csv"),
        ("gaps", "column 'gaps' is empty.*row 9 of t.csv"),
        ("if(gaps > 1, 2, 3)", "column 'gaps' is empty.*row 9 of t.csv"),
        ("max(gaps, 2)", "column 'gaps' is empty.*row 9 of t.csv"),
        ("large * large", "too large.*row 8 of t.csv"),
        ("large", "too large.*row 8 of t.csv"),
        ("balence", "no column 'balence'; did you mean 'balance'"),
    ],
)
def test_bad_values_name_row_and_formula(expression, reason):
    columns = {
        "x": np.array([1.0, 7.0]),
        "gaps": np.array([2.0, np.nan]),
        "large": np.array([1e200, 1.0]),
        "balance": np.ones(2),
    }
    formula = CostFormula.parse(f"a>b = {expression}")
    with pytest.raises(FormulaError, match=reason) as caught:
        formula.evaluate(columns, 2, path="t.csv", first_row=7)
    assert f"a>b = {expression}" in str(caught.value)


def test_specific_formulas_have_priority():
    costs = row_cost_matrices(
        pd.DataFrame({"x": [1.0, 10.0]}),
        ["*>* = 1", "a>* = x", "a>c = 5", "b>b = 0.5", "*>ask = 2", "a>ask = 3"],
        ["a", "b", "c"],
    )
    for row, x in zip(costs, [1.0, 10.0], strict=True):
        assert row.tolist() == [[0, x, 5, 3], [1, 0.5, 1, 2], [1, 1, 0, 2]]


def test_two_classes_by_outcome():
    table = {"price": [4.0, 8.0]}
    texts = ["fn = 10 * price", "FP = price", "tp = 1"]
    costs = row_cost_matrices(table, texts, [0, 1], positive=1)
    assert costs[1].tolist() == [[0, 8], [80, 1]]
    swapped = row_cost_matrices(table, texts, [0, 1], positive=0)
    np.testing.assert_array_equal(swapped, costs[:, ::-1, ::-1])


@pytest.mark.parametrize(
    ("texts", "classes", "reason"),
    [
        (["a>b = 1"], "ab", "predicting 'a' for a true 'b' has no cost; add 'b>a"),
        (["a>b = 1", "b>a = 1", "a>ask = 2"], "ab", "predicting 'ask' for a true 'b'"),
        (["a>b = 1", "a>b = 2", "b>a = 1"], "ab", "give that cost once"),
        (["a>* = 1", "*>b = 2", "*>* = 1"], "abc", "cost of a>b.*without wildcards"),
        (["aa>b = 1"], "ab", "'aa' is not a class; did you mean 'a'"),
        (["fn = 1", "fp = 1"], "abc", "for two classes, and there are 3"),
        (["fn = 1", "fp = 1"], "ab", "name the positive class, 'a' or 'b'"),
    ],
)
def test_cells_without_or_with_two_costs(texts, classes, reason):
    with pytest.raises(FormulaError, match=reason):
        row_cost_matrices({"x": [1.0]}, texts, list(classes))


def test_formulas_as_plain_data():
    texts = ["'a b'>c = x / 2", "c>* = 1 + `y z`", "*>ask = 0.3"]
    costs = RowCostFormulas.resolve(texts, ["a b", "c"])
    saved = json.loads(json.dumps(costs.to_json()))
    again = RowCostFormulas.from_json(saved, ["a b", "c"], ["ask"])
    columns = {"x": np.array([4.0]), "y z": np.array([3.0])}
    np.testing.assert_array_equal(
        again.matrices(columns, 1), costs.matrices(columns, 1)
    )
    assert again.columns == ("x", "y z")


@pytest.mark.parametrize(
    "value",
    [
        None, {}, [1], [["a", "b"]], [["a", "z", "1"]], [["z", "a", "1"]],
        [["a", "b", 3]], [["a", "b", "1 +"]], [["a", "b", "1" * 5000]],
        [["a", "b", "__import__('os')"]], [["a", "b", "1"]] * 20_000,
    ],
)  # fmt: skip
def test_crafted_plain_data_is_refused(value):
    with pytest.raises(FormulaError):
        RowCostFormulas.from_json(value, ["a", "b"])


def test_words_are_not_numbers():
    with pytest.raises(TypeError, match="column 'x' holds"):
        row_cost_matrices(pd.DataFrame({"x": ["1"]}), ["*>* = x"], ["a", "b"])
