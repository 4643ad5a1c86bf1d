"""Charts of a capture."""

from __future__ import annotations

import numpy as np

from rigcast import plot
from rigcast._pages.svg import svg
from rigcast.plot._charts import ACROSS, strongest
from rigcast.plot._colors import ACCENT, SERIES
from rigcast.plot._drawing import figure, legend
from rigcast.report._capture.captured import ON, CapturedShot

MOST_BARS = 12  # points whose residuals are drawn as bars


def errors(shot: CapturedShot) -> str:
    """Residuals of every frame, beside the share of the points that was seen; bands where the face was lost."""
    canvas, axes = figure(1, 2, (10.4, 3.1), sharex=True, width_ratios=[3, 2])
    frames = np.arange(len(shot.errors))
    for label, values, color in (
        ("95% of the points are below", shot.errors[:, 1], SERIES[3]),
        ("mean of the points", shot.errors[:, 0], ACCENT),
    ):
        axes[0].plot(frames, values, color=color, linewidth=1.8, label=label)
    axes[0].axhline(shot.found.noise, color=SERIES[1], linewidth=1.0, linestyle=(0, (4, 3)), label="noise of a point")
    axes[0].set(xlabel="frame", ylabel=f"residual, {shot.unit}")
    axes[1].step(frames, 100.0 * shot.seen, where="mid", color=ACCENT, linewidth=1.4)
    axes[1].set(xlabel="frame", ylabel="points seen, %", ylim=(0, 105))
    for axis in axes:
        for t in np.flatnonzero(shot.found.lost):
            axis.axvspan(t - 0.5, t + 0.5, color=SERIES[1], alpha=0.25, linewidth=0)
        axis.margins(x=0.01)
        axis.xaxis.get_major_locator().set_params(integer=True)
    axes[0].set_ylim(bottom=0)
    legend(canvas, axes[0], 3)
    return svg(canvas, "capture-errors")


def weights(shot: CapturedShot) -> str:
    """The weights that do most, and how many are on."""
    found = shot.found.weights
    chosen = strongest(found)
    columns = min(ACROSS, len(chosen))
    rows = -(-len(chosen) // columns)
    canvas, axes = figure(rows, columns, (10.4, 1.25 * rows + 0.5), sharex=True, sharey=True)
    names = [int(k) for k in chosen]
    plot.curves(found, shot.rig.shape_names, chosen=names, bounds=shot.rig.bounds, axes=axes)
    return svg(canvas, "capture-weights")


def active(shot: CapturedShot) -> str:
    """The number of weights that are on in every frame, beside how they bend from frame to frame."""
    canvas, axes = figure(1, 2, (10.4, 2.4), sharex=True)
    frames = np.arange(len(shot.errors))
    axes[0].step(frames, shot.cardinality, where="mid", color=ACCENT, linewidth=1.4)
    axes[0].set(xlabel="frame", ylabel=f"weights above {ON:g}", ylim=(0, None))
    bends = np.abs(np.diff(shot.found.weights, n=2, axis=0))
    if len(bends):
        axes[1].plot(frames[1:-1], bends.max(axis=1), color=SERIES[3], linewidth=1.2, label="largest")
        axes[1].plot(frames[1:-1], bends.mean(axis=1), color=ACCENT, linewidth=1.6, label="mean")
        axes[1].legend(loc="upper right", ncols=2, framealpha=0.85, edgecolor="none", fontsize=9)
    axes[1].set(xlabel="frame", ylabel="second difference of weights", ylim=(0, None))
    for axis in axes:
        axis.margins(x=0.01)
        axis.xaxis.get_major_locator().set_params(integer=True)
    axes[0].yaxis.get_major_locator().set_params(integer=True)
    return svg(canvas, "capture-active")


def by_point(shot: CapturedShot) -> str:
    """The mean residual of each point, at its place in the frame that fits best; beside it the largest, by number."""
    frame = int(shot.order()[0])
    points = shot.tracks.points[frame, :, :2]
    known = np.isfinite(points).all(axis=1) & np.isfinite(shot.by_point)
    canvas, (axis, bars) = figure(1, 2, (10.4, 4.6), width_ratios=[3, 2])
    drawn = axis.scatter(*points[known].T, c=shot.by_point[known], cmap="YlOrRd", vmin=0, s=34, edgecolors="#6b757c",
                         linewidths=0.6)  # fmt: skip
    axis.set_aspect("equal")
    if shot.is_flat:
        axis.invert_yaxis()
    axis.set(xlabel=f"x, {shot.unit}", ylabel=f"y, {shot.unit}")
    canvas.colorbar(drawn, ax=axis, label=f"mean residual, {shot.unit}", shrink=0.8)
    worst = np.flatnonzero(known)[np.argsort(-shot.by_point[known], kind="stable")[:MOST_BARS]]
    bars.barh([f"point {k}" for k in worst], shot.by_point[worst], height=0.6, color=SERIES[3])
    bars.invert_yaxis()
    bars.set(xlabel=f"mean residual, {shot.unit}", xlim=(0, None))
    return svg(canvas, "capture-points")
