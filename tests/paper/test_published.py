"""The published numbers, the figures that need no data, and tables of both."""

import math

import numpy as np
import pytest

from softcost.metrics import pareto_mask
from softcost.paper import (
    TARGETS,
    artificial_front,
    artificial_lines,
    published_symbols,
    published_values,
)
from softcost.paper.planning import ALGORITHMS, DATASETS


def test_every_published_number_is_there():
    table = published_values()
    counts = table["target"].value_counts().to_dict()
    assert counts == {
        "inconsistent": 484, "consistent": 484, "unbalanced": 80,
        "alpha-selection": 32, "sers": 22, "kdd99": 16, "kdd99-balanced": 24,
    }  # fmt: skip
    for target in ("inconsistent", "consistent"):
        part = table[table["target"] == target]
        assert set(part["dataset"]) == set(DATASETS)
        assert set(part["algorithm"]) == set(ALGORITHMS)
    assert set(table["target"]) <= set(TARGETS)
    keys = table[["target", "metric", "dataset", "algorithm"]]
    assert not keys.duplicated().any()


@pytest.mark.parametrize(
    ("target", "metric", "dataset", "algorithm", "mean", "error"),
    [
        ("alpha-selection", "cost", "glass", "soft-OSR", 129.42, 9.50),
        ("alpha-selection", "error", "dna", "soft-OSR-max", 4.16, 0.14),
        ("sers", "error", "sers", "soft-CSZL", 24.0, 2.87),
        ("unbalanced", "weighted_error", "dna", "weighted-OVA", 24.58, 0.81),
        ("unbalanced", "recall_product", "pageblock", "soft-OSR", 0.72, 0.71),
        ("kdd99-balanced", "cost", "kdd99", "CSFT", 2.18, 0.09),
        ("inconsistent", "cost", "iris", "OVA", 18.34, 4.48),
    ],
)
def test_spot_checks(target, metric, dataset, algorithm, mean, error):
    table = published_values().set_index(["target", "metric", "dataset", "algorithm"])
    row = table.loc[(target, metric, dataset, algorithm)]
    assert (row["published_mean"], row["published_se"]) == (mean, error)


def test_published_symbols_follow_from_the_published_means():
    """Recomputed as an unpaired two-sided test at .05; one row is corrupted."""
    tests = published_symbols()
    tests = tests[tests["target"].isin(["inconsistent", "consistent"])]
    assert len(tests) == 527
    assert (tests["published"] == "better").sum() == 90
    means = published_values().set_index(["target", "metric", "dataset", "algorithm"])
    agree = 0
    for row in tests.to_dict("records"):
        where = row["target"], row["metric"], row["dataset"]
        soft, other = (
            means.loc[(*where, row["soft"])],
            means.loc[(*where, row["versus"])],
        )
        spread = math.hypot(soft["published_se"], other["published_se"])
        difference = other["published_mean"] - soft["published_mean"]
        better = difference > 2.024 * spread
        agree += better == (row["published"] == "better")
    assert agree == 526


def test_other_published_symbols_do_not():
    """They are marked although means are nearer than an unpaired test would see."""
    tests = published_symbols()
    means = published_values().set_index(["target", "metric", "dataset", "algorithm"])
    others = tests[~tests["target"].isin(["inconsistent", "consistent"])]
    assert len(others) > 0
    for row in others.to_dict("records"):
        where = row["target"], row["metric"], row["dataset"]
        soft, other = (means.loc[(*where, row[name])] for name in ("soft", "versus"))
        spread = math.hypot(soft["published_se"], other["published_se"])
        difference = abs(soft["published_mean"] - other["published_mean"])
        assert row["published"] == "better"
        assert difference < 1.1 * spread


def test_the_front_of_the_artificial_figure():
    """Where the likelihood ratio equals 1 / (30 - 29 a), or (1 - a) / 30 + a."""
    reference = {
        "raw": [(0.0229, 0.24564, 0.28473), (0.0728, 0.23370, 0.28663),
                (0.1440, 0.21706, 0.29732), (0.2663, 0.19024, 0.34742),
                (0.4218, 0.16130, 0.50317), (0.7429, 0.13312, 1.43390)],
        "divided": [(0.0229, 0.24564, 0.28473), (0.4369, 0.15890, 0.52601),
                    (0.5797, 0.14095, 0.83046), (0.6726, 0.13463, 1.13515),
                    (0.7167, 0.13333, 1.31523), (0.7429, 0.13312, 1.43390)],
    }  # fmt: skip
    front = artificial_front()
    for scale, rows in reference.items():
        part = front[front["scale"] == scale]
        assert part["softness"].tolist() == [0, 0.25, 0.5, 0.75, 0.9, 1]
        np.testing.assert_allclose(part[["b", "error", "cost"]], rows, atol=6e-5)


def test_no_line_is_better_than_the_front():
    lines = artificial_lines()
    front = artificial_front(tuple(np.linspace(0, 1, 201)))
    front = front[front["scale"] == "divided"]
    points = np.vstack([front[["error", "cost"]], lines[["error", "cost"]]])
    best = pareto_mask(points)[: len(front)]
    assert best.mean() > 0.95  # neighbours of the grid may lie between them
    between = lines[
        (lines["error"] < front["error"].max()) & (lines["cost"] < front["cost"].max())
    ]
    limit = np.interp(
        between["error"], *front.sort_values("error")[["error", "cost"]].T.to_numpy()
    )
    assert (between["cost"] > limit - 1e-3).all()
