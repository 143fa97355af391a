"""Matplotlib displays of a search, with scikit-learn's display API."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from softcost._extras import install_hint
from softcost.metrics import pareto_mask
from softcost.report.explorer import parameter_names
from softcost.search import reference_rows

# Okabe and Ito's palette, which is safe for colour-blind readers.
INK, GREY = "#1a1c21", "#8a8f98"
HARD, REGULAR = "#d55e00", "#0072b2"


def new_axes(ax: Any) -> Any:
    """The axes, or new ones if there are none."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            f"displays need matplotlib: {install_hint('plot')}."
        ) from None
    return plt.subplots()[1] if ax is None else ax


class TradeoffDisplay:
    """Cost against error of every candidate.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    chosen, hard, regular : int or None
        Rows to mark.
    error : {"error", "weighted_error"}, default="error"
        The error that counts.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    front_ : matplotlib Line2D
        The Pareto front.
    points_ : matplotlib PathCollection
        All candidates, coloured by softness.

    See Also
    --------
    SoftnessCurveDisplay : Cost and error over softness.
    write_explorer : The same as a page to choose on.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost import TradeoffDisplay
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> display = TradeoffDisplay.from_frame(table, chosen=1)
    >>> display.hard, display.regular
    (0, 2)
    """

    front_: Any
    points_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        table: pd.DataFrame,
        *,
        chosen: int | None = None,
        hard: int | None = None,
        regular: int | None = None,
        error: str = "error",
    ) -> None:
        self.table = table
        self.chosen = chosen
        self.hard = hard
        self.regular = regular
        self.error = error

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        chosen: int | None = None,
        error: str = "error",
        ax: Any = None,
        **kwargs: Any,
    ) -> "TradeoffDisplay":
        """Plot a trade-off table, with its best hard and regular rows marked.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        chosen : int, default=None
            Row to mark.
        error : {"error", "weighted_error"}, default="error"
            The error that counts.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        TradeoffDisplay
            The display, after plotting.
        """
        rows = reference_rows(table, chosen, error=error)
        display = cls(
            table,
            chosen=chosen,
            hard=rows.get("hard"),
            regular=rows.get("regular"),
            error=error,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, search: Any, *, ax: Any = None, **kwargs: Any
    ) -> "TradeoffDisplay":
        """Plot the trade-off of a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            A fitted search.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        TradeoffDisplay
            The display, after plotting.
        """
        return cls.from_frame(
            search.tradeoff_,
            chosen=search.best_index_,
            error=search.error_measure_,
            ax=ax,
            **kwargs,
        )

    def plot(
        self, ax: Any = None, *, error_bars: bool = True, **kwargs: Any
    ) -> "TradeoffDisplay":
        """Plot the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        error_bars : bool, default=True
            Whether to show one standard error in each direction.
        **kwargs
            Passed to `matplotlib.axes.Axes.scatter`.

        Returns
        -------
        self
        """
        ax = new_axes(ax)
        x = self.table[self.error].to_numpy(float)
        y = self.table["cost"].to_numpy(float)
        if error_bars:
            ax.errorbar(
                x, y, xerr=self._spread(self.error), yerr=self._spread("cost"),
                fmt="none", ecolor=GREY, elinewidth=0.7, alpha=0.35, zorder=1,
            )  # fmt: skip
        front = np.flatnonzero(pareto_mask(np.column_stack([x, y])))
        front = front[np.argsort(x[front], kind="stable")]
        (self.front_,) = ax.plot(
            x[front], y[front], color=INK, lw=1.2, drawstyle="steps-post",
            marker="o", ms=7, mfc="none", label="front", zorder=2,
        )  # fmt: skip
        style = {
            "cmap": _softness_colours(),
            "vmin": 0,
            "vmax": 1,
            "s": 26,
            "zorder": 3,
        }
        self.points_ = ax.scatter(x, y, c=self.table["softness"], **(style | kwargs))
        ax.figure.colorbar(self.points_, ax=ax, label="softness (0 hard, 1 regular)")
        for row, label, marker, colour, size in (
            (self.hard, "hard", "^", HARD, 90),
            (self.regular, "regular", "s", REGULAR, 75),
            (self.chosen, "chosen", "*", INK, 190),
        ):
            if row is not None:
                ax.scatter(
                    x[row], y[row], marker=marker, color=colour, s=size, label=label,
                    edgecolors="white", linewidths=0.9, zorder=4,
                )  # fmt: skip
        ax.set(xlabel=self.error.replace("_", " "), ylabel="cost per row")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _spread(self, name: str) -> NDArray[np.float64] | None:
        return _standard_errors(self.table, name)


