"""Tables of customers and claims as analysts have them, made up from a seed.

    python benchmarks/made_tables.py churn OUT.csv --prices PRICES.csv [--seed 0]

Each is a function of a seed that gives a table (numbers of different scales, words,
empty cells, the classes in its last column) and a price list, rows true and columns
predicted. Labels are drawn from probabilities, so that no model is free of mistakes.

churn      4000 x 9   yes or no, a quarter leaves; missing one costs nine times as much
claims     5000 x 12  pay, check, refuse: mostly paid, prices by what goes wrong
accounts   20,000 x 20   four kinds of customers
payments   100,000 x 30  five kinds of payments, three of them rare
"""

import argparse

import numpy as np
import pandas as pd

TARGET = "outcome"
ROWS = {"churn": 4_000, "claims": 5_000, "accounts": 20_000, "payments": 100_000}


def churn(seed=0, n=ROWS["churn"]):
    """Contracts that are cancelled or not."""
    rng = np.random.default_rng([seed, 1])
    months = rng.integers(1, 72, n)
    monthly = rng.gamma(6, 9, n).round(2)
    calls = rng.poisson(0.8 + 1.5 * (months < 12))
    contract = rng.choice(["monthly", "one year", "two years"], n, p=[0.5, 0.3, 0.2])
    paid_by = rng.choice(["card", "transfer", "debit", "cheque"], n)
    score = (
        0.7
        - 0.05 * months
        + 0.02 * monthly
        + 0.5 * calls
        - 1.6 * (contract == "one year")
        - 2.5 * (contract == "two years")
        + 1.2 * ((paid_by == "cheque") & (monthly > 60))
    )
    leaves = rng.random(n) < 1 / (1 + np.exp(1.2 - score))
    table = pd.DataFrame(
        {
            "months": months,
            "monthly": monthly,
            "total": (months * monthly * rng.normal(1, 0.05, n)).round(2),
            "calls": calls,
            "contract": contract,
            "paid by": paid_by,
            "age": rng.integers(18, 90, n),
            "region": rng.choice([f"region {k}" for k in range(12)], n),
            "paperless": rng.choice(["yes", "no"], n),
        }
    )
    _empty(table, rng, {"total": 0.02, "age": 0.1, "paid by": 0.03})
    table[TARGET] = np.where(leaves, "leaves", "stays")
    return table, _prices({"leaves": {"stays": 90}, "stays": {"leaves": 10}})


def claims(seed=0, n=ROWS["claims"]):
    """Claims to pay, to check and to refuse."""
    rng = np.random.default_rng([seed, 2])
    amount = np.exp(rng.normal(7, 1.1, n)).round(2)
    days = rng.gamma(1.5, 20, n).round()
    before = rng.poisson(0.7, n)
    kind = rng.choice(["car", "home", "travel", "health", "legal"], n)
    police = rng.choice(["yes", "no"], n, p=[0.4, 0.6])
    doubt = (
        0.6 * (np.log(amount) - 7)
        + 0.03 * (days - 30)
        + 0.6 * before
        + 0.9 * ((kind == "travel") | (kind == "legal"))
        - 1.1 * ((police == "yes") & (kind == "car"))
    )
    grades = np.array([2.2, 4.2])  # beyond the first it is checked, then refused
    level = (doubt + rng.logistic(size=n) * 0.9)[:, np.newaxis] > grades
    table = pd.DataFrame(
        {
            "amount": amount,
            "days to report": days,
            "claims before": before,
            "kind": kind,
            "police": police,
            "age": rng.integers(18, 90, n),
            "premium": rng.gamma(5, 60, n).round(2),
            "years insured": rng.integers(0, 40, n),
            "channel": rng.choice(["agent", "web", "phone"], n),
            "town": rng.choice([f"town {k}" for k in range(25)], n),
            "deductible": rng.choice([0, 150, 300, 500], n),
            "children": rng.poisson(1.1, n),
        }
    )
    _empty(table, rng, {"premium": 0.05, "police": 0.1, "age": 0.05})
    table[TARGET] = np.array(["pay", "check", "refuse"])[level.sum(axis=1)]
    return table, _prices(
        {
            "pay": {"check": 20, "refuse": 150},
            "check": {"pay": 120, "refuse": 80},
            "refuse": {"pay": 600, "check": 20},
        }
    )


