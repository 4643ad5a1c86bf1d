"""Skeletons with a limb, of any rest direction, bone roll and scale, and poses of them."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import rigcast as rc

NAMES = ["root", "upper", "twist", "lower", "end", "finger", "other"]
PARENTS = [-1, 0, 1, 1, 3, 4, 0]
LIMB = ("upper", "lower", "end")


def random_transforms(rng: np.random.Generator, count: int, scale: np.ndarray | float = 1.0) -> np.ndarray:
    """(count, 3, 4): any rotation times scales, and translations of order one."""
    linear = Rotation.random(count, random_state=rng).as_matrix() * scale
    return np.concatenate([linear, rng.normal(size=(count, 3, 1))], axis=2)


def limb_skeleton(seed: int, uniform: bool = True) -> rc.Skeleton:
    """Bones in any direction with any roll, all joints scaled; by one factor each if `uniform`."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.5, 1.6, (len(NAMES), 1, 1 if uniform else 3))
    return rc.Skeleton(NAMES, PARENTS, random_transforms(rng, len(NAMES), scale))


def random_poses(skeleton: rc.Skeleton, count: int, seed: int, dials: int = 2) -> np.ndarray:
    """All joints turned from rest by any rotation: (count, C) with some dials."""
    rng = np.random.default_rng(seed)
    poses = np.tile(skeleton.rest.astype(np.float64), (count, 1, 1, 1))
    turns = Rotation.random(count * skeleton.num_joints, random_state=rng).as_matrix()
    poses[..., :3] = poses[..., :3] @ turns.reshape(count, -1, 3, 3)
    return np.concatenate([poses.reshape(count, -1), rng.normal(size=(count, dials))], axis=1).astype(np.float32)


def positions(skeleton: rc.Skeleton, poses: np.ndarray) -> np.ndarray:
    """(T, 3, 3): where upper, lower and end are."""
    chosen = [skeleton.names.index(name) for name in LIMB]
    return skeleton.globals(poses)[..., 3][:, chosen].astype(np.float64)


def bone_lengths(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.moveaxis(np.linalg.norm(np.diff(points, axis=1), axis=2), 1, 0)
    return first, second


def reachable_targets(skeleton: rc.Skeleton, poses: np.ndarray, seed: int) -> np.ndarray:
    """Targets in any direction between the shortest and the longest that the limb can be."""
    rng = np.random.default_rng(seed)
    points = positions(skeleton, poses)
    upper, lower = bone_lengths(points)
    way = rng.normal(size=(len(poses), 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    share = rng.uniform(0.001, 0.999, len(poses))
    near, far = np.abs(upper - lower), upper + lower
    return points[:, 0] + (near + share * (far - near))[:, None] * way


def rotations(transforms: np.ndarray) -> np.ndarray:
    """The nearest rotations of the linear parts, by singular values."""
    u, _, v = np.linalg.svd(transforms[..., :3].astype(np.float64))
    return u @ v


def angles_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Radians between rotations."""
    chord = np.linalg.norm(a - b, axis=(-2, -1)) / np.sqrt(8.0)
    return np.asarray(2 * np.arcsin(np.minimum(chord, 1.0)))
