"""Facts that a model file states: names, channels, joints, meshes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import Float32
from ._structures import CChannel, CDescription, copied, texts


@dataclass(frozen=True)
class Channel:
    """A number that an artist sets on a rig. Immutable.

    Attributes
    ----------
    name, kind : str
        The kind is "rotate_x" ... "translate_x" ... "scale_x" ... along the joint's rest axes, "dial" (the numeric
        control of the same name), "control" (what constraints, drivers and inverse kinematics of the rig pass on), or
        "other" (something that the rig does not describe).
    low, high, rest : float
    unit : str
        "degrees", "rig" (the rig's unit of length) or "".
    joint : str or None
        Name of the joint; None for a dial.
    whole : bool
        True if the rig rounds the dial to a whole number.
    reason : str
        Why nothing that the model knows decides it; empty if something does.
    index : int
        Its column in channels (T, N).
    """

    name: str
    kind: str
    low: float
    high: float
    rest: float
    unit: str
    joint: str | None
    whole: bool
    reason: str
    index: int

    @property
    def follows_kinematics(self) -> bool:
        """True if plain kinematics, or the rig's own constraints, drivers and inverse kinematics as the model keeps
        them, decide the effect of the channel."""
        return not self.reason


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of J joints.

    Transforms are 3x4, row-major, and act on column vectors: x goes to A x + t.

    Attributes
    ----------
    names : list of str
        Names of the J joints.
    parents : (J,) int32
        The parent of each joint, -1 for a root.
    rest : (J, 3, 4) float32
        Parent-relative rest transforms.
    """

    names: list[str]
    parents: NDArray[np.int32]
    rest: Float32

    @property
    def num_joints(self) -> int:
        """J."""
        return len(self.names)


class Described:
    """A model's facts, read from the description that the library keeps of it; arrays and lists are copies."""

    _facts: CDescription

    @property
    def kind(self) -> str:
        """Kind of the model, as its file names it: "body", "blendshape", "linear_blend", "face_maps", ..."""
        return _text(self._facts.kind)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the model file, as a dict."""
        found: dict[str, Any] = json.loads(self._facts.metadata)
        return found

    @property
    def meters_per_unit(self) -> float:
        """Length of the model's unit in meters."""
        return float(self._facts.meters_per_unit)

    @property
    def up_axis(self) -> str:
        """ "X", "Y" or "Z"."""
        return _text(self._facts.up_axis)

    @property
    def num_vertices(self) -> int:
        """V."""
        return int(self._facts.vertices)

    @property
    def num_refinements(self) -> int:
        """R: the refinement segments of a face on deformation maps, whose detail sessions set; 0 of other kinds."""
        return int(self._facts.detail_segments)

    @property
    def rest_vertices(self) -> Float32:
        """(V, 3) float32: the rest pose."""
        return copied(self._facts.rest_vertices, np.float32, self.num_vertices, 3)

    @property
    def rest_pose(self) -> Float32:
        """(C,) float32: every joint at rest, every numeric control at the value nearest to 0 in its range."""
        return copied(self._facts.rest_pose, np.float32, self._facts.columns)

    @property
    def faces(self) -> NDArray[np.int32]:
        """(F, 4) int32: -1 pads triangles."""
        return copied(self._facts.face_corners, np.int32, self._facts.faces, 4)

    @property
    def control_names(self) -> list[str]:
        """Names of the C columns of a pose."""
        return texts(self._facts.column_names, self._facts.columns)

    @property
    def control_ranges(self) -> Float32:
        """(C, 2) float32: lowest and highest value of each column in training; bounds of a blendshape rig's weights."""
        return copied(self._facts.column_ranges, np.float32, self._facts.columns, 2)

    @property
    def channels(self) -> list[Channel]:
        """The artist's controls, a list of N Channel; empty if the model file has none."""
        joints = self.joint_names
        return [_channel(self._facts.channel[i], joints, i) for i in range(self._facts.channels)]

    @property
    def joint_names(self) -> list[str]:
        """Names of the J joints; empty for blendshapes."""
        return texts(self._facts.joint_names, self._facts.joints)

    @property
    def skeleton(self) -> Skeleton | None:
        """The joints; None for a model without joints (blendshapes)."""
        count = self._facts.joints
        if not count:
            return None
        parents = copied(self._facts.joint_parents, np.int32, count)
        return Skeleton(self.joint_names, parents, copied(self._facts.joint_rest, np.float32, count, 3, 4))

    @property
    def parts(self) -> list[str]:
        """Names of the parts; may be empty."""
        return texts(self._facts.part_names, self._facts.parts)

    @property
    def vertex_parts(self) -> NDArray[np.int32]:
        """(V,) int32: the part that each vertex belongs to, -1 for none; (0,) without parts"""
        return copied(self._facts.vertex_parts, np.int32, self.num_vertices)

    @property
    def materials(self) -> list[str]:
        """Names of the materials; may be empty."""
        return texts(self._facts.material_names, self._facts.materials)

    @property
    def face_materials(self) -> NDArray[np.int32]:
        """(F,) int32: the material of each face, -1 for none; (0,) without materials"""
        return copied(self._facts.face_materials, np.int32, self._facts.faces)

    @property
    def uvs(self) -> Float32:
        """(U, 2) float32 texture coordinates, in any tile"""
        return copied(self._facts.uv, np.float32, self._facts.uvs, 2)

    @property
    def uv_faces(self) -> NDArray[np.int32]:
        """(F, 4) int32: the row of uvs at each corner of each face; -1 pads triangles, and stands at all corners of
        a face without texture coordinates; (0, 4) without any"""
        return copied(self._facts.uv_corners, np.int32, self._facts.faces, 4)


def _text(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def _channel(given: CChannel, joints: list[str], index: int) -> Channel:
    joint = None if given.joint < 0 else joints[given.joint]
    name, kind, unit, reason = map(_text, (given.name, given.kind, given.unit, given.reason))
    return Channel(name, kind, given.low, given.high, given.rest, unit, joint, bool(given.is_whole), reason, index)
