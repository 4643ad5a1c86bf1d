"""Charts of a synthesizer: held-out errors, latent spaces, and the graph of labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rigwright.plot._colors import ACCENT, INK, QUIET, SERIES
from rigwright.plot._drawing import figure, legend
from rigwright.report._kit.svg import svg
from rigwright.report._kit.words import figure as number
from rigwright.synthesis import Space, Synthesizer

Float64 = NDArray[np.float64]

ACROSS = 4  # latent spaces per row


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


def spaces(synth: Synthesizer) -> str:
    """The two widest directions of each latent space, a line per clip; rings where bridges begin."""
    own = list(synth.spaces.values())
    columns = min(ACROSS, len(own))
    rows = -(-len(own) // columns)
    canvas, axes = figure(rows, columns, (10.4, 10.4 / ACROSS * rows + 0.4))
    for axis in axes[len(own) :]:
        axis.set_axis_off()
    for axis, space in zip(axes, own, strict=False):
        flat = _flattened(space)
        for i, segment in enumerate(space.segments):
            line = flat(space.points[segment.begin : segment.end])
            axis.plot(*line.T, color=SERIES[i % len(SERIES)], linewidth=1.1)
        for (a, _), bridge in synth.bridges.items():
            if a == space.label:
                axis.plot(*flat(bridge.from_points).T, "o", color=INK, markersize=3, markerfacecolor="none")
        axis.set_title(f"{space.label}: {len(space):,} frames", fontsize=10, color=INK)
        axis.set_aspect("equal", adjustable="datalim")
        axis.set(xticks=[], yticks=[])
    return svg(canvas, "latent-spaces")


def graph(synth: Synthesizer) -> str:
    """Labels on a circle and the bridges between them, dashed where only a forced pair joins two."""
    canvas, (axis,) = figure(1, 1, (10.4, 5.0))
    angle = 2.0 * np.pi * np.arange(len(synth.labels)) / max(len(synth.labels), 1) + 0.5 * np.pi
    place = dict(zip(synth.labels, np.stack([1.6 * np.cos(angle), np.sin(angle)], axis=1), strict=True))
    for i, a in enumerate(synth.labels):
        for b in synth.labels[i + 1 :]:
            if (bridge := synth.bridges.get((a, b))) is not None:
                ends = np.stack([place[a], place[b]])
                style = "-" if bridge.within else (0, (4, 3))
                axis.plot(*ends.T, color=ACCENT, linewidth=0.6 + 0.06 * len(bridge), linestyle=style, alpha=0.7)
                middle = 0.42 * ends[0] + 0.58 * ends[1]
                text = f"{len(bridge)} from {number(float(bridge.distances[0]))} mm"
                backing = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
                axis.annotate(text, middle, ha="center", va="center", fontsize=8, color=QUIET, bbox=backing)
    for label, at in place.items():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": ACCENT}
        axis.annotate(label, at, ha="center", va="center", fontsize=10, color=INK, bbox=box)
    axis.set(xlim=(-2.1, 2.1), ylim=(-1.25, 1.25))
    axis.set_axis_off()
    return svg(canvas, "labels")


def _flattened(space: Space) -> Callable[[Float64], Float64]:
    """A function from latent points to the plane of their two widest directions."""
    points = space.points
    center = points.mean(axis=0)
    rows = np.linalg.svd(points - center, full_matrices=False)[2][:2]

    def flat(x: Float64) -> Float64:
        flattened = (x - center) @ rows.T
        missing = np.zeros((len(x), 2 - flattened.shape[1]))  # of a space of one dimension
        return np.concatenate([flattened, missing], axis=1)

    return flat
