"""What the charts of a report share: style, scales, and SVG text that stands inside the page and takes its typeface."""

from __future__ import annotations

import io
import re
from typing import Any

from rigwright._extras import require
from rigwright.report._kit.colors import INK, QUIET, RULE

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


def figure(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, Any]:
    """A canvas of so many inches, and its axes in a row; ``more`` as for matplotlib's subplots."""
    require("matplotlib", extra="report", purpose="drawing charts")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        canvas = Figure(figsize=size, layout="constrained")
        axes = canvas.subplots(rows, columns, squeeze=False, **more)
        for axis in axes.flat:  # created inside the style: lines, ticks and grid keep it
            axis.set_axisbelow(True)
    return canvas, axes.ravel()


def plain_numbers(axis: Any) -> None:
    """Labels of a logarithmic axis as plain numbers: 0.01, 0.1, 1, 10, with 2 and 5 between where there is room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if high < 60 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend(canvas: Any, axis: Any, count: int) -> None:
    """The names of an axis' lines above the chart, where there are several."""
    if count > 1:
        handles, labels = axis.get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside upper left", ncols=count, handlelength=1.4, frameon=False)


def svg(canvas: Any, name: str) -> str:
    """A canvas as SVG text; ``name`` keeps the ids of charts on one page apart."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context(STYLE | {"svg.hashsalt": name}):
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg class="chart" viewBox="\1" role="img">', text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # the page's own style says it, for charts alone
    text = re.sub(r"font-family: [^;\"]*;?", "", text)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