def accounts(seed=0, n=ROWS["accounts"]):
    """Four kinds of customers, told apart by curved borders."""
    rng = np.random.default_rng([seed, 3])
    table, score = _mixed(rng, n, n_numbers=16, n_words=4, n_classes=4, strength=1.2)
    names = np.array(["basic", "plus", "premium", "dormant"])
    table[TARGET] = names[_drawn(rng, score + np.log([0.5, 0.25, 0.1, 0.15]))]
    return table, _prices(
        {
            "basic": {"plus": 2, "premium": 5, "dormant": 1},
            "plus": {"basic": 4, "premium": 3, "dormant": 6},
            "premium": {"basic": 25, "plus": 12, "dormant": 40},
            "dormant": {"basic": 3, "plus": 4, "premium": 8},
        }
    )


def payments(seed=0, n=ROWS["payments"]):
    """Five kinds of payments, most of them in order."""
    rng = np.random.default_rng([seed, 4])
    table, score = _mixed(rng, n, n_numbers=24, n_words=6, n_classes=5, strength=1.2)
    names = np.array(["fine", "late", "double", "wrong", "fraud"])
    shares = np.log([0.94, 0.04, 0.01, 0.006, 0.004])
    table[TARGET] = names[_drawn(rng, score + shares)]
    return table, _prices(
        {
            "fine": {"late": 1, "double": 2, "wrong": 2, "fraud": 5},
            "late": {"fine": 3, "double": 2, "wrong": 2, "fraud": 5},
            "double": {"fine": 20, "late": 15, "wrong": 3, "fraud": 5},
            "wrong": {"fine": 15, "late": 12, "double": 4, "fraud": 4},
            "fraud": {"fine": 100, "late": 90, "double": 40, "wrong": 40},
        }
    )


def _mixed(rng, n, n_numbers, n_words, n_classes, strength):
    """Numbers and words, half of which matter, and the score of every class."""
    numbers = rng.normal(size=(n, n_numbers))
    words = rng.integers(0, 3 + 2 * np.arange(n_words), (n, n_words))
    telling = numbers[:, : n_numbers // 2]
    score = telling @ rng.normal(size=(telling.shape[1], n_classes)) * 0.5
    pairs = rng.integers(0, telling.shape[1], (4, 2))
    for first, second in pairs:  # borders that no line follows
        curved = telling[:, first] * telling[:, second]
        score += curved[:, np.newaxis] * rng.normal(size=n_classes) * 0.6
    for k in range((n_words + 1) // 2):
        score += rng.normal(size=(3 + 2 * k, n_classes))[words[:, k]] * 0.7
    scales = 10.0 ** rng.integers(-1, 4, n_numbers)
    table = pd.DataFrame(
        (numbers * scales).round(4), columns=[f"x{k + 1}" for k in range(n_numbers)]
    )
    for k in range(n_words):
        names = np.array([f"w{k + 1}-{value}" for value in range(3 + 2 * k)])
        table[f"word {k + 1}"] = names[words[:, k]]
    _empty(table, rng, {"x1": 0.03, "x5": 0.05, "word 1": 0.02})
    return table, strength * score


def _drawn(rng, score):
    """One class for every row, with probabilities in proportion to exp(score)."""
    return (score + rng.gumbel(size=score.shape)).argmax(axis=1)


def _empty(table, rng, shares):
    """Leave some cells of some columns empty."""
    for name, share in shares.items():
        table[name] = table[name].mask(rng.random(len(table)) < share)


def _prices(wrong):
    return pd.DataFrame(wrong).T.reindex(columns=list(wrong)).fillna(0.0)


TABLES = {one.__name__: one for one in (churn, claims, accounts, payments)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=list(TABLES))
    parser.add_argument("data")
    parser.add_argument("--prices", required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table, prices = TABLES[options.name](options.seed)
    table.to_csv(options.data, index=False)
    prices.to_csv(options.prices)


if __name__ == "__main__":
    main()
