"""Random states of learners: the same whatever runs beside them."""

from typing import Any

import numpy as np
from sklearn.base import clone


def draw_seeds(rng: np.random.RandomState | None, n_seeds: int) -> list[int | None]:
    """One seed for each of several learners; None for all without a generator."""
    if rng is None:
        return [None] * n_seeds
    return rng.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded_clone(learner: Any, seed: int | None = None) -> Any:
    """An unfitted copy; a seed replaces all its random states, also inner ones."""
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
