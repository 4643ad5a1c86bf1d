"""Motion at another rate: linear for numbers, spherical for rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rotations import nearest_rotation
from rigcast._validate import MOST_FRAMES, bad_argument

Float64 = NDArray[np.float64]
SLACK = 1e-6  # of a frame: rounding of rates must not cost the last one


def resampled(poses: NDArray[np.floating[Any]], num_joints: int, fps: float, to_fps: float) -> NDArray[np.float32]:
    """Pose rows (T, C) of ``fps`` frames per second at another rate, from the first frame on.

    Frames lie at n / ``to_fps`` seconds, up to the last given one. The parent-relative transforms of the joints, twelve
    columns each, turn at constant speed about a fixed axis between two frames (slerp, Shoemake 1985); translations,
    stretches and the columns after the joints are interpolated linearly.
    """
    rows = np.asarray(poses, np.float64)
    count = int(np.floor((len(rows) - 1) * to_fps / fps + SLACK)) + 1
    if count > MOST_FRAMES:
        got = f"{to_fps:g}, which makes {count:,} frames of {len(rows):,} at {fps:g}"
        raise bad_argument("resampled", "fps", got, f"one that makes at most {MOST_FRAMES:,} frames")
    place = np.minimum(np.arange(count) * fps / to_fps, len(rows) - 1)
    left = np.minimum(place.astype(np.int64), max(0, len(rows) - 2))
    right, share = np.minimum(left + 1, len(rows) - 1), place - left
    result = rows[left] + share[:, None] * (rows[right] - rows[left])
    width = 12 * num_joints
    first, second = (rows[side, :width].reshape(count, num_joints, 3, 4)[..., :3] for side in (left, right))
    joints = result[:, :width].reshape(count, num_joints, 3, 4)
    joints[..., :3] = _between(first, second, share[:, None, None, None])
    result[:, :width] = joints.reshape(count, width)
    return np.asarray(result, np.float32)


def _between(first: Float64, second: Float64, share: Float64) -> Float64:
    """Matrices between two: rotations by slerp, what they stretch linearly.

    The rotation nearest to ``(1 - s) R_0 + s R_1`` lies on the way from one to the other, at an angle whose tangent is
    ``s sin(angle) / (1 - s + s cos(angle))``; ``s`` is chosen so that the angle is its share of the whole.
    """
    turn = nearest_rotation(first), nearest_rotation(second)
    chord = np.linalg.norm(turn[1] - turn[0], axis=(-2, -1), keepdims=True) / np.sqrt(8.0)  # sin(angle / 2)
    angle = 2 * np.arcsin(np.minimum(chord, 1.0))
    ahead, behind = np.sin(share * angle), np.sin((1 - share) * angle)
    total = ahead + behind
    mixed = np.where(total > 0, ahead / np.where(total > 0, total, 1.0), share)
    rotation = nearest_rotation((1 - mixed) * turn[0] + mixed * turn[1])
    stretch = [np.swapaxes(turn[side], -1, -2) @ matrix for side, matrix in enumerate((first, second))]
    result: Float64 = rotation @ ((1 - share) * stretch[0] + share * stretch[1])
    return result
