"""Charts of a solved shot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import plot
from rigcast._pages.svg import svg
from rigcast.plot._charts import ACROSS, strongest
from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES
from rigcast.plot._drawing import figure, legend, plain_numbers
from rigcast.report._shot.rivals import EQUAL, Comparison
from rigcast.report._shot.solved import ON, SolvedShot

Array = NDArray[np.float64]

LEAST = 1e-4  # millimeters: smaller errors are drawn here


def errors(shot: SolvedShot, marked: dict[str, int]) -> str:
    """RMSE and largest distance of every frame, and the number of active weights."""
    canvas, axes = figure(1, 2, (10.4, 3.1), sharex=True, width_ratios=[3, 2])
    frames = np.arange(len(shot.rmse))
    for label, values, color in (
        ("largest", shot.largest, SERIES[4]),
        ("95% are below", shot.p95, SERIES[3]),
        ("root mean square", shot.rmse, ACCENT),
    ):
        axes[0].plot(frames, np.maximum(values, LEAST), color=color, linewidth=1.8, label=label)
    backing = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    for name, frame in marked.items():
        at = (frame, max(shot.rmse[frame], LEAST))
        axes[0].plot(*at, "o", color=ACCENT, markersize=6)
        below = {"xytext": (0, -15), "textcoords": "offset points", "ha": "center", "bbox": backing}
        axes[0].annotate(name, at, color=INK, fontsize=9, **below)
    axes[0].set_yscale("log")
    axes[0].set_ylim(bottom=0.5 * max(float(shot.rmse.min()), LEAST))
    plain_numbers(axes[0].yaxis)
    axes[0].set(ylabel="distance, mm", xlabel="frame")
    axes[1].fill_between(frames, shot.cardinality, step="mid", color=ACCENT, alpha=0.18, linewidth=0)
    axes[1].step(frames, shot.cardinality, where="mid", color=ACCENT, linewidth=1.4)
    axes[1].set(xlabel="frame", ylabel=f"weights above {ON:g}")
    axes[1].set_ylim(0, None)
    for axis in axes:
        axis.margins(x=0.01)
        axis.xaxis.get_major_locator().set_params(integer=True)
    axes[1].yaxis.get_major_locator().set_params(integer=True)
    legend(canvas, axes[0], 3)
    return svg(canvas, "shot-errors")


def curves(shot: SolvedShot) -> str:
    """The weights that do most, each over the shot; dotted the true one if it is known."""
    weights, rig = shot.solution.weights, shot.rig
    chosen = strongest(weights)
    columns = min(ACROSS, len(chosen))
    rows = -(-len(chosen) // columns)
    canvas, axes = figure(rows, columns, (10.4, 1.25 * rows + 0.5), sharex=True, sharey=True)
    drawn = {"truth": shot.truth, "chosen": [int(k) for k in chosen], "bounds": rig.bounds, "axes": axes}
    plot.curves(weights, rig.shape_names, **drawn)
    return svg(canvas, "shot-curves")


def head(motion: Array) -> str:
    """Turns of the head in degrees, and its way from the first frame in millimeters (T, 6)."""
    canvas, axes = figure(1, 2, (10.4, 2.8), sharex=True)
    frames = np.arange(len(motion))
    colors = SERIES[:3]
    for label, values, color in zip(("yaw", "pitch", "roll"), motion[:, :3].T, colors, strict=True):
        axes[0].plot(frames, values, color=color, linewidth=1.8, label=label)
    for label, values, color in zip("xyz", (motion[:, 3:] - motion[0, 3:]).T, colors, strict=True):
        axes[1].plot(frames, values, color=color, linewidth=1.8, label=label)
    axes[0].set(xlabel="frame", ylabel="turn, degrees")
    axes[1].set(xlabel="frame", ylabel="way from the first frame, mm")
    for axis in axes:
        axis.margins(x=0.01)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.legend(loc="best", ncols=3, framealpha=0.85, edgecolor="none", fontsize=9, handlelength=1.2)
    return svg(canvas, "head-motion")


def trade_off(comparison: Comparison, square_centimeters: float) -> str:
    """Error against the number of weights that are on, one line per method over all alphas; a ring at the shot's alpha.

    The error is the one whose elbow is chosen, the 95th percentile over the vertices (Rackovic et al. 2022, 5.2).
    ``square_centimeters`` are those of a squared unit of the rig.
    """
    canvas, (axis,) = figure(1, 1, (10.4, 4.0))
    lines = [rival for rival in comparison.rivals if rival.curve]
    for place, rival in reversed(list(enumerate(lines))):
        x, y = (np.array([getattr(run, name) for _, run in rival.curve]) for name in ("cardinality", "rmse_p95"))
        width, size = (2.4, 6) if place == 0 else (1.3, 4)
        axis.plot(x, y, "o-", color=rival.color, linewidth=width, markersize=size, label=rival.method)
    x, y = (np.array([getattr(run, name) for _, run in lines[0].curve]) for name in ("cardinality", "rmse_p95"))
    for a in _apart(x, y):
        text = f"α = {square_centimeters * lines[0].curve[a][0]:.4g} cm²"
        axis.annotate(text, (x[a], y[a]), xytext=(7, 6), textcoords="offset points", fontsize=9, color=INK)
    own = lines[0].race[-1]
    axis.plot([own.cardinality], [own.rmse_p95], "o", markersize=14, markerfacecolor="none", markeredgecolor=ACCENT)
    axis.set(xlabel=f"weights above {ON:g} in a frame", ylabel="95th percentile of the error, mm")
    axis.set_ylim(bottom=0)
    _legend_in_order(canvas, axis, [rival.method for rival in lines])
    return svg(canvas, "trade-off")


def race(comparison: Comparison) -> str:
    """The distance of each method from the best objective over time; a point for each budget of iterations."""
    canvas, (axis,) = figure(1, 1, (10.4, 3.8))
    ending = EQUAL / 100  # what is closer lies on this line
    for place, rival in reversed(list(enumerate(comparison.rivals))):
        x = 1e3 * np.array([run.seconds for run in rival.race])
        y = np.maximum(rival.excess(comparison.best, comparison.floor), ending)
        width, size = (2.4, 6) if place == 0 else (1.3, 4.5)
        axis.plot(x, y, "o-", color=rival.color, linewidth=width, markersize=size, label=rival.method)
    axis.axhline(EQUAL, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)))
    axis.annotate("equal", (1.0, EQUAL), xycoords=("axes fraction", "data"), xytext=(-4, 4), ha="right",
                  textcoords="offset points", fontsize=9, color=QUIET)  # fmt: skip
    axis.set(xscale="log", yscale="log", xlabel="milliseconds per frame", ylabel="objective above the best, relative")
    plain_numbers(axis.xaxis)
    _legend_in_order(canvas, axis, [rival.method for rival in comparison.rivals])
    return svg(canvas, "race")


def _legend_in_order(canvas: Any, axis: Any, names: list[str]) -> None:
    """The shot's method is drawn last, over the others, but named first."""
    handles = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    shown = [handles[name] for name in names]
    canvas.legend(shown, names, loc="outside upper left", ncols=len(names), handlelength=1.4, frameon=False)


def _apart(x: Array, y: Array) -> list[int]:
    """Points far enough from the last labeled one for a label of their own."""
    place = np.column_stack([x / max(float(np.ptp(x)), 1e-12), y / max(float(np.ptp(y)), 1e-12)])
    chosen = [0]
    for a in range(1, len(place)):
        if np.linalg.norm(place[a] - place[chosen[-1]]) > 0.08:
            chosen.append(a)
    return chosen
