"""Latent spaces as charts: predictive variance, clips, and where bridges begin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES
from rigcast.plot._drawing import figure
from rigcast.report._kit.svg import svg
from rigcast.synthesis import Space, Synthesizer

Float64 = NDArray[np.float64]

ACROSS = 4  # latent spaces per row
CELLS = 48  # of the grid on which variance is evaluated, each way
MARGIN = 0.22  # of the extent of the points, around them
LEVELS = (0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.001)  # shares of the variance far from all clips
SHADES = ("#ffffff", "#f1f4f5", "#e4e9eb", "#d6dde0", "#c8d1d5", "#b9c4c9", "#aab7bd")  # one per step of the levels


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
    return svg(canvas, "latent-spaces")


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
