"""The controls that move a vertex set in its joint's frame: each is perturbed in turn (Bailey et al. 2018, 3.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import input_columns, noise
from rigcast.training._body.frames import BoneSpace
from rigcast.training._body.partition import VertexSets


@dataclass(frozen=True)
class Description:
    """A description of joints: J parents, columns that vary (C,), joints that two rotation columns describe (J,)."""

    parents: NDArray[np.int32]
    varying: NDArray[np.bool_]
    compact: NDArray[np.bool_]

    def columns(self, joints: NDArray[np.intp], controls: NDArray[np.intp]) -> NDArray[np.int32]:
        """See :func:`rigcast._pose_statistics.columns.input_columns`."""
        return input_columns(self.varying, joints, self.compact, controls)


def all_inputs(description: Description) -> NDArray[np.int32]:
    """Every varying column but those of a single root, whose motion takes the whole mesh along."""
    num_joints = len(description.parents)
    roots = np.flatnonzero(description.parents < 0)
    joints = np.setdiff1d(np.arange(num_joints), roots) if len(roots) == 1 else np.arange(num_joints)
    return description.columns(joints, np.arange(len(description.varying) - 12 * num_joints))


def movement(probe: Any, sets: VertexSets, space: BoneSpace) -> NDArray[np.float64]:
    """The largest distance that each perturbed channel moves each set, (N, S), in the rig's unit.

    The movement of a member vertex in the frame of the set's joint, times its weight in the set, largest over the
    members and over the base poses.
    """
    channel, base = np.asarray(probe.channel), np.asarray(probe.base)
    rows = np.flatnonzero(channel >= 0)
    reference = rows_of_base(channel, base)[rows]
    result = np.zeros((int(channel.max(initial=-1)) + 1, len(sets)))
    learning = np.flatnonzero(sets.learns).tolist()
    parts = [(int(sets.joint[i]), sets.vertex[sets.members(i)]) for i in learning]
    for i, residuals in zip(learning, space.residuals_of(parts), strict=True):
        part = sets.members(i)
        moved = np.linalg.norm(residuals[rows] - residuals[reference], axis=2) * sets.weight[part]
        np.maximum.at(result[:, i], channel[rows], moved.max(axis=1))
    return result


def vertex_movement(probe: Any, vertices: NDArray[np.intp]) -> NDArray[np.float64]:
    """The largest distance that each perturbed channel moves any of some vertices, (N,), in the space of the rig."""
    channel, base = np.asarray(probe.channel), np.asarray(probe.base)
    rows = np.flatnonzero(channel >= 0)
    seen = probe.vertices[:, vertices]
    moved = np.linalg.norm(seen[rows] - seen[rows_of_base(channel, base)[rows]], axis=2)
    result = np.zeros(int(channel.max(initial=-1)) + 1)
    np.maximum.at(result, channel[rows], moved.max(axis=1))
    return result


def changed_columns(probe: Any, num_joints: int, extent: float) -> NDArray[np.bool_]:
    """Pose columns that each channel changes in any base pose, beyond rounding: (N, C) bool."""
    channel, base = np.asarray(probe.channel), np.asarray(probe.base)
    poses = np.asarray(probe.poses)
    rows = np.flatnonzero(channel >= 0)
    change = np.abs(poses[rows] - poses[rows_of_base(channel, base)[rows]])
    result = np.zeros((int(channel.max(initial=-1)) + 1, poses.shape[1]))
    np.maximum.at(result, channel[rows], change)
    return np.asarray(result > noise(poses.shape[1], num_joints, extent))


def influencing_inputs(
    moves: NDArray[np.bool_], changes: NDArray[np.bool_], description: Description
) -> NDArray[np.int32]:
    """Columns of the joints and numeric controls that any of some channels changes.

    Parameters
    ----------
    moves : (N,) bool array
        Channels that move the set.
    changes : (N, C) bool array
        Columns that each channel changes.
    """
    width = 12 * len(description.parents)
    touched = np.asarray(np.any(changes[moves], axis=0))
    joints = np.flatnonzero(np.any(touched[:width].reshape(-1, 12), axis=1))
    return description.columns(joints, np.flatnonzero(touched[width:]))


def rows_of_base(channel: NDArray[np.integer[Any]], base: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The row of its base pose for every probe row, (P,)."""
    unperturbed = np.flatnonzero(channel < 0)
    row_of = np.zeros(int(base.max()) + 1, np.intp)
    row_of[base[unperturbed]] = unperturbed
    return np.asarray(row_of[base])
