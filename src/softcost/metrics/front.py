"""Pareto fronts, lower hulls and hypervolumes of criteria to minimise."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pareto_mask(F: ArrayLike) -> NDArray[np.bool_]:
    """Return which candidates are not dominated by another.

    Candidate i dominates j iff ``F[i, m] <= F[j, m]`` for all criteria m and ``<``
    for one. Equal candidates do not dominate each other.

    Parameters
    ----------
    F : array-like of shape (n_candidates, n_criteria)
        Criteria, all to be minimised.

    Returns
    -------
    ndarray of bool of shape (n_candidates,)
        True on the Pareto front.

    See Also
    --------
    lower_hull : Return the candidates that minimise some weighted sum of two criteria.
    hypervolume : Return the volume that the candidates dominate, up to a reference
        point.

    Examples
    --------
    >>> from softcost.metrics import pareto_mask
    >>> pareto_mask([[0, 10], [4, 7], [10, 0], [8, 8]])
    array([ True,  True,  True, False])
    """
    points = _points(F, "F")
    mask = np.empty(len(points), dtype=bool)
    for i, point in enumerate(points):
        dominating = (points <= point).all(axis=1) & (points < point).any(axis=1)
        mask[i] = not dominating.any()
    return mask


def hypervolume(F: ArrayLike, ref: ArrayLike) -> float:
    """Return the volume that the candidates dominate, up to a reference point.

    Parameters
    ----------
    F : array-like of shape (n_candidates, n_criteria)
        Criteria, all to be minimised.
    ref : array-like of shape (n_criteria,)
        The reference point. A candidate that is not better than it in every criterion
        adds nothing.

    Returns
    -------
    float
        Volume of the points x with ``F[i] <= x <= ref`` for some i. Exact; fast for
        two criteria, exponential in their number.

    See Also
    --------
    pareto_mask : Say which candidates no other one dominates.
    lower_hull : Return the candidates that minimise some weighted sum of two criteria.

    Examples
    --------
    >>> from softcost.metrics import hypervolume
    >>> hypervolume([[0, 10], [4, 7], [10, 0], [8, 8]], ref=[10, 10])
    18.0
    """
    points = _points(F, "F")
    corner = _points([ref], "ref")[0]
    if points.shape[1] != len(corner):
        raise ValueError(
            f"ref has {len(corner)} criteria for {points.shape[1]} in F; give one"
            " number per column of F."
        )
    return _volume(points[(points < corner).all(axis=1)], corner)


def _volume(points: NDArray[np.float64], corner: NDArray[np.float64]) -> float:
    """Slice along the last criterion; all points are below the corner."""
    if len(points) == 0:
        return 0.0
    if len(corner) == 1:
        return float(corner[0] - points.min())
    points = points[np.argsort(points[:, -1], kind="stable")]
    heights = np.diff(np.append(points[:, -1], corner[-1]))
    if len(corner) == 2:
        return float(heights @ (corner[0] - np.minimum.accumulate(points[:, 0])))
    slices = (
        height * _volume(points[: i + 1, :-1], corner[:-1])
        for i, height in enumerate(heights)
        if height > 0
    )
    return float(sum(slices))


def lower_hull(F: ArrayLike) -> NDArray[np.intp]:
    """Return the candidates that minimise some weighted sum of two criteria.

    These are the vertices of the lower left convex hull. Everything on the segments
    between neighbours is reached by choosing between the two at random.

    Parameters
    ----------
    F : array-like of shape (n_candidates, 2)
        Two criteria, both to be minimised.

    Returns
    -------
    ndarray of shape (n_vertices,)
        Indices into F, by increasing first criterion; of equal candidates the first.

    See Also
    --------
    pareto_mask : Say which candidates no other one dominates.
    softcost.search.best_mix : The pair that meets an error budget.

    Examples
    --------
    >>> from softcost.metrics import lower_hull
    >>> lower_hull([[0, 10], [4, 7], [10, 0], [8, 8]])
    array([0, 2])
    """
    points = _points(F, "F")
    if points.shape[1] != 2:
        raise ValueError(
            f"F has {points.shape[1]} criteria; pass two columns to lower_hull."
        )
    front = np.flatnonzero(pareto_mask(points))
    hull: list[int] = []
    for i in front[np.argsort(points[front, 0], kind="stable")].tolist():
        if hull and points[i, 0] == points[hull[-1], 0]:
            continue
        while len(hull) > 1 and not _turns_left(points[[*hull[-2:], i]]):
            hull.pop()
        hull.append(i)
    return np.array(hull, dtype=np.intp)


def _turns_left(triple: NDArray[np.float64]) -> bool:
    """Whether the middle point lies below the segment between the outer ones."""
    (ax, ay), (bx, by), (cx, cy) = triple.tolist()
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0


def _points(F: Any, argument: str) -> NDArray[np.float64]:
    """Read a table of criteria."""
    remedy = "pass one row per candidate and one column per criterion"
    try:
        points = np.asarray(F, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must hold numbers; {remedy}.") from None
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"{argument} has shape {points.shape}; {remedy}.")
    if not np.isfinite(points).all():
        raise ValueError(
            f"{argument} has a missing or infinite criterion; drop those candidates."
        )
    return points
