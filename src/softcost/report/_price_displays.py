"""Pictures of what other prices would mean, in scikit-learn's convention."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.report._displays import GREY, HARD, INK, REGULAR, new_axes

_COLOURS = {"chosen": INK, "hard": HARD, "regular": REGULAR}


class CostCurveDisplay:
    """Cost of candidates where the prices of one class are scaled.

    Parameters
    ----------
    factors : array of shape (m,)
        What the prices of the class are multiplied by.
    curves : dict of name and array of shape (m,)
        Cost per example of some candidates.
    least : array of shape (m,)
        That of the cheapest candidate at every factor.
    label : label
        Of the class.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of name and matplotlib Line2D

    See Also
    --------
    NetBenefitDisplay : Net benefit of candidates for two classes, over the threshold
        probability.
    softcost.sensitivity.price_intervals : Where exactly the choice turns.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost import CostCurveDisplay
    >>> factors = np.array([0.5, 1.0, 2.0])
    >>> curves = {"chosen": 0.2 + 0.1 * factors, "regular": 0.5 * factors}
    >>> least = np.minimum(curves["chosen"], curves["regular"])
    >>> display = CostCurveDisplay(factors, curves, least, "fraud").plot()
    >>> display.ax_.get_xlabel()
    'prices of a true fraud, times'
    """

    def __init__(
        self,
        factors: ArrayLike,
        curves: Mapping[str, NDArray[np.float64]],
        least: NDArray[np.float64],
        label: Any,
    ) -> None:
        self.factors = np.asarray(factors, float)
        self.curves = dict(curves)
        self.least = least
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        label: Any,
        *,
        factors: ArrayLike | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> "CostCurveDisplay":
        """Draw a fitted `SoftCostClassifierCV`.

        Models stay those trained with the original prices.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted.
        label : label of a class
            Whose mistakes, a row of the cost matrix, cost more or less.
        factors : array of positive numbers, default=None
            By default from 1/10 to 10.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        CostCurveDisplay
            Drawn.
        """
        if search.costs_by_example_:
            raise ValueError(
                "a cost curve scales prices by class, but these were given by example; "
                "draw a search with cost_matrix."
            )
        names = search.classes_.tolist()
        if label not in names:
            raise ValueError(
                f"label={label!r} is no class; choose one of "
                f"{', '.join(map(repr, names[:6]))}."
            )
        scale = np.geomspace(0.1, 10, 101)
        if factors is not None:
            scale = np.sort(np.asarray(factors, float).ravel())
        if len(scale) == 0 or not np.isfinite(scale).all() or scale[0] <= 0:
            raise ValueError("factors must be positive numbers, such as [0.5, 1, 2].")
        k, shares = names.index(label), _shares(search)
        of_class = shares[:, k] @ search.cost_matrix_[k]
        cost = search.tradeoff_["cost"].to_numpy(float)
        costs = cost[:, None] + of_class[:, None] * (scale - 1.0)
        curves = {name: costs[row] for name, row in search.reference_rows().items()}
        return cls(scale, curves, costs.min(axis=0), label).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> "CostCurveDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `matplotlib.axes.Axes.plot`, of all lines.

        Returns
        -------
        self
        """
        ax = new_axes(ax)
        self.lines_ = _draw(ax, self.factors, self.curves, self.least, kwargs)
        ax.axvline(1.0, color=GREY, ls=":", lw=1)
        ax.set_xscale("log")
        ax.set(
            xlabel=f"prices of a true {self.label}, times",
            ylabel="cost per example",
        )
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


