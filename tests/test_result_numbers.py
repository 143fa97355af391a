"""Every number of the results' first page and of the verdicts, recomputed.

From the rows and the published values with pandas alone: nothing of the code that
made the pages is used.
"""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
PAPER = ROOT / "src" / "softcost" / "paper" / "published.json"

pytestmark = pytest.mark.skipif(
    not (RESULTS / "rows.csv.gz").is_file(), reason="the results are not in this copy"
)

EIGHT = ["iris", "wine", "glass", "vehicle", "vowel", "segment", "dna", "satimage"]
TWELVE = ["iris", "wine", "vehicle", "vowel", "segment", "dna", "satimage", "usps",
          "optdigits", "mfeat", "pendigit", "splice"]  # fmt: skip
SIX = ["OVA", "OVO", "OSR", "soft-OSR", "CSOVO", "soft-CSOVO"]
SOFT = ["soft-OSR", "soft-CSOVO", "soft-CSFT", "soft-CSZL"]
HARD = ["OSR", "CSOVO", "CSFT", "CSZL"]
REGULAR = ["OVA", "OVO", "FT", "OVO"]
ELEVEN = [*SOFT, *HARD, "OVA", "OVO", "FT"]
GOOD = ("recall_product",)  # where large is good
COPIED = ["vehicle", "usps", "nursery", "arrhythmia", "optdigits", "mfeat"]
FAMILIES = {
    "inconsistent": ["OSR", "CSOVO", "CSFT", "CSZL"],
    "consistent": ["OSR", "CSOVO", "CSFT", "CSZL"],
    "alpha-selection": ["OSR"],
    "unbalanced": ["OSR-w", "OVA-w"],
    "emphasis": ["OSR"],
    "softness-curve": ["OSR-curve"],
    "kdd99": ["OSR-w", "CSOVO-w", "CSFT-w", "CSZL-w"],
    "kdd99-balanced": ["OSR-w", "CSOVO-w", "CSFT-w", "CSZL-w"],
}


@cache
def all_rows():
    rows = pd.read_csv(RESULTS / "rows.csv.gz", dtype={"made_of": str})
    rows["made_of"] = rows["made_of"].fillna("")
    trees = rows["family"].str.startswith("CSFT")
    return rows[rows["version"] == 1 + trees]


@cache
def published(target):
    """Means and standard errors by metric: data sets by algorithms."""
    found = {}
    for table in json.loads(PAPER.read_text("utf-8"))["tables"]:
        if table["target"] == target:
            frames = [
                pd.DataFrame(
                    {name: [cell[part] for cell in row]
                     for name, row in table["datasets"].items()},
                    index=table["algorithms"],
                ).T * table["unit"]
                for part in (0, 1)
            ]  # fmt: skip
            found[table["metric"]] = tuple(frames)
    return found


@cache
def cells(target, runs=20, kind="paper", grid=""):
    rows = all_rows()
    rows = rows[(rows["run"] < runs) & rows["family"].isin(FAMILIES[target])]
    rows = rows[rows["made_of"] == grid]
    by_size = rows["costs"] == "class-ratio"
    if target == "consistent":
        return rows[rows["costs"] == "consistent"]
    if target == "emphasis":
        return rows[rows["costs"].str.startswith("emphasis")]
    if target.startswith("kdd99"):
        own = "own" if target == "kdd99" else "own-balanced"
        return rows[(rows["dataset"] == "kdd99") & (rows["costs"] == own)]
    if kind == "class-ratio":
        return rows[by_size]
    drawn_plain = rows["dataset"].isin(EIGHT)
    return rows[((rows["costs"] == "plain") & drawn_plain) | (by_size & ~drawn_plain)]


def ours(target, metric, **options):
    groups = cells(target, **options).groupby(["dataset", "algorithm"])[metric]
    return groups.mean().round(14).unstack(), groups.sem().unstack()


