"""Where a character stands: three channels that move it as a whole, for models whose channels only turn joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.viewer._figures._posing import AXES, Posing, Row
from rigcast.viewer._sliders import Slider, body_part

Vector = NDArray[np.float64]
REACH = 2.0  # of the character's size, each way
NOWHERE = np.zeros(3)


class Placed:
    """Another posing with the translation of the joints without a parent behind its channels."""

    def __init__(self, inner: Posing, model: _core.Deformer) -> None:
        self._inner = inner
        names = list(model.joint_names)
        self._roots = [joint for joint, parent in enumerate(model.skeleton.parents) if parent < 0]
        reach = REACH * (float(np.linalg.norm(np.ptp(np.asarray(model.rest_vertices), axis=0))) or 1.0)
        root = names[self._roots[0]]
        self.sliders = [
            *inner.sliders,
            *(Slider(f"{root}.translation_{a.lower()}", body_part("root"), -reach, reach, 0.0, "rig") for a in AXES),
        ]

    def pose(self, row: Row) -> Row:
        return self.moved(self._inner.pose(row[:-3]), row[-3:].astype(np.float64))

    def rows(self, poses: Row) -> Row:
        rows = self._inner.rows(poses)
        at_home = np.array([self._inner.pose(row) for row in rows])
        first = 12 * self._roots[0] + np.array([3, 7, 11])
        moved = poses[:, first] - at_home[:, first]
        return np.asarray(np.concatenate([rows, moved], axis=1), np.float32)

    def moved(self, pose: Row, offset: Vector) -> Row:
        result = np.array(pose, np.float32)
        for joint in self._roots:
            result[12 * joint + np.array([3, 7, 11])] += offset.astype(np.float32)
        return result

    def offset(self, row: Row) -> Vector:
        return row[-3:].astype(np.float64)

    def placed(self, row: Row, offset: Vector) -> Row:
        return np.asarray(np.concatenate([row, offset]), np.float32)


def needs_place(model: _core.Deformer) -> bool:
    """Whether a model has joints, and no channel that moves one of those without a parent."""
    if model.skeleton is None or not model.joint_names:
        return False
    roots = {model.joint_names[joint] for joint, parent in enumerate(model.skeleton.parents) if parent < 0}
    return not any(c.kind.startswith("translate") and c.joint in roots for c in model.channels)
