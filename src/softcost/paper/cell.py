"""One unit of work, a pure function of its parameters.

Protocol: a random quarter of the rows (rounded up) is the test part; features are
scaled to [0, 1] by the minima and maxima of the training part; the cost matrix is
drawn anew in every run, from the class sizes of the training part; softness and C are
searched by stratified, shuffled 5-fold cross-validation of the training part; what is
chosen is fitted to all of it and measured on the test part. Filter trees depend on the
order of their leaves, so that each run draws one.
"""

import json
import warnings
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from softcost.costs import (
    balanced,
    consistent,
    emphasized,
    error_weights,
    inconsistent,
    plain,
)
from softcost.datasets import load
from softcost.metrics import (
    error_rate,
    g_mean,
    mean_cost,
    normalized_cost,
    recall_product,
    weighted_error,
)
from softcost.paper.planning import GRIDS, REGULAR, Unit, seed
from softcost.parallel import one_thread
from softcost.reductions import CATALOGUE
from softcost.search import (
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    SoftCostClassifierCV,
    best_at,
)

METRICS = (
    "cost",
    "error",
    "weighted_error",
    "recall_product",
    "g_mean",
    "normalized_cost",
)
_TEST_SHARE = 4  # one row in four


@dataclass(frozen=True)
class Data:
    """A data set in memory, and its checksum."""

    X: NDArray[Any]
    y: NDArray[Any]
    classes: NDArray[Any]
    own_costs: pd.DataFrame | None
    checksum: str


@lru_cache(maxsize=2)
def load_data(name: str, data_home: str | None = None) -> Data:
    """Load a data set and take the checksum of its numbers and labels."""
    bunch = load(name, data_home)
    digest = sha256(f"{bunch.data.shape} {bunch.data.dtype.str}".encode())
    digest.update(np.ascontiguousarray(bunch.data).tobytes())
    digest.update("\n".join(map(str, bunch.target)).encode())
    checksum = digest.hexdigest()[:16]
    return Data(
        bunch.data, bunch.target, bunch.target_names, bunch.cost_matrix, checksum
    )


@dataclass(frozen=True)
class Trial:
    """What one run asks of every algorithm."""

    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    classes: NDArray[Any]
    costs: NDArray[np.float64]
    weights: dict[Any, float]
    folds: int
    leaves: NDArray[Any]


