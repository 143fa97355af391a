"""What there is to say of a price list, as plain data."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.costs import consistency_weights, is_consistent

_MOST_PROGRAMS = 100  # classes; each needs a linear program of its own


def matrix_facts(frame: pd.DataFrame, counts: dict[str, int] | None) -> dict[str, Any]:
    """What there is to say of a matrix, as plain data."""
    square = frame[frame.index]
    costs = square.to_numpy()
    extra = costs - np.diagonal(costs)[:, None]
    mistakes = extra[~np.eye(len(extra), dtype=bool)]
    names = [str(name) for name in frame.index]
    answers = [str(name) for name in frame.columns]
    consistent = len(names) > 1 and is_consistent(square)
    positive = mistakes[mistakes > 0]
    facts: dict[str, Any] = {
        "classes": names,
        "actions": {
            name: [float(frame[name].min()), float(frame[name].max())]
            for name in answers[len(names) :]
        },
        "largest": float(mistakes.max(initial=0.0)),
        "smallest": float(positive.min(initial=np.inf)) if len(positive) else 0.0,
        "free_mistakes": int((mistakes == 0).sum()),
        "right_costs": [
            name for name, one in zip(names, np.diagonal(costs), strict=True) if one > 0
        ],
        "symmetric": bool(np.array_equal(costs, costs.T)),
        "all_equal": bool(len(mistakes) and (mistakes == mistakes[0]).all()),
        "consistent": bool(consistent),
        "weights": dict(zip(names, consistency_weights(square).tolist(), strict=True))
        if consistent
        else None,
        "dominated": _dominated(frame.to_numpy(), answers),
        "never_worthwhile": _never_worthwhile(frame.to_numpy(), answers),
        "class_counts": counts,
        "missing_classes": None,
        "unknown_classes": None,
    }
    if counts is not None:
        facts["missing_classes"] = [name for name in counts if name not in names]
        facts["unknown_classes"] = [name for name in names if name not in counts]
    return facts


def _dominated(costs: np.ndarray, names: list[str]) -> list[dict[str, str]]:
    """Answers never cheaper than another one, whatever is true."""
    out = []
    for one, name in enumerate(names):
        own = costs[:, [one]]
        better = (costs <= own).all(axis=0) & (costs < own).any(axis=0)
        if better.any():
            out.append({"class": name, "by": names[int(better.argmax())]})
    return out


def _never_worthwhile(costs: np.ndarray, names: list[str]) -> list[str] | None:
    """Answers that no probabilities make the only cheapest one.

    Answer k is worthwhile iff some probabilities p make ``p @ (C_j - C_k)`` positive
    for all j: a linear program, whose best margin is zero or less otherwise. None where
    there are too many answers to ask.
    """
    from scipy.optimize import linprog

    size, n_answers = costs.shape
    if n_answers < 2:
        return []
    if n_answers > _MOST_PROGRAMS:
        return None
    scale = float(costs.max()) or 1.0
    out = []
    for one, name in enumerate(names):
        others = [other for other in range(n_answers) if other != one]
        gain = (costs[:, others] - costs[:, [one]]).T / scale
        found = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.c_[-gain, np.ones(len(others))],
            b_ub=np.zeros(len(others)),
            A_eq=[np.r_[np.ones(size), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * size + [(None, None)],
        )
        if found.status == 0 and -found.fun <= 1e-9:
            out.append(name)
    return out
