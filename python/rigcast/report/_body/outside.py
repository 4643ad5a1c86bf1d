"""Poses that no training set holds: every joint turned several times as far from rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast._rigs.rotations import nearest_rotation
from rigcast._validate import bad_argument


def beyond(model: rc.Deformer, poses: NDArray[np.float32], times: int = 2) -> NDArray[np.float32]:
    """Poses whose joints (roots excepted) and numeric controls are ``times`` as far from rest.

    A joint's rotation relative to rest is repeated, so that it keeps its axis; its translation from rest and a numeric
    control are multiplied; scale and shear are left out.

    Parameters
    ----------
    model : Deformer
    poses : (T, C) float32 array
    times : int
        At least 1.
    """
    if times < 1:
        raise bad_argument("beyond", "times", str(times), "at least 1")
    joints = len(model.joint_names)
    result = np.array(poses, np.float64)
    result[:, 12 * joints :] *= times
    if joints:
        moving = np.flatnonzero(model.skeleton.parents >= 0)
        local = result[:, : 12 * joints].reshape(len(poses), joints, 3, 4)
        rest, turned = model.skeleton.rest[moving].astype(np.float64), local[:, moving]
        base = nearest_rotation(rest[..., :3])
        relative = np.swapaxes(base, -1, -2) @ nearest_rotation(turned[..., :3])
        turned[..., :3] = base @ np.linalg.matrix_power(relative, times)
        turned[..., 3] = rest[..., 3] + times * (turned[..., 3] - rest[..., 3])
        local[:, moving] = turned
        result[:, : 12 * joints] = local.reshape(len(poses), -1)
    return result.astype(np.float32)
