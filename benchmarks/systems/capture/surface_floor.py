"""Limits of pictures of an actor with shapes of his own: ``python -m benchmarks.systems.capture.surface_floor DATA``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``. The weights of shapes that are not the actor's are
fitted to his exact surface in each frame, all vertices of the front of the face in space: what a solve by pictures
could reach at best on these shapes, if it saw everything.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.corrected import SEEDS, STEP
from benchmarks.systems.capture.filmed import FRONT, Float64, dense_weights, gaze
from rigcast.capture import ActorVariation, Cast

KNOWN = (
    ("the character's shapes on the actor's neutral", ActorVariation(strength=0.0, mix=0.0)),
    ("these, and the strength of each", ActorVariation(mix=0.0)),
    ("these, and the mixes, not the strengths", ActorVariation(strength=0.0)),
    ("the actor's own rig", ActorVariation()),
)
RIDGE = 1e-6  # of the mean diagonal entry: shapes that are sums of others


def main() -> None:
    """Measure, and write the table."""
    folder = Path(sys.argv[1])
    cast = rc.capture.ict_cast(folder / "ict_facekit")
    weights = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    free = ~gaze(cast.character.shape_names)
    rows = [
        "| shapes that are fitted to the exact surface | surface left, mm | mm | sideways | up | depth | upper face "
        "| lower face |",
        "|---|---|---|---|---|---|---|---|",
    ]
    own = [_front(cast, seed, ActorVariation())[free] for seed in SEEDS]
    for name, variation in KNOWN:
        parts = [
            _errors(cast, weights[:, free], free, _front(cast, seed, variation)[free], truth)
            for seed, truth in zip(SEEDS, own, strict=True)
        ]
        rows.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in np.mean(parts, axis=0)) + " |")
        print(rows[-1], flush=True)
    write_between_marks("fitted to the exact surface", "\n".join(rows))


def _front(cast: Cast, seed: int, variation: ActorVariation) -> Float64:
    """(K, FRONT, 3) deltas of an actor in millimeters."""
    rig = cast.actor(seed, variation).rig
    return np.stack([10.0 * rig.column(k)[:FRONT] for k in range(rig.num_shapes)]).astype(np.float64)


def _errors(cast: Cast, weights: Float64, free: np.ndarray, shapes: Float64, own: Float64) -> Float64:
    """Millimeters left of the surface, and of the character under the found weights: all, by axis, by half."""
    flat, truth = shapes.reshape(len(shapes), -1), own.reshape(len(own), -1)
    gram, cross = flat @ flat.T, flat @ truth.T
    lower = np.linalg.cholesky(gram + RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram)))
    found = np.array(
        [lsq_linear(lower.T, np.linalg.solve(lower, cross @ row), (0.0, 1.0), method="bvls").x for row in weights]
    )
    character = np.stack([10.0 * cast.character.column(k)[:FRONT] for k in np.flatnonzero(free)]).astype(np.float64)
    left, off = np.zeros(len(weights)), np.zeros((len(weights), 6))
    upper = cast.character.rest_vertices[:FRONT, 1] > cast.character.rest_vertices[cast.landmarks[33], 1]
    for t, (row, best) in enumerate(zip(weights, found, strict=True)):
        surface = np.tensordot(best, shapes, axes=1) - np.tensordot(row, own, axes=1)
        left[t] = np.linalg.norm(surface, axis=1).mean()
        moved = np.tensordot(best - row, character, axes=1)
        size = np.linalg.norm(moved, axis=1)
        off[t] = [size.mean(), *np.abs(moved).mean(axis=0), size[upper].mean(), size[~upper].mean()]
    return np.array([left.mean(), *off.mean(axis=0)])


if __name__ == "__main__":
    main()
