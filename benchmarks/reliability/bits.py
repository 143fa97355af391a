"""Searches with one job, two jobs and Dask, and once more: the same bits."""

import warnings
from collections import Counter

import numpy as np
from joblib import parallel_config

from softcost import SoftCostClassifierCV
from softcost.reductions import CATALOGUE

SIZES = (60, 150, 400)
PRICES = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])


def run(count):
    """Every reduction for the first sizes, ``count`` of them in all."""
    from distributed import Client, LocalCluster

    tally = Counter()
    cases = [(size, name) for size in SIZES for name in CATALOGUE][:count]
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        for size, name in cases:
            wanted = _searched(name, size, 1)
            others = {
                "again": _searched(name, size, 1),
                "2 jobs": _searched(name, size, 2),
            }
            with parallel_config(backend="dask"):
                others["Dask"] = _searched(name, size, 2)
            for how, found in others.items():
                same = all(map(np.array_equal, wanted, found))
                tally[
                    f"{how}: {'the same' if same else f'other bits, {name} {size}'}"
                ] += 1
    tried = sum(tally.values())
    return tried, sum(n for one, n in tally.items() if "other" in one), dict(tally)


def _searched(name, size, n_jobs):
    rng = np.random.default_rng(size)
    y = rng.integers(3, size=size)
    X = rng.normal(size=(size, 4)) + y[:, None]
    reduction = CATALOGUE[name].load()()
    if "n_rounds" in reduction.get_params():
        reduction.set_params(n_rounds=3)
    if "n_resamples" in reduction.get_params():
        reduction.set_params(n_resamples=3)
    search = SoftCostClassifierCV(
        reduction, cost_matrix=PRICES, softness=3, cv=3, n_jobs=n_jobs, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    return search.tradeoff_[["cost", "error"]].to_numpy(), search.decision_function(X)
