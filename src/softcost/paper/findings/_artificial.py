"""The two introductory figures: all lines on two Gaussian classes, and their front."""

from math import pi

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from softcost.datasets import artificial_line_rates, make_artificial

_LARGEST = 30.0
_ALPHAS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
_BEST_ANGLE = pi / 4  # along the line through the two means


def artificial_points(n_samples: int = 400) -> pd.DataFrame:
    """Examples of the two classes: columns x1, x2, label.

    Parameters
    ----------
    n_samples : int, default=400
        How many.

    Returns
    -------
    DataFrame
        One row per example.

    See Also
    --------
    artificial_lines : Exact error and cost of lines in all directions.
    softcost.datasets.make_artificial : The same as arrays.

    Examples
    --------
    >>> from softcost.paper import artificial_points
    >>> artificial_points(5)["label"].value_counts().to_dict()
    {'1': 3, '2': 2}
    """
    X, y = make_artificial(n_samples, random_state=0)
    return pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "label": y})


def artificial_lines(n_angles: int = 60, n_offsets: int = 81) -> pd.DataFrame:
    """Exact error and cost of lines in all directions.

    Parameters
    ----------
    n_angles, n_offsets : int
        Normals at ``n_angles`` directions around the circle, which gives every line
        both orientations, and offsets from -3 to 3.

    Returns
    -------
    DataFrame
        Columns phi, b, p12, p21, error, cost.

    See Also
    --------
    artificial_front : The best line for every softness, with raw costs and with costs /
        30.
    artificial_points : Examples of the two classes: columns x1, x2, label.

    Examples
    --------
    >>> from softcost.paper import artificial_lines
    >>> lines = artificial_lines()
    >>> print(f"{lines.error.min():.2f} {lines.cost.min():.2f}")
    0.13 0.29
    """
    phi, b = np.meshgrid(
        np.linspace(0, 2 * pi, n_angles, endpoint=False) + _BEST_ANGLE,
        np.linspace(-3, 3, n_offsets),
        indexing="ij",
    )
    rates = artificial_line_rates(phi.ravel(), b.ravel())
    return pd.DataFrame({"phi": phi.ravel(), "b": b.ravel(), **rates._asdict()})


def artificial_front(softness: tuple[float, ...] = _ALPHAS) -> pd.DataFrame:
    """The best line for every softness, with raw costs and with costs / 30.

    Softness only has a meaning together with a scale of costs: with the cost of 30
    a small softness does little, with costs divided by 30 it does much.

    Parameters
    ----------
    softness : tuple of float
        At which to find the best line.

    Returns
    -------
    DataFrame
        Columns scale ("raw" or "divided"), softness, b, error, cost.

    See Also
    --------
    artificial_lines : Exact error and cost of lines in all directions.
    softcost.datasets.artificial_line_rates : Error and cost of a line.

    Examples
    --------
    >>> from softcost.paper import artificial_front
    >>> artificial_front((0.5,)).round(4).values.tolist()
    [['raw', 0.5, 0.144, 0.2171, 0.2973], ['divided', 0.5, 0.5797, 0.141, 0.8305]]
    """
    rows = []
    for scale, divisor in (("raw", 1.0), ("divided", _LARGEST)):
        for value in softness:

            def mixture(b: float, value: float = value, divisor: float = divisor):
                rates = artificial_line_rates(_BEST_ANGLE, b)
                return (1 - value) * rates.cost / divisor + value * rates.error

            # Unimodal between the first line of the front and the last.
            best = minimize_scalar(
                mixture, bounds=(-0.5, 1.2), method="bounded", options={"xatol": 1e-9}
            ).x
            rates = artificial_line_rates(_BEST_ANGLE, best)
            rows.append((scale, value, best, float(rates.error), float(rates.cost)))
    return pd.DataFrame(rows, columns=["scale", "softness", "b", "error", "cost"])
