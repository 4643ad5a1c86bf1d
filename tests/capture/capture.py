"""A camera, a talking head and its tracked points, in slow NumPy, for the tests of this folder."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import rigcast as rc

Float64 = NDArray[np.float64]
UPRIGHT = np.diag([1.0, -1.0, -1.0])  # a rig with y up, before a camera with y down that looks along z
SIZE = (640, 480)
FOCAL = 800.0


@dataclass(frozen=True)
class Setup:
    """How a shot is filmed."""

    roll: float = 0.0  # degrees
    center: tuple[float, float] = (320.0, 240.0)
    focal: float = FOCAL
    distance: float = 50.0  # centimeters
    noise: float = 0.0  # pixels
    seed: int = 0
    turning: float = 8.0  # degrees of yaw


@dataclass(frozen=True)
class Filmed:
    """A shot with exact labels: points (T, P, 2), weights (T, K), poses (T, 3, 4) of the rig before the camera."""

    points: Float64
    weights: Float64
    poses: Float64
    vertices: NDArray[np.int64]
    setup: Setup = field(default_factory=Setup)


def tracked_vertices(rig: rc.BlendshapeRig, count: int = 68, seed: int = 3) -> NDArray[np.int64]:
    """Vertices that shapes move, and some that rest, spread over the face."""
    size = np.linalg.norm(rig.columns()[: rig.num_shapes], axis=2)
    moved = np.flatnonzero(size.max(axis=0) > 0.15)
    generator = np.random.default_rng(seed)
    per_shape = [int(np.argmax(row)) for row in size]
    return np.unique([*per_shape, *generator.choice(moved, count, replace=False)])


def acting(rig: rc.BlendshapeRig, frames: int = 60, fps: float = 60.0, seed: int = 0) -> Float64:
    """Weights (T, K) that begin at the neutral, in smooth motion with five shapes on at a time."""
    generator = np.random.default_rng(seed)
    time = np.arange(frames) / fps
    weights = np.zeros((frames, rig.num_shapes))
    for k in range(rig.num_shapes):
        rate, phase, height = generator.uniform(0.5, 1.2), generator.uniform(0.3, 1.0), generator.uniform(0.3, 0.9)
        weights[:, k] = height * np.clip(np.sin(2 * np.pi * (rate * time - phase)), 0.0, 1.0) * (k % 2 == seed % 2)
    weights *= np.clip(time / 0.2 - 0.3, 0.0, 1.0)[:, None]
    return np.clip(weights, *rig.bounds.T)


def film(
    rig: rc.BlendshapeRig, weights: Float64, setup: Setup = Setup(), vertices: NDArray[np.int64] | None = None
) -> Filmed:
    """Project the vertices of a rig that acts and turns its head."""
    chosen = tracked_vertices(rig) if vertices is None else vertices
    generator = np.random.default_rng(setup.seed)
    points, poses = [], []
    positions = rig.evaluate(weights.astype(np.float32))[:, chosen].astype(np.float64)
    for t in range(len(weights)):
        angles = [setup.turning * np.sin(0.11 * t), 0.5 * setup.turning * np.sin(0.07 * t), setup.roll]
        turn = UPRIGHT @ Rotation.from_euler("YXZ", angles, degrees=True).as_matrix()
        shift = np.array([0.8 * np.sin(0.05 * t), 0.5 * np.sin(0.08 * t), setup.distance])
        placed = positions[t] @ turn.T + shift
        points.append(np.array(setup.center) + setup.focal * placed[:, :2] / placed[:, 2:])
        poses.append(np.column_stack([turn, shift]))
    noisy = np.array(points) + setup.noise * generator.standard_normal((len(weights), len(chosen), 2))
    return Filmed(noisy, weights, np.array(poses), chosen, setup)
