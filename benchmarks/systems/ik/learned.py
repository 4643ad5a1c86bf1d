"""Judges learned inverse kinematics on the rig.

    python -m benchmarks.systems.ik.learned RIG [--model FILE] [--minutes 5]

RIG is a blendshape rig (a file for ``rigcast.sources.load_blendshapes`` or ``rigcast.load``); ``--model`` is
the learned model of it to train through, by default the rig itself. Control points are far from each other on what
moves. Every figure but one is measured on the rig: networks exploit an approximation outside of its range. Both ways
are trained for the minutes on one thread, one after the other; an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.ik.kept import FOLDER, trained
from benchmarks.systems.ik.scenes import spread
from rigcast._timing import interleaved, load_average, machine

FRAMES = 200
KNOWN = 50_000
NOISE = 4.5e-3  # meters
AGREEMENTS = ("average", "joint")


def control_points(rig: rc.BlendshapeRig, count: int) -> NDArray[np.int64]:
    """Vertices that move, far from each other."""
    alone = rig.evaluate(np.eye(rig.num_shapes)) - rig.rest_vertices
    motion = np.linalg.norm(alone, axis=2).max(axis=0)
    moving = np.flatnonzero(motion > 0.1 * motion.max())
    return np.sort(moving[spread(rig.rest_vertices[moving], count)])


def expressions(rig: rc.BlendshapeRig, frames: int, seed: int) -> NDArray[np.float64]:
    """Weights (T, K): some shapes at a time."""
    rng = np.random.default_rng(seed)
    low, high = np.asarray(rig.bounds, np.float64).T
    active = rng.random((frames, rig.num_shapes)) < rng.random((frames, 1)) ** 2 + 1.0 / rig.num_shapes
    return np.where(active, rng.uniform(low, high, active.shape), 0.0)


def distance(a: NDArray[np.floating[Any]], b: NDArray[np.floating[Any]], unit: float) -> float:
    """Mean distance in millimeters."""
    return float(np.linalg.norm(a - b, axis=-1).mean() * 1000.0 * unit)


def figures(ik: rc.ik.FaceIk, rig: rc.BlendshapeRig, weights: NDArray[np.float64], noise: float) -> dict[str, float]:
    """Errors in millimeters of the answers to the control points of weights (T, K), moved by up to ``noise`` meters."""
    points, unit = ik.vertices, rig.meters_per_unit
    truth = rig.evaluate(weights)
    shift = np.random.default_rng(9).uniform(-noise, noise, (len(weights), len(points), 3)) / unit
    goals = truth[:, points] + shift
    found = ik.solve(goals)
    polished = ik.solve(goals, polish=5)
    ours, best = rig.evaluate(found.unknowns), rig.evaluate(optimum(rig, points, goals))
    return {
        "points on the rig": distance(ours[:, points], goals, unit),
        "points on the approximation": float(found.error.mean() * 1000.0 * unit),
        "points on the rig, polished": distance(rig.evaluate(polished.unknowns)[:, points], goals, unit),
        "points at the optimum": distance(best[:, points], goals, unit),
        "whole face": distance(ours, truth, unit),
        "whole face at the optimum": distance(best, truth, unit),
    }


def optimum(
    rig: rc.BlendshapeRig, points: NDArray[np.integer[Any]], goals: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Weights of the least squared point loss on the rig."""
    ends = np.tile(rig.rest_vertices, (len(goals), 1, 1))
    ends[:, points] = goals
    return rc.inverse.solve(rig, ends, vertices=points, alpha=0.0).weights


def nearest_face(rig: rc.BlendshapeRig, points: NDArray[np.integer[Any]], weights: NDArray[np.float64]) -> float:
    """Whole-face error of the nearest of many training poses."""
    known = expressions(rig, KNOWN, seed=3)
    seen = rig.restricted(points).evaluate(known).reshape(KNOWN, -1)
    truth = rig.evaluate(weights)
    chosen = [int(np.square(seen - goal).sum(axis=1).argmin()) for goal in truth[:, points].reshape(len(weights), -1)]
    return distance(rig.evaluate(known[chosen]), truth, rig.meters_per_unit)


