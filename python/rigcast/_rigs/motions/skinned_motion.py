"""A moving skeleton and the mesh that linear skinning hangs on it, about to be written."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.description import Joints, Morph
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.rotations import (
    Float64,
    compose,
    globals_of,
    invert,
    matrix_to_quaternion,
    nearest_rotation,
    quaternion_to_matrix,
    transform_of,
)
from rigcast._rigs.skinned import SkinnedRig

CONSTANT = 1e-6  # scales nearer to 1 are rounding, of poses in float32


@dataclass(frozen=True)
class Keys:
    """Transforms as files hold them.

    Attributes
    ----------
    translation : (T, J, 3) float32 array
    rotation : (T, J, 4) float32 array, quaternions (x, y, z, w)
    scale : (T, J, 3) float32 array
        Along the joint's own axes, before its rotation.
    """

    translation: NDArray[np.float32]
    rotation: NDArray[np.float32]
    scale: NDArray[np.float32]

    @classmethod
    def of(cls, local: Float64) -> Keys:
        """Of parent-relative transforms (T, J, 3, 4); shear is lost."""
        linear = np.array(local[..., :3])
        mirror = np.where(np.linalg.det(linear) < 0, -1.0, 1.0)
        linear[..., 0] *= mirror[..., None]
        rotation = nearest_rotation(linear)
        scale = np.diagonal(np.swapaxes(rotation, -1, -2) @ linear, axis1=-2, axis2=-1).copy()
        scale[np.abs(scale - 1.0) < CONSTANT] = 1.0
        scale[..., 0] *= mirror
        quaternion = matrix_to_quaternion(rotation)
        return cls(*(np.ascontiguousarray(part, np.float32) for part in (local[..., 3], quaternion, scale)))

    def local(self) -> Float64:
        """The transforms (T, J, 3, 4) that the keys stand for."""
        return transform_of(quaternion_to_matrix(self.rotation) * self.scale[..., None, :], self.translation)


@dataclass(frozen=True)
class SkinnedMotion:
    """Frames of a character.

    Attributes
    ----------
    rig : SkinnedRig
        Joints, skin, mesh and morphs; what it has of channels does not count.
    local : (T, J, 3, 4) float64 array, parent-relative
    amounts : (T, M) float64 array
        Of the morphs.
    fps : float
        Frames per second.
    clips : tuple of (name, number of frames)
        That the frames are made of, one after another; one clip if it is empty.
    """

    rig: SkinnedRig
    local: Float64
    amounts: Float64
    fps: float
    clips: tuple[tuple[str, int], ...] = ()

    def __len__(self) -> int:
        return len(self.local)

    @property
    def spans(self) -> dict[str, slice]:
        """The frames of each clip by name."""
        clips = self.clips or (("motion", len(self)),)
        ends = np.cumsum([count for _, count in clips]).tolist()
        return {name: slice(end - count, end) for (name, count), end in zip(clips, ends, strict=True)}

    @property
    def joints(self) -> Joints:
        """The skeleton."""
        assert self.rig.joints is not None
        return self.rig.joints

    def placed(self, meters_per_unit: float, up_axis: str) -> SkinnedMotion:
        """The same in another unit and other axes."""
        rig, facts = self.rig, self.rig.facts
        if (meters_per_unit, up_axis) == (facts.meters_per_unit, facts.up_axis):
            return self
        scale, turn = facts.meters_per_unit / meters_per_unit, turn_between(facts.up_axis, up_axis)
        rest, local = self.joints.rest.copy(), self.local.copy()
        roots = np.asarray(self.joints.parents) < 0
        for transforms in (rest, local):
            transforms[..., 3] *= scale
            transforms[..., roots, :, :] = turn @ transforms[..., roots, :, :]
        joints = Joints(self.joints.names, self.joints.parents, rest)
        turned = [(scale * morph.deltas @ turn.T).astype(np.float32) for morph in rig.morphs]
        morphs = [Morph(old.name, old.vertices, deltas) for old, deltas in zip(rig.morphs, turned, strict=True)]
        vertices = scale * rig.rest_vertices.astype(np.float64) @ turn.T
        facts = replace(facts, meters_per_unit=meters_per_unit, up_axis=up_axis)
        placed = SkinnedRig(
            vertices, rig.faces, joints, skin=rig.skin, channels=[], morphs=morphs, facts=facts, surface=rig.surface
        )
        return replace(self, rig=placed, local=local)

    def without_rest_scale(self) -> SkinnedMotion:
        """The same motion of the mesh by joints that are not stretched at rest; itself if none is."""
        world = self.joints.rest_globals
        stretch = transform_of(np.linalg.inv(nearest_rotation(world[..., :3])) @ world[..., :3], np.zeros(3))
        if np.abs(stretch[..., :3] - np.eye(3)).max() < CONSTANT:
            return self
        undo, parents = invert(stretch), self.joints.parents
        rest, moved = (self._relative(compose(globals_of(parents, at), undo)) for at in (self.joints.rest, self.local))
        rig = self.rig
        joints = Joints(self.joints.names, parents, rest)
        plain = SkinnedRig(
            rig.rest_vertices,
            rig.faces,
            joints,
            skin=rig.skin,
            channels=[],
            morphs=rig.morphs,
            facts=rig.facts,
            surface=rig.surface,
        )
        return replace(self, rig=plain, local=moved)

    def _relative(self, world: Float64) -> Float64:
        parents = np.asarray(self.joints.parents)
        below, local = parents >= 0, world.copy()
        local[..., below, :, :] = compose(invert(world[..., parents[below], :, :]), world[..., below, :, :])
        return np.asarray(local)

    def keys(self) -> Keys:
        """The keys of the frames in a file."""
        return Keys.of(self.local)

    def shown(self, frames: slice) -> NDArray[np.float32]:
        """The mesh (t, V, 3) in some frames, as a file of :meth:`keys` shows it."""
        local = Keys.of(self.local[frames]).local()
        rows = np.pad(local.reshape(len(local), -1), ((0, 0), (0, len(self.rig.dial_names))))
        return self.rig.deform(rows, self.amounts[frames])
