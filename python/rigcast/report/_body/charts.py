"""Charts of a report on a learned model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._pages.svg import svg
from rigcast.plot._charts import error_lines
from rigcast.plot._colors import ACCENT, QUIET
from rigcast.plot._drawing import figure, legend, plain_numbers
from rigcast.report._body.measure import HISTOGRAM_EDGES
from rigcast.report._body.places import PlaceErrors

MOST_CONTROLS = 40
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """One line of a chart."""

    label: str
    color: str
    values: Array
    strong: bool = False


def over_time(means: Sequence[Series], maxima: Sequence[Series]) -> str:
    """Mean and largest error of every frame, millimeters on a logarithmic scale, side by side."""
    canvas, axes = figure(1, 2, (10.4, 3.1), sharex=True)
    for axis, title, lines in zip(
        axes, ("mean over the vertices", "largest of all vertices"), (means, maxima), strict=True
    ):
        shown = [(line.label, line.values, line.color, line.strong) for line in lines]
        error_lines(axis, shown, least=HISTOGRAM_EDGES[0])
        axis.set_title(title, loc="left", fontsize=10, color=QUIET)
        axis.set_xlabel("frame")
    axes[0].set_ylabel("vertex error, mm")
    legend(canvas, axes[0], len(means))
    return svg(canvas, "over-time")


def histogram(series: Sequence[Series]) -> str:
    """Share of the vertices at each size of error; both scales are logarithmic."""
    canvas, (axis,) = figure(1, 1, (10.4, 3.6))
    shares = [_inside(line.values) for line in series]
    seen = np.flatnonzero(np.sum(shares, axis=0))
    low, high = int(seen.min()), int(seen.max()) + 1
    for line, share in zip(series, shares, strict=True):
        inner = np.where(share > 0, share, np.nan)
        weight = 2.2 if line.strong else 1.2
        axis.stairs(100 * inner, HISTOGRAM_EDGES, color=line.color, linewidth=weight, label=line.label, baseline=None)
    axis.set(xscale="log", yscale="log", xlabel="vertex error, mm", ylabel="share of vertices, %")
    axis.set_xlim(HISTOGRAM_EDGES[low], HISTOGRAM_EDGES[min(max(high, low + 20), len(HISTOGRAM_EDGES) - 1)])
    plain_numbers(axis.xaxis)
    plain_numbers(axis.yaxis)
    legend(canvas, axis, len(series))
    return svg(canvas, "histogram")


def _inside(shares: Array) -> Array:
    """Shares between the edges; what lies outside them joins the first and the last."""
    inner = np.array(shares[1:-1])
    inner[0] += shares[0]
    inner[-1] += shares[-1]
    return inner


def confidences(groups: Sequence[Series]) -> str:
    """The spread of the confidence over groups of poses: a row each, all poses as ticks, the middle half as a bar."""
    canvas, (axis,) = figure(1, 1, (10.4, 0.55 * len(groups) + 0.75))
    for row, group in enumerate(groups):
        low, middle, high = np.percentile(group.values, [25, 50, 75])
        axis.vlines(group.values, row - 0.28, row + 0.28, color=group.color, alpha=0.25, linewidth=0.8)
        axis.hlines(row, low, high, color=group.color, linewidth=7, alpha=0.55)
        axis.plot([middle], [row], "o", color=group.color, markersize=8)
    axis.set_yticks(range(len(groups)), [group.label for group in groups])
    axis.set(xlim=(-0.02, 1.02), ylim=(len(groups) - 0.5, -0.5), xlabel="confidence")
    axis.grid(visible=False, axis="y")
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    return svg(canvas, "confidence")


def errors_by_control(places: Sequence[PlaceErrors], name: str) -> str:
    """Mean error of the poses in which each control is far from rest, in the given order; empty without any.

    Parameters
    ----------
    name : str
        Of the chart: its parts are named by it.
    """
    shown = places[:MOST_CONTROLS]
    if not shown:
        return ""
    canvas, (axis,) = figure(1, 1, (10.4, 3.4))
    at = np.arange(len(shown))
    axis.bar(at, [place.mean for place in shown], color=ACCENT, width=0.7)
    axis.set_xticks(at, [place.name for place in shown], rotation=60, ha="right", fontsize=8)
    axis.set(ylabel="mean error, mm", xlim=(-0.7, len(shown) - 0.3))
    axis.grid(visible=False, axis="x")
    return svg(canvas, name)
