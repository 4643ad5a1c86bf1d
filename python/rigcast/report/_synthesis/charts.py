"""Held-out errors of a synthesizer as a chart."""

from __future__ import annotations

import numpy as np

from rigcast.plot._colors import ACCENT, QUIET, SERIES
from rigcast.plot._drawing import figure, legend
from rigcast.report._kit.svg import svg
from rigcast.synthesis import Synthesizer


def errors(synth: Synthesizer) -> str:
    """A group of bars per label: latent space, principal components, nearest frame; empty without figures."""
    measured = {label: space.held_out for label, space in synth.spaces.items() if space.held_out is not None}
    if not measured:
        return ""
    canvas, (axis,) = figure(1, 1, (10.4, 3.2))
    counts = (3, 6, 10, 20)
    shown = ["latent space", *(f"{count} components" for count in counts), "nearest training frame"]
    colors = [ACCENT, *SERIES[1:5], QUIET]
    width = 0.8 / len(shown)
    for place, (name, color) in enumerate(zip(shown, colors, strict=True)):
        values = [
            held.latent
            if place == 0
            else held.nearest
            if place == len(shown) - 1
            else held.principal[counts[place - 1]]
            for held in measured.values()
        ]
        axis.bar(
            np.arange(len(values)) + (place - len(shown) / 2 + 0.5) * width, values, width, color=color, label=name
        )
    axis.set_xticks(np.arange(len(measured)), list(measured))
    axis.set(ylabel="distance, mm")
    legend(canvas, axis, len(shown))
    return svg(canvas, "held-out")
