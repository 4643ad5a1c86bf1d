"""A detector of real faces on rendered actors: ``python -m benchmarks.systems.capture.detected DATA``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``. MediaPipe's networks were trained on photographs of
people; here they see rendered pictures, whose every albedo is constructed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.filmed import PLAIN, SIZE, dense_weights, gaze, size_of
from rigcast.capture import ActorVariation, Cast, ShotPlan, film
from rigcast.capture._detectors import MEDIAPIPE
from rigcast.capture._video.follow import FaceFollower
from rigcast.capture._video.networks import FaceNetworks

Array = np.ndarray

TESTS, TRAINING = range(900, 906), range(1000, 1030)  # seeds, which must not overlap
STEP = 5  # frames of the curves from one frame of a shot to the next
TRAINED = 60  # frames of each training actor
RIDGE = 100.0
RIGID = [168, 6, 197, 195, 5, 4, 33, 133, 362, 263, 234, 454, 10, 127, 356, 93, 323]  # forehead, nose, eyes, temples


@dataclass(frozen=True)
class Seen:
    """A shot as the detector saw it; the first frame is the neutral."""

    points: Array
    weights: Array
    focal: float


def main() -> None:
    """Measure, and write the table."""
    folder, networks = Path(sys.argv[1]), FaceNetworks()
    cast = rc.capture.ict_cast(folder / "ict_facekit")
    clip = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    rows = [
        "| actors | pictures with a face found | neutral | clip mean | MediaPipe + optimizer | MediaPipe + ridge |",
        "|---|---|---|---|---|---|",
    ]
    for words, change in (("shapes of the character", PLAIN), ("own shapes", ActorVariation())):
        tests = [_seen(cast, seed, change, clip, networks) for seed in TESTS]
        training = [_seen(cast, seed, change, None, networks) for seed in TRAINING]
        found = np.mean([np.isfinite(shot.points).all(axis=(1, 2)).mean() for shot in tests])
        methods: tuple[Callable[[Seen], Array], ...] = (
            lambda shot: np.zeros_like(shot.weights),
            lambda shot: np.broadcast_to(shot.weights[1:].mean(axis=0), shot.weights.shape),
            lambda shot: _solved(cast, shot),
            _ridge([shot for shot in training if np.isfinite(shot.points).all()]),
        )
        errors = [np.mean([size_of(cast, m(shot) - shot.weights)[1:].mean() for shot in tests]) for m in methods]
        rows.append(f"| {words} | {100 * found:.0f} % | " + " | ".join(f"{error:.2f}" for error in errors) + " |")
        print(rows[-1], flush=True)
    write_between_marks("a detector of real faces on rendered actors", "\n".join(rows))


def _seen(cast: Cast, seed: int, change: ActorVariation, clip: Array | None, networks: FaceNetworks) -> Seen:
    frames = TRAINED if clip is None else len(clip) + 1
    shot = film(cast.actor(seed, change), ShotPlan(frames=frames, size=SIZE), clip)
    follower = FaceFollower(networks)
    points = [follower.step(picture, t).points for t, picture in enumerate(shot.color)]
    return Seen(np.array(points, np.float64), np.asarray(shot.labels["weights"], float), float(shot.labels["focal"]))


def _solved(cast: Cast, shot: Seen) -> Array:
    rig = cast.character
    pins = np.where(gaze(rig.shape_names), 0.0, np.nan)
    found = rc.capture.solve(rig, shot.points, size=(SIZE, SIZE), neutral=0, focal=shot.focal, fixed=pins)
    return found.weights


def _features(points: Array) -> Array:
    """Differences (T, 2 P) from the neutral frame, aligned with it by a similarity on rigid points."""
    plane = points[..., 0] + 1j * points[..., 1]
    neutral = plane[0] - plane[0, RIGID].mean()
    moved = plane - plane[:, RIGID].mean(axis=1, keepdims=True)
    turn = (np.conj(moved[:, RIGID]) * neutral[RIGID]).sum(axis=1) / (np.abs(moved[:, RIGID]) ** 2).sum(axis=1)
    eyes = abs(neutral[MEDIAPIPE.left_eye[0]] - neutral[MEDIAPIPE.right_eye[0]])
    away = (turn[:, None] * moved - neutral) / eyes
    return np.concatenate([away.real, away.imag], axis=1)


def _ridge(training: list[Seen]) -> Callable[[Seen], Array]:
    x = np.concatenate([_features(shot.points)[1:] for shot in training])
    y = np.concatenate([shot.weights[1:] for shot in training])
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = (x - mean) / deviation
    beta = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean(axis=0)))
    return lambda shot: np.clip((_features(shot.points) - mean) / deviation @ beta + y.mean(axis=0), 0.0, 1.0)


if __name__ == "__main__":
    main()
