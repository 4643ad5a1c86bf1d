# SPDX-License-Identifier: GPL-3.0-or-later
"""The numeric controls of a model in a scene: shape keys and custom properties, as the rig has set them.

A control is ``shape.KEY`` or ``shape.MESH.KEY``, ``BONE.KEY`` or ``property.KEY`` if a .blend was sampled, and the
bare name of a shape otherwise, which may be a shape key or a property of the mesh or the armature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from .matching import matched

Array = np.ndarray[Any, Any]


class Place(NamedTuple):
    """Where a control is: ``kind`` "shape", "bone" or "object"; the object's name and library, the bone, the key."""

    kind: str
    owner: tuple[str, str | None]
    bone: str
    key: str

    @property
    def holder(self) -> Any:
        """What has the value: the shape key, or the pose bone or object with a custom property."""
        item = bpy.data.objects[self.owner]
        if self.kind == "shape":
            return item.data.shape_keys.key_blocks[self.key]
        return item.pose.bones[self.bone] if self.kind == "bone" else item


class Dials:
    """K controls of a model.

    Parameters
    ----------
    names : list of K str
    rest : (K,)
        The values of controls that the scene lacks.
    armature : object or None
    meshes : list of objects
        Whose shape keys, and own properties, may be controls.

    Attributes
    ----------
    names : list of str
    missing : list of str
        Controls that the scene lacks.
    there : list of str
        Names that the scene has.
    """

    def __init__(self, names: Sequence[str], rest: Array, armature: Any | None, meshes: Sequence[Any]) -> None:
        self._places, self.there = places_of(names, armature, meshes)
        self._rest = np.asarray(rest, np.float32)
        self.names = list(names)
        self.missing = [name for name, place in zip(names, self._places) if place is None]  # noqa: B905

    def read(self, depsgraph: Any) -> Array:
        """The values (K,) float32 of an evaluated scene. KeyError if one is gone."""
        values = self._rest.copy()
        evaluated: dict[Any, Any] = {}
        for index, place in enumerate(self._places):
            if place is None:
                continue
            about = (place.kind == "shape", place.owner)
            if about not in evaluated:
                evaluated[about] = _evaluated(place, depsgraph)
            item = evaluated[about]
            if place.kind == "shape":
                values[index] = item[place.key].value
            else:
                values[index] = (item.pose.bones[place.bone] if place.kind == "bone" else item)[place.key]
        return values


def places_of(
    names: Sequence[str], armature: Any | None, meshes: Sequence[Any]
) -> tuple[list[Place | None], list[str]]:
    """Where the scene has controls of some names, None for those that it lacks; and all names that it has."""
    known = dict[str, Place]()
    for name, place in _places(armature, meshes):
        known.setdefault(name, place)
    found = matched(names, list(known))
    return [known[found[name]] if name in found else None for name in names], list(known)


def _evaluated(place: Place, depsgraph: Any) -> Any:
    item = bpy.data.objects[place.owner]
    if place.kind == "shape":
        return item.data.shape_keys.evaluated_get(depsgraph).key_blocks
    return item.evaluated_get(depsgraph)


def owner_of(item: Any) -> tuple[str, str | None]:
    """The key of an object in ``bpy.data.objects``."""
    return item.name, item.library.filepath if item.library is not None else None


def _places(armature: Any | None, meshes: Sequence[Any]) -> Iterator[tuple[str, Place]]:
    for mesh in meshes:
        keys = mesh.data.shape_keys
        for block in keys.key_blocks if keys is not None else ():
            place = Place("shape", owner_of(mesh), "", block.name)
            for name in (block.name, f"shape.{block.name}", f"shape.{mesh.name}.{block.name}"):
                yield name, place
    for item in (*meshes, *([armature] if armature is not None else [])):
        for key in _numbers(item):
            place = Place("object", owner_of(item), "", key)
            yield key, place
            if item is armature:
                yield f"property.{key}", place
    for bone in armature.pose.bones if armature is not None else ():
        for key in _numbers(bone):
            yield f"{bone.name}.{key}", Place("bone", owner_of(armature), bone.name, key)


def _numbers(owner: Any) -> list[str]:
    """The custom properties that are numbers."""
    return [key for key, value in owner.items() if isinstance(value, (int, float))]
