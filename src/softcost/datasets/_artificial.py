"""Two Gaussian classes in the plane, and what any line does to them, exactly.

Class 1 is N((0, 0), .8^2 I) and class 2 is N((1, 1), .5^2 I), equally likely. To
take a 1 for a 2 costs 1; to take a 2 for a 1 costs 30. Linear rules of low cost and
of low error are far apart here, which makes the trade-off visible in a plane.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr
from sklearn.utils import check_random_state

_MEANS = np.array([[0.0, 0.0], [1.0, 1.0]])
_SCALES = np.array([0.8, 0.5])
_LABELS = np.array(["1", "2"])

ARTIFICIAL_COSTS = pd.DataFrame(
    [[0.0, 1.0], [30.0, 0.0]], index=list(_LABELS), columns=list(_LABELS)
)


class LineRates(NamedTuple):
    """What a line does to the population; arrays where the lines are arrays.

    Attributes
    ----------
    p12 : float or ndarray
        Probability that an example of class 1 is taken for 2.
    p21 : float or ndarray
        Probability that an example of class 2 is taken for 1.
    error : float or ndarray
        (p12 + p21) / 2.
    cost : float or ndarray
        (p12 + 30 p21) / 2.

    See Also
    --------
    artificial_line_rates : Exact error and cost of "predict 2 where <u, x> > b".

    Examples
    --------
    >>> from softcost.datasets import LineRates
    >>> rates = LineRates(p12=0.1, p21=0.02, error=0.06, cost=0.35)
    >>> rates.cost
    0.35
    """

    p12: Any
    p21: Any
    error: Any
    cost: Any


def make_artificial(
    n_samples: int = 400, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of the two classes, half of them each.

    Parameters
    ----------
    n_samples : int, default=400
        Number of examples; class 1 has the odd one.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of str, of shape (n_samples,)
        "1" or "2", in random order.

    See Also
    --------
    artificial_line_rates : Exact error and cost of "predict 2 where <u, x> > b".
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import make_artificial
    >>> X, y = make_artificial(5, random_state=0)
    >>> X.shape, sorted(y.tolist())
    ((5, 2), ['1', '1', '1', '2', '2'])
    """
    if n_samples < 2:
        raise ValueError(f"n_samples={n_samples!r} must be at least 2")
    rng = check_random_state(random_state)
    which = rng.permutation(np.arange(n_samples) % 2)
    X = _MEANS[which] + _SCALES[which, None] * rng.standard_normal((n_samples, 2))
    return X, _LABELS[which]


def artificial_line_rates(phi: Any, b: Any) -> LineRates:
    r"""Exact error and cost of "predict 2 where <u, x> > b".

    With u = (cos phi, sin phi), the normal distribution function Phi and
    d = <u, mu2 - mu1>,

    .. math::

        p_{12} = 1 - \Phi(b / .8), \qquad p_{21} = \Phi((b - d) / .5).

    The best lines have phi = pi / 4; phi + pi with -b is the same line with the
    two sides exchanged.

    Parameters
    ----------
    phi : float or array-like
        Angle of the line's normal, in radians.
    b : float or array-like
        Offset along the normal; broadcast against `phi`.

    Returns
    -------
    LineRates
        Probabilities of both mistakes, error and cost.

    See Also
    --------
    make_artificial : Draw examples of the two classes, half of them each.
    softcost.paper.artificial_lines : Such lines found in a sample.

    Examples
    --------
    >>> from math import pi
    >>> from softcost.datasets import artificial_line_rates
    >>> rates = artificial_line_rates(pi / 4, 0.7429)
    >>> print(f"{rates.error:.4f} {rates.cost:.3f}")
    0.1331 1.434
    """
    phi = np.asarray(phi, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    step = _MEANS[1] - _MEANS[0]
    d = np.cos(phi) * step[0] + np.sin(phi) * step[1]
    p12 = ndtr(-b / _SCALES[0]) + 0.0 * d
    p21 = ndtr((b - d) / _SCALES[1])
    costs = ARTIFICIAL_COSTS.to_numpy()
    cost = (costs[0, 1] * p12 + costs[1, 0] * p21) / 2
    return LineRates(p12=p12, p21=p21, error=(p12 + p21) / 2, cost=cost)
