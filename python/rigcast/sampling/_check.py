"""Checks of a rig before it is sampled, and of its answers, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._hashing import padded_faces, topology_hash
from rigcast._posing import pose_names
from rigcast._rigs.description import Skin
from rigcast._rigs.rig import Rig
from rigcast._rigs.source_notes import notes_of
from rigcast._rigs.stated_channels import stated_kinematics
from rigcast._rigs.surface import Surface, check_surface, surface_of
from rigcast._shown import one_line
from rigcast._text import escaped
from rigcast._validate import Arguments, bad_argument
from rigcast.errors import SourceError

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # poses (t, C), vertices (t, V, 3)

NEEDED = ("channel_names", "channel_ranges", "dial_names", "rest_vertices", "faces", "sample")


@one_line
@dataclass(frozen=True)
class CheckedRig:
    """The result of :func:`check_rig`: what the rig states about itself, checked and copied.

    Attributes
    ----------
    channel_ranges : (N, 2) float64 array
    channel_rest : (N,) float64 array
    dial_names : list of str
        The K numeric controls alone.
    joint_names, joint_parents : list
        Empty for a rig without a skeleton.
    skeleton_rest : (J, 3, 4) float32 array
    rest_vertices : (V, 3) float32 array
    faces : (F, 4) int32 array
    kinematics : dict
        What each channel turns.
    resting : dict
        Deforming joints, controls, shapes and dials that no channel moves, by name, with the reason.
    surface : Surface
        Named parts, materials and texture coordinates; empty if the rig states none.
    skin : Skin or None
        The rig's own skin weights, if it states any.
    """

    name: str
    licence: str
    origin: str
    meters_per_unit: float
    up_axis: str
    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    channel_rest: NDArray[np.float64]
    dial_names: list[str]
    joint_names: list[str]
    joint_parents: list[int]
    skeleton_rest: NDArray[np.float32]
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    kinematics: dict[str, object]
    resting: dict[str, str]
    surface: Surface
    skin: Skin | None
    notes: list[str]

    @property
    def pose_names(self) -> list[str]:
        """Names of the C columns of a pose."""
        return pose_names(self.joint_names, self.dial_names)

    @property
    def topology_hash(self) -> str:
        """Hash of faces and vertex count (see :func:`rigcast.topology_hash`)."""
        return topology_hash(self.faces, len(self.rest_vertices))


def check_rig(rig: Rig, function: str = "check_rig") -> CheckedRig:
    """Check everything that a rig states about itself, without evaluating it.

    Parameters
    ----------
    rig : Rig
        See :class:`rigcast.sources.Rig`.
    function : str
        Public name that error messages open with.

    Returns
    -------
    CheckedRig

    Raises
    ------
    ValueError
        For a missing attribute, an empty mesh, faces out of range, ranges that are not finite or upside down,
        repeated names, a skeleton that is cyclic or not in parent-first order, a joint of zero scale, units
        that make no sense.

    Examples
    --------
    >>> rc.sampling.check_rig(rc.sources.example_body()).channel_names[:2]
    ['shoulder.rz', 'shoulder.rx']
    """
    missing = [name for name in NEEDED if not hasattr(rig, name)]
    if missing:
        given: object = rig
        if isinstance(given, BlendshapeRig):
            raise bad_argument(function, "rig", "a BlendshapeRig", "a rig: rigcast.sources.rig_of_face(face) makes one")
        got = f"a {type(rig).__name__} without {', '.join(missing)}"
        raise bad_argument(function, "rig", got, f"an object with {', '.join(NEEDED)}")
    channel_names = _names(rig.channel_names, function, "rig.channel_names", at_least_one="channel")
    ranges = _ranges(rig.channel_ranges, len(channel_names), function)
    channel_rest = _channel_rest(getattr(rig, "channel_rest", None), ranges, function)
    joint_names, parents, skeleton_rest = _skeleton(getattr(rig, "skeleton", None), function)
    rest_vertices = _rest_vertices(rig.rest_vertices, function)
    dial_names = _dials(rig.dial_names, joint_names, function)
    meters_per_unit, up_axis = _units(rig, function)
    name, licence, origin = (_text(rig, attribute, function) for attribute in ("name", "licence", "origin"))
    resting = _resting(getattr(rig, "resting", {}), function)
    skin = _skin(rig, len(rest_vertices), len(joint_names), function)
    faces = check_faces(rig.faces, len(rest_vertices), function, "rig.faces")
    return CheckedRig(
        name=name,
        licence=licence,
        origin=origin,
        meters_per_unit=meters_per_unit,
        up_axis=up_axis,
        channel_names=channel_names,
        channel_ranges=ranges,
        channel_rest=channel_rest,
        dial_names=dial_names,
        joint_names=joint_names,
        joint_parents=parents,
        skeleton_rest=skeleton_rest,
        rest_vertices=rest_vertices,
        faces=faces,
        kinematics=stated_kinematics(rig, channel_names, joint_names, dial_names, function),
        resting=resting,
        surface=check_surface(surface_of(rig), len(rest_vertices), faces, function, "rig.surface"),
        skin=skin,
        notes=[escaped(note) for note in notes_of(rig)],
    )


def check_answer(facts: CheckedRig, answer: object, rows: range, kind: str) -> Answer:
    """Check what ``rig.sample`` returned for some channel rows; returns float32 poses and vertices.

    ``kind`` and ``rows`` name the rows in messages: ``"channel row"`` and their numbers.

    Raises
    ------
    ValueError
        For a wrong type, number of arrays, dtype or shape.
    SourceError
        For NaN or infinity; the message names the first such row.
    """
    function = f"sample ({kind}s {rows[0]} to {rows[-1]})"
    if not isinstance(answer, Sequence) or len(answer) != 2:
        got = f"{len(answer)} values" if isinstance(answer, Sequence) else f"a {type(answer).__name__}"
        raise bad_argument(function, "the rig's answer", got, "two arrays: poses (T, C) and vertices (T, V, 3)")
    joints, dials = len(facts.joint_names), len(facts.dial_names)
    columns = f"12 numbers for each of {joints} joints and {dials} numeric controls"
    poses = _answer_array(answer[0], (len(rows), 12 * joints + dials), function, "poses", columns)
    count = len(facts.rest_vertices)
    text = f"the {count} vertices of rig.rest_vertices; the number of vertices may not change"
    vertices = _answer_array(answer[1], (len(rows), count, 3), function, "vertices", text)
    for name, array in (("poses", poses), ("vertices", vertices)):
        if not np.isfinite(array).all():
            first = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            place = f"{name} of {kind} {rows[first[0]]}, at {list(first[1:])}"
            raise SourceError(f"{function}: the rig returned {array[first]} in {place}; finished shards are kept")
    return poses, vertices


def check_faces(faces: ArrayLike, num_vertices: int, function: str, argument: str) -> NDArray[np.int32]:
    """Faces as (F, 4) int32; ``ValueError`` when empty or when an index is outside the vertices."""
    corners = padded_faces(faces, function, num_vertices, argument)
    if len(corners) == 0:
        raise bad_argument(function, argument, "empty", "at least one face")
    return corners


def _skin(rig: Any, num_vertices: int, num_joints: int, function: str) -> Skin | None:
    """The rig's own skin weights."""
    skin = getattr(rig, "own_skin", None)
    if not isinstance(skin, Skin) or not num_joints:
        return None
    if len(skin.joint) != num_vertices or skin.joint.min() < 0 or skin.joint.max() >= num_joints:
        got = f"for {len(skin.joint)} vertices, joints {skin.joint.min()} to {skin.joint.max()}"
        raise bad_argument(function, "rig.own_skin", got, f"for {num_vertices} vertices, joints 0 to {num_joints - 1}")
    return skin


