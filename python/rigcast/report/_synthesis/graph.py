"""The graph of labels as a chart: which labels meet, how often, and how closely."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast.plot._colors import ACCENT, INK, QUIET, rgb
from rigcast.plot._drawing import figure
from rigcast.report._kit.svg import svg
from rigcast.report._kit.words import figure as number
from rigcast.synthesis import Synthesizer

FEW = 5  # labels up to which each bridge has its words beside it; a table holds those of more


def graph(synth: Synthesizer) -> str:
    """Labels on a circle and the bridges between them, dashed where only a forced pair joins two."""
    few = len(synth.labels) <= FEW
    canvas, axes = figure(1, 1, (10.4, 5.0)) if few else figure(1, 2, (10.4, 5.2), width_ratios=[1, 1.06])
    _draw_circle(axes[0], synth, few)
    if not few:
        _draw_table(axes[1], synth)
    return svg(canvas, "labels")


def _draw_circle(axis: Any, synth: Synthesizer, few: bool) -> None:
    angle = 2.0 * np.pi * np.arange(len(synth.labels)) / max(len(synth.labels), 1) + 0.5 * np.pi
    wide = 1.6 if few else 1.0
    place = dict(zip(synth.labels, np.stack([wide * np.cos(angle), np.sin(angle)], axis=1), strict=True))
    for (a, b), bridge in synth.bridges.items():
        if synth.labels.index(a) > synth.labels.index(b):
            continue
        ends = np.stack([place[a], place[b]])
        style = "-" if bridge.within else (0, (4, 3))
        look = {"linewidth": 0.6 + 0.06 * len(bridge), "linestyle": style, "alpha": 0.7 if few else 0.35}
        axis.plot(*ends.T, color=ACCENT, **look)
        if few:
            text = f"{len(bridge)} from {number(float(bridge.distances[0]))} mm"
            backing = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
            middle = 0.42 * ends[0] + 0.58 * ends[1]
            axis.annotate(text, middle, ha="center", va="center", fontsize=8, color=QUIET, bbox=backing)
    for label, at in place.items():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": ACCENT}
        axis.annotate(label, at, ha="center", va="center", fontsize=10 if few else 8.5, color=INK, bbox=box)
    axis.set(xlim=(-1.3 * wide, 1.3 * wide), ylim=(-1.25, 1.25))
    axis.set_axis_off()


def _draw_table(axis: Any, synth: Synthesizer) -> None:
    """Matching pairs of each two labels; darker: the closest pair is closer, beside the threshold."""
    count = len(synth.labels)
    shade = np.ones((count, count, 3))
    for (a, b), bridge in synth.bridges.items():
        row, column = synth.labels.index(a), synth.labels.index(b)
        near = np.clip(1.0 - float(bridge.distances[0]) / max(synth.threshold, 1e-12), 0.0, 1.0)
        shade[row, column] += 0.75 * near * (rgb(ACCENT) - 1.0)
        text = f"{len(bridge)}" if bridge.within else f"({len(bridge)})"
        color = "white" if near > 0.65 else INK
        axis.annotate(text, (column, row), ha="center", va="center", fontsize=8, color=color)
    axis.imshow(shade, aspect="auto")
    axis.set_xticks(np.arange(count), synth.labels, rotation=60, ha="right", rotation_mode="anchor", fontsize=8.5)
    axis.set_yticks(np.arange(count), synth.labels, fontsize=8.5)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    for side in axis.spines.values():
        side.set_visible(False)
