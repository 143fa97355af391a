"""Figures of a study, drawn with matplotlib and written as SVG."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from softcost.files import atomic_write
from softcost.paper.document import heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Okabe and Ito's palette: distinguishable for colour-blind readers.
INK, GREY = "#1a1c21", "#8a8f98"
HARD, REGULAR, SOFT = "#d55e00", "#0072b2", "#009e73"
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "softcost",  # the same numbers give the same file
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def save(path: Path, draw: Callable[..., "Figure"], *frames: pd.DataFrame) -> None:
    """Draw a figure and write it."""
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        figure = draw(*frames)
        with atomic_write(path) as place:
            about = {"Date": None, "Creator": None}
            figure.savefig(place, format="svg", metadata=about)


def _new(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure outside of pyplot, which keeps nothing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def agreement_figure(table: pd.DataFrame) -> "Figure":
    """Our means against the published ones, a panel per metric."""
    comparable = table[table["as_in_paper"] & table["published_mean"].notna()]
    comparable = comparable[comparable["se"].notna()]
    metrics = dict(zip(comparable["metric"], comparable["unit"], strict=True))
    figure, axes = _new(1, len(metrics), 4.2 * len(metrics), 4.0)
    for ax, (metric, unit) in zip(axes[0], metrics.items(), strict=True):
        part = comparable[comparable["metric"] == metric]
        for chosen, colour, label in (
            (part["near"], REGULAR, "within two standard errors"),
            (~part["near"], HARD, "further off"),
        ):
            points = part[chosen]
            ax.errorbar(
                points["published_mean"],
                points["mean"],
                points["se"],
                points["published_se"],
                fmt="o",
                markersize=3,
                linewidth=0.6,
                color=colour,
                alpha=0.7,
                label=f"{label} ({len(points)})",
            )
        positive = part[["published_mean", "mean"]].to_numpy(float)
        positive = positive[positive > 0]
        if len(positive):
            ends = [positive.min() / 1.3, positive.max() * 1.3]
            ax.plot(ends, ends, color=INK, linewidth=0.8, zorder=0)
            scale = "log" if ends[1] > 10 * ends[0] else "linear"
            ax.set(xscale=scale, yscale=scale, xlim=ends, ylim=ends)
        ax.set(xlabel="published", ylabel="ours", title=heading(metric, unit))
        ax.legend(frameon=False, fontsize=8)
    return figure


def emphasis_figure(table: pd.DataFrame) -> "Figure":
    """Cost, error and recall against the cost of the expensive class, by data set."""
    datasets = list(dict.fromkeys(table["dataset"]))
    metrics = dict(zip(table["metric"], table["unit"], strict=True))
    size = (3.2 * len(metrics), 2.5 * len(datasets))
    figure, axes = _new(len(datasets), len(metrics), *size)
    colours = {"OSR": HARD, "soft-OSR": SOFT}
    for row, dataset in zip(axes, datasets, strict=True):
        for ax, (metric, unit) in zip(row, metrics.items(), strict=True):
            here = (table["dataset"] == dataset) & (table["metric"] == metric)
            for name, part in table[here].groupby("algorithm", sort=False):
                largest = part["costs"].str.split("-").str[-1].astype(float)
                line = part.assign(u=largest).sort_values("u")
                _line(ax, line, "u", str(name), colours.get(str(name), REGULAR))
            title = "cost / u" if metric == "cost" else heading(metric, 1.0)
            ax.set(xscale="log", title=f"{dataset}: {title}", ylim=(0, None))
            ax.set_ylabel(heading(metric, unit))
            ax.set_xlabel("cost u of the expensive class")
    axes[0][0].legend(frameon=False, fontsize=8)
    return figure


def curve_figure(table: pd.DataFrame) -> "Figure":
    """Test cost and test error against softness, a row per data set."""
    datasets = list(dict.fromkeys(table["dataset"]))
    metrics = dict(zip(table["metric"], table["unit"], strict=True))
    size = (3.6 * len(metrics), 2.8 * len(datasets))
    figure, axes = _new(len(datasets), len(metrics), *size)
    curve = table[table["algorithm"].str.fullmatch(r"OSR@[\d.]+")]
    softness = curve["algorithm"].str.split("@").str[1].astype(float)
    curve = curve.assign(softness=softness)
    for row, dataset in zip(axes, datasets, strict=True):
        for ax, (metric, unit) in zip(row, metrics.items(), strict=True):
            here = (curve["dataset"] == dataset) & (curve["metric"] == metric)
            _line(ax, curve[here], "softness", "OSR", SOFT)
            ax.set(xlabel="softness", ylabel=heading(metric, unit), title=dataset)
    return figure


def _line(ax: "Axes", part: pd.DataFrame, x: str, label: str, colour: str) -> None:
    ax.errorbar(
        part[x],
        part["mean"],
        part["se"],
        marker="o",
        markersize=3,
        linewidth=1.2,
        capsize=2,
        color=colour,
        label=label.replace("$", r"\$"),
    )


def classes_figure(points: pd.DataFrame, front: pd.DataFrame) -> "Figure":
    """Two classes in the plane, with the lines of least cost and of least error.

    Parameters
    ----------
    points : DataFrame
        Columns x1, x2, label.
    front : DataFrame
        Columns softness, b and scale; lines x1 + x2 = b sqrt(2).
    """
    figure, axes = _new(1, 1, 4.6, 4.2)
    ax = axes[0][0]
    colours = (REGULAR, HARD)
    for (label, part), colour in zip(points.groupby("label"), colours, strict=True):
        ax.scatter(part["x1"], part["x2"], s=7, alpha=0.5, color=colour, label=label)
    ends = np.array([-2.6, 2.8])
    raw = front[front["scale"] == "raw"].sort_values("softness")
    middle = raw.iloc[(raw["softness"] - 0.9).abs().argmin()]
    for row, name, style in (
        (raw.iloc[0], "least cost", "--"),
        (middle, f"softness {middle['softness']:g}", "-"),
        (raw.iloc[-1], "least error", ":"),
    ):
        ax.plot(ends, row["b"] * 2**0.5 - ends, style, color=INK, label=name)
    ax.set(xlim=ends, ylim=ends, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    return figure


def lines_figure(lines: pd.DataFrame, front: pd.DataFrame) -> "Figure":
    """Error and cost of lines in all directions, and the front of the best.

    Parameters
    ----------
    lines : DataFrame
        Columns error, cost.
    front : DataFrame
        Columns scale, softness, error, cost.
    """
    figure, axes = _new(1, 2, 8.6, 4.0)
    everything, detail = axes[0]
    for ax, size in ((everything, 4), (detail, 10)):
        ax.scatter(lines["error"], lines["cost"], s=size, color=GREY, linewidths=0)
        for scale, label, colour in (
            ("raw", "costs as they are", HARD),
            ("divided", "costs / 30", SOFT),
        ):
            part = front[front["scale"] == scale]
            ax.plot(part["error"], part["cost"], ".", color=colour, label=label)
        ax.set(xlabel="error", ylabel="cost")
    along = front.sort_values("error")
    error, cost = along["error"].to_numpy(float), along["cost"].to_numpy(float)
    detail.plot(error, cost, color=INK, linewidth=0.8, zorder=0)
    detail.set(xlim=(0.9 * error.min(), 1.1 * error.max()), ylim=(0, 1.15 * cost.max()))
    for scale, away in (("raw", (5, 4)), ("divided", (-16, -9))):
        for row in front[front["scale"] == scale].to_dict("records"):
            _name(detail, f"{row['softness']:g}", row["error"], row["cost"], away)
    for name, at in (("low error", error.argmin()), ("low cost", cost.argmin())):
        _name(detail, name, error[at], cost[at], (-4, 16), weight="bold")
    everything.set_title("all lines")
    detail.set_title("near the front, with softness")
    detail.legend(frameon=False, fontsize=8, loc="upper right")
    return figure


def _name(
    ax: "Axes",
    label: str,
    x: float,
    y: float,
    away: tuple[int, int],
    **style: Any,
) -> None:
    """Write beside a point."""
    ax.annotate(
        label, (x, y), textcoords="offset points", xytext=away, fontsize=8, **style
    )