class Numbers:
    """Means, errors and what is clear, for one side of a comparison."""

    def __init__(self, target, side):
        self.target, self.side = target, side

    def both(self, metric):
        if self.side == "published":
            return published(self.target)[metric]
        mean, se = ours(self.target, metric)
        known = published(self.target)
        names = known[metric][0] if metric in known else mean
        return mean.reindex(names.index), se.reindex(names.index)

    def gain(self, metric, a, b):
        mean = self.both(metric)[0]
        gain = (mean[a] - mean[b]) * (1 if metric in GOOD else -1)
        if self.side == "published" and metric == "cost" and "FT" in (a, b):
            gain = gain.drop(COPIED if self.target == "consistent" else [])
        return gain

    def clear(self, metric, a, b):
        mean, se = self.both(metric)
        if self.side == "stated":
            runs = cells(self.target).pivot_table(
                index="run", columns=["dataset", "algorithm"], values=metric
            )
            found = {}
            for name in mean.index:
                one, other = runs[name, a], runs[name, b]
                if (one == other).all():
                    found[name] = False
                    continue
                sides = (("less", one, other), ("greater", one, other))
                found[name] = any(
                    ttest_rel(x, y, alternative=side).pvalue < 0.1
                    for side, x, y in sides
                )
            return pd.Series(found)
        runs = 20 if self.side == "published" else cells(self.target)["run"].nunique()
        limit = student.ppf(0.975, 2 * runs - 2)
        spread = np.hypot(se[a], se[b])
        return (mean[a] - mean[b]).abs() > limit * spread

    def best(self, metric, names, slack=0.0):
        mean, se = self.both(metric)
        mean, se = mean[names], se[names]
        low = mean.min(axis=1)
        return mean.le(low + slack * se.where(mean.eq(low, axis=0)).max(axis=1), axis=0)

    def ranks(self, metric):
        return self.both(metric)[0][ELEVEN].rank(axis=1).mean()


def better(metric, a, b):
    return lambda n: n.gain(metric, a, b) > 0


def clearly_better(metric, a, b):
    return lambda n: (g := n.gain(metric, a, b)).gt(0) & n.clear(metric, a, b)[g.index]


def similar(metrics, a, b):
    return lambda n: ~pd.concat([n.clear(m, a, b) for m in metrics], axis=1).any(axis=1)


def not_clearly_worse(metric, a, b):
    return lambda n: (n.gain(metric, a, b) >= 0) | ~n.clear(metric, a, b)


def abstract(a, b):
    return lambda n: better("error", a, b)(n) & not_clearly_worse("cost", a, b)(n)


def between(soft, hard, regular):
    def ask(n):
        mean = n.both("error")[0]
        ends = mean[[hard, regular]]
        return mean[soft].between(ends.min(axis=1), ends.max(axis=1))

    return ask


def ahead(n):
    mean = n.both("cost")[0]
    if n.side == "published" and n.target == "consistent":
        mean = mean.drop(COPIED)
    others = ["FT", "CSFT", "soft-CSFT", "CSZL", "soft-CSZL"]
    return mean[["soft-OSR", "soft-CSOVO"]].min(axis=1) < mean[others].min(axis=1)


def lower_ranks(names, others):
    def ask(n):
        ranks = n.ranks("cost")
        return pd.Series({"all": ranks[names].max() < ranks[others].min()})

    return ask


