"""Synthetic spectra in the manner of SERS measurements of bacteria.

The measured spectra (surface-enhanced Raman spectroscopy of ten species) are not
public; the price list of their confusions is. These spectra are drawn instead: a
background of the substrate, bands that all bacteria share, the strength of which
differs between species and varies between strains, a few weak bands of each
species, and noise. They are a task of that shape and difficulty, no measurement.
"""

from functools import cache
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

SPECIES = ("Ab", "Ecoli", "GBS", "HI", "KP", "LM", "Nm", "Psa", "Sa", "Spn")
# Fewer examples where n_samples is no multiple of ten, in this order.
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
    strengths, own = _profiles()
    which = np.searchsorted(SPECIES, y)
    grid = wavenumbers()

    bands = strengths[which] * _log_normal(
        rng, _STRAIN_SPREAD, (n_samples, len(_BANDS))
    )
    weak = _OWN_STRENGTH * _log_normal(rng, _STRAIN_SPREAD, (n_samples, _OWN_BANDS))
    shift = rng.normal(0.0, 2.0, size=(n_samples, 1))
    spectra = np.einsum("ij,ijk->ik", bands, _peaks(grid, _BANDS + shift, 9.0))
    spectra += np.einsum("ij,ijk->ik", weak, _peaks(grid, own[which] + shift, 7.0))

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
    """Band strengths (10 x bands) and places of the own bands (10 x 3)."""
    rng = np.random.RandomState(_PROFILE_SEED)
    common = rng.uniform(0.3, 1.5, size=len(_BANDS))
    shape = (len(SPECIES), len(_BANDS))
    strengths = common * _log_normal(rng, _SPECIES_SPREAD, shape)
    own = rng.uniform(450.0, 1750.0, size=(len(SPECIES), _OWN_BANDS))
    return strengths, own


def _peaks(grid: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Lorentzian peaks of height 1: samples x bands x channels."""
    return 1.0 / (1.0 + ((grid - centres[..., None]) / width) ** 2)


def _log_normal(rng: Any, spread: float, size: tuple[int, ...]) -> np.ndarray:
    return np.exp(rng.normal(0.0, spread, size=size))
