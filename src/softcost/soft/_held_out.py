"""Held-out predictions of all candidates, by whichever engine can make them."""

import numpy as np
from numpy.typing import NDArray

from softcost.soft import _clone_engine, _path_engine
from softcost.soft._problem import SearchProblem


def held_out_predictions(problem: SearchProblem) -> list[NDArray[np.intp]]:
    """Predictions of every candidate for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_candidates, n_test)
        Numbers of classes, one array for each fold.
    """
    engine = _path_engine if _path_engine.can_walk(problem) else _clone_engine
    return [one.reshape(-1, one.shape[-1]) for one in engine.predictions(problem)]
