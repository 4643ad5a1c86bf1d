"""Judges learned inverse kinematics on the rig: ``python -m benchmarks.ik.learned RIG [--model FILE] [--minutes 30]``.

RIG is a blendshape rig (a file for ``rigwright.sources.load_blendshapes`` or ``rigwright.load``); ``--model`` is
the learned model of it to train through, by default the rig itself. Control points are far from each other on what
moves. Every figure but one is measured on the rig: networks exploit an approximation outside of its range.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from benchmarks.ik.scenes import spread
from benchmarks.marks import write_between_marks
from rigwright._bench.timing import interleaved, machine

FRAMES = 200
KNOWN = 50_000
NOISE = 4.5e-3  # meters
NOISES = ("reachable", "noise")


def control_points(rig: rw.BlendshapeRig, count: int) -> NDArray[np.int64]:
    """Vertices that move, far from each other."""
    alone = rig.evaluate(np.eye(rig.num_shapes)) - rig.rest_vertices
    motion = np.linalg.norm(alone, axis=2).max(axis=0)
    moving = np.flatnonzero(motion > 0.1 * motion.max())
    return np.sort(moving[spread(rig.rest_vertices[moving], count)])


def expressions(rig: rw.BlendshapeRig, frames: int, seed: int) -> NDArray[np.float64]:
    """Weights (T, K): some shapes at a time."""
    rng = np.random.default_rng(seed)
    low, high = np.asarray(rig.bounds, np.float64).T
    active = rng.random((frames, rig.num_shapes)) < rng.random((frames, 1)) ** 2 + 1.0 / rig.num_shapes
    return np.where(active, rng.uniform(low, high, active.shape), 0.0)


def distance(a: NDArray[np.floating], b: NDArray[np.floating], unit: float) -> float:
    """Mean distance in millimeters."""
    return float(np.linalg.norm(a - b, axis=-1).mean() * 1000.0 * unit)


def figures(ik: rw.ik.FaceIk, rig: rw.BlendshapeRig, weights: NDArray[np.float64], noise: float) -> dict[str, float]:
    """Errors in millimeters of the answers to the control points of weights (T, K), moved by up to ``noise`` meters."""
    points, unit = ik.vertices, rig.meters_per_unit
    truth = rig.evaluate(weights)
    shift = np.random.default_rng(9).uniform(-noise, noise, (len(weights), len(points), 3)) / unit
    goals = truth[:, points] + shift
    found = ik.solve(goals)
    polished = ik.solve(goals, polish=5)
    ours, best = rig.evaluate(found.channels), rig.evaluate(optimum(rig, points, goals))
    return {
        "points on the rig": distance(ours[:, points], goals, unit),
        "points on the approximation": float(found.error.mean() * 1000.0 * unit),
        "points on the rig, polished": distance(rig.evaluate(polished.channels)[:, points], goals, unit),
        "points at the optimum": distance(best[:, points], goals, unit),
        "whole face": distance(ours, truth, unit),
        "whole face at the optimum": distance(best, truth, unit),
    }


def optimum(rig: rw.BlendshapeRig, points: NDArray[np.integer], goals: NDArray[np.floating]) -> NDArray[np.float64]:
    """Weights of the least squared point loss on the rig."""
    ends = np.tile(rig.rest_vertices, (len(goals), 1, 1))
    ends[:, points] = goals
    return rw.inverse.solve(rig, ends, vertices=points, alpha=0.0).weights


def nearest_face(rig: rw.BlendshapeRig, points: NDArray[np.integer], weights: NDArray[np.float64]) -> float:
    """Whole-face error of the nearest of many training poses."""
    known = expressions(rig, KNOWN, seed=3)
    seen = rig.restricted(points).evaluate(known).reshape(KNOWN, -1)
    truth = rig.evaluate(weights)
    chosen = [int(np.square(seen - goal).sum(axis=1).argmin()) for goal in truth[:, points].reshape(len(weights), -1)]
    return distance(rig.evaluate(known[chosen]), truth, rig.meters_per_unit)


def main() -> None:
    """Train, judge, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rig")
    parser.add_argument("--model")
    parser.add_argument("--points", type=int, default=54)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--keep", help="file of the networks: read if it exists, else written")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    chosen = parser.parse_args()
    learned = chosen.rig.endswith(".safetensors")
    rig = rw.load(chosen.rig) if learned else rw.sources.load_blendshapes(chosen.rig)
    if chosen.keep and Path(chosen.keep).exists():
        ik = rw.ik.load(chosen.keep)
    else:
        model = rw.load(chosen.model) if chosen.model else rig
        minutes = None if chosen.steps else chosen.minutes
        points = control_points(rig, chosen.points)
        ik = rw.training.face_ik(model, points, minutes=minutes, steps=chosen.steps, progress=True)
        if chosen.keep:
            ik.save(chosen.keep)
    weights = expressions(rig, FRAMES, seed=1)
    goals = rig.evaluate(weights[:1])[:, ik.vertices]
    times = interleaved(
        {"networks": lambda: ik.solve(goals, threads=1), "with 5 polishing steps": lambda: ik.solve(goals, polish=5)},
        50,
    )
    report = {
        "machine": machine(),
        "model": repr(ik),
        "trained through": ik.metadata["trained_through"],
        "ms per solve, goal 0.2": {name: 1000.0 * seconds for name, seconds in times.items()},
        "reachable, goal 1.5 x optimum + .2 mm": figures(ik, rig, weights, 0.0),
        "noise of 4.5 mm, goal 1.3 x optimum": figures(ik, rig, weights, NOISE),
        "whole face of the nearest of 50,000 poses, goal: at most half of it": nearest_face(rig, ik.vertices, weights),
    }
    print(json.dumps(report, indent=1))
    if chosen.write:
        write_between_marks("learned faces", table(report))


def table(report: dict[str, Any]) -> str:
    """The figures as Markdown."""
    reachable, noisy = (next(value for key, value in report.items() if key.startswith(name)) for name in NOISES)
    nearest = next(value for key, value in report.items() if key.startswith("whole face"))
    times = next(value for key, value in report.items() if key.startswith("ms per solve"))
    first, second = reachable["points at the optimum"], noisy["points at the optimum"]
    rows = [
        (
            "points, reachable",
            reachable["points on the rig"],
            f"at most {1.5 * first + 0.2:.2f} mm (optimum {first:.2f})",
        ),
        ("the same on the approximation", reachable["points on the approximation"], "at least two thirds of the rig's"),
        ("the same, 5 polishing steps", reachable["points on the rig, polished"], f"optimum {first:.2f} mm"),
        (
            "points, noise of 4.5 mm",
            noisy["points on the rig"],
            f"at most {1.3 * second:.2f} mm (optimum {second:.2f})",
        ),
        ("the same, 5 polishing steps", noisy["points on the rig, polished"], f"optimum {second:.2f} mm"),
        (
            "whole face, reachable",
            reachable["whole face"],
            f"at most {nearest / 2:.2f} mm: half the nearest of 50,000 poses",
        ),
    ]
    lines = ["| mean error | measured | goal |", "| --- | --- | --- |"]
    lines += [f"| {name} | {value:.2f} mm | {goal} |" for name, value, goal in rows]
    lines += [f"| time, {name} | {value:.2f} ms | 0.2 ms |" for name, value in times.items()]
    return "\n".join([*lines, "", f"`{report['model']}`; {report['machine']}"])


if __name__ == "__main__":
    main()
