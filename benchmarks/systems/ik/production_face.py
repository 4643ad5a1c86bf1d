"""Judges learned inverse kinematics of the production face on its rig, in Blender.

    python -m benchmarks.systems.ik.production_face MODEL [--sets build/face_maps] [--minutes 5] [--write]

MODEL is a learned model of the face by its 154 dials, as ``python -m benchmarks.systems.face_maps.accuracy`` trains
it; SETS the folder where ``python -m benchmarks.systems.face_maps.sets`` keeps the rig and its data sets. Networks
are trained through the model on one thread, on training poses of the set; an interrupted run goes on. They are judged
by the held-out performance: the rig itself evaluates answers.

The optimum of the squared point loss on the rig is approached by Gauss-Newton steps with the model's Jacobian and the
rig's residuals, from the true dials (reachable points) or the polished answer; steps that do not help are not taken. It
is an upper bound, exact for reachable points.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.ik.kept import FOLDER, trained
from benchmarks.systems.ik.learned import AGREEMENTS, NOISE, both_ways, distance, solve_times
from benchmarks.systems.ik.scenes import spread
from rigcast._timing import load_average, machine

ROOT = Path(__file__).resolve().parents[3]
POINTS = 54
FRAMES = 40  # of the performance, evenly spaced
ROWS = 20_000  # training poses
STEPS = 6  # towards the optimum
RIDGE = 1e-6  # of those steps, relative to the largest entry of J^T J
Floats = NDArray[np.float32]


class Judge:
    """The rig in Blender, and what all ways are judged by."""

    def __init__(self, rig: Any, model: rc.Deformer, points: NDArray[np.int64], truth: Floats) -> None:
        self.rig, self.model, self.points, self.truth = rig, model, points, truth
        self.order = [list(model.control_names).index(name) for name in rig.channel_names]
        self.unit = float(model.meters_per_unit)

    def vertices(self, dials: NDArray[Any]) -> Floats:
        """The rig's vertices of dials (T, N) in the model's order."""
        return np.asarray(self.rig.sample(np.ascontiguousarray(dials[:, self.order], np.float32))[1])

    def figures(self, ik: rc.ik.FaceIk, goals: Floats, best: Floats) -> dict[str, float]:
        """Mean errors in millimeters."""
        found, polished = ik.solve(goals), ik.solve(goals, polish=5)
        ours, after = self.vertices(found.unknowns), self.vertices(polished.unknowns)
        return {
            "points on the rig": distance(ours[:, self.points], goals, self.unit),
            "points on the approximation": float(found.error.mean() * 1000.0 * self.unit),
            "points on the rig, polished": distance(after[:, self.points], goals, self.unit),
            "points at the optimum": distance(best[:, self.points], goals, self.unit),
            "whole face": distance(ours, self.truth, self.unit),
            "whole face, polished": distance(after, self.truth, self.unit),
        }

    def optimum(self, goals: Floats, dials: NDArray[np.float64]) -> Floats:
        """Vertices (T, V, 3) of the rig near the least squared point loss, from dials (T, N)."""
        part = self.model.restricted(self.points)
        low, high = np.asarray(self.model.control_ranges, np.float64).T
        best = self.vertices(dials)
        residuals = (best[:, self.points] - goals).reshape(len(goals), -1).astype(np.float64)
        for _ in range(STEPS):
            trial = dials.copy()
            for t, row in enumerate(dials):
                slopes = part.jacobian(row.astype(np.float32)).reshape(len(residuals[t]), -1).astype(np.float64)
                ridge = np.sqrt(RIDGE * np.square(slopes).sum(axis=0).max())
                system = np.concatenate([slopes, ridge * np.eye(len(row))])
                side = np.concatenate([-residuals[t], np.zeros(len(row))])
                room = np.maximum(high - row, 0) + 1e-9, np.minimum(low - row, 0) - 1e-9
                trial[t] = np.clip(row + lsq_linear(system, side, (room[1], room[0])).x, low, high)
            vertices = self.vertices(trial)
            moved = (vertices[:, self.points] - goals).reshape(len(goals), -1).astype(np.float64)
            better = np.square(moved).sum(axis=1) < np.square(residuals).sum(axis=1)
            dials = np.where(better[:, None], trial, dials)
            best[better], residuals[better] = vertices[better], moved[better]
        return best


def skin_points(model: rc.Deformer, poses: Floats, count: int) -> NDArray[np.int64]:
    """Vertices of the largest connected surface that move, far from each other."""
    faces = np.asarray(model.faces)
    ends = np.concatenate([faces[:, [k, (k + 1) % faces.shape[1]]] for k in range(faces.shape[1])])
    ends = ends[(ends >= 0).all(axis=1)]
    size = len(model.rest_vertices)
    label = connected_components(coo_matrix((np.ones(len(ends)), ends.T), (size, size)), directed=False)[1]
    motion = np.linalg.norm(model.evaluate(poses) - model.rest_vertices, axis=2).max(axis=0)
    moving = np.flatnonzero((label == np.bincount(label).argmax()) & (motion > 0.1 * motion.max()))
    return np.sort(moving[spread(model.rest_vertices[moving], count)])


def nearest_face(data: rc.Dataset, model: rc.Deformer, judge: Judge) -> float:
    """Whole-face error of the training pose whose control points on the model are nearest."""
    seen = model.restricted(judge.points).evaluate(np.asarray(data.poses)).reshape(len(data), -1)
    goals = judge.truth[:, judge.points].reshape(len(judge.truth), -1)
    chosen = [int(np.square(seen - goal).sum(axis=1).argmin()) for goal in goals]
    return distance(np.stack([np.asarray(data.vertices[row]) for row in chosen]), judge.truth, judge.unit)


def networks(
    model: rc.Deformer, points: NDArray[np.int64], poses: Floats, given: argparse.Namespace
) -> dict[str, rc.ik.FaceIk]:
    """Both ways in which regions agree."""
    kinds = {name: rc.training.FaceIkSettings(agreement=name, batch=64) for name in AGREEMENTS}
    budget, data = {"minutes": given.minutes}, SimpleNamespace(poses=poses)
    return {name: trained(given.out, model, points, settings, budget, data) for name, settings in kinds.items()}


def main() -> None:
    """Train, judge, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--out", type=Path, default=FOLDER, help="keeps the networks")
    parser.add_argument("--minutes", type=float, default=5.0, help="of each training")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    given = parser.parse_args()
    model = rc.load(given.model)
    (training,) = given.sets.glob("mixed-*.rwdata")
    data, judged = rc.Dataset(training), rc.Dataset(given.sets / "performance.rwdata")
    points = skin_points(model, np.asarray(data.poses[:200]), POINTS)
    ways = networks(model, points, np.asarray(data.poses[:: max(1, len(data) // ROWS)]), given)
    frames = np.linspace(0, len(judged) - 1, FRAMES).astype(int)
    truth = np.stack([np.asarray(judged.vertices[t]) for t in frames]).astype(np.float32)
    dials = np.asarray(judged.poses, np.float64)[frames]
    opened: Any = rc.sources.load(given.sets / "face.blend")
    with opened as bones:
        judge = Judge(rc.sources.dials_only(bones), model, points, truth)
        reachable = truth[:, points]
        shift = np.random.default_rng(9).uniform(-NOISE, NOISE, reachable.shape) / judge.unit
        noisy = (reachable + shift).astype(np.float32)
        start = ways["average"].solve(noisy, polish=20).unknowns
        bests = {"reachable": judge.vertices(dials), "noise": judge.optimum(noisy, start)}
        sides = {"reachable": reachable, "noise": noisy}
        found = {
            side: {name: judge.figures(ik, goals, bests[side]) for name, ik in ways.items()}
            for side, goals in sides.items()
        }
        nearest = nearest_face(data, model, judge)
    times = solve_times(ways, reachable[:1])
    report = {
        "machine": f"load {load_average():.1f}; {machine()}",
        "model": repr(ways["average"]),
        "minutes": given.minutes,
        "steps": {name: ik.metadata["training"]["steps_done"] for name, ik in ways.items()},
        "ms": {name: {steps: 1000.0 * times[name, steps] for steps in (0, 5)} for name in ways},
        "whole face of the model itself": distance(model.evaluate(dials.astype(np.float32)), truth, judge.unit),
        "nearest": nearest,
        **found,
    }
    print(json.dumps(report, indent=1))
    if given.write:
        write_between_marks("learned production face", table(report))


def table(report: dict[str, Any]) -> str:
    """The figures as Markdown."""
    reachable, noisy, nearest = report["reachable"], report["noise"], report["nearest"]
    optimum = noisy["average"]["points at the optimum"]
    rows = [
        ("points, reachable", reachable, "points on the rig", "at most 0.20 (optimum 0)"),
        ("the same on the model", reachable, "points on the approximation", "at least 2/3 of the rig's"),
        ("the same on the rig, 5 polishing steps", reachable, "points on the rig, polished", ""),
        ("points, noise of 4.5 mm", noisy, "points on the rig", f"at most {1.3 * optimum:.2f} (optimum {optimum:.2f})"),
        ("the same, 5 polishing steps", noisy, "points on the rig, polished", ""),
        ("whole face, reachable", reachable, "whole face", f"at most {nearest / 2:.2f}: half the nearest pose"),
        ("the same, 5 polishing steps", reachable, "whole face, polished", ""),
    ]
    lines = both_ways(rows, report)
    steps = " and ".join(f"{report['steps'][way]:,}" for way in AGREEMENTS)
    about = (
        f"`{report['model']}`; {report['minutes']:g} minutes of training each ({steps} steps). The model itself is "
        f"{report['whole face of the model itself']:.2f} mm from the rig on the judged frames. {report['machine']}"
    )
    return "\n".join([*lines, "", about])


if __name__ == "__main__":
    main()
