"""A host's description of a character: the bone that each channel moves, and the surface of its meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.blender.host.control_rigs.joint_limits import Reach
from rigcast._formats.blender.host.control_rigs.recognition import ControlledLimb, ControlSets
from rigcast._rigs.rig import FollowerRotations, Mechanism, RotationChannels, ScaleChannels, TranslationChannels
from rigcast._rigs.surface import Surface, joined


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
        product = _product(mode)
        order = "".join(axis for axis in product if f"{name}.rotation_{axis.lower()}" in index)
        if order:
            channels = tuple(index[f"{name}.rotation_{axis.lower()}"] for axis in order)
            found.append(RotationChannels(joint, order, channels))
    return found


def follower_rotations(
    channel_names: Sequence[str],
    joint_names: Sequence[str],
    modes: Sequence[str],
    followers: Mapping[str, Mapping[str, tuple[str, float]]],
) -> list[FollowerRotations]:
    """The bones that drivers turn with other bones' channels.

    Parameters
    ----------
    channel_names, joint_names, modes : sequences of str
        As for :func:`rotation_channels`.
    followers : mapping
        Bone to axis (``"x"``) to the channel that is copied and its factor. What copies no channel is left out.
    """
    index = {name: i for i, name in enumerate(channel_names)}
    found = []
    for joint, (name, mode) in enumerate(zip(joint_names, modes, strict=True)):
        turns = {a: (f"{name}.rotation_{a}", 1.0) for a in "xyz"} | dict(followers.get(name, {}))
        order = "".join(axis for axis in _product(mode) if turns[axis.lower()][0] in index)
        driven = [axis for axis in order if axis.lower() in followers.get(name, {})]
        if driven:
            leaders, factors = zip(*(turns[axis.lower()] for axis in order), strict=True)
            found.append(FollowerRotations(joint, order, tuple(index[leader] for leader in leaders), factors))
    return found


def _product(mode: str) -> str:
    """The axes of a rotation mode, leftmost factor in column vectors first."""
    return (mode if mode not in ("QUATERNION", "AXIS_ANGLE") else "XYZ")[::-1]


def axis_channels(
    channel_names: Sequence[str], joint_names: Sequence[str]
) -> tuple[list[TranslationChannels], list[ScaleChannels]]:
    """The location and the scale channels of each bone that has any: ``bone.location_x``, ``bone.scale_x``."""
    index = {name: i for i, name in enumerate(channel_names)}

    def groups(kind: str) -> list[tuple[int, tuple[int, ...]]]:
        rows = [tuple(index.get(f"{name}.{kind}_{axis}", -1) for axis in "xyz") for name in joint_names]
        return [(joint, row) for joint, row in enumerate(rows) if max(row) >= 0]

    return [TranslationChannels(*group) for group in groups("location")], [
        ScaleChannels(*group) for group in groups("scale")
    ]


def mechanism(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Mechanism:
    """All bones of the armature, and the channels that turn and shift them."""
    from rigcast._core import Skeleton

    names = header["bones"]
    turning = rotation_channels(header["channel_names"], names, header["rotation_modes"])
    shifting, _ = axis_channels(header["channel_names"], names)
    skeleton = Skeleton(names, arrays["bone_parents"], arrays["bone_rest"])
    return Mechanism(skeleton, turning, shifting, header["mechanism"], header["unread"])


def surface_of_meshes(parts: list[dict[str, Any]], arrays: dict[str, NDArray[Any]]) -> Surface:
    """Each mesh object a part by its name; equal names of materials are one material, unused ones are left out.

    Parameters
    ----------
    parts : list of dict
        ``name``, counts of ``vertices``, ``faces``, ``uvs`` and ``corners``, and ``materials``, of each mesh.
    arrays : dict
        ``surface_kinds`` (F,), ``surface_uvs`` (U, 2) and ``surface_corners``, of all meshes, one after another.
    """
    starts = dict.fromkeys(("faces", "uvs", "corners"), 0)

    def next_rows(key: str, size: str, count: int) -> NDArray[Any]:
        first = starts[size]
        starts[size] += count
        return arrays[key][first : starts[size]]

    meshes = []
    for part in parts:
        kinds = next_rows("surface_kinds", "faces", part["faces"])
        used = np.unique(kinds[kinds >= 0])
        place = np.full(len(part["materials"]) + 1, -1, np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        surface = Surface(
            materials=[part["materials"][kind] for kind in used.tolist()],
            face_materials=place[kinds] if len(used) else np.zeros(0, np.int32),
            uvs=next_rows("surface_uvs", "uvs", part["uvs"]),
            uv_faces=next_rows("surface_corners", "corners", part["corners"]) if part["uvs"] else Surface().uv_faces,
        )
        meshes.append((part["name"], part["vertices"], part["faces"], surface))
    return joined(meshes)


def control_sets(header: Mapping[str, Any]) -> ControlSets | None:
    """The control sets that the host recognized."""
    facts = header["control_sets"]
    if facts is None:
        return None
    limbs = [ControlledLimb(**{**limb, "fk": tuple(limb["fk"]), "ik": tuple(limb["ik"])}) for limb in facts["limbs"]]
    return ControlSets(facts["habit"], tuple(limbs), tuple(facts["settings"]), facts["roles"])


def reaches(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[Reach]:
    """The regions that the IK targets of a control rig can reach."""
    numbers = zip(arrays["reach_axes"], arrays["reach_offsets"], arrays["reach_distances"], strict=True)
    return [
        Reach(target, axes, offset, float(least), float(most))
        for target, (axes, offset, (least, most)) in zip(header["reaches"], numbers, strict=True)
    ]
