"""Charts of a synthesizer: held-out errors, its graph of labels, its latent spaces, and how its motion runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pages.svg import svg
from rigcast._pages.words import figure as number
from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES, rgb
from rigcast.plot._drawing import figure, legend, plain_numbers
from rigcast.report._synthesis.races import SIDE, Races
from rigcast.report._synthesis.worst import Idling
from rigcast.synthesis import Space, Synthesizer

FEW = 5  # labels up to which each bridge has its words next to it; a table holds those of more
LEAST = 1e-3  # of the limit: smaller accelerations are drawn here
LONGEST = 1500  # points of a curve
ACROSS = 4  # latent spaces per row
CELLS = 48  # of the grid on which variance is evaluated, each way
MARGIN = 0.22  # of the extent of the points, around them
LEVELS = (0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.001)  # shares of the variance far from all clips
SHADES = ("#ffffff", "#f1f4f5", "#e4e9eb", "#d6dde0", "#c8d1d5", "#b9c4c9", "#aab7bd")  # one per step of the levels
Float64 = NDArray[np.float64]


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
    """Matching pairs of each two labels; darker: the closest pair is closer, relative to the threshold."""
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


def transitions(races: Races) -> str:
    """Mesh acceleration around each transition, a panel per player; strong: the one that the film strips show."""
    shown = [runner for runner in races.runners if runner.made]
    canvas, axes = figure(1, len(shown), (10.4, 2.9), sharex=True, sharey=True)
    typical, floor = races.typical(), LEAST * races.limit
    for place, (axis, runner) in enumerate(zip(axes, shown, strict=True)):
        for index, arrival in enumerate(runner.arrivals):
            if arrival is None:
                continue
            frames = np.arange(len(arrival.acceleration)) + 2 - SIDE
            strong = index == typical
            color = (ACCENT if place == 0 else SERIES[1]) if strong else "#d3d8da"
            look = {"color": color, "linewidth": 1.8 if strong else 0.6, "zorder": 3 if strong else 2}
            axis.plot(frames, np.maximum(arrival.acceleration, floor), **look)
        axis.axhline(races.limit, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=4)
        axis.set_yscale("log")
        axis.set_title(runner.name, fontsize=10, color=INK)
        axis.set_xlabel("frames from the arrival", color=QUIET)
        axis.margins(x=0.01)
    plain_numbers(axes[0].yaxis)
    axes[0].set_ylabel("acceleration, mm per frame²")
    return svg(canvas, "transitions")


def idling(synth: Synthesizer, played: list[Idling]) -> str:
    """The distance of each label's idling from the nearest frame of its clips; dashed: the clips' median step."""
    columns = min(4, len(played))
    rows = -(-len(played) // columns)
    canvas, axes = figure(rows, columns, (10.4, 1.7 * rows + 0.5), sharex=True, sharey=True)
    for axis in axes[len(played) :]:
        axis.set_axis_off()
    for axis, own in zip(axes, played, strict=False):
        chosen = np.unique(np.linspace(0, len(own.distance) - 1, min(LONGEST, len(own.distance))).astype(int))
        axis.plot(chosen / synth.fps, own.distance[chosen], color=ACCENT, linewidth=1.0)
        axis.axhline(median_step(synth, own.label), color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        worst = int(own.distance.argmax())
        axis.plot([worst / synth.fps], [own.distance[worst]], "o", color=SERIES[1], markersize=4)
        axis.set_title(own.label, fontsize=10, color=INK)
        axis.margins(x=0.01)
    for axis in axes[max(0, len(played) - columns) : len(played)]:
        axis.set_xlabel("seconds", color=QUIET)
    axes[0].set_ylim(bottom=0.0)
    for axis in axes[: len(played) : columns]:
        axis.set_ylabel("distance, mm")
    return svg(canvas, "idling")


def median_step(synth: Synthesizer, label: str) -> float:
    """Median distance of successive frames of a label's clips, in millimeters."""
    space = synth.space(label)
    features = synth.mesh_features(space.frames)
    steps = [np.linalg.norm(np.diff(features[s.begin : s.end], axis=0), axis=1) for s in space.segments]
    moved = np.concatenate([*steps, np.zeros(0)])
    return float(1e3 * synth.meters_per_unit * np.median(moved)) if len(moved) else 0.0


class Plane:
    """The plane of a latent space's two widest directions."""

    def __init__(self, space: Space) -> None:
        self._space, points = space, space.points
        self._center = points.mean(axis=0)
        self._rows = np.linalg.svd(points - self._center, full_matrices=False)[2]
        self.flat = self.of(points)

    def of(self, x: Float64) -> Float64:
        """(T, 2) places of latent points; 0 for the missing direction of a space of one dimension."""
        placed = (x - self._center) @ self._rows[:2].T
        return np.concatenate([placed, np.zeros((len(x), 2 - placed.shape[1]))], axis=1)

    def grid(self) -> tuple[Float64, Float64]:
        """Coordinates (CELLS,) along both axes."""
        low, high = self.flat.min(axis=0), self.flat.max(axis=0)
        reach = MARGIN * np.maximum(high - low, 0.3 * (high - low).max() + 1e-9)
        across, up = (np.linspace(a - r, b + r, CELLS) for a, b, r in zip(low, high, reach, strict=True))
        return across, up

    def variance(self, across: Float64, up: Float64) -> Float64:
        """(CELLS, CELLS) predictive variances, as shares of that far from all clips.

        Each at the depth, along the directions that are not drawn, of the nearest training point.
        """
        places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        square = (self.flat**2).sum(axis=1) - 2.0 * places @ self.flat.T
        x = self._space.points[square.argmin(axis=1)]
        moved = (places - self.of(x))[:, : min(2, len(self._rows))]
        x = x + moved @ self._rows[:2]
        latent = self._space.latent
        return np.asarray(latent.predictive_variance(x) / latent.variance).reshape(len(up), len(across))


def spaces(synth: Synthesizer) -> str:
    """The two widest directions of each latent space, a line per clip; rings where bridges begin."""
    own = list(synth.spaces.values())
    columns = min(ACROSS, len(own))
    rows = -(-len(own) // columns)
    canvas, axes = figure(rows, columns, (10.4, 10.4 / ACROSS * rows + 0.4))
    for axis in axes[len(own) :]:
        axis.set_axis_off()
    for axis, space in zip(axes, own, strict=False):
        _draw(axis, synth, space)
    return svg(canvas, "latent-spaces", fixed=True)


def _draw(axis: Any, synth: Synthesizer, space: Space) -> None:
    plane = Plane(space)
    across, up = plane.grid()
    axis.contourf(across, up, plane.variance(across, up), levels=LEVELS, colors=SHADES, zorder=0.5)
    for i, segment in enumerate(space.segments):
        line = plane.flat[segment.begin : segment.end]
        axis.plot(*line.T, color=SERIES[i % len(SERIES)] if len(space.segments) > 1 else ACCENT, linewidth=1.1)
    for (a, _), bridge in synth.bridges.items():
        if a == space.label:
            ring = {"markersize": 3.0, "markerfacecolor": "none", "markeredgewidth": 0.6, "alpha": 0.45}
            axis.plot(*plane.of(bridge.from_points).T, "o", color=INK, **ring)
    axis.set_title(f"{space.label}: {len(space):,} frames", fontsize=10, color=INK)
    axis.set_xlabel(f"{space.num_dimensions} dimensions", fontsize=8, color=QUIET)
    axis.set(xlim=across[[0, -1]], ylim=up[[0, -1]], xticks=[], yticks=[])
    axis.grid(visible=False)
