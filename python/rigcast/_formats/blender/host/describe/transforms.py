"""Transforms of bones as the columns of poses: parent-relative, those of roots in world space. NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
AFTER, BEFORE = [1, 2, 0], [2, 0, 1]  # axes, and rows, of cross products
SNAP = 4e-6  # float32 rounding of a chain of bone matrices


def relative(placed: Any, bones: Any, names: Sequence[str], parents: Sequence[int], attribute: str = "matrix") -> Array:
    """Parent-relative transforms (J, 3, 4) of the bones called ``names``; those of roots are in world space.

    Parameters
    ----------
    placed : object
        The evaluated armature object.
    bones : collection
        Of bones, or of evaluated pose bones.
    names, parents : sequences
        Parents are indices of names, -1 for roots.
    attribute : str
        A 4x4 matrix property of the bones.
    """
    own = bone_matrices(bones, places_of(bones, names), attribute)
    return parent_relative(np.array(placed.matrix_world, np.float64) @ own, parents)


def parent_relative(world: Array, parents: Sequence[int] | Array) -> Array:
    """World transforms (J, 4, 4) as seen from their parents, (J, 3, 4); those of roots stay."""
    above = np.asarray(parents, np.intp)
    result = world.copy()
    children = np.flatnonzero(above >= 0)
    result[children] = affine_inverse(world[above[children]]) @ world[children]
    return np.asarray(result[:, :3])


def places_of(bones: Any, names: Sequence[str]) -> Array:
    """Places (J,) of the bones called ``names`` among all of a collection; KeyError without one."""
    position = {bone.name: index for index, bone in enumerate(bones)}
    return np.array([position[name] for name in names], np.intp)


def bone_matrices(bones: Any, places: Array, attribute: str = "matrix") -> Array:
    """A 4x4 matrix property, in the armature's space, of the bones at :func:`places_of` their names, (J, 4, 4)."""
    raw = np.empty((len(bones), 4, 4), np.float32)
    bones.foreach_get(attribute, raw.reshape(-1))
    return np.asarray(raw[places].transpose(0, 2, 1), np.float64)


def snapped(current: Array, rest: Array) -> Array:
    """Transforms (J, 3, 4) within float32 rounding of those at rest are set to them."""
    scale = np.array([1.0, 1.0, 1.0, 1.0 + np.abs(rest[:, :, 3]).max(initial=0.0)])
    return np.where(np.abs(current - rest) < SNAP * scale, rest, current)


def affine_inverse(matrices: Array) -> Array:
    """Inverses of affine matrices (J, 4, 4), by cofactors; a collapsed one gives infinities, which are reported."""
    rows = matrices[:, :3, :3]
    one, two = rows[:, AFTER], rows[:, BEFORE]
    crossed = one[:, :, AFTER] * two[:, :, BEFORE] - one[:, :, BEFORE] * two[:, :, AFTER]
    cofactors = np.ascontiguousarray(crossed.transpose(0, 2, 1))
    result = np.zeros_like(matrices)
    with np.errstate(divide="ignore", invalid="ignore"):
        result[:, :3, :3] = cofactors / np.einsum("ji,ji->j", rows[:, 0], cofactors[:, :, 0])[:, None, None]
        result[:, :3, 3] = -np.einsum("jik,jk->ji", result[:, :3, :3], matrices[:, :3, 3])
    result[:, 3, 3] = 1.0
    return result