REST = [name for name in ELEVEN if name not in ("soft-OSR", "soft-CSOVO")]
PAIRS = list(zip(SOFT, HARD, strict=True))
MAIN = [
    [abstract(*pair) for pair in PAIRS],
    [clearly_better("error", *pair) for pair in PAIRS],
    [not_clearly_worse("cost", *pair) for pair in PAIRS],
    [clearly_better("cost", *pair) for pair in PAIRS],
    [better("cost", *pair) for pair in zip(SOFT, REGULAR, strict=True)],
    [clearly_better("cost", *pair) for pair in zip(SOFT, REGULAR, strict=True)],
    [between(*names) for names in zip(SOFT, HARD, REGULAR, strict=True)],
    [lambda n: n.best("error", ELEVEN)[["OVA", "OVO", "FT"]].any(axis=1)],
    [ahead],
    [lower_ranks(["soft-OSR", "soft-CSOVO"], REST)],
    [lower_ranks(["soft-OSR", "soft-CSOVO"], ["soft-CSFT", "soft-CSZL"]),
     lower_ranks(["OSR", "CSOVO"], ["CSFT", "CSZL"])],
    [similar(["cost", "error"], "soft-CSZL", "CSZL")],
]  # fmt: skip
THREE = ["weighted-OVA", "OSR", "soft-OSR"]
ASKED = {
    "inconsistent": [
        [lambda n: n.best("cost", ELEVEN, slack=1.0)["soft-OSR"]],
        [lambda n: n.best("cost", ELEVEN)["soft-OSR"]],
        *MAIN,
        [better("error", "CSZL", "CSOVO")],
        [lambda n, p=pair: (n.gain("cost", *p) < 0)[["vowel", "dna"]]
         for pair in zip(HARD[:3], REGULAR, strict=False)],
    ],
    "consistent": [
        [lambda n: n.best("cost", ELEVEN, slack=1.0)["soft-CSOVO"]],
        *MAIN,
    ],
    "alpha-selection": [
        [clearly_better("cost", "soft-OSR", "soft-OSR-max")],
        [clearly_better("error", "soft-OSR-max", "soft-OSR")],
    ],
    "unbalanced": [
        [lambda n: n.best("cost", THREE)["OSR"]],
        [lambda n: n.best("weighted_error", THREE)["weighted-OVA"]],
        [better("weighted_error", "soft-OSR", "OSR")],
        [clearly_better("recall_product", "soft-OSR", "OSR")],
        [similar(["cost"], "soft-OSR", "OSR")],
    ],
    "kdd99": [
        [similar(["cost"], *pair) for pair in PAIRS],
        [similar(["error"], *pair) for pair in PAIRS],
    ],
    "kdd99-balanced": [
        [better("weighted_error", *pair) for pair in PAIRS],
        [better("recall_product", *pair) for pair in PAIRS],
        [similar(["cost"], *pair) for pair in PAIRS],
    ],
}  # fmt: skip


@cache
def page(name):
    return (RESULTS / f"{name}.md").read_text("utf-8")


