"""Models that need no training, for characters that are made inside Blender."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import Surface

FACTS = {"up_axis": "Z", "meters_per_unit": 1.0}
NAMES = ["root", "upper.L", "lower.L", "hand.L"]


def tube(path: Path, rings: int = 20, around: int = 12) -> rc.LinearBlendSkinning:
    """A tube around four joints in a row, each turned at rest; saved."""
    rest = np.zeros((4, 3, 4), np.float32)
    for joint in range(4):
        rest[joint, :, :3] = _turn(joint % 3, 0.2 * joint)
    rest[0, 2, 3], rest[1:, 1, 3] = 0.5, 0.3
    angle = 2 * np.pi * np.arange(around) / around
    along = np.repeat(np.linspace(0.0, 1.2, rings), around)
    vertices = np.stack([0.1 * np.tile(np.cos(angle), rings), along, 0.5 + 0.1 * np.tile(np.sin(angle), rings)], axis=1)
    corner, ring = np.arange(around), around * np.arange(rings - 1)[:, None]
    after = (corner + 1) % around
    faces = np.stack([ring + corner, ring + after, ring + around + after, ring + around + corner], axis=2).reshape(
        -1, 4
    )
    skeleton = rc.Skeleton(NAMES, [-1, 0, 1, 2], rest)
    return _saved(path, skeleton, vertices, faces, _weights(along), FACTS)


def turned(path: Path, model: rc.LinearBlendSkinning) -> None:
    """Save a model with z up in meters as one with y up in centimeters."""
    turn = np.array([(1, 0, 0), (0, 0, 1), (0, -1, 0)], np.float64)
    rest = np.array(model.skeleton.rest, np.float64)
    rest[:, :, 3] *= 100.0
    rest[0] = turn @ rest[0]
    skeleton = rc.Skeleton(model.skeleton.names, model.skeleton.parents, rest.astype(np.float32))
    vertices = 100.0 * model.rest_vertices @ turn.T
    facts = {"up_axis": "Y", "meters_per_unit": 0.01}
    _saved(path, skeleton, vertices, np.asarray(model.faces), _weights(np.asarray(model.rest_vertices)[:, 1]), facts)


def in_parts(path: Path, model: rc.LinearBlendSkinning) -> None:
    """Save a model whose lower and upper half are parts."""
    halves = (np.arange(model.num_vertices) >= model.num_vertices // 3).astype(np.int32)
    with_surface(model, Surface(["lower", "upper"], halves)).save(path)


def _weights(along: np.ndarray) -> np.ndarray:
    found = np.maximum(1e-9, 1.0 - np.abs(along[:, None] / 0.3 - 0.5 - np.arange(4)))
    return found / found.sum(axis=1, keepdims=True)


def patch(path: Path) -> rc.LinearBlendSkinning:
    """A unit square on one joint; saved."""
    vertices = np.array([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
    skeleton = rc.Skeleton(["root"], [-1], np.eye(4, dtype=np.float32)[None, :3])
    return _saved(path, skeleton, vertices, np.array([[0, 1, 2, 3]]), np.ones((4, 1)), FACTS)


def _saved(path, skeleton, vertices, faces, weights, facts) -> rc.LinearBlendSkinning:
    arrays = vertices.astype(np.float32), faces.astype(np.int32), weights.astype(np.float32)
    model = rc.LinearBlendSkinning(skeleton, *arrays, metadata=facts)
    model.save(path)
    return model


def _turn(axis: int, angle: float) -> np.ndarray:
    result = np.eye(3)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    result[i, i] = result[j, j] = np.cos(angle)
    result[i, j], result[j, i] = -np.sin(angle), np.sin(angle)
    return result
