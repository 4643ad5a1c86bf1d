"""Names of shapes may hold anything; a chart shows them without a warning."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast._pages.svg import svg
from rigcast.plot._drawing import figure
from rigcast.plot._sheet import sheet

NAMES = {
    "escape": "jaw\x1b[31mOpen",
    "bell": "a\x07b",
    "formula": r"$\frac{a$",
    "dollars": "a$b$c",
    "direction": "\u202ejaw",
    "letters that the font lacks": "\u4e2d\u6587",
}


def drawn(name):
    """Charts with a name in every place that takes one."""
    weights = np.linspace(0, 1, 10)[:, None]
    yield rc.plot.curves({name: weights}, names=[name])[0].figure
    yield rc.plot.error_curves({name: weights[:, 0] + 0.1, "b": weights[:, 0] + 0.2}).figure
    yield rc.plot.lines([1.0, 2.0], {name: [1.0, 2.0], "b": [2.0, 1.0]}, xlabel=name).figure


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_chart_shows_any_name_without_a_warning(name):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed (extra report)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for chart in drawn(name):
            picture = io.StringIO()
            chart.savefig(picture, format="svg")
            assert not any(letter in picture.getvalue() for letter in "\x1b\x07\u202e")
            pyplot.close(chart)
        tiles = np.zeros((20, 20, 3), np.uint8)
        assert sheet([tiles], 1, [name], None).shape[1] == 20


def test_numbers_of_a_logarithmic_axis_stay_formulas():
    canvas, (axis,) = figure(1, 1, (3.0, 2.0))
    axis.plot([1.0, 1e6], [1.0, 1e6])
    axis.set(xscale="log", yscale="log")
    assert "<tspan" in svg(canvas, "log")  # an exponent, raised
