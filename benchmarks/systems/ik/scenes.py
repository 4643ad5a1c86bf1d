"""Scenes of the benchmarks of inverse kinematics: a model, eight targets, and a motion through its range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc

FRAMES = 240
SHARE = 0.5  # of the channels' ranges that motions use


@dataclass(frozen=True)
class Scene:
    """A motion and the positions of eight vertices along it."""

    model: rc.Deformer
    vertices: NDArray[np.int64]  # (8,)
    channels: NDArray[np.float64]  # (T, N) a smooth motion
    targets: NDArray[np.float32]  # (T, 8, 3)


def bounds_of(model: rc.Deformer) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Lowest, highest and rest values of the channels (N,)."""
    low, high, rest = np.array([(c.low, c.high, c.rest) for c in model.channels]).T
    return low, high, rest


def motion(model: rc.Deformer, frames: int = FRAMES, seed: int = 0) -> NDArray[np.float64]:
    """Sums of slow waves inside the ranges, from rest."""
    low, high, rest = bounds_of(model)
    rng = np.random.default_rng(seed)
    time = np.linspace(0.0, 1.0, frames)[:, None, None]
    waves = np.sin(2.0 * np.pi * rng.uniform(1.0, 4.0, (1, len(low), 3)) * time).mean(axis=2)
    return rest + SHARE * np.where(waves > 0, waves * (high - rest), waves * (rest - low))


def spread(points: NDArray[np.floating[Any]], count: int) -> NDArray[np.int64]:
    """Points far from each other: the first is farthest from the middle."""
    middle = points.mean(axis=0)
    chosen = [int(np.linalg.norm(points - middle, axis=1).argmax())]
    distance = np.full(len(points), np.inf)
    while len(chosen) < count:
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(distance.argmax()))
    return np.array(chosen)


def scene(model: rc.Deformer) -> Scene:
    """Eight vertices far apart and a motion."""
    vertices = spread(model.rest_vertices, 8)
    channels = motion(model)
    return Scene(model, vertices, channels, model.restricted(vertices).evaluate(model.poses_from_channels(channels)))


def skeleton_model(model: rc.Deformer) -> rc.Deformer:
    """The plain skeleton of a model with its channels: vertex j is the origin of joint j."""
    joints = np.arange(model.skeleton.num_joints, dtype=np.int32)[:, None]
    origins = np.ascontiguousarray(model.skeleton.rest_globals[:, :, 3])
    dials = list(model.control_names[12 * len(joints) :])
    about = {"channels": model.metadata["channels"] | {"followers": []}}  # which other solvers do not know
    weights = (joints, np.ones(joints.shape, np.float32))
    faces = np.zeros((0, 3), np.int32)
    return rc.LinearBlendSkinning(model.skeleton, origins, faces, weights, dials=dials, metadata=about)
