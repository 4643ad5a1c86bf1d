"""Shared parts of charts: style, canvas, scales, legend."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._text import escaped
from rigcast.plot._colors import INK, QUIET, RULE

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


OWN_FORMULA = r"$\mathdefault{"  # how matplotlib writes numbers of a logarithmic axis


@functools.cache
def canvas_class() -> type[Any]:
    """A figure of matplotlib that shows names of strangers as they are, whatever they hold.

    Control characters are escaped, dollars begin no formula, and letters that the font lacks are boxes without a
    warning.
    """
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    class Canvas(Figure):
        def draw(self, renderer: Any) -> None:
            for text in self.findobj(Text):
                text.set_parse_math(text.get_text().startswith(OWN_FORMULA))
                if (plain := escaped(text.get_text(), keep="\n")) != text.get_text():
                    text.set_text(plain)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", r"Glyph .* missing from")
                super().draw(renderer)

    return Canvas


def figure(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, Any]:
    """A canvas of so many inches, and its axes in a row; ``more`` as for matplotlib's subplots."""
    require("matplotlib", extra="report", purpose="drawing charts")
    from matplotlib import rc_context

    with rc_context(STYLE):
        canvas = canvas_class()(figsize=size, layout="constrained")
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


DPI = 100  # of pictures with text


def blank_figure(width: int, height: int) -> Any:
    """A white canvas of so many pixels, without axes."""
    require("matplotlib", extra="report", purpose="drawing text in pictures")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = canvas_class()(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")
    FigureCanvasAgg(canvas)
    return canvas


def pixels_of(canvas: Any) -> NDArray[np.uint8]:
    """(height, width, 3) pixels of a canvas of :func:`blank_figure`."""
    canvas.canvas.draw()
    return np.array(np.asarray(canvas.canvas.buffer_rgba())[..., :3])


def new_axes(rows: int, columns: int, size: tuple[float, float], **more: Any) -> NDArray[np.object_]:
    """Axes (rows columns,) of a new pyplot figure in the style of the charts: notebooks show it by themselves."""
    require("matplotlib", extra="report", purpose="drawing charts")
    from matplotlib import interactive, is_interactive, pyplot, rc_context

    with rc_context(STYLE):
        made = {"FigureClass": canvas_class(), "figsize": size, "layout": "constrained"}
        _, axes = pyplot.subplots(rows, columns, squeeze=False, **made, **more)
        for axis in axes.flat:
            axis.set_axisbelow(True)
        shown = is_interactive()
    interactive(shown)  # a notebook's backend, loaded by the first figure, switches it on: the context would undo that
    return np.asarray(axes.ravel())
