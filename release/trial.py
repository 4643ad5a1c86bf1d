"""Runs in an environment with rigcast and NumPy alone: evaluates small models, and writes or compares the results.

``python trial.py FOLDER make`` makes the models and writes their results; ``python trial.py FOLDER compare`` prints how
many numbers of each result have other bytes, and ends with status 1 if one is further off than rounding.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

import rigcast as rc

CLOSE = 1e-5  # relative to the largest number of a result
SHAPES, VERTICES, FRAMES = 12, 500, 7


def make_models(folder: Path) -> None:
    """Write a rig of blendshapes with correctives, and a learned body."""
    models = importlib.import_module("tests.support.made.models")
    rng = np.random.default_rng(0)
    rest, deltas = rng.standard_normal((VERTICES, 3)), 0.1 * rng.standard_normal((SHAPES, VERTICES, 3))
    correctives = [(chosen, 0.1 * rng.standard_normal((VERTICES, 3))) for chosen in ([0, 1], [1, 2, 3])]
    rc.BlendshapeRig(rest, deltas, correctives).save(folder / "face.safetensors")
    models.random_body(num_joints=12, num_vertices=VERTICES, num_sets=5, hidden=64, components=12).save(
        folder / "body.safetensors"
    )


def results(folder: Path) -> dict[str, np.ndarray]:
    """Vertices and gradients of both models, and weights of a solved shot."""
    rng = np.random.default_rng(1)
    face, body = (rc.load(folder / f"{name}.safetensors") for name in ("face", "body"))
    assert isinstance(face, rc.BlendshapeRig)
    weights = rng.random((FRAMES, SHAPES), np.float32)
    low, high = body.control_ranges.T
    poses = (low + rng.random((FRAMES, len(low))) * (high - low)).astype(np.float32)
    pull = rng.standard_normal((FRAMES, len(body.rest_vertices), 3)).astype(np.float32)
    vertices = face.evaluate(weights)
    return {
        "face": vertices,
        "body": body.evaluate(poses),
        "gradients of the body": body.vjp(poses, pull),
        "solved weights": rc.inverse.Solver(face).solve(vertices, alpha=0.01).weights,
    }


def main() -> int:
    folder, task = Path(sys.argv[1]), sys.argv[2]
    stored = folder / "results.npz"
    if task == "make":
        make_models(folder)
        np.savez(stored, **results(folder))  # type: ignore[arg-type]
        return 0
    far = 0
    with np.load(stored) as known:
        for name, found in results(folder).items():
            bits = np.dtype(f"u{found.itemsize}")
            other = found.view(bits) != known[name].view(bits)
            error = float(np.abs(found - known[name]).max() / np.abs(known[name]).max())
            far += not error <= CLOSE
            print(f"{name}: {np.count_nonzero(other)} of {found.size} numbers differ, by {error:.1e} at most")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