def _names(value: Any, function: str, argument: str, at_least_one: str = "") -> list[str]:
    names = Arguments(function).names(argument, value)
    if at_least_one and not names:
        raise bad_argument(function, argument, "empty", f"the names of at least one {at_least_one}")
    return names


def _ranges(value: Any, count: int, function: str) -> NDArray[np.float64]:
    argument = "rig.channel_ranges"
    ranges = np.array(Arguments(function, N=count).numbers(argument, value, "N 2", narrow=True))
    upside_down = np.flatnonzero(ranges[:, 0] > ranges[:, 1])
    if len(upside_down):
        row = int(upside_down[0])
        got = f"{ranges[row, 0]} to {ranges[row, 1]} in row {row}"
        raise bad_argument(function, argument, got, "lowest value first in every row")
    return ranges


def _channel_rest(value: Any, ranges: NDArray[np.float64], function: str) -> NDArray[np.float64]:
    if value is None:
        return np.asarray(np.clip(0.0, ranges[:, 0], ranges[:, 1]))
    return np.array(Arguments(function, N=len(ranges)).numbers("rig.channel_rest", value, "N", narrow=True))


def _resting(value: Any, function: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(
        isinstance(text, str) and text for pair in value.items() for text in pair
    ):
        raise bad_argument(function, "rig.resting", f"{value!r:.60}", "a mapping from names to reasons")
    return dict(value)


def _skeleton(skeleton: Any, function: str) -> tuple[list[str], list[int], NDArray[np.float32]]:
    if skeleton is None:
        return [], [], np.zeros((0, 3, 4), np.float32)
    if not all(hasattr(skeleton, name) for name in ("names", "parents", "rest")):
        got = f"a {type(skeleton).__name__}"
        raise bad_argument(function, "rig.skeleton", got, "a rigcast.Skeleton, or None for a rig without joints")
    names = _names(skeleton.names, function, "rig.skeleton.names", at_least_one="joint")
    check = Arguments(function, J=len(names))
    parents: list[int] = check.integers("rig.skeleton.parents", skeleton.parents, "J", low=-1).tolist()
    for joint, parent in enumerate(parents):
        if not -1 <= parent < joint:
            got = f"{parent} for joint {joint} ({names[joint]!r})"
            expected = "-1 for a root or the index of an earlier joint, without cycles"
            raise bad_argument(function, "rig.skeleton.parents", got, expected)
    rest = check.numbers("rig.skeleton.rest", skeleton.rest, "J 3 4", narrow=True)
    flat = np.flatnonzero(np.abs(np.linalg.det(rest[:, :, :3])) == 0.0)
    if len(flat):
        got = f"a transform of zero volume at joint {int(flat[0])} ({names[int(flat[0])]!r})"
        raise bad_argument(function, "rig.skeleton.rest", got, "transforms that can be inverted")
    return names, parents, rest.astype(np.float32)


def _dials(value: Any, joint_names: list[str], function: str) -> list[str]:
    """The K numeric controls, which are no columns of joints."""
    names = _names(value, function, "rig.dial_names")
    columns = set(pose_names(joint_names))
    if not names and not columns:
        expected = "the names of at least one dial, because there is no skeleton either"
        raise bad_argument(function, "rig.dial_names", "empty", expected)
    clash = [name for name in names if name in columns]
    if clash:
        got = f"a list of {len(names)} names that holds the joint column {clash[0]!r}"
        raise bad_argument(function, "rig.dial_names", got, "the names of the numeric controls alone")
    return names


def _rest_vertices(value: Any, function: str) -> NDArray[np.float32]:
    return np.array(Arguments(function).numbers("rig.rest_vertices", value, "V+ 3", dtype=np.float32))


def _units(rig: Rig, function: str) -> tuple[float, str]:
    meters_per_unit, up_axis = getattr(rig, "meters_per_unit", 1.0), getattr(rig, "up_axis", "Y")
    meters_per_unit = Arguments(function).unit("rig.meters_per_unit", meters_per_unit)
    if up_axis not in ("X", "Y", "Z"):
        raise bad_argument(function, "rig.up_axis", repr(up_axis), '"X", "Y" or "Z"')
    return meters_per_unit, up_axis


def _text(rig: Rig, attribute: str, function: str) -> str:
    value = getattr(rig, attribute, "")
    if not isinstance(value, str):
        raise bad_argument(function, f"rig.{attribute}", f"a {type(value).__name__}", "text")
    return value


def _answer_array(
    value: Any, shape: tuple[int, ...], function: str, argument: str, meaning: str
) -> NDArray[np.float32]:
    expected = f"a float32 array {shape}: {meaning}"
    words = " ".join(map(str, shape))
    array = Arguments(function).numbers(argument, value, words, dtype=None, finite=False, must=expected)
    if array.dtype.kind != "f":
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, "<f4")
