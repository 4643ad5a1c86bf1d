"""A walk made by inverse kinematics: feet that stand, pass under the body and stand again."""

from __future__ import annotations

import numpy as np

import rigcast as rc

FPS = 30.0
FEET = [tuple(f"{joint}.{side}" for joint in ("hip", "knee", "ankle", "toe")) for side in "LR"]


def place(x: float, y: float, z: float) -> np.ndarray:
    return np.array([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z]], np.float64)


def legs_skeleton() -> rc.Skeleton:
    """A pelvis and two legs of .45 m bones, y up, walking along z; the knees are straight at rest."""
    names, parents, rest = ["pelvis"], [-1], [place(0, 1.0, 0)]
    for foot, x in zip(FEET, (0.1, -0.1), strict=True):
        first = len(names)
        names += foot
        parents += [0, first, first + 1, first + 2]
        rest += [place(x, 0, 0), place(0, -0.45, 0), place(0, -0.45, 0), place(0, -0.1, 0.12)]
    return rc.Skeleton(names, parents, np.array(rest))


def foot_path(phase: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """How far a foot is along z and how high, per frame, for a phase of steps: it stands for six tenths of each."""
    step, part = np.divmod(phase, 1.0)
    swing = np.clip((part - 0.6) / 0.4, 0, 1)
    return speed * (step + swing * swing * (3 - 2 * swing)), 0.12 * np.sin(np.pi * swing) ** 2


def walk(frames: int = 90) -> tuple[rc.Skeleton, np.ndarray]:
    """Poses (T, C) with feet that stand still to rounding."""
    skeleton = legs_skeleton()
    poses = np.tile(skeleton.rest.reshape(-1), (frames, 1))
    time = np.arange(frames) / FPS
    poses[:, 7] = 0.92 + 0.01 * np.cos(4 * np.pi * time)
    poses[:, 11] = 0.8 * time
    for foot, x, start in zip(FEET, (0.1, -0.1), (0.0, 0.5), strict=True):
        along, height = foot_path(time + start, 0.8)
        targets = np.stack([np.full(frames, x), 0.1 + height, along - 0.8 * start + 0.24], axis=1)
        leg = rc.ik.Limb(skeleton, foot[:3], hinge=[1, 0, 0])
        poses = leg.solve(poses, targets).poses
    return skeleton, poses


def toes(skeleton: rc.Skeleton, poses: np.ndarray) -> np.ndarray:
    """(T, 2, 3)."""
    chosen = [skeleton.names.index(foot[3]) for foot in FEET]
    return skeleton.globals(poses)[..., 3][:, chosen].astype(np.float64)


def leg_lengths(skeleton: rc.Skeleton, poses: np.ndarray) -> np.ndarray:
    """(T, 2): from hip to ankle."""
    points = skeleton.globals(poses)[..., 3].astype(np.float64)
    hips, ankles = ([skeleton.names.index(foot[part]) for foot in FEET] for part in (0, 2))
    return np.linalg.norm(points[:, hips] - points[:, ankles], axis=2)


def pushed(poses: np.ndarray, by: float = 0.05) -> np.ndarray:
    """The pelvis moved by up to 5 cm to all sides, smoothly; the feet slide with it."""
    moved = poses.copy()
    time = np.arange(len(poses)) / FPS
    moved[:, 3] += by * np.sin(3.1 * time)
    moved[:, 7] += 0.4 * by * np.sin(2.3 * time)
    moved[:, 11] += by * np.cos(1.7 * time)
    return moved


def standing(frames: int = 90) -> np.ndarray:
    """(T, 2) bool: which feet stand, as the walk was made."""
    time = np.arange(frames) / FPS
    return np.stack([np.divmod(time + start, 1.0)[1] <= 0.6 for start in (0.0, 0.5)], axis=1)
