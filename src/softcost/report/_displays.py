"""Pictures of a search in matplotlib, in scikit-learn's convention."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from softcost.metrics import pareto_mask
from softcost.report._data import parameter_names
from softcost.selection import reference_rows

# Okabe and Ito's colours, which the colour-blind tell apart.
INK, GREY = "#1a1c21", "#8a8f98"
HARD, REGULAR = "#d55e00", "#0072b2"


def new_axes(ax: Any) -> Any:
    """The axes that were given, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "displays need matplotlib: pip install 'softcost[plot]'."
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
        Candidates that no other beats in both.
    points_ : matplotlib PathCollection
        All candidates, coloured by softness.

    See Also
    --------
    SoftnessCurveDisplay : Cost and error along softness.
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
        """Draw a trade-off table; the best hard and regular rows are found in it.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        chosen : int, default=None
            Row to mark.
        error : {"error", "weighted_error"}, default="error"
            The error that counts.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        TradeoffDisplay
            Drawn.
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
        """Draw the trade-off of a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        TradeoffDisplay
            Drawn.
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
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default new ones.
        error_bars : bool, default=True
            One standard error each way.
        **kwargs
            For `matplotlib.axes.Axes.scatter`.

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
        ax.set(xlabel=self.error.replace("_", " "), ylabel="cost per example")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _spread(self, name: str) -> NDArray[np.float64] | None:
        return _standard_errors(self.table, name)


class SoftnessCurveDisplay:
    """Cost and error along softness, each with the best parameters at every value.

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
        For cost, and for error beside it.
    figure_ : matplotlib Figure

    See Also
    --------
    TradeoffDisplay : Cost against error of every candidate.
    CostCurveDisplay : Cost of candidates where the prices of one class are scaled.

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
        """Draw a trade-off table.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        chosen : int, default=None
            Row to mark.
        error : {"error", "weighted_error"}, default="error"
            The error that counts.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        SoftnessCurveDisplay
            Drawn.
        """
        return cls(table, chosen=chosen, error=error).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, search: Any, *, ax: Any = None, **kwargs: Any
    ) -> "SoftnessCurveDisplay":
        """Draw a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        SoftnessCurveDisplay
            Drawn.
        """
        return cls.from_frame(
            search.tradeoff_,
            chosen=search.best_index_,
            error=search.error_measure_,
            ax=ax,
            **kwargs,
        )

    def plot(self, ax: Any = None, **kwargs: Any) -> "SoftnessCurveDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `matplotlib.axes.Axes.errorbar`.

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
            label = "cost per example" if name == "cost" else name.replace("_", " ")
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
    softcost.costs.check_cost_matrix : Says what a cost matrix is.
    CostCurveDisplay : Cost of candidates where the prices of one class are scaled.

    Examples
    --------
    >>> from softcost import CostMatrixDisplay
    >>> from softcost.costs import by_group
    >>> prices = by_group({"cat": "pet", "dog": "pet", "wolf": "wild"})
    >>> display = CostMatrixDisplay.from_matrix(prices)
    >>> display.text_[0, 2].get_text()  # a cat taken for a wolf
    '10'
    """

    def __init__(self, cost_matrix: ArrayLike, labels: Any = None) -> None:
        self.cost_matrix = cost_matrix
        self.labels = labels

    @classmethod
    def from_matrix(
        cls, cost_matrix: Any, labels: Any = None, *, ax: Any = None, **kwargs: Any
    ) -> "CostMatrixDisplay":
        """Draw a matrix of prices; a table's labels are those of its columns.

        Columns that are no rows are actions, and come last.

        Parameters
        ----------
        cost_matrix : array or DataFrame of shape (K, A)
            ``cost_matrix[true, predicted]``.
        labels : array of shape (A,), default=None
            Names of the classes, and of the actions.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        CostMatrixDisplay
            Drawn.
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
        """Draw the prices of a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : SoftCostClassifierCV
            Fitted.
        ax : matplotlib Axes, default=None
            By default new ones.
        **kwargs
            For `plot`.

        Returns
        -------
        CostMatrixDisplay
            Drawn.
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
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default new ones.
        cmap : str or Colormap, default="Oranges"
            Colours of the prices.
        values_format : str, default=".4g"
            How prices are written.
        colorbar : bool, default=True
            Whether the colours are explained.

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
        turned = 90 if max(map(len, texts)) > 4 else 0
        ax.set_xticks(ticks, texts, rotation=turned)
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
