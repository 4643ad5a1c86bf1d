"""Curves of a synthesizer's motion: transitions beside other players, and idling beside its clips."""

from __future__ import annotations

import numpy as np

from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES
from rigcast.plot._drawing import figure, plain_numbers
from rigcast.report._kit.svg import svg
from rigcast.report._synthesis.races import SIDE, Races
from rigcast.report._synthesis.worst import Idling
from rigcast.synthesis import Synthesizer

LEAST = 1e-3  # of the limit: smaller accelerations are drawn here
LONGEST = 1500  # points of a curve


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
    """How far each label's idling is from the nearest frame of its clips; dashed: the clips' median step."""
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
