"""What a user with many rows would run: searches of ours, single fits of others.

Every method is a function of rows X, numbers y of their classes and a price list; it
returns a function that predicts numbers of classes, and what was chosen.
"""

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier

from softcost import (
    CostSensitiveOneVsOne,
    LinearClassifier,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    OneSidedSVR,
    SoftCostClassifierCV,
)

C_VALUES = [1e-3, 1e-1, 10.0]
PASSES = 5  # of Vowpal Wabbit over its file


class Method(NamedTuple):
    """One line of the table.

    Attributes
    ----------
    what : str
    fit : callable
    package : str
    most : int
        Rows up to which it is run.
    """

    what: str
    fit: Any
    package: str
    most: int = 10**7


def soft(reduction, grid):
    """A search over 11 values of softness and a grid, 5 folds, and refit."""

    def fit(X, y, prices, **settings):
        search = SoftCostClassifierCV(
            reduction, cost_matrix=prices, param_grid=grid, random_state=0,
            n_jobs=2, **settings,
        ).fit(X, y)  # fmt: skip
        chosen = {"softness": float(search.best_softness_)}
        chosen |= {k: v for k, v in search.best_params_.items() if k != "softness"}
        return search.predict, chosen

    return fit


def bayes(make):
    """A classifier's probabilities and the decision of least expected cost."""

    def fit(X, y, prices):
        model = make().fit(X, y)
        chosen = {}
        if hasattr(model, "n_iter_"):
            chosen["steps"] = int(np.max(model.n_iter_))
        return lambda X: (model.predict_proba(X) @ prices).argmin(axis=1), chosen

    return fit


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=2, verbose=-1)


def costsensitive(name, learner):
    """A reduction of that package, which takes costs by example."""

    def fit(X, y, prices):
        import costsensitive

        model = getattr(costsensitive, name)(learner, njobs=1)
        model.fit(X, prices[y])
        return lambda X: np.asarray(model.predict(X)), {}

    return fit


def csoaa(X, y, prices):
    """Vowpal Wabbit's cost-sensitive one-against-all, over a file of text."""
    with csoaa_file(X, y, prices) as path:
        return csoaa_of(path, len(prices))


@contextmanager
def csoaa_file(X, y, prices):
    """The rows as Vowpal Wabbit reads them."""
    labels = [
        " ".join(f"{k + 1}:{cost:.5g}" for k, cost in enumerate(row)) for row in prices
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        with path.open("w") as file:
            for row, k in zip(X, y, strict=True):
                file.write(labels[k] + features(row) + "\n")
        yield path


def features(row):
    """Those that are not zero, as text."""
    return " | " + " ".join(f"f{j}:{row[j]:.6g}" for j in np.flatnonzero(row))


def csoaa_of(path, n_classes):
    import vowpalwabbit

    model = path.with_suffix(".model")
    options = f"--csoaa {n_classes} -b 14 --passes {PASSES} -c -k --quiet"
    vowpalwabbit.Workspace(f"{options} -d {path} -f {model}").finish()
    fitted = vowpalwabbit.Workspace(f"-t -i {model} --quiet")

    def predict(X):
        return np.array([fitted.predict(features(row)) for row in X]) - 1

    return predict, {"passes": PASSES}


LINEAR, KERNEL = {"C": C_VALUES}, {"C": [2.0**p for p in (-2, 1, 4, 7, 10)]}
PAIRS = CostSensitiveOneVsOne(LinearClassifier())
NYSTROEM = OneSidedRegression(OneSidedNystroem(n_landmarks=128))
METHODS = {
    "osr-linear": Method(
        "soft search, one-sided regression, linear",
        soft(OneSidedRegression(OneSidedLinear()), LINEAR), "softcost",
    ),
    "csovo-linear": Method(
        "soft search, pairs of classes, linear", soft(PAIRS, LINEAR), "softcost"
    ),
    "osr-nystroem": Method(
        "soft search, one-sided regression, 128 landmarks", soft(NYSTROEM, LINEAR),
        "softcost",
    ),
    "osr-kernel": Method(
        "soft search, one-sided regression, kernel",
        soft(OneSidedRegression(OneSidedSVR()), KERNEL), "softcost", 10_000,
    ),
    "osr-kernel-1000": Method(
        "the same with cache_size=1000",
        soft(OneSidedRegression(OneSidedSVR(cache_size=1000)), KERNEL), "softcost", 0,
    ),
    "logistic": Method(
        "one LogisticRegression, Bayes decision", bayes(LogisticRegression),
        "scikit-learn",
    ),
    "histgradient": Method(
        "one HistGradientBoostingClassifier, Bayes decision",
        bayes(HistGradientBoostingClassifier), "scikit-learn",
    ),
    "lightgbm": Method(
        "one LGBMClassifier, Bayes decision", bayes(lightgbm), "lightgbm"
    ),
    "csoaa": Method("csoaa, one fit of 5 passes", csoaa, "vowpalwabbit"),
    "ridge": Method(
        "one RegressionOneVsRest(Ridge())",
        costsensitive("RegressionOneVsRest", Ridge()), "costsensitive",
    ),
    "sgd": Method(
        "one WeightedAllPairs(SGDClassifier())",
        costsensitive("WeightedAllPairs", SGDClassifier(random_state=0)),
        "costsensitive", 100_000,
    ),
}  # fmt: skip
