"""How far to go along a direction, for many problems at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Columns
from softcost.linear._samples import Sampled

_BLOCK = 1024  # rows at once
_STRAIGHT = 0.2  # how far from flat a line may end, relative to its start
_BRACKETS = 40  # evaluations of a line's derivative, at most


class Line:
    """The derivative of F / C along a line, for each problem.

    The losses of a sample stand for those of all rows, and are corrected so that the
    derivative at the start is the one that all rows give.
    """

    def __init__(
        self,
        sample: Sampled,
        columns: Columns,
        outputs: NDArray[Any],
        direction: NDArray[np.float64],
        ridge: NDArray[np.float64],
        slope: NDArray[np.float64],
    ):
        self._times, self._columns = sample.times, columns
        self._start, self._ahead = outputs, sample.rows.outputs(direction)
        self._bend = (ridge[:, None] * direction**2).sum(axis=0)
        every = np.arange(len(slope))
        self._constant = slope - self._of_sample(np.zeros(len(slope)), every)

    def slope(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Derivative by the step, for some of the problems."""
        sampled = self._of_sample(step, chosen)
        return sampled + self._constant[chosen] + step * self._bend[chosen]

    def _of_sample(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        start, ahead = self._start, self._ahead
        columns = self._columns
        if len(chosen) < columns.m:
            start, ahead = (np.take(one, chosen, axis=1) for one in (start, ahead))
            columns = columns.some(chosen)
        total = np.zeros(len(chosen))
        for begin in range(0, len(start), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            outputs = start[part] + ahead[part] * step.astype(ahead.dtype)
            columns.to_slopes(outputs, part, np.zeros(len(chosen), ahead.dtype))
            outputs *= ahead[part]
            total += outputs.sum(axis=0)
        return self._times * total


def best_steps(line: Line, slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the derivative along each line is close to zero, up to a step of 1.

    False position with halving (the Illinois method), as the derivative increases.
    """
    m = len(slope)
    low, high = np.zeros(m), np.ones(m)
    at_low, at_high = slope.copy(), line.slope(high, np.arange(m))
    goal = _STRAIGHT * np.abs(slope)
    best = np.ones(m)
    left = np.flatnonzero(at_high > goal)
    for _ in range(_BRACKETS):
        if len(left) == 0:
            break
        share = -at_low[left] / np.maximum(at_high[left] - at_low[left], 1e-300)
        middle = low[left] + (high[left] - low[left]) * np.clip(share, 1e-3, 0.999)
        found = line.slope(middle, left)
        best[left] = middle
        above = found > 0
        up, down = left[above], left[~above]
        at_low[up], at_high[down] = at_low[up] / 2, at_high[down] / 2
        high[up], at_high[up] = middle[above], found[above]
        low[down], at_low[down] = middle[~above], found[~above]
        left = left[np.abs(found) > goal[left]]
    return best
