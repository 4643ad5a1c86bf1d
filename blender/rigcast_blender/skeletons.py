# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a model as bones of an armature: the columns of a pose, and where the model stands in the scene.

What an armature object does as a whole is no pose: models are sampled while it stands still. So poses are read in the
armature's space, brought to the model's, and the motion of the object moves the vertices afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .matching import BindError, matched, missing_words
from .runtime import transforms

Array = np.ndarray[Any, Any]
TURNS = {  # columns: the model's x, y, z in Blender, where z is up
    "X": ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    "Y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "Z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
SAME = 1e-4  # of the skeleton's size: rests that differ by rounding alone
ELSEWHERE = 0.02  # of it: rests that are not the same
EXACT = 1e-6  # a transform that is nearer to none is none


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of a model among the bones of an armature.

    Attributes
    ----------
    bones : list of J str
        Their names in the armature.
    places : (J,) int array
        Of the pose bones.
    parents : (J,) int array
    rest : (J, 3, 4) array
        The model's.
    space : (4, 4) array or None
        From the armature's space to the model's; None if they are the same.
    change : (J, 4, 4) array or None
        From the axes of the bones to those of the joints; None if they are the same.
    """

    bones: list[str]
    places: Array
    parents: Array
    rest: Array
    space: Array | None
    change: Array | None

    def pose(self, evaluated: Any) -> Array:
        """The columns (12 J,) of an evaluated armature, read as rigcast reads a .blend that it samples.

        Raises
        ------
        KeyError
            If bones were renamed, added or removed.
        """
        bones = evaluated.pose.bones
        if len(bones) <= self.places.max() or [bones[i].name for i in self.places.tolist()] != self.bones:
            raise KeyError("bones")
        world = moved_rigidly(self.space, transforms.bone_matrices(bones, self.places))
        if self.change is not None:
            world = world @ self.change
        return np.asarray(transforms.snapped(transforms.parent_relative(world, self.parents), self.rest).reshape(-1))

    def placement(self, evaluated: Any) -> Array | None:
        """From the model's space to the world (4, 4); None if they are the same."""
        placed = np.array(evaluated.matrix_world, np.float64)
        result = placed if self.space is None else placed @ np.linalg.inv(self.space)
        return unless_identity(result)


def joints_of(model: Any, armature: Any, unit: float) -> Joints:
    """The bones of an armature that a model's joints are called after.

    Parameters
    ----------
    model : Deformer
    armature : object
    unit : float
        Length of the scene's unit in meters.

    Raises
    ------
    BindError
        If one is not there, or the armature rests in another way than the skeleton.
    """
    skeleton, known = model.skeleton, [bone.name for bone in armature.data.bones]
    found = matched(skeleton.names, known)
    missing = [name for name in skeleton.names if name not in found]
    if missing:
        words = missing_words(missing, known, len(skeleton.names))
        raise BindError(f"armature {armature.name} lacks bones of the model, {words}")
    bones = [found[name] for name in skeleton.names]
    places = transforms.places_of(armature.pose.bones, bones)
    rest, parents = np.asarray(skeleton.rest, np.float64), np.asarray(skeleton.parents, np.intp)
    own = transforms.bone_matrices(
        armature.data.bones, transforms.places_of(armature.data.bones, bones), "matrix_local"
    )
    space, change = _fitted(own, _world(rest, parents), _axes(model, unit))
    if space is None:
        raise BindError(
            f"the bones of armature {armature.name} rest elsewhere than the model's joints: bind the armature that the "
            "model was learned from"
        )
    return Joints(bones, places, parents, rest, unless_identity(space), change)


def moved_rigidly(space: Array | None, transforms_there: Array) -> Array:
    """Transforms (J, 4, 4) moved into another space; its scale changes where they are, not how they are scaled."""
    if space is None:
        return transforms_there
    result = np.asarray(space @ transforms_there)
    result[:, :3, :3] /= np.cbrt(np.linalg.det(space[:3, :3]))
    return result


def unless_identity(matrix: Array) -> Array | None:
    """A transform (4, 4); None if it is none up to rounding."""
    return None if np.abs(matrix - np.eye(4)).max() < EXACT else matrix


def similarity(points: Array, there: Array) -> Array:
    """The rotation, scale and shift (4, 4) that bring points (N, 3) to where they are in another space, least squares.

    Source: Umeyama, Least-squares estimation of transformation parameters between two point patterns (1991).
    """
    first, second = points.mean(axis=0), there.mean(axis=0)
    a, b = points - first, there - second
    u, sizes, v = np.linalg.svd(b.T @ a)
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    turn = (u * sign) @ v
    scale = float((sizes * sign).sum() / max((a * a).sum(), 1e-30))
    result = np.eye(4)
    result[:3, :3] = scale * turn
    result[:3, 3] = second - scale * turn @ first
    return result


def _fitted(own: Array, joints: Array, axes: Array) -> tuple[Array | None, Array | None]:
    """The space of :class:`Joints` and its change; None, None if no space fits."""
    size = max(float(np.ptp(joints[:, :3, 3], axis=0).max()), 1e-6)
    spread = [float(np.linalg.norm(part[:, :3, 3] - part[0, :3, 3])) for part in (own, joints)]
    scale = spread[1] / spread[0] if min(spread) > 0.0 else 1.0 / float(np.linalg.norm(axes[0, :3]))
    scaled = np.diag([scale, scale, scale, 1.0])
    framed = joints[0] @ np.linalg.inv(moved_rigidly(scaled, own[:1])[0]) @ scaled
    weights = np.array([1.0, 1.0, 1.0, size])
    if (np.abs(moved_rigidly(framed, own) - joints)[:, :3] / weights).max() < SAME:
        return framed, None
    for space in (np.linalg.inv(axes), similarity(own[:, :3, 3], joints[:, :3, 3])):
        here = moved_rigidly(space, own)
        if np.linalg.norm(here[:, :3, 3] - joints[:, :3, 3], axis=1).max() < ELSEWHERE * size:
            return space, np.asarray(transforms.affine_inverse(here) @ joints)
    return None, None


def _axes(model: Any, unit: float) -> Array:
    """From the model's unit and axes to those of a scene (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = np.array(TURNS[model.up_axis], np.float64) * (model.meters_per_unit / unit)
    return result


def _world(local: Array, parents: Array) -> Array:
    result = np.tile(np.eye(4), (len(parents), 1, 1))
    result[:, :3] = local
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            result[joint] = result[parent] @ result[joint]
    return result
