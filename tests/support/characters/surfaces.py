"""Surfaces of small meshes, and their comparison."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import ARRAYS, NAMES, Surface
from tests.exports.moving import moving_mesh


def same_surface(one: Surface, other: Surface) -> bool:
    """Whether all names and arrays are equal."""
    names = all(getattr(one, name) == getattr(other, name) for name in NAMES)
    return names and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


FACES = np.array([[0, 1, 2, 3], [0, 1, 4, -1], [1, 2, 4, -1], [5, 6, 7, 8], [5, 6, 9, -1]], np.int32)


def two_parts() -> Surface:
    """Of ten vertices and ``FACES``: a body in two materials with a seam at vertex 1, eyes in the next tile."""
    uvs = 0.1 * np.arange(22).reshape(11, 2) % 0.9 + 0.05
    uvs[6:, 0] += 1.0
    corners = np.array([[0, 1, 2, 3], [0, 5, 4, -1], [5, 2, 4, -1], [6, 7, 8, 9], [6, 7, 10, -1]], np.int32)
    parts = np.repeat([0, 1], 5)
    return Surface(["the body", "eyes"], parts, ["skin", "nails", "iris"], [0, 1, 1, 2, 2], uvs, corners)


def two_moving_parts(frames: int = 9) -> np.ndarray:
    """(T, 10, 3): the eyes move as the body does, smaller and beside it."""
    body = moving_mesh(frames)
    return np.concatenate([body, 0.5 * body[:, ::-1] + np.float32([6, 0, 1])], axis=1)


def covered(model: rc.Deformer, seed: int = 0) -> rc.Deformer:
    """A model with a random surface of its mesh: three parts, two materials, texture coordinates on most faces."""
    rng = np.random.default_rng(seed)
    count, faces = len(model.rest_vertices), np.asarray(model.faces)
    corners = np.where(faces < 0, -1, rng.integers(0, 40, faces.shape)).astype(np.int32)
    corners[rng.uniform(size=len(faces)) < 0.2] = -1
    surface = Surface(
        ["one", "two", "three"],
        rng.integers(-1, 3, count),
        ["red", "blue"],
        rng.integers(-1, 2, len(faces)),
        rng.uniform(-1, 2, (40, 2)),
        corners,
    )
    return with_surface(model, surface)
