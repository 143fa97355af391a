"""Problems of all kinds, sensible or not: a documented error, or sound predictions.

Also run, in thousands, by ``benchmarks/reliability``.
"""

import warnings

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from softcost.linear import LinearClassifier, OneSidedLinear
from softcost.reductions import CATALOGUE
from softcost.search import SoftCostClassifierCV
from softcost.svm import KernelSVC, OneSidedSVR

DOCUMENTED = (ValueError, TypeError)
OUTCOMES = ("refused", "refuses rows", "predicts")
_CELLS = [0.0, -0.0, 1.0, 2.5, 1e-300, 1e-12, 1e6]
_LARGE = [1e15, 1e30, 1e200, 1e308]
_WRONG = [np.nan, np.inf, -np.inf]
_LABELS = [[0, 1, 2], ["c", "a", "b"], [-1, 1], [True, False], ["one"], [3, 70, 5, 9]]
_WEIGHTS = [0.0, 1.0, 1.0, 3.0, 1e-9, 1e12]


def chance(draw, share):
    """True in about this share of the problems, and never in the simplest."""
    return draw(st.integers(0, 99)) >= 100 * (1 - share)


def numbers(draw, shape, cells, wrong=0.03):
    """Numbers, mostly of a plain kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    plain = (
        rng.integers(-3, 4, shape) if draw(st.booleans()) else rng.normal(size=shape)
    )
    share = draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))
    out = np.where(rng.random(shape) < share, rng.choice(cells, shape), plain)
    if chance(draw, 0.1):
        out.flat[rng.integers(out.size)] = rng.choice(_LARGE)
    if chance(draw, wrong):
        out.flat[rng.integers(out.size)] = rng.choice(_WRONG)
    return out


def prices(draw, rows, columns):
    """Prices that are mostly at least zero."""
    found = numbers(draw, (rows, columns), _CELLS, 0.01)
    return found if chance(draw, 0.05) else np.abs(found)


@st.composite
def problems(draw):
    """Arguments of a search and of its fit, by name."""
    labels = draw(st.sampled_from(_LABELS))
    n, k = draw(st.integers(6, 24)), len(labels)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.array(labels)[rng.integers(k, size=n)]
    X = numbers(draw, (n, draw(st.integers(1, 4))), _CELLS)
    if chance(draw, 0.15):
        X = sparse.csr_array(X)
    name = draw(st.sampled_from(list(CATALOGUE)))
    learner = draw(st.sampled_from([None, None, "svm", "linear"]))
    given = {"costs": None, "cost_matrix": None, "sample_weight": None}
    if draw(st.booleans()):
        given["cost_matrix"] = prices(draw, k, k)
        if not chance(draw, 0.1):
            np.fill_diagonal(given["cost_matrix"], 0)
    elif not chance(draw, 0.2):
        wide = k + 1 if chance(draw, 0.1) else len(np.unique(y))
        given["costs"] = prices(draw, n, wide)
        if not chance(draw, 0.05) and wide <= k:
            codes = np.unique(y, return_inverse=True)[1]
            given["costs"][np.arange(n), codes] = 0
    if chance(draw, 0.4):
        given["sample_weight"] = rng.choice(_WEIGHTS, n)
    options = {
        "softness": draw(
            st.sampled_from([0, 1, 2, 3, [0.5], [0, 0.3, 1], [-0.1], [2]])
        ),
        "criterion": draw(st.sampled_from(["cost", "max", "constrained", "tolerance"])),
        "cv": 30 if chance(draw, 0.03) else draw(st.sampled_from([2, 3])),
        "random_state": 0,
    }
    if options["criterion"] == "tolerance":
        options["tolerance"] = draw(st.sampled_from(["1se", 0.0, 0.2, None, -1]))
    if options["criterion"] == "constrained":
        options["max_error"] = draw(st.sampled_from([0.3, 0.0, 1, None, 7]))
    named = np.unique(labels) if given["cost_matrix"] is not None else None
    return {"name": name, "learner": learner, "X": X, "y": y, "classes": named,
            "given": given, "options": options}  # fmt: skip


def made_learner(word, needs):
    """A learner by its name, None for the default."""
    values = needs in ("one-sided", "regressor")
    if word == "svm":
        return OneSidedSVR("rbf") if values else KernelSVC("rbf")
    if word == "linear" and needs != "probabilities":
        return OneSidedLinear() if values else LinearClassifier()
    return None


def outcome(problem):
    """``"refused"``, ``"refuses rows"`` or ``"predicts"``; all else is raised."""
    entry, given = CATALOGUE[problem["name"]], problem["given"]
    reduction = entry.load()(made_learner(problem["learner"], entry.needs))
    if "n_rounds" in reduction.get_params():
        reduction.set_params(n_rounds=2)
    if "n_resamples" in reduction.get_params():
        reduction.set_params(n_resamples=2)
    grid = {} if reduction.learner is None else {"C": [1.0]}
    search = SoftCostClassifierCV(
        reduction, cost_matrix=given["cost_matrix"], classes=problem["classes"],
        param_grid=grid, **problem["options"],
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            search.fit(
                problem["X"], problem["y"], costs=given["costs"],
                sample_weight=given["sample_weight"],
            )  # fmt: skip
        except DOCUMENTED:
            return "refused"
        try:
            labels = search.predict(problem["X"])
            scores = search.decision_function(problem["X"])
        except DOCUMENTED:  # of a row that had no weight in the fit
            return "refuses rows"
    assert set(labels.tolist()) <= set(search.classes_.tolist()), "an unknown class"
    assert np.isfinite(scores).all(), "scores that are not finite"
    assert np.isfinite(search.tradeoff_["cost"]).all(), "a cost that is no number"
    return "predicts"
