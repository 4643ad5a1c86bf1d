"""Landmarks of another actor on the ICT face: ``python -m benchmarks.papers.ik.landmarks [--data ../shared/data] [--write]``.

A constructed performance moves 68 landmarks of an actor with other proportions, whose head nods and turns:

- iBUG 68: the ICT face of another identity, which makes the same expressions
- MediaPipe 468: the canonical face of MediaPipe, whose 68 landmarks of the same names take the character's movements at
  their own scale

``retarget_landmarks`` makes control points of them. The iterative solver and the inverse rig answer the same points,
and so does the inverse rig with a price on weights (0.1 mm^2 per shape). Printed: mean error of the points, of the
whole face against the character in the same expression, and of the weights. Whole-face errors do not go to zero with
those of the points: 68 landmarks hardly see some shapes.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine
from rigcast.faces._ict import landmarks

ROOT = Path(__file__).resolve().parents[3]
FRAMES = 120
ACTIVE = 8  # shapes of a frame on average
PRICE = 0.1  # square millimeters per landmark set and full shape
Float64 = NDArray[np.float64]


def performance(count: int, seed: int = 0) -> Float64:
    """Weights (T, K) of slow waves, few at a time."""
    rng = np.random.default_rng(seed)
    times = np.linspace(0.0, 1.0, FRAMES)[:, None]
    waves = np.sin(2 * np.pi * (rng.uniform(1, 3, count) * times + rng.random(count)))
    level = np.cos(np.pi * ACTIVE / count)  # of a sine that is above it for this share of the time
    return np.clip((waves - level) / (1.0 - level), 0.0, 1.0) * 0.8


def nodding(points: Float64) -> Float64:
    """Points (T, M, 3) with a head that nods and turns about the origin."""
    times = np.linspace(0.0, 2 * np.pi, len(points))
    moved = []
    for frame, nod, turn in zip(points, 0.2 * np.sin(2 * times), 0.3 * np.sin(3 * times), strict=True):
        about_x = np.array([[1, 0, 0], [0, np.cos(nod), -np.sin(nod)], [0, np.sin(nod), np.cos(nod)]])
        about_y = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
        moved.append(frame @ (about_x @ about_y).T)
    return np.array(moved)


def actors(data: Path, rig: rc.BlendshapeRig, chosen: NDArray[np.int64], moved: Float64) -> dict[str, Any]:
    """Neutral (M, 3) and landmarks (T, M, 3) of each actor, from movements (T, M, 3) of the character's landmarks."""
    modes = np.load(data / "ict_facekit" / "identities.npz")["deltas"][:, chosen].astype(np.float64)
    identity = rig.rest_vertices[chosen] + np.tensordot(np.random.default_rng(3).standard_normal(20), modes[:20], 1)
    mesh = rc.sources.load_mesh(data / "mediapipe_canonical_face" / "canonical_face_model.obj")
    canonical = np.asarray(mesh.vertices, np.float64)[list(rc.ik.MEDIAPIPE_468.values())]
    size = np.ptp(canonical, axis=0).max() / np.ptp(rig.rest_vertices[chosen], axis=0).max()
    return {
        "iBUG 68, another ICT identity": (identity, nodding(identity + moved)),
        "MediaPipe 468, its canonical face": (canonical, nodding(canonical + size * moved)),
    }


def ways(rig: rc.BlendshapeRig, chosen: NDArray[np.int64]) -> dict[str, Any]:
    """Functions from control points (T, M, 3) to weights (T, K)."""
    solver = rc.ik.Solver(rig, chosen)
    price = PRICE * 1e-6 / rig.meters_per_unit**2

    def inverse(goals: Float64, alpha: float) -> Float64:
        ends = np.tile(rig.rest_vertices, (len(goals), 1, 1))
        ends[:, chosen] = goals
        return rc.inverse.solve(rig, ends, vertices=chosen, alpha=alpha).weights

    return {
        "iterative (`rc.ik.solve`)": lambda goals: solver.solve(goals, solver.rest[1][0]).unknowns,
        "inverse rig, alpha = 0": lambda goals: inverse(goals, 0.0),
        f"inverse rig, {PRICE:g} mm² per shape": lambda goals: inverse(goals, price),
    }


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    given = parser.parse_args()
    rig = rc.faces.ict(given.data / "ict_facekit")
    chosen = landmarks(given.data / "ict_facekit")
    millimeters = 1000.0 * rig.meters_per_unit
    names = list(rc.ik.IBUG_68)
    steady = [names.index(name) for name in rc.ik.STEADY]
    weights = performance(rig.num_shapes)
    truth = rig.evaluate(weights)
    moved = truth[:, chosen].astype(np.float64) - rig.rest_vertices[chosen]
    rows, report = [], {}
    for actor, (neutral, tracked) in actors(given.data, rig, chosen, moved).items():
        goals = rc.ik.retarget_landmarks(tracked, neutral, rig.rest_vertices[chosen], steady=steady)
        for way, answer in ways(rig, chosen).items():
            begin = time.process_time()
            found = answer(goals)
            seconds = time.process_time() - begin
            ends = rig.evaluate(found)
            points = millimeters * float(np.linalg.norm(ends[:, chosen] - goals, axis=2).mean())
            whole = millimeters * float(np.linalg.norm(ends - truth, axis=2).mean())
            off = float(np.abs(found - weights).mean())
            report[f"{actor}: {way}"] = {"points": points, "whole": whole, "weights": off}
            rows.append(
                f"| {actor} | {way} | {points:.3f} mm | {whole:.3f} mm | {off:.3f} | {1000 * seconds / FRAMES:.2f} ms |"
            )
    still = millimeters * float(np.linalg.norm(truth - rig.rest_vertices, axis=2).mean())
    print(json.dumps(report, indent=1))
    lines = [
        "| actor | way | points | whole face | weights | processor time of a frame |",
        "| --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        f"{FRAMES} frames, {rig.num_shapes} shapes; the face at rest is {still:.2f} mm off. Load {load_average():.1f}; "
        f"{machine()}",
    ]
    print("\n".join(lines))
    if given.write:
        write_between_marks("retargeted landmarks", "\n".join(lines))


if __name__ == "__main__":
    main()