class NetBenefitDisplay:
    """Net benefit of candidates for two classes, over the threshold probability.

    Whoever acts on a case from a probability t on holds a false alarm to be worth
    ``t / (1 - t)`` of a case that is found. In units of the latter (Vickers and Elkin,
    2006):

        net benefit = TP / n - FP / n * t / (1 - t)

    Parameters
    ----------
    thresholds : array of shape (m,)
        Probabilities from which on somebody acts.
    curves : dict of name and array of shape (m,)
        Net benefit of some candidates, and of acting always.
    best : array of shape (m,)
        That of the best candidate at every threshold.
    threshold : float
        What the prices stand for.
    positive : label
        Of the class to find.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of name and matplotlib Line2D

    See Also
    --------
    CostCurveDisplay : Cost of candidates where the prices of one class are scaled.
    TradeoffDisplay : Cost against error of every candidate.

    References
    ----------
    Vickers, A. J. and Elkin, E. B. (2006). Decision curve analysis: a novel method for
    evaluating prediction models. Medical Decision Making 26, 565-574.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost import NetBenefitDisplay
    >>> t = np.array([0.1, 0.2, 0.4])
    >>> odds = t / (1 - t)
    >>> curves = {"chosen": 0.2 - 0.1 * odds, "always": 0.25 - 0.75 * odds}
    >>> best = np.maximum(curves["chosen"], curves["always"])
    >>> display = NetBenefitDisplay(t, curves, best, 0.2, "ill").plot()
    >>> sorted(display.lines_)
    ['always', 'best candidate', 'chosen']
    """

    def __init__(
        self,
        thresholds: ArrayLike,
        curves: Mapping[str, NDArray[np.float64]],
        best: NDArray[np.float64],
        threshold: float,
        positive: Any,
    ) -> None:
        self.thresholds = np.asarray(thresholds, float)
        self.curves = dict(curves)
        self.best = best
        self.threshold = threshold
        self.positive = positive

    @classmethod
    def from_estimator(
        cls, search: Any, *, positive: Any = None, ax: Any = None, **kwargs: Any
    ) -> "NetBenefitDisplay":
        """Draw a fitted `SoftCostClassifierCV` of two classes.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted to two classes.
        positive : label, default=None
            The class to find; by default the second.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        NetBenefitDisplay
            Drawn.
        """
        names = search.classes_.tolist()
        if np.shape(search.cost_matrix_) != (2, 2):
            raise ValueError(
                f"net benefit is defined for two classes and no other answer, not for "
                f"{len(names)} classes and {np.shape(search.cost_matrix_)[1]} answers: "
                "use CostCurveDisplay."
            )
        if positive is None:
            positive = names[1]
        if positive not in names:
            raise ValueError(
                f"positive={positive!r} is no class; choose {names[0]!r} or "
                f"{names[1]!r}."
            )
        p = names.index(positive)
        shares, prices = _shares(search), search.cost_matrix_
        thresholds = np.linspace(0.01, 0.99, 99)
        odds = thresholds / (1.0 - thresholds)
        benefit = shares[:, p, p][:, None] - shares[:, 1 - p, p][:, None] * odds
        sizes = shares[0].sum(axis=1)
        curves = {name: benefit[row] for name, row in search.reference_rows().items()}
        curves["always"] = sizes[p] - sizes[1 - p] * odds
        alarm = prices[1 - p, p] - prices[1 - p, 1 - p]
        missed = prices[p, 1 - p] - prices[p, p]
        threshold = float(alarm / (alarm + missed)) if alarm + missed > 0 else np.nan
        display = cls(thresholds, curves, benefit.max(axis=0), threshold, positive)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> "NetBenefitDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `matplotlib.axes.Axes.plot`, of all lines.

        Returns
        -------
        self
        """
        ax = new_axes(ax)
        self.lines_ = _draw(ax, self.thresholds, self.curves, self.best, kwargs)
        ax.axhline(0.0, color=GREY, lw=1)  # never acting
        if np.isfinite(self.threshold):
            ax.axvline(self.threshold, color=GREY, ls=":", lw=1)
        top = max(float(np.max(self.best)), 0.0)
        ax.set_ylim(-0.25 * (top or 1.0), 1.1 * (top or 1.0))
        ax.set(xlabel=f"threshold probability of {self.positive}", ylabel="net benefit")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _shares(search: Any) -> NDArray[np.float64]:
    """Share of held-out rows by candidate, true and predicted class."""
    pooled = np.asarray(search.confusion_, float).sum(axis=1)
    return pooled / pooled.sum(axis=(1, 2), keepdims=True)


def _draw(
    ax: Any,
    x: NDArray[np.float64],
    curves: Mapping[str, NDArray[np.float64]],
    best: NDArray[np.float64],
    style: dict[str, Any],
) -> dict[str, Any]:
    """Named curves, and a band below them for the best of all candidates."""
    lines = {}
    for name, values in {"best candidate": best, **curves}.items():
        own = {"color": _COLOURS.get(name, GREY), "lw": 1.8, "label": name}
        if name == "best candidate":
            own |= {"lw": 5.0, "alpha": 0.35}
        elif name == "always":
            own |= {"ls": "--"}
        (lines[name],) = ax.plot(x, values, **(own | style))
    return lines
