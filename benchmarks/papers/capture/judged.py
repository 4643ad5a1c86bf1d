"""Errors after tables 6.1 and 6.2 of Bailey 2020: of reconstructed pictures, and of the character's pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.papers.capture.character_landmarks import Landmarks
from benchmarks.papers.capture.helmet import NOISE, HelmetShot, solved
from benchmarks.systems.capture.filmed import FRONT
from rigcast.capture import Capture, Cast
from rigcast.training import StyleTransfer

Float64 = NDArray[np.float64]
Bytes = NDArray[np.uint8]

DETECTED = 0.3  # pixels: noise that the solver assumes of landmarks of pictures
RIDGE = 100.0
RIGID = [*range(27, 36), 36, 39, 42, 45]  # nose and corners of the eyes


def picture_errors(made: Bytes, wanted: Bytes) -> Float64:
    """Means over the frames: RMSE of 0 to 255, 1 - SSIM, FLIP."""
    rows = []
    for one, truth in zip(made, wanted, strict=True):
        rmse = float(np.sqrt(np.square(one.astype(np.float64) - truth).mean()))
        rows.append([rmse, 1.0 - rc.metrics.structural_similarity(truth, one), rc.perception.flip(truth, one)])
    return np.mean(rows, axis=0)


def reconstructed(model: StyleTransfer | None, shot: HelmetShot, frames: slice) -> tuple[Bytes, Bytes]:
    """Frames made of the actor's own neutral, the first frame, and the frames; without a model, the neutral itself."""
    own = shot.recording
    part = rc.training.StyleRecording(own.pictures[frames], own.masks[frames])
    if model is None:
        return np.repeat(own.pictures[:1], len(part.pictures), axis=0), part.pictures
    return model.transfer(own.pictures[0], part, own.pictures[0]).pictures, part.pictures


def transferred(model: StyleTransfer, shot: HelmetShot, neutral: Bytes) -> Bytes:
    """The character in the actor's expressions; the first frame is the actor's neutral."""
    return model.transfer(neutral, shot.recording, shot.recording.pictures[0]).pictures


def solved_pictures(cast: Cast, landmarks: Landmarks, pictures: Bytes, character: HelmetShot) -> Capture:
    """The character's weights and head by the landmarks of its pictures."""
    return solved(cast, landmarks.of(pictures)[:, : len(cast.landmarks)], float(character.focal), DETECTED)


def simple_methods(cast: Cast, training: Sequence[HelmetShot], character: HelmetShot) -> dict[str, Callable]:
    """The simple methods that style transfer must beat: weights (T, K) of a shot by simple methods."""
    ridge = _ridge(training)

    def differences(shot: HelmetShot) -> Float64:
        """The character's neutral landmarks, moved as the actor's noisy ones are."""
        moved = character.exact[:1] + shot.points - shot.points[:1]
        return np.asarray(solved(cast, moved, float(character.focal), NOISE).weights)

    return {
        "neutral": lambda shot: np.zeros_like(shot.weights),
        "clip mean": lambda shot: 0.0 * shot.weights + shot.weights[1:].mean(axis=0),
        "differences of 68 landmarks, 1 px at 256": differences,
        "ridge on these differences": lambda shot: ridge(shot.points),
    }


def pose_errors(cast: Cast, found: Float64, shot: HelmetShot) -> Float64:
    """Centimeters (6.15), mean over the frames after the neutral: the front of the face, and the landmarks."""
    change = np.asarray(found - shot.weights, np.float32)[1:]
    moved = np.linalg.norm(cast.character.evaluate(change) - cast.character.rest_vertices, axis=2)
    return np.array([moved[:, :FRONT].mean(), moved[:, cast.landmarks].mean()])


def _features(points: Float64) -> Float64:
    """Differences (T, 2 P) from the first frame, aligned with it by a similarity on nose and eyes."""
    plane = points[..., 0] + 1j * points[..., 1]
    neutral = plane[0] - plane[0, RIGID].mean()
    moved = plane - plane[:, RIGID].mean(axis=1, keepdims=True)
    turn = (np.conj(moved[:, RIGID]) * neutral[RIGID]).sum(axis=1) / (np.abs(moved[:, RIGID]) ** 2).sum(axis=1)
    away = (turn[:, None] * moved - neutral) / abs(neutral[45] - neutral[36])
    return np.concatenate([away.real, away.imag], axis=1)


def _ridge(training: Sequence[HelmetShot]) -> Callable[[Float64], Float64]:
    """A map from landmarks (T, P, 2) to weights (T, K), learned on the training actors' recordings."""
    x = np.concatenate([_features(shot.points)[1:] for shot in training])
    y = np.concatenate([shot.weights[1:] for shot in training])
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = (x - mean) / deviation
    beta = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean(axis=0)))
    return lambda points: np.clip((_features(points) - mean) / deviation @ beta + y.mean(axis=0), 0.0, 1.0)