class SoftnessCurveDisplay:
    """Cost and error over softness, with the best parameters at every value.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    chosen : int or None
        Row to mark.
    error : {"error", "weighted_error"}, default="error"
        The error that counts.

    Attributes
    ----------
    rows_ : array of int
        The cheapest candidate at every softness.
    ax_, error_ax_ : matplotlib Axes
        The axes of cost, and of error on the other side.
    figure_ : matplotlib Figure

    See Also
    --------
    TradeoffDisplay : Cost against error of every candidate.
    CostCurveDisplay : Cost of candidates if the prices of one class are scaled.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost import SoftnessCurveDisplay
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> display = SoftnessCurveDisplay.from_frame(table, chosen=1)
    >>> display.rows_.tolist()
    [0, 1, 2]
    """

    rows_: NDArray[np.intp]
    error_ax_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self, table: pd.DataFrame, *, chosen: int | None = None, error: str = "error"
    ) -> None:
        self.table = table
        self.chosen = chosen
        self.error = error

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        chosen: int | None = None,
        error: str = "error",
        ax: Any = None,
        **kwargs: Any,
    ) -> "SoftnessCurveDisplay":
        """Plot a trade-off table.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        chosen : int, default=None
            Row to mark.
        error : {"error", "weighted_error"}, default="error"
            The error that counts.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        SoftnessCurveDisplay
            The display, after plotting.
        """
        return cls(table, chosen=chosen, error=error).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, search: Any, *, ax: Any = None, **kwargs: Any
    ) -> "SoftnessCurveDisplay":
        """Plot a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            A fitted search.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        SoftnessCurveDisplay
            The display, after plotting.
        """
        return cls.from_frame(
            search.tradeoff_,
            chosen=search.best_index_,
            error=search.error_measure_,
            ax=ax,
            **kwargs,
        )

    def plot(self, ax: Any = None, **kwargs: Any) -> "SoftnessCurveDisplay":
        """Plot the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        self
        """
        ax = new_axes(ax)
        softness = self.table["softness"].to_numpy(float)
        cost = self.table["cost"].to_numpy(float)
        values = np.unique(softness)
        at_value = [np.flatnonzero(softness == value) for value in values]
        self.rows_ = np.array([rows[cost[rows].argmin()] for rows in at_value])
        self.error_ax_ = ax.twinx()
        for axes, name, colour, marker in (
            (ax, "cost", HARD, "o"),
            (self.error_ax_, self.error, REGULAR, "s"),
        ):
            spread = _standard_errors(self.table, name)
            style = {"color": colour, "marker": marker, "capsize": 2, "lw": 1.5}
            axes.errorbar(
                values, self.table[name].to_numpy(float)[self.rows_],
                yerr=None if spread is None else spread[self.rows_],
                **(style | kwargs),
            )  # fmt: skip
            label = "cost per row" if name == "cost" else name.replace("_", " ")
            axes.set_ylabel(label, color=colour)
        if self.chosen is not None:
            ax.axvline(softness[self.chosen], color=INK, ls=":", label="chosen")
            ax.legend()
        names = parameter_names(self.table)
        best = f" (best {', '.join(names)} at each)" if names else ""
        ax.set_xlabel(f"softness, 0 hard, 1 regular{best}")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class CostMatrixDisplay:
    """Prices by true and predicted class.

    Parameters
    ----------
    cost_matrix : array of shape (K, A)
        ``cost_matrix[true, predicted]``.
    labels : array of shape (A,), default=None
        Names of the classes, and of the actions.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : matplotlib AxesImage
    text_ : array of shape (K, A) of matplotlib Text

    See Also
    --------
    softcost.costs.check_cost_matrix : Checks a cost matrix.
    CostCurveDisplay : Cost of candidates if the prices of one class are scaled.

    Examples
    --------
    >>> from softcost import CostMatrixDisplay
    >>> from softcost.costs import by_group
    >>> prices = by_group({"cat": "pet", "dog": "pet", "wolf": "wild"})
    >>> display = CostMatrixDisplay.from_matrix(prices)
    >>> display.text_[0, 2].get_text()  # a wolf predicted for a cat
    '10'
    """

    im_: Any
    text_: NDArray[Any]
    ax_: Any
    figure_: Any

    def __init__(self, cost_matrix: ArrayLike, labels: Any = None) -> None:
        self.cost_matrix = cost_matrix
        self.labels = labels

    @classmethod
    def from_matrix(
        cls, cost_matrix: Any, labels: Any = None, *, ax: Any = None, **kwargs: Any
    ) -> "CostMatrixDisplay":
        """Plot a cost matrix. A DataFrame has its labels in its index and columns.

        Columns that are not in the index are actions, and come last.

        Parameters
        ----------
        cost_matrix : array or DataFrame of shape (K, A)
            ``cost_matrix[true, predicted]``.
        labels : array of shape (A,), default=None
            Names of the classes, and of the actions.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        CostMatrixDisplay
            The display, after plotting.
        """
        if labels is None and isinstance(cost_matrix, pd.DataFrame):
            classes = list(cost_matrix.index)
            others = [name for name in cost_matrix.columns if name not in classes]
            labels = [*classes, *others]
            cost_matrix = cost_matrix.loc[classes, labels]
        return cls(cost_matrix, labels).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, search: Any, *, ax: Any = None, **kwargs: Any
    ) -> "CostMatrixDisplay":
        """Plot the cost matrix of a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            A fitted search.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        CostMatrixDisplay
            The display, after plotting.
        """
        return cls.from_matrix(search.cost_matrix_, search.actions_, ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        cmap: str = "Oranges",
        values_format: str = ".4g",
        colorbar: bool = True,
    ) -> "CostMatrixDisplay":
        """Plot the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        cmap : str or Colormap, default="Oranges"
            Colour map of the prices.
        values_format : str, default=".4g"
            Format of the prices.
        colorbar : bool, default=True
            Whether to add a colour bar.

        Returns
        -------
        self
        """
        matrix = np.asarray(self.cost_matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] > matrix.shape[1]:
            raise ValueError(
                f"cost_matrix has shape {matrix.shape}; pass one row and one column "
                "per class, and one more column per action."
            )
        names = range(matrix.shape[1]) if self.labels is None else self.labels
        if len(names) != matrix.shape[1]:
            raise ValueError(
                f"labels has {len(names)} names for {matrix.shape[1]} columns; pass "
                "one per class, and one per action."
            )
        ax = new_axes(ax)
        self.im_ = ax.imshow(matrix, cmap=cmap)
        self.text_ = np.empty(matrix.shape, dtype=object)
        for true, predicted in np.ndindex(*matrix.shape):
            red, green, blue, _ = self.im_.cmap(self.im_.norm(matrix[true, predicted]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            self.text_[true, predicted] = ax.text(
                predicted, true, format(matrix[true, predicted], values_format),
                ha="center", va="center", color="white" if dark else INK,
            )  # fmt: skip
        if colorbar:
            ax.figure.colorbar(self.im_, ax=ax, label="price")
        ticks = np.arange(matrix.shape[1])
        texts = [str(name) for name in names]
        rotation = 90 if max(map(len, texts)) > 4 else 0
        ax.set_xticks(ticks, texts, rotation=rotation)
        ax.set_yticks(ticks[: len(matrix)], texts[: len(matrix)])
        ax.set(xlabel="predicted class", ylabel="true class")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _standard_errors(table: pd.DataFrame, name: str) -> NDArray[np.float64] | None:
    column = f"{name}_se"
    if column not in table:
        return None
    return np.nan_to_num(table[column].to_numpy(float))


def _softness_colours() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("softness", [HARD, "#a58ba0", REGULAR])


_COLOURS = {"chosen": INK, "hard": HARD, "regular": REGULAR}


class CostCurveDisplay:
    """Cost of candidates if the prices of one class are scaled.

    Parameters
    ----------
    factors : array of shape (m,)
        Factors of the prices of the class.
    curves : dict of name and array of shape (m,)
        Cost per row of some candidates.
    least : array of shape (m,)
        Cost of the cheapest candidate at every factor.
    label : label
        The class.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of name and matplotlib Line2D

    See Also
    --------
    NetBenefitDisplay : Net benefit of candidates for two classes, over the threshold
        probability.
    softcost.search.price_intervals : The exact prices at which the choice changes.

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

    factors: NDArray[Any]
    curves: dict[str, NDArray[np.float64]]
    lines_: dict[str, Any]
    ax_: Any
    figure_: Any

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
        """Plot a fitted `SoftCostClassifierCV`.

        The models are those trained with the original prices.

        Parameters
        ----------
        search : SoftCostClassifierCV
            A fitted search.
        label : label of a class
            The class whose row of the cost matrix is scaled.
        factors : array of positive numbers, default=None
            By default from 1/10 to 10.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        CostCurveDisplay
            The display, after plotting.
        """
        if search.costs_by_example_:
            raise ValueError(
                "a cost curve scales costs by class, but costs were given by example: "
                "use a search with cost_matrix."
            )
        names = search.classes_.tolist()
        if label not in names:
            raise ValueError(
                f"label={label!r} is not a class; choose one of "
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
        """Plot the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot` for all lines.

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
            ylabel="cost per row",
        )
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


class NetBenefitDisplay:
    """Net benefit of candidates for two classes, over the threshold probability.

    To act from a threshold probability t means that a false positive costs
    ``t / (1 - t)`` times the benefit of a true positive. In units of this benefit
    (Vickers and Elkin, 2006):

        net benefit = TP / n - FP / n * t / (1 - t)

    Parameters
    ----------
    thresholds : array of shape (m,)
        Threshold probabilities.
    curves : dict of name and array of shape (m,)
        Net benefit of some candidates, and of acting always.
    best : array of shape (m,)
        Net benefit of the best candidate at every threshold.
    threshold : float
        The threshold that the prices imply.
    positive : label
        The positive class.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of name and matplotlib Line2D

    See Also
    --------
    CostCurveDisplay : Cost of candidates if the prices of one class are scaled.
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

    thresholds: NDArray[Any]
    curves: dict[str, NDArray[np.float64]]
    lines_: dict[str, Any]
    ax_: Any
    figure_: Any

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
        """Plot a fitted `SoftCostClassifierCV` with two classes.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted to two classes.
        positive : label, default=None
            The positive class; by default the second.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        NetBenefitDisplay
            The display, after plotting.
        """
        names = search.classes_.tolist()
        if np.shape(search.cost_matrix_) != (2, 2):
            raise ValueError(
                f"net benefit is defined for two classes without actions, not for "
                f"{len(names)} classes and {np.shape(search.cost_matrix_)[1]} answers: "
                "use CostCurveDisplay."
            )
        if positive is None:
            positive = names[1]
        if positive not in names:
            raise ValueError(
                f"positive={positive!r} is not a class; choose {names[0]!r} or "
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
        """Plot the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot` for all lines.

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
    """Plot named curves, and the best of all candidates as a band below them."""
    lines = {}
    for name, values in {"best candidate": best, **curves}.items():
        line = {"color": _COLOURS.get(name, GREY), "lw": 1.8, "label": name}
        if name == "best candidate":
            line |= {"lw": 5.0, "alpha": 0.35}
        elif name == "always":
            line |= {"ls": "--"}
        (lines[name],) = ax.plot(x, values, **(line | style))
    return lines
