"""Two Gaussian classes in the plane, and what any line does to them, exactly.

Class 1 is N((0, 0), .8^2 I) and class 2 is N((1, 1), .5^2 I), equally likely. To
take a 1 for a 2 costs 1; to take a 2 for a 1 costs 30. Linear rules of low cost and
of low error are far apart here, which makes the trade-off visible in a plane.
"""

from functools import cache
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


# The measured spectra (surface-enhanced Raman spectroscopy of ten bacterial species)
# are not public, but the costs of confusing the species are. These synthetic spectra
# have the same shape and a similar difficulty: a substrate background, bands that all
# bacteria share (their strength differs between species and varies between strains), a
# few weak bands per species, and noise.


SPECIES = ("Ab", "Ecoli", "GBS", "HI", "KP", "LM", "Nm", "Psa", "Sa", "Spn")
# If n_samples is not a multiple of ten, species get one example fewer in this order.
_RARER = ("Ab", "Ecoli", "HI", "KP", "LM", "Nm", "Psa", "Spn", "Sa", "GBS")
# Bands of nucleic acids, proteins and cell walls, in 1/cm.
_BANDS = np.array([560, 655, 685, 732, 790, 855, 960, 1003, 1095, 1135, 1240, 1325,
                   1375, 1450, 1585, 1660.0])  # fmt: skip
_OWN_BANDS = 3
_OWN_STRENGTH = 0.1
_PROFILE_SEED = 96
_SPECIES_SPREAD = 0.35
_STRAIN_SPREAD = 0.32
_LEVEL_SPREAD = 0.05
_GAIN_SPREAD = 0.08
_NOISE = 0.05


def wavenumbers() -> np.ndarray:
    """The 351 channels of a spectrum, from 400 to 1800 in steps of 4 (1/cm)."""
    return np.arange(400.0, 1801.0, 4.0)


def make_sers(
    n_samples: int = 96, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw SYNTHETIC SERS-like spectra of ten species of bacteria.

    The species are the same for every seed, so that several draws belong to one
    task. The price list that goes with them is ``softcost.costs.SERS_COSTS``.

    Parameters
    ----------
    n_samples : int, default=96
        Number of spectra, divided among the species as evenly as possible.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, 351)
        Intensities at 400, 404, ..., 1800 1/cm, in arbitrary units.
    y : ndarray of str, of shape (n_samples,)
        Abbreviated species, in random order.

    See Also
    --------
    make_artificial : Draw examples of the two classes, half of them each.
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import make_sers
    >>> X, y = make_sers(random_state=0)
    >>> X.shape, len(set(y.tolist()))
    ((96, 351), 10)
    """
    if n_samples < len(SPECIES):
        raise ValueError(f"n_samples={n_samples!r} must be at least {len(SPECIES)}")
    rng = check_random_state(random_state)
    names = np.array(_RARER[::-1])
    y = rng.permutation(np.resize(names, n_samples))
    strengths, species_bands = _profiles()
    which = np.searchsorted(SPECIES, y)
    grid = wavenumbers()

    bands = strengths[which] * _log_normal(
        rng, _STRAIN_SPREAD, (n_samples, len(_BANDS))
    )
    weak = _OWN_STRENGTH * _log_normal(rng, _STRAIN_SPREAD, (n_samples, _OWN_BANDS))
    shift = rng.normal(0.0, 2.0, size=(n_samples, 1))
    spectra = np.einsum("ij,ijk->ik", bands, _peaks(grid, _BANDS + shift, 9.0))
    spectra += np.einsum(
        "ij,ijk->ik", weak, _peaks(grid, species_bands[which] + shift, 7.0)
    )

    level = _log_normal(rng, _LEVEL_SPREAD, (n_samples, 1))
    slope = rng.normal(-0.3, 0.05, size=(n_samples, 1))
    place = (grid - grid[0]) / (grid[-1] - grid[0])
    hump = np.exp(-0.5 * ((place - 0.65) / 0.22) ** 2)
    background = level * (1.2 + slope * place + 0.8 * hump)
    gain = _log_normal(rng, _GAIN_SPREAD, (n_samples, 1))
    noise = rng.normal(0.0, _NOISE, size=spectra.shape)
    return gain * (spectra + background) + noise, y


@cache
def _profiles() -> tuple[np.ndarray, np.ndarray]:
    """Strengths of common bands (10 x bands), places of species' own bands (10 x 3)."""
    rng = np.random.RandomState(_PROFILE_SEED)
    common = rng.uniform(0.3, 1.5, size=len(_BANDS))
    shape = (len(SPECIES), len(_BANDS))
    strengths = common * _log_normal(rng, _SPECIES_SPREAD, shape)
    species_bands = rng.uniform(450.0, 1750.0, size=(len(SPECIES), _OWN_BANDS))
    return strengths, species_bands


def _peaks(grid: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Lorentzian peaks of height 1: samples x bands x channels."""
    return 1.0 / (1.0 + ((grid - centres[..., None]) / width) ** 2)


def _log_normal(rng: Any, spread: float, size: tuple[int, ...]) -> np.ndarray:
    return np.exp(rng.normal(0.0, spread, size=size))
