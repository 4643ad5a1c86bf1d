"""Weights of shots whose head moves, beside the same shots without head motion; and noisy weights, smoothed by measure.

The rigs: ICT FaceKit's shapes on MediaPipe's canonical face, 468 vertices that all move, and ICT FaceKit itself, a
quarter of whose vertices rest. The truth: 24 random smooth weights over 120 frames at 48 per second, turns of up to 14
degrees, shifts of up to 3 cm, independent noise in every coordinate.

    python -m benchmarks.papers.inverse.head_motion [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.transfer.landmarks import CANONICAL

FRAMES, ON, SEEDS = 120, 24, 4


def canonical_face(data: Path) -> rc.BlendshapeRig:
    """ICT's shapes on MediaPipe's canonical face, in centimeters."""
    source = rc.faces.ict(data / "ict_facekit")
    mesh = rc.sources.load_mesh(data / "mediapipe_canonical_face" / "canonical_face_model.obj")
    index = json.loads((data / "ict_facekit" / "vertex_indices.json").read_text())["idx_to_landmark_verts"]
    pairs = [[index[landmark], vertex] for landmark, vertex in CANONICAL.items()]
    return rc.transfer.transfer_rig(source, mesh, landmarks=pairs)


def truth(rig: rc.BlendshapeRig, seed: int) -> np.ndarray:
    """(T, K): smooth weights of shapes that move something."""
    rng = np.random.default_rng(seed)
    moving = np.flatnonzero([np.asarray(rig.column(k)).any() for k in range(rig.num_shapes)])
    t = np.linspace(0, 2.5, FRAMES)[:, None]
    waves = np.sin(2 * np.pi * rng.uniform(0.3, 1.2, ON) * t + rng.uniform(0, 2 * np.pi, ON))
    weights = np.zeros((FRAMES, rig.num_shapes))
    weights[:, rng.choice(moving, ON, replace=False)] = np.clip(1.2 * waves - 0.2, 0, 1)
    return weights


def head(frames: int) -> np.ndarray:
    """(T, 3, 4): turns about all axes, and shifts."""
    t = np.linspace(0, 2.5, frames)
    result = np.zeros((frames, 3, 4))
    for frame, angles in enumerate(np.radians(14) * np.sin([2.5 * t, 3.8 * t + 1, 1.9 * t + 2]).T):
        turn = np.eye(3)
        for axis, angle in enumerate(angles):
            a, b = (axis + 1) % 3, (axis + 2) % 3
            own = np.eye(3)
            own[a, a] = own[b, b] = np.cos(angle)
            own[b, a], own[a, b] = np.sin(angle), -np.sin(angle)
            turn = turn @ own
        result[frame, :, :3] = turn
    result[:, :, 3] = 3 * np.sin(t[:, None] * [1.0, 1.5, 0.7])
    return result


def jitter(weights: np.ndarray) -> float:
    return float(np.sqrt(np.square(np.diff(weights, n=2, axis=0)).mean()))


def measure(name: str, rig: rc.BlendshapeRig, millimeters: float, rest: bool) -> None:
    """One row: mean weight errors and jitters over the seeds."""
    errors: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    quiet = np.abs(rig.columns()).sum(axis=(0, 2)).argsort()[:40]
    turns = head(FRAMES)
    for seed in range(SEEDS):
        weights = truth(rig, seed)
        clean = rig.evaluate(weights.astype(np.float32)).astype(np.float64)
        still = clean + np.random.default_rng(seed).normal(0, 0.1 * millimeters, clean.shape)
        moving = still @ turns[:, :, :3].transpose(0, 2, 1) + turns[:, None, :, 3]
        ways = {
            "still": (still, {}),
            "quietest 40": (moving, {"rigid": quiet}),
            "rest": (moving, {"rigid": "rest"}),
            "auto": (moving, {"rigid": "auto"}),
            "auto, smoothed": (moving, {"rigid": "auto", "smoothness": "auto"}),
        }
        for way, (shot, options) in ways.items():
            if way != "rest" or rest:
                found = rc.inverse.solve(rig, shot, **options).weights
                errors.setdefault(way, []).append(float(np.abs(found - weights).mean()))
                ratios.setdefault(way, []).append(jitter(found) / jitter(weights))
    for way, own in errors.items():
        times = np.mean(own) / np.mean(errors["still"])
        row = [
            name,
            f"{millimeters:g} mm",
            way,
            f"{np.mean(own):.4f}",
            f"{times:.2f} x",
            f"{np.mean(ratios[way]):.1f} x",
        ]
        print(f"| {' | '.join(row)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data", help="folder of the faces")
    data = parser.parse_args().data
    print("| rig | noise | head motion | weight error | of a still head's | jitter of the truth's |\n|" + " --- |" * 6)
    for name, rig, rest in (
        ("canonical, 468 vertices", canonical_face(data), False),
        ("ICT FaceKit", rc.faces.ict(data / "ict_facekit"), True),
    ):
        for millimeters in (0.2, 0.5):
            measure(name, rig, millimeters, rest)


if __name__ == "__main__":
    main()
