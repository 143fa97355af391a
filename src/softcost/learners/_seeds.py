"""Random states of learners: the same whatever runs beside them."""

from typing import Any

import numpy as np
from sklearn.base import clone


def draw_seeds(rng: np.random.RandomState | None, n_seeds: int) -> list[int | None]:
    """One seed for each of several learners; None for all without a generator.

    Parameters
    ----------
    rng : numpy.random.RandomState or None
        The generator.
    n_seeds : int
        How many.

    Returns
    -------
    list of int or None
        One for each learner.

    See Also
    --------
    seeded_clone : An unfitted copy; a seed replaces all its random states, also inner
        ones.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import draw_seeds
    >>> draw_seeds(None, 2)
    [None, None]
    >>> rng = np.random.RandomState(0)
    >>> draw_seeds(rng, 2) == draw_seeds(np.random.RandomState(0), 2)
    True
    """
    if rng is None:
        return [None] * n_seeds
    return rng.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded_clone(learner: Any, seed: int | None = None) -> Any:
    """An unfitted copy; a seed replaces all its random states, also inner ones.

    Parameters
    ----------
    learner : estimator
        What is copied.
    seed : int, default=None
        None leaves random states as they are.

    Returns
    -------
    estimator
        Not fitted.

    See Also
    --------
    draw_seeds : One seed for each of several learners; None for all without a
        generator.
    sklearn.base.clone : Copies without a seed.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from softcost.learners import seeded_clone
    >>> seeded_clone(RandomForestClassifier(), seed=7)
    RandomForestClassifier(random_state=7)
    """
    model = clone(learner)
    if seed is None:
        return model
    states = [
        name
        for name in model.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    if states:
        model.set_params(**dict.fromkeys(states, seed))
    return model
