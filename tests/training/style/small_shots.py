"""Faces of a few strokes in 16 pixels, which move as they are told: all of it is made in milliseconds."""

from __future__ import annotations

import numpy as np

import rigcast as rc

SIZE = 16
SETTINGS = {"size": SIZE, "width": 4, "points": 2, "batch": 4}
NEUTRAL = 0.0


def landmarks(openness: np.ndarray) -> np.ndarray:
    """(T, 68, 2): an oval, brows, eyes, and a mouth whose lower lip and chin go down."""
    angle = np.linspace(0.0, np.pi, 17)
    jaw = np.stack([8.0 + 6.5 * np.cos(angle), 7.0 + 6.0 * np.sin(angle)], axis=1)
    brows = [[x, 3.0 + 0.1 * (i % 3)] for side in (2.5, 9.0) for i, x in enumerate(np.linspace(side, side + 4.0, 5))]
    nose = [[8.0, y] for y in np.linspace(5.0, 8.0, 9)]
    turn = np.linspace(0.0, 2.0 * np.pi, 7)[:-1]
    eyes = [[x + 1.5 * np.cos(a), 5.5 + 0.8 * np.sin(a)] for x in (4.5, 11.0) for a in turn]
    turn = np.linspace(0.0, 2.0 * np.pi, 21)[:-1]
    mouth = [[8.0 + 2.5 * np.cos(a), 10.0 + 0.8 * np.sin(a)] for a in turn]
    rest = np.concatenate([jaw, brows, nose, eyes, mouth])
    down = np.clip((rest[:, 1] - 9.0) / 4.0, 0.0, 1.0)
    return rest + np.asarray(openness)[:, None, None] * down[:, None] * [0.0, 2.0]


def shot(openness, color=(200.0, 150.0, 120.0)) -> rc.training.StyleRecording:
    """A recording: gray-brown skin, a dark mouth that opens."""
    points = landmarks(np.asarray(openness, float))
    centers = np.stack(np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5), axis=-1)
    mouth = points[:, 48:].mean(axis=1)
    wide = 1.0 + 1.5 * np.asarray(openness, float)
    away = (centers - mouth[:, None, None]) / np.stack([np.full(len(wide), 2.0), wide], axis=1)[:, None, None]
    dark = np.exp(-np.square(away).sum(axis=-1))[..., None]
    shade = 1.0 + 0.1 * np.sin(centers.sum(axis=-1))[None, ..., None]
    pictures = np.clip(np.array(color) * shade * (1.0 - 0.8 * dark), 0.0, 255.0).astype(np.uint8)
    return rc.training.StyleRecording.of_landmarks(pictures, points)


def openings(seed: int, frames: int = 30) -> np.ndarray:
    """(T,) of which the first is 0."""
    return np.concatenate([[NEUTRAL], np.random.default_rng(seed).uniform(0.0, 1.0, frames - 1)])
