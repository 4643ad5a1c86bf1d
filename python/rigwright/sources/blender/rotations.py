"""Which channels turn which bone, for retargeting motion onto a character in Blender."""

from __future__ import annotations

from collections.abc import Sequence

from rigwright.sources.rig import RotationChannels


def rotation_channels(
    channel_names: Sequence[str], joint_names: Sequence[str], modes: Sequence[str]
) -> list[RotationChannels]:
    """The rotation channels of each bone that has any, in the order in which Blender multiplies them.

    Parameters
    ----------
    channel_names : sequence of str
        Those of the rig; rotations are named ``bone.rotation_x``.
    joint_names, modes : sequence of str
        The bones and their rotation modes. Euler mode ``XYZ`` turns about x first, so in column vectors the product
        reads Z Y X; quaternion and axis-angle bones are driven by XYZ angles.
    """
    index = {name: i for i, name in enumerate(channel_names)}
    found = []
    for joint, (name, mode) in enumerate(zip(joint_names, modes, strict=True)):
        product = (mode if mode not in ("QUATERNION", "AXIS_ANGLE") else "XYZ")[::-1]
        order = "".join(axis for axis in product if f"{name}.rotation_{axis.lower()}" in index)
        if order:
            channels = tuple(index[f"{name}.rotation_{axis.lower()}"] for axis in order)
            found.append(RotationChannels(joint, order, channels))
    return found