def rows_of(text):
    """Rows of Markdown tables, as lists of cells."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [
        [cell.strip().replace("**", "") for cell in line[1:-1].split("|")]
        for line in lines
    ]


def claims_of(target):
    part = page("verdicts").split(f"\n## {target}\n")[1].split("\n## ")[0]
    return [row for row in rows_of(part) if row[0].isdigit()]


CASES = [
    (target, n) for target, questions in ASKED.items() for n in range(len(questions))
]


@pytest.mark.parametrize(("target", "n"), CASES)
def test_a_claim(target, n):
    _, _, _, own, told, _, stated, same, chance, verdict = claims_of(target)[n]
    if verdict == "not run yet":
        assert target not in ("inconsistent", "consistent")
        assert cells(target).empty
        return
    questions = ASKED[target][n]
    answers = {
        side: [question(Numbers(target, side)) for question in questions]
        for side in ("ours", *(["stated"] if stated else ()))
    }
    if told:
        answers["published"] = [ask(Numbers(target, "published")) for ask in questions]
        known = [part.index for part in answers["published"]]
    else:  # misprints, or no numbers
        known = [part.index for part in answers["ours"]]

    def counts(side):
        return "/".join(
            str(int(part[index].sum()))
            for part, index in zip(answers[side], known, strict=True)
        )

    sizes = [len(index) for index in known]
    of = "/".join(map(str, sizes[:1] if len(set(sizes)) == 1 else sizes))
    assert own == f"{counts('ours')} of {of}"
    if stated:
        assert stated == f"{counts('stated')} of {of}"
    if told:
        assert told == f"{counts('published')} of {of}"
        pairs = [
            (a[index].astype(bool), b[index].astype(bool))
            for a, b, index in zip(
                answers["ours"], answers["published"], known, strict=True
            )
        ]
        equal = sum(int((a == b).sum()) for a, b in pairs)
        assert same == f"{equal} of {sum(sizes)}"
        # Shuffling keeps how often each side says yes; what is missing may move.
        full = [part.astype(bool).mean() for part in answers["ours"]]
        expected = sum(
            size * (p * b.mean() + (1 - p) * (1 - b.mean()))
            for size, p, (_, b) in zip(sizes, full, pairs, strict=True)
        )
        assert float(chance) == pytest.approx(expected, abs=0.2)
        assert verdict_of(answers, known, equal, counts, verdict)


def verdict_of(answers, known, equal, counts, verdict):
    """Whether a verdict is that of shuffles of our own; what is on the edge may be."""
    rng = np.random.default_rng(99)
    one = pd.concat(answers["ours"], axis=1).astype(float).to_numpy()
    other = pd.concat(answers["published"], axis=1).astype(float)
    places = pd.concat(answers["ours"], axis=1).index
    other = other.reindex(places).to_numpy()
    found = []
    for _ in range(2000):
        moved = one[rng.permutation(len(one))]
        found.append(np.mean(moved[~np.isnan(other)] == other[~np.isnan(other)]))
    found = np.array(found)
    observed = equal / sum(map(len, known))
    high = np.mean(found >= observed - 1e-9)
    low = np.mean(found <= observed + 1e-9)
    ends = [np.mean(found == end) for end in (found.max(), found.min())]
    if any(0.035 < p < 0.065 for p in (high, low, *ends)):
        return True
    if high < 0.05:
        return verdict == "clearly above chance"
    if low < 0.05:
        return verdict == "opposite"
    if min(ends) < 0.05:
        return verdict == "not distinguishable from chance"
    alike = counts("ours") == counts("published")
    return verdict == f"{'same' if alike else 'other'} counts, shuffling cannot tell"


def test_claims_about_figures():
    means = cells("emphasis").groupby(["dataset", "costs", "algorithm"])
    shown = {row[1]: row[3] for row in claims_of("emphasis")}
    for metric in ("error", "cost"):
        wide = means[metric].mean().unstack()
        lower = (wide["soft-OSR"] < wide["OSR"]).sum()
        text = f"soft has a lower {metric} than hard"
        assert shown[text] == f"{lower} of {len(wide)}"
    soft = cells("emphasis").query("algorithm == 'soft-OSR'")
    groups = soft.groupby(["dataset", "costs"])["cost"]
    mean, se = groups.mean().unstack(), groups.sem().unstack()
    ends = ["emphasis-1e2", "emphasis-1e6"]
    away = (mean[ends[0]] - mean[ends[1]]).abs()
    spread = np.hypot(se[ends[0]], se[ends[1]])
    flat = (away <= student.ppf(0.975, 38) * spread).sum()
    (text,) = (text for text in shown if text.startswith("the cost of soft"))
    assert shown[text] == f"{flat} of {len(mean)}"
    hard = cells("emphasis").query("algorithm == 'OSR' and costs == 'emphasis-1e6'")
    recall = [
        (row["dataset"], right / total)
        for row in hard.to_dict("records")
        for right, total in [
            map(int, r.split("/"))
            for n, r in enumerate(row["recalls"].split())
            if n == row["run"] % len(row["recalls"].split())
        ]
        if total
    ]
    never = pd.DataFrame(recall).groupby(0)[1].mean() < 0.05
    (text,) = (text for text in shown if text.startswith("hard never"))
    assert shown[text] == f"{never.sum()} of {len(never)}"
    curve = cells("softness-curve").groupby("algorithm")["cost"].mean()
    inside = curve.drop(["OSR@0.0", "OSR@1.0"]).min() < curve.min() + 1e-15
    ((*_, own, _, _, _, _, chance, _),) = claims_of("softness-curve")
    assert own == f"{int(inside)} of 1"
    assert chance == f"{9 / 11:.1f}"


def test_claims_are_numbered_through():
    numbers = [int(row[0]) for row in rows_of(page("verdicts")) if len(row) == 10
               and row[0].isdigit()]  # fmt: skip
    assert numbers == list(range(1, len(numbers) + 1))


def near(target, metric, **options):
    """Which means are within two combined standard errors of the published ones."""
    mean, se = ours(target, metric, **options)
    their_mean, their_se = published(target)[metric]
    where = their_mean.index.intersection(mean.index)
    names = [name for name in their_mean if name in mean]
    mean, se = mean.loc[where, names], se.loc[where, names]
    their_mean, their_se = their_mean.loc[where, names], their_se.loc[where, names]
    away = (mean - their_mean).abs()
    return away.le(2 * np.hypot(se, their_se)) | away.lt(1e-12)


def share(part):
    within, total = int(part.to_numpy().sum()), part.size
    return f"{within} of {total} ({100 * within / total:.0f} %)"


def test_the_first_page():
    text = page("README")
    rows = all_rows()
    rows = rows[rows["run"] < 20]
    said = [
        f"in one run): {len(rows)}; data sets: {rows['dataset'].nunique()}.",
        *near_rows(),
        *contents(),
        *claim_counts(),
        *differences(),
        *kdd99(),
        *open_cells(),
    ]
    for sentence in said:
        assert sentence in page("README"), sentence
        text = text.replace(sentence, "")
    # What is left has no numbers but those that are part of names and of methods.
    for word in (
        "kdd99",
        "95 %",
        "20 runs",
        "1/C",
        "10^2 to 10^6",
        "22 sets",
        "| 20 |",
    ):
        text = text.replace(word, "")
    assert not re.findall(r"\d+", text)


def near_rows():
    table = [("inconsistent", "cost"), ("inconsistent", "error"),
             ("consistent", "cost"), ("consistent", "error")]  # fmt: skip
    for options in ({}, {"kind": "class-ratio"}, {"runs": 99}):
        places = table[:2] if "kind" in options else table
        counts = [share(near(*place, **options).loc[TWELVE, SIX]) for place in places]
        yield "| " + " | ".join(counts) + (" |  |  |" if len(counts) == 2 else " |")
    for metric in ("cost", "error"):
        part = near("inconsistent", metric, kind="class-ratio").loc[TWELVE, SIX]
        yield f"{metric} {share(part)}"


METRICS = {
    "alpha-selection": ["cost", "error"],
    "inconsistent": ["cost", "error"],
    "consistent": ["cost", "error"],
    "unbalanced": ["cost", "weighted_error", "recall_product"],
    "kdd99": ["cost", "error"],
    "kdd99-balanced": ["cost", "weighted_error", "recall_product"],
}


def contents():
    for target, metrics in METRICS.items():
        if cells(target).empty:
            continue
        within = [100 * near(target, metric).stack().mean() for metric in metrics]
        shares = [
            f"{metric.replace('_', ' ')} {percent:.0f} %"
            for metric, percent in zip(metrics, within, strict=True)
        ]
        verdicts = [row[-1] for row in claims_of(target)]
        above = verdicts.count("clearly above chance")
        told = above + verdicts.count("opposite")
        told += verdicts.count("not distinguishable from chance")
        runs = cells(target)["run"].nunique()
        counts = f"{above} of {told}" if told else ""
        yield f"| {runs} | {', '.join(shares)} | {counts} |"


def kdd99():
    if cells("kdd99").empty:
        return
    sizes = cells("kdd99")["rows"].unique()
    yield from (f"kdd99 ({size:.0f} rows" for size in sizes)
    for metric, unit in (("error", 100), ("cost", 1000)):
        mean, se = (
            part.loc["kdd99", "soft-OSR"] * unit for part in ours("kdd99", metric)
        )
        known = published("kdd99")[metric]
        their, their_se = (part.loc["kdd99", "soft-OSR"] * unit for part in known)
        runs = cells("kdd99")["run"].nunique()
        found = re.search(
            rf"soft-OSR, {metric} [^:]*: ([\d.]+) ± ([\d.]+) in {runs} runs, "
            r"([\d.]+) ± ([\d.]+) is published, off by ([-+][\d.]+)",
            page("README"),
        )
        off = (mean - their) / np.hypot(se, their_se)
        expected = (mean, se, their, their_se, off)
        for text, value in zip(found.groups(), expected, strict=True):
            digits = len(text.partition(".")[2])
            assert float(text) == pytest.approx(value, abs=0.51 * 10**-digits)
        yield found.group(0)
        yield "x 1000:" if metric == "cost" else "error %:"


def claim_counts():
    verdicts = [row[-1].partition(":")[0] for row in rows_of(page("verdicts"))
                if len(row) == 10 and row[0].isdigit()]  # fmt: skip
    yield f"The paper's {len(verdicts)} claims"
    for verdict, count in pd.Series(verdicts).value_counts().items():
        yield f"{count} {verdict}"


def differences():
    for target in ("inconsistent", "consistent"):
        (cost, cost_se), (error, error_se) = (
            ours(target, m) for m in ("cost", "error")
        )
        theirs = published(target)
        ova = pd.DataFrame(
            {"cost": cost["OVA"], "error": error["OVA"],
             "their cost": theirs["cost"][0]["OVA"],
             "their error": theirs["error"][0]["OVA"]}
        ).loc[theirs["cost"][0].index]  # fmt: skip
        spread = np.sqrt(
            (cost_se["OVA"] / ova["cost"]) ** 2
            + (error_se["OVA"] / ova["error"]) ** 2
            + (theirs["cost"][1]["OVA"] / ova["their cost"]) ** 2
            + (theirs["error"][1]["OVA"] / ova["their error"]) ** 2
        )
        ratio = ova["their cost"] / ova["their error"] / ova["cost"] * ova["error"]
        other = np.log(ratio).abs() > 2 * spread[ratio.index]
        if target == "consistent":
            yield f"on {other.sum()} of {len(other)} sets an error of OVA"
            continue
        own = ova.loc["usps"] * 100
        yield f"OVA errs on {own['error']:.2f} %"
        yield f"published is {own['their error']:.2f} %"
        rest = [name for name in ova.index if name not in EIGHT]
        names = [name for name in rest if other[name]]
        yield f"on {len(names)} of {len(rest)} sets ({', '.join(names)})"
        yield f"{ratio[names].min():.2g} to {ratio[names].max():.2g} times ours"
        as_published = near("inconsistent", "error")["OVA"]
        yield "but for " + ", ".join(
            f"{name} {100 * ova['error'][name]:.1f} % against "
            f"{100 * ova['their error'][name]:.1f}"
            for name in rest
            if not as_published[name]
        )
    both = {
        grid: near("inconsistent", "error", grid=grid) for grid in ("", "lambda = 1/C")
    }
    small = both["lambda = 1/C"].index.intersection(TWELVE)
    as_c, inverse = (both[grid].loc[small] for grid in both)
    yield f"With C {as_c.to_numpy().sum()} of {as_c.size} mean errors"
    yield f"with 1/C {inverse.to_numpy().sum()}."


HEADINGS = ("cost x 1000", "cost x 10^6", "error %", "weighted error, sum",
            "product of recalls %")  # fmt: skip


def open_cells():
    """Counted on the pages of the targets, where each has its line."""
    total = 0
    for target, metrics in METRICS.items():
        if cells(target).empty:
            continue
        far = sum((~near(target, metric)).to_numpy().sum() for metric in metrics)
        lines = [row for row in rows_of(page(target)) if len(row) == 9
                 and row[3] in HEADINGS]  # fmt: skip
        assert len(lines) == far
        open_ = [row[0] for row in lines if row[8] == "unexplained"]
        counts = pd.Series(open_, dtype=str).value_counts()
        total += counts.sum()
        named = ", ".join(f"{name} {counts[name]}" for name in sorted(counts.index))
        if named:
            yield f"| {target} | {counts.sum()} | {named} |"
    yield f"{total} means are more than two combined"
