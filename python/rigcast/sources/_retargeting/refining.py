"""Rotations of controls whose parents are posed by constraints: found with what the rig itself says.

A plain chain of parents gives the first guess. Then, as often as needed, the rig evaluates the channels, which shows
how the frame that a control turns in really moves: ``P_c = W_c R_c^-1``. It is taken to stay as it is to the control's
mapped ancestor a, which will be where it must be (``G``), so that

    R_c = (G_a W_a^-1 P_c)^-1 G_c.

That is exact at once if the frame moves rigidly with the ancestor, as the parent of an upper arm does with the
shoulder, and one round later if it follows another control, as a head does that keeps its heading.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rigcast._core import fit_angles
from rigcast._rigs.rotations import Float64, euler_to_matrix, nearest_rotation
from rigcast.sources._retargeting.target import Target

ROUNDS = 8
ENOUGH = 0.1  # degrees
BATCH = 256  # frames


def refine(target: Target, wanted: Float64, goals: Float64, above: Mapping[int, int]) -> tuple[Float64, Float64]:
    """Correct the rotation channels of controls, in place.

    Parameters
    ----------
    target : Target
    wanted : (T, N) array
        Channels by plain kinematics, not clipped.
    goals : (T, B, 3, 3) array
        World rotations that the bones must reach.
    above : mapping from each mapped bone to its mapped ancestor, -1 for none

    Returns
    -------
    positions : (T, J, 3) array
        Of the rig's joints, in the last round.
    turned : (T, B, 3, 3) array
        Rotations of the controls after their rest, those of others are 1.
    """
    groups = [group for group in target.rotations if group.joint in above]
    names = [target.names[joint] for joint in (*above, *target.joints)]
    column = {joint: place for place, joint in enumerate(above)}
    turned = np.tile(np.eye(3), (len(wanted), len(target.names), 1, 1))
    positions = np.empty((len(wanted), len(target.joints), 3))
    for first in range(0, len(wanted), BATCH):
        frames = np.arange(first, min(first + BATCH, len(wanted)))
        for _ in range(ROUNDS):
            seen = target.transforms(wanted[frames], names)
            positions[frames] = seen[:, len(above) :, :, 3]
            world = nearest_rotation(seen[:, : len(above), :, :3])
            change = np.zeros(len(frames))
            for group in groups:
                columns = np.array(group.channels, np.intp)
                own = euler_to_matrix(wanted[np.ix_(frames, columns)], group.order)
                moved = world[:, column[group.joint]] @ _back(own)
                if (parent := above[group.joint]) >= 0:
                    moved = goals[frames, parent] @ _back(world[:, column[parent]]) @ moved
                rotation = _back(moved) @ goals[frames, group.joint]
                turned[frames, group.joint] = rotation
                angles = fit_angles(rotation, group.order, target.bounds(group.channels))
                new = euler_to_matrix(angles, group.order)
                change = np.maximum(change, np.degrees(np.linalg.norm(new - own, axis=(1, 2)) / np.sqrt(2.0)))
                wanted[np.ix_(frames, columns)] = angles
            frames = frames[change > ENOUGH]
            if not len(frames):
                break
    return positions, turned


def _back(rotation: Float64) -> Float64:
    return np.swapaxes(rotation, -1, -2)
