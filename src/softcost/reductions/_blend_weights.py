"""How a blend of classifiers is learnt: weights and a power."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from softcost.reductions._calibration import TemperatureScaling

_LEAST = 1e-4  # a probability: what a surprise costs is bounded by its logarithm
_MOST = 4.0  # power: where nothing held out surprises, it would be infinite


def learn_blend(
    probabilities: NDArray[np.floating[Any]],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    stake: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Weights and the power of a blend, from rows that its members have not seen.

    With weights s of the rows and stakes e, what a mistake on a row of each class
    costs, members are weighed by the log loss of rows that count by what is expected
    to be at stake, ``s_n sum_k p(k | x_n) e_k`` with the plain average p of the
    members, scaled so that rows count as much in all as without stakes: what matters
    most is to be right where an expensive class is likely. The stake is that of the
    row and not of its true class, as otherwise a member would gain by calling
    expensive classes more likely than they are. The power is that of the plain log
    loss: it makes probabilities right, and that they have to be for all rows.

    Parameters
    ----------
    probabilities : array of shape (n_members, n, K)
        What the members say of the rows.
    y : array of int of shape (n,)
        Numbers of the true classes.
    weight : array of shape (n,)
        Weights of the rows.
    stake : array of shape (K,), default=None
        What a mistake on a row of each class costs, not negative, in any unit; by
        default the same everywhere.

    Returns
    -------
    weights : array of shape (n_members,)
        As `blend_weights` gives them.
    power : float
        Of least log loss, given these.

    See Also
    --------
    BlendedClassifier : The formula.
    raised : Applies the power.

    Examples
    --------
    Two members that are right in turn, and sure of it. Their average is less sure, and
    always right:

    >>> import numpy as np
    >>> from softcost.reductions import learn_blend
    >>> sure, unsure = [0.9, 0.1], [0.4, 0.6]
    >>> told = np.array([[sure, unsure, unsure[::-1]], [unsure, sure, sure[::-1]]])
    >>> weights, power = learn_blend(told, np.array([0, 0, 1]), np.ones(3))
    >>> weights.shape, power > 1
    ((2,), True)

    One is right where the first class is likely, and one where it is not. If mistakes
    on the first class are ten times as expensive, so is being right there:

    >>> likely, unlikely = [[0.9, 0.1], [0.6, 0.4]], [[0.6, 0.4], [0.1, 0.9]]
    >>> told = np.repeat([likely, unlikely], 10, axis=1)
    >>> y = np.repeat([0, 1], 10)
    >>> learn_blend(told, y, np.ones(20))[0].round(1).tolist()
    [0.3, 0.7]
    >>> learn_blend(told, y, np.ones(20), np.array([10.0, 1]))[0].round(1).tolist()
    [0.5, 0.5]
    """
    likelihood = probabilities[:, np.arange(len(y)), y].T.astype(np.float64)
    counted = weight
    if stake is not None:
        counted = _counted(weight, probabilities.mean(axis=0) @ stake)
    weights = blend_weights(likelihood, counted)
    average = np.tensordot(weights, probabilities, axes=1)
    scores = np.log(np.maximum(average, _LEAST))
    power = TemperatureScaling().fit(scores, y, weight / weight.sum()).beta_
    return weights, float(np.clip(power, 1 / _MOST, _MOST))


def _counted(
    weight: NDArray[np.float64], stake: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """How often each row counts at its stake; in all as often as without."""
    counted = weight * stake
    return counted * (weight.sum() / counted.sum()) if counted.any() else weight


def raised(
    probabilities: NDArray[np.floating[Any]], power: float
) -> NDArray[np.float64]:
    """Probabilities to a power, so that rows sum to one again.

    Parameters
    ----------
    probabilities : array of shape (n, K)
        Rows that sum to one.
    power : float
        Above one makes them surer, below one less sure; the order of the classes stays.

    Returns
    -------
    array of shape (n, K)
        ``p_k^b / sum_j p_j^b``.

    See Also
    --------
    learn_blend : Finds the power for a blend.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import raised
    >>> raised(np.array([[0.75, 0.25, 0.0]]), 2.0).round(3).tolist()
    [[0.9, 0.1, 0.0]]
    """
    exact = np.asarray(probabilities, np.float64)
    if power == 1:
        return exact
    found = (exact / exact.max(axis=1, keepdims=True)) ** power
    return found / found.sum(axis=1, keepdims=True)


def blend_weights(
    likelihood: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    prior: float = 1.0,
) -> NDArray[np.float64]:
    """Weights of least log loss: not negative, with the sum one.

    Minimises, which is convex in w,

        -sum_n s_n log sum_m w_m L[n, m] - a sum_m log w_m

    Parameters
    ----------
    likelihood : array of shape (n, n_members)
        ``L[n, m]`` is the probability that member m gives to the true class of a row
        which it has not seen. None counts as less than 1e-4: a single surprise is no
        reason to leave a member out.
    weight : array of shape (n,), default=None
        Weights s of the rows, as if each occurred so often.
    prior : float, default=1.0
        The number a of imaginary rows that each member alone explains. The fewer rows
        there are, the closer it keeps the weights to each other.

    Returns
    -------
    array of shape (n_members,)
        Weights of the members; those below one in a hundred are zero.

    See Also
    --------
    BlendedClassifier : Averages probabilities by these weights.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import blend_weights
    >>> better = np.array([[0.9, 0.1]] * 200)
    >>> blend_weights(better).round(3).tolist()
    [1.0, 0.0]
    >>> blend_weights(better[:10]).round(1).tolist()  # ten rows say less
    [0.9, 0.1]
    >>> blend_weights(np.array([[0.9, 0.1], [0.1, 0.9]])).round(3).tolist()
    [0.5, 0.5]
    """
    likelihood = np.maximum(np.asarray(likelihood, np.float64), _LEAST)
    n_rows, n_members = likelihood.shape
    share = np.ones(n_rows) if weight is None else np.asarray(weight, np.float64)
    if prior:
        likelihood = np.concatenate([likelihood, np.eye(n_members)])
        share = np.concatenate([share, np.full(n_members, float(prior))])
    share = share / share.sum()

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        mixed = np.maximum(likelihood @ w, _LEAST / 2)
        return -float(share @ np.log(mixed)), -(share / mixed) @ likelihood

    found = minimize(
        loss,
        np.full(n_members, 1 / n_members),
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n_members,
        constraints={
            "type": "eq",
            "fun": lambda w: w.sum() - 1,
            "jac": lambda w: np.ones(n_members),
        },
        options={"ftol": 1e-10, "maxiter": 200},
    )
    return trimmed(found.x)


def trimmed(weights: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one, without those of less than one in a hundred.

    A classifier that counts so little is not worth the time that it takes.
    """
    kept = np.maximum(np.asarray(weights, np.float64), 0.0)
    kept[kept < 0.01 * kept.sum()] = 0.0
    return kept / kept.sum()