def solve_times(ways: Mapping[str, Any], goals: Any) -> dict[Any, float]:
    """Seconds of each way's answer without and with five polishing steps, in turns on one thread."""
    return interleaved(
        {
            (name, steps): lambda ik=ik, steps=steps: ik.solve(goals, polish=steps, threads=1)  # type: ignore[misc]
            for name, ik in ways.items()
            for steps in (0, 5)
        },
        50,
    )


def both_ways(rows: Iterable[tuple[str, Any, str, str]], report: Mapping[str, Any]) -> list[str]:
    """Lines of a table: errors of both ways beside their goals, and times."""
    lines = ["| mean error, mm | averaged | joint solve | goal |", "| --- | --- | --- | --- |"]
    for name, side, key, goal in rows:
        lines.append(f"| {name} | {side['average'][key]:.2f} | {side['joint'][key]:.2f} | {goal} |")
    for steps, name in ((0, "ms, networks, errors not measured"), (5, "ms, with 5 polishing steps")):
        both = [f"{report['ms'][way][steps]:.2f}" for way in AGREEMENTS]
        lines.append(f"| {name} | {both[0]} | {both[1]} | {'0.2' if steps == 0 else ''} |")
    return lines


def main() -> None:
    """Train, judge, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rig")
    parser.add_argument("--model")
    parser.add_argument("--points", type=int, default=54)
    parser.add_argument("--minutes", type=float, default=5.0, help="of each training")
    parser.add_argument("--steps", type=int, help="of each training, in place of minutes")
    parser.add_argument("--keep", type=Path, default=FOLDER, help="keeps the networks")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    chosen = parser.parse_args()
    learned = chosen.rig.endswith(".safetensors")
    rig = rc.load(chosen.rig) if learned else rc.sources.load_blendshapes(chosen.rig)
    if not isinstance(rig, rc.BlendshapeRig):
        parser.error(f"{chosen.rig} is no blendshape rig")
    model = rc.load(chosen.model) if chosen.model else rig
    points = control_points(rig, chosen.points)
    budget = {"steps": chosen.steps} if chosen.steps else {"minutes": chosen.minutes}
    ways = {
        name: trained(chosen.keep, model, points, rc.training.FaceIkSettings(agreement=name), budget)
        for name in AGREEMENTS
    }
    weights = expressions(rig, FRAMES, seed=1)
    goals = rig.evaluate(weights[:1])[:, points]
    times = solve_times(ways, goals)
    report = {
        "machine": f"load {load_average():.1f}; {machine()}",
        "model": repr(ways["average"]),
        "trained through": ways["average"].metadata["trained_through"],
        "steps": {name: ik.metadata["training"]["steps_done"] for name, ik in ways.items()},
        "ms": {name: {steps: 1000.0 * times[name, steps] for steps in (0, 5)} for name in ways},
        "reachable": {name: figures(ik, rig, weights, 0.0) for name, ik in ways.items()},
        "noise": {name: figures(ik, rig, weights, NOISE) for name, ik in ways.items()},
        "nearest": nearest_face(rig, points, weights),
    }
    print(json.dumps(report, indent=1))
    if chosen.write:
        write_between_marks("learned faces", table(report))


def table(report: dict[str, Any]) -> str:
    """The figures as Markdown."""
    reachable, noisy, nearest = report["reachable"], report["noise"], report["nearest"]
    first = reachable["average"]["points at the optimum"]
    second = noisy["average"]["points at the optimum"]
    rows = [
        ("points, reachable", reachable, "points on the rig", f"at most {1.5 * first + 0.2:.2f} (optimum {first:.2f})"),
        ("the same on the approximation", reachable, "points on the approximation", "at least 2/3 of the rig's"),
        ("the same, 5 polishing steps", reachable, "points on the rig, polished", f"optimum {first:.2f}"),
        ("points, noise of 4.5 mm", noisy, "points on the rig", f"at most {1.3 * second:.2f} (optimum {second:.2f})"),
        ("the same, 5 polishing steps", noisy, "points on the rig, polished", f"optimum {second:.2f}"),
        ("whole face, reachable", reachable, "whole face", f"at most {nearest / 2:.2f}: half the nearest of 50,000"),
    ]
    lines = both_ways(rows, report)
    steps = ", ".join(f"{report['steps'][way]:,}" for way in AGREEMENTS)
    return "\n".join([*lines, "", f"`{report['model']}`; {steps} steps; {report['machine']}"])


if __name__ == "__main__":
    main()