def make_trial(unit: Unit, data: Data) -> Trial:
    """Split, scale, draw the costs."""
    X, y = data.X, data.y
    if unit.rows is not None:
        rng = np.random.default_rng(seed("sample", unit.dataset))
        chosen = np.sort(rng.permutation(len(y))[: unit.rows])
        X, y = X[chosen], y[chosen]
    rng = np.random.default_rng(seed("split", unit.dataset, unit.run))
    order = rng.permutation(len(y))
    n_test = -(-len(y) // _TEST_SHARE)
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    X = np.where(high > low, (X - low) / np.where(high > low, high - low, 1), 0.0)
    counts = np.array([np.sum(y[train] == label) for label in data.classes])
    return Trial(
        X=X[train],
        y=y[train],
        X_test=X[test],
        y_test=y[test],
        classes=data.classes,
        costs=draw_costs(unit, data, counts),
        weights=dict(
            zip(
                data.classes.tolist(),
                error_weights(y[train], "balanced", data.classes).tolist(),
                strict=True,
            )
        ),
        folds=seed("folds", unit.dataset, unit.run),
        leaves=np.random.default_rng(seed("tree", unit.dataset, unit.run)).permutation(
            data.classes
        ),
    )


def draw_costs(unit: Unit, data: Data, counts: NDArray[Any]) -> NDArray[np.float64]:
    """The cost matrix of a run, in the order of the classes."""
    rng = np.random.default_rng(seed("costs", unit.costs, unit.dataset, unit.run))
    n_classes = len(data.classes)
    if unit.costs == "plain":
        return plain(n_classes, rng)
    if unit.costs == "class-ratio":
        return inconsistent(counts, rng)
    if unit.costs == "consistent":
        return consistent(counts, rng)
    if unit.costs.startswith("emphasis-"):
        u = float(unit.costs.removeprefix("emphasis-"))
        expensive = emphasized_class(unit.run, n_classes)
        return emphasized(1.0 - np.eye(n_classes), u, columns=expensive)
    if data.own_costs is None:
        raise ValueError(
            f"{unit.dataset} has no costs of its own: costs={unit.costs!r} is for "
            "sets that have them (sers, kdd99)."
        )
    costs = data.own_costs.loc[data.classes, data.classes].to_numpy(float)
    return balanced(costs, counts) if unit.costs == "own-balanced" else costs


def emphasized_class(run: int, n_classes: int) -> int:
    """Which class is expensive to predict wrongly: they take turns."""
    return run % n_classes


def run_unit(
    unit: Unit,
    data_home: str | None = None,
    added: Any = None,
    cache_size: float | None = None,
) -> list[dict[str, Any]]:
    """Compute all cells of a unit, on one thread.

    Parameters
    ----------
    unit : Unit
        From `plan`.
    data_home : str, default=None
        Directory with the data files.
    added : estimator, default=None
        The added algorithm, where the unit is of one.
    cache_size : float, default=None
        Memory for kernel values in megabytes; None for the machines' default. Results
        do not depend on it.

    Returns
    -------
    list of dict
        One per algorithm: ``algorithm``, the metrics, what was chosen and its
        cross-validated cost and error, and ``recalls`` as "right/all" of each class.

    See Also
    --------
    plan : All units of a request, each once.
    Store : A file of results.

    Examples
    --------
    A unit gives the same numbers again, here and elsewhere:

    >>> import tempfile
    >>> from softcost.paper import plan, reproduce, run_unit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce(
    ...         "inconsistent", f"{folder}/results.sqlite",
    ...         datasets=["iris"], algorithms=["OVA"], runs=1,
    ...     )
    >>> ova = found.cells[found.cells["algorithm"] == "OVA"].iloc[0]
    >>> (unit,) = plan(found.request, {"iris": (150, ova["data"])})
    >>> again = {cell["algorithm"]: cell["cost"] for cell in run_unit(unit)}
    >>> bool(again["OVA"] == ova["cost"])
    True
    """
    data = load_data(unit.dataset, data_home)
    if data.checksum != unit.data:
        raise ValueError(
            f"{unit.dataset} is not the same data here (checksum {data.checksum}, "
            f"expected {unit.data}): give all workers the same files."
        )
    trial = make_trial(unit, data)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if added is not None:
            return [_added_cell(unit, trial, added)]
        return _family_cells(unit, trial, cache_size)


def machine(unit: Unit, trial: Trial, cache_size: float | None = None) -> Any:
    """The reduction of a family."""
    name = unit.family.split("-")[0]
    for entry in CATALOGUE.values():
        if name in (entry.hard, entry.regular):
            model = entry.load()()
            break
    if hasattr(model, "order"):
        model.set_params(order=trial.leaves)
    if hasattr(model, "tie_break"):
        model.set_params(tie_break="first")  # the paper's rule: LIBSVM's
    if cache_size is not None:
        learner = model.default_learner().set_params(cache_size=cache_size)
        model.set_params(learner=learner)
    return model


def search(
    unit: Unit, trial: Trial, cache_size: float | None = None
) -> SoftCostClassifierCV:
    """The search that the cells of a family share."""
    weighted = unit.family.endswith("-w")
    by_class = np.array([trial.weights[label] for label in trial.y.tolist()])
    alone = unit.family == "OVA-w"
    return SoftCostClassifierCV(
        machine(unit, trial, cache_size),
        cost_matrix=None if alone else trial.costs,
        classes=trial.classes,
        softness=[1.0] if alone else 11,
        param_grid="inverse" if unit.algorithm == GRIDS["1/C"] else None,
        error_weight=trial.weights if weighted and not alone else None,
        refit=False,
        n_jobs=1,
        random_state=trial.folds,
    ).fit(trial.X, trial.y, sample_weight=by_class if alone else None)


def chosen_row(table: pd.DataFrame, algorithm: str, weighted: bool = False) -> int:
    """The candidate of an algorithm, by what it may look at.

    Regular algorithms have softness 1 and look at the error only, hard ones have
    softness 0 and look at the cost; soft ones try all softness values and look at the
    cost, or (``-max``) at the larger of error and normalised cost. Weighted one-vs-all
    looks at the weighted error, which is that of its weighted examples.
    """
    error = "weighted_error" if weighted else "error"
    if algorithm.startswith("soft-"):
        rule: Rule = MaxOfBoth() if algorithm.endswith("-max") else LeastCost()
        return rule.choose(table, error=error)
    if "@" in algorithm:
        row = best_at(table, float(algorithm.split("@")[1]), LeastCost())
    elif algorithm in REGULAR:
        row = best_at(table, 1.0, LeastError())
    else:
        row = best_at(table, 0.0, LeastCost())
    assert row is not None
    return row


def _family_cells(
    unit: Unit, trial: Trial, cache_size: float | None
) -> list[dict[str, Any]]:
    fitted_search = search(unit, trial, cache_size)
    fitted: dict[int, NDArray[Any]] = {}
    cells = []
    for algorithm in unit.algorithms:
        index = chosen_row(
            fitted_search.tradeoff_, algorithm, unit.family.endswith("-w")
        )
        if index not in fitted:
            fitted[index] = fitted_search.candidate(index).predict(trial.X_test)
        row = fitted_search.tradeoff_.iloc[index]
        cells.append(
            {
                "algorithm": algorithm,
                **measure(trial, fitted[index]),
                "softness": float(row["softness"]),
                "params": json.dumps(
                    fitted_search.candidate_params(index), sort_keys=True
                ),
                "cv_cost": float(row["cost"]),
                "cv_error": float(row["error"]),
            }
        )
    return cells


def _added_cell(unit: Unit, trial: Trial, added: Any) -> dict[str, Any]:
    """Fit somebody else's algorithm; costs and classes where it has a place for them.

    It chooses its own parameters, if any.
    """
    model = clone(added)
    params = model.get_params(deep=False)
    problem = {"cost_matrix": trial.costs, "classes": trial.classes}
    values: dict[str, Any] = {
        name: value for name, value in problem.items() if params.get(name, 0) is None
    }
    if "random_state" in params and params["random_state"] is None:
        values["random_state"] = seed("algorithm", unit.family, unit.dataset, unit.run)
    model.set_params(**values).fit(trial.X, trial.y)
    return {
        "algorithm": unit.family,
        **measure(trial, model.predict(trial.X_test)),
        "softness": None,
        "params": "{}",
        "cv_cost": None,
        "cv_error": None,
    }


def measure(trial: Trial, predicted: NDArray[Any]) -> dict[str, Any]:
    """All metrics of predictions for the test part.

    The weighted error is a sum over the test part, with weights by the class sizes of
    the training part, as in the paper's tables.
    """
    y, classes = trial.y_test, trial.classes
    costs = {"cost_matrix": trial.costs, "classes": classes}
    right = y == predicted
    recalls = " ".join(
        f"{np.sum(right & (y == label))}/{np.sum(y == label)}" for label in classes
    )
    return {
        "cost": mean_cost(y, predicted, **costs),
        "error": error_rate(y, predicted, classes=classes),
        "weighted_error": weighted_error(
            y, predicted, error_weight=trial.weights, reduce="sum", classes=classes
        ),
        "recall_product": recall_product(y, predicted, classes=classes),
        "g_mean": g_mean(y, predicted, classes=classes),
        "normalized_cost": normalized_cost(y, predicted, **costs),
        "recalls": recalls,
    }
