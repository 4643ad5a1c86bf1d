"""Charts of a report, as SVG text that stands inside the page and takes its typeface."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright.extras import require
from rigwright.report.colours import INK, QUIET, RULE
from rigwright.report.measure import HISTOGRAM_EDGES

Array = NDArray[np.float64]

STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10.0,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Series:
    """One line of a chart."""

    label: str
    colour: str
    values: Array
    strong: bool = False


def over_time(means: Sequence[Series], maxima: Sequence[Series]) -> str:
    """Mean and largest error of every frame, millimetres on a logarithmic scale, side by side."""
    figure, axes = _figure(1, 2, (10.4, 3.1), sharex=True)
    for axis, title, lines in zip(
        axes, ("mean over the vertices", "largest of all vertices"), (means, maxima), strict=True
    ):
        for line in lines:
            shown = np.maximum(line.values, HISTOGRAM_EDGES[0])  # zero has no place on a logarithmic scale
            axis.plot(shown, color=line.colour, linewidth=2.0 if line.strong else 1.2, label=line.label)
        axis.set_title(title, loc="left", fontsize=10, color=QUIET)
        axis.set_yscale("log")
        axis.set_xlabel("frame")
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.margins(x=0)
        _plain_numbers(axis.yaxis)
    axes[0].set_ylabel("vertex error, mm")
    _legend(figure, axes[0], len(means))
    return _svg(figure, "over-time")


def histogram(series: Sequence[Series]) -> str:
    """Share of the vertices at each size of error; both scales are logarithmic."""
    figure, (axis,) = _figure(1, 1, (10.4, 3.6))
    shares = [_inside(line.values) for line in series]
    seen = np.flatnonzero(np.sum(shares, axis=0))
    low, high = int(seen.min()), int(seen.max()) + 1
    for line, share in zip(series, shares, strict=True):
        inner = np.where(share > 0, share, np.nan)
        weight = 2.2 if line.strong else 1.2
        axis.stairs(100 * inner, HISTOGRAM_EDGES, color=line.colour, linewidth=weight, label=line.label, baseline=None)
    axis.set(xscale="log", yscale="log", xlabel="vertex error, mm", ylabel="share of vertices, %")
    axis.set_xlim(HISTOGRAM_EDGES[low], HISTOGRAM_EDGES[min(max(high, low + 20), len(HISTOGRAM_EDGES) - 1)])
    _plain_numbers(axis.xaxis)
    _plain_numbers(axis.yaxis)
    _legend(figure, axis, len(series))
    return _svg(figure, "histogram")


def _inside(shares: Array) -> Array:
    """Shares between the edges; what lies outside them joins the first and the last."""
    inner = shares[1:-1].copy()
    inner[0] += shares[0]
    inner[-1] += shares[-1]
    return inner


def confidences(groups: Sequence[Series]) -> str:
    """How the confidence spreads over groups of poses: a row each, all poses as ticks, the middle half as a bar."""
    figure, (axis,) = _figure(1, 1, (10.4, 0.55 * len(groups) + 0.75))
    for row, group in enumerate(groups):
        low, middle, high = np.percentile(group.values, [25, 50, 75])
        axis.vlines(group.values, row - 0.28, row + 0.28, color=group.colour, alpha=0.25, linewidth=0.8)
        axis.hlines(row, low, high, color=group.colour, linewidth=7, alpha=0.55)
        axis.plot([middle], [row], "o", color=group.colour, markersize=8)
    axis.set_yticks(range(len(groups)), [group.label for group in groups])
    axis.set(xlim=(-0.02, 1.02), ylim=(len(groups) - 0.5, -0.5), xlabel="confidence")
    axis.grid(visible=False, axis="y")
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    return _svg(figure, "confidence")


def _figure(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, Any]:
    require("matplotlib", extra="report", purpose="drawing charts")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **more)
        for axis in axes.flat:  # created inside the style: lines, ticks and grid keep it
            axis.set_axisbelow(True)
    return figure, axes.ravel()


def _plain_numbers(axis: Any) -> None:
    """Labels of a logarithmic axis as plain numbers: 0.01, 0.1, 1, 10, with 2 and 5 between where there is room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if high < 60 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _legend(figure: Any, axis: Any, count: int) -> None:
    if count > 1:
        handles, labels = axis.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=count, handlelength=1.4, frameon=False)


def _svg(figure: Any, name: str) -> str:
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context(STYLE | {"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg class="chart" viewBox="\1" role="img">', text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # the page's own style says it, for charts alone
    text = re.sub(r"font-family: [^;\"]*;?", "", text)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
