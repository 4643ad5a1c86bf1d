# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of bound meshes: the pose of the scene as a row, the vertices of the meshes for it.

Nothing of Blender is held between two calls, for undo replaces it: characters are known by names, models by path and
time of change.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from .dials import Dials, owner_of
from .matching import BindError
from .model_paths import path_of
from .runtime import rr, transforms
from .skeletons import Joints, joints_of, similarity, unless_identity

Array = np.ndarray[Any, Any]
Owner = tuple[str, str | None]  # name and library of an object
OUTSIDE = 0.9  # confidence below which a pose lies outside of what was learned
SHARES = 0.5 ** np.arange(8)  # of a pose: so far outside that nothing is trusted, joints are told apart nearer to rest


@dataclass
class Character:
    """What a model and a rig share for all meshes that they move.

    Attributes
    ----------
    model : rr.Deformer
        Whole.
    joints : Joints or None
    dials : Dials
    session : rr.Session
        Of the vertices of the meshes that are shown.
    made : (V, 3) float32
        The vertices that ``session`` made last: new memory each time would cost page faults.
    shown : tuple
        What ``session`` was made for.
    row : (C,) or None
        The last pose.
    written : dict
        What was last written for each mesh.
    fits : dict
        From the model's space to each mesh's own, without joints.
    """

    model: Any
    joints: Joints | None
    dials: Dials
    session: Any = None
    made: Array | None = None
    shown: tuple[Any, ...] | None = None
    row: Array | None = None
    written: dict[Owner, bytes] = field(default_factory=dict)
    fits: dict[Owner, Array | None] = field(default_factory=dict)

    def pose(self, armature: Any | None, depsgraph: Any) -> Array:
        """The pose (C,) float32 of the evaluated scene."""
        parts = []
        if self.joints is not None:
            assert armature is not None
            parts.append(self.joints.pose(armature.evaluated_get(depsgraph)))
        parts.append(self.dials.read(depsgraph))
        row = np.concatenate(parts).astype(np.float32)
        if not np.isfinite(row).all():
            raise BindError("a bone has collapsed, or a control is no finite number: the model has no such pose")
        return row


_models: dict[tuple[str, int], Any] = {}  # by path and time of change
_characters: dict[tuple[Any, ...], Character] = {}  # by key_of


def load(path: str) -> Any:
    """The model of a file, by its absolute path; from memory if the file is the same.

    Raises
    ------
    BindError
        If it is not there or no model.
    """
    try:
        key = (path, os.stat(path).st_mtime_ns)
        if key not in _models:
            _models[key] = rr.load(path)
    except FileNotFoundError:
        raise BindError(f"the model file {path} is not there; bind again, or put it back") from None
    except OSError as error:
        raise BindError(f"the model file {path} cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise BindError(str(error)) from None
    return _models[key]


def model_of(item: Any) -> Any:
    """The whole model that a bound mesh has."""
    return load(path_of(item))


def part_rows(model: Any, part: str) -> Array | None:
    """The vertices of a part; None for the whole."""
    return None if not part else np.flatnonzero(model.vertex_parts == model.parts.index(part))


def key_of(item: Any) -> tuple[Any, ...]:
    """What meshes of one character share."""
    about = item.rigcast
    owner = about.armature or about.dials or item
    return path_of(item), owner_of(owner), about.dials and owner_of(about.dials)


def character_of(item: Any) -> Character:
    """The character of a bound mesh, as long as its model file is the same.

    Raises
    ------
    BindError
        If the file is gone, or the rig lacks what the model needs.
    """
    key, model = key_of(item), model_of(item)
    found = _characters.get(key)
    if found is None or found.model is not model:
        found = _characters[key] = make_character(item, model)
    return found


def make_character(item: Any, model: Any) -> Character:
    """Find joints and controls of a model in the scene."""
    armature, meshes = item.rigcast.armature, dial_meshes(item)
    joints = None
    if model.skeleton is not None:
        if armature is None:
            raise BindError(f"{item.name} follows no armature, and the model has joints: name the armature")
        joints = joints_of(model, armature, _unit())
    count = 0 if joints is None else 12 * len(joints.bones)
    names = model.control_names[count:]  # before them those of the joints' columns
    return Character(model, joints, Dials(names, model.rest_pose[count:], armature, meshes))


def pose_row(item: Any, depsgraph: Any) -> Array:
    """The pose (C,) float32 that a bound mesh has in an evaluated scene."""
    return character_of(item).pose(item.rigcast.armature, depsgraph)


def evaluate_shown(character: Character, items: Sequence[Any], row: Array, detail: float) -> dict[Owner, Array]:
    """The vertices (V, 3) of meshes for a pose, by owner: only what these meshes show is computed.

    They hold until the next call for this character.
    """
    rows = [part_rows(character.model, item.rigcast.part) for item in items]
    shown = (tuple(item.rigcast.part for item in items), detail)
    if character.shown != shown:
        model = character.model
        if all(part is not None for part in rows):
            chosen = np.concatenate(rows)  # type: ignore[arg-type]
            model = model if len(chosen) == model.num_vertices else model.restricted(chosen)
        character.session, character.shown = model.session(), shown
        character.made = np.empty((model.num_vertices, 3), np.float32)
        segments = model.num_refinements
        if segments:
            character.session.set_detail(np.full(segments, detail, np.float32))
    made = character.session.evaluate(row, character.made)
    restricted = len(made) != character.model.num_vertices
    result, first = {}, 0
    for item, part in zip(items, rows):  # noqa: B905
        if part is None:
            result[owner_of(item)] = made
        else:
            result[owner_of(item)] = made[first : first + len(part)] if restricted else made[part]
            first += len(part)
    return result


def placement(character: Character, item: Any, depsgraph: Any) -> Array | None:
    """From the model's space to the mesh's own (4, 4), in which its vertices are; None if they are one."""
    if character.joints is None:
        owner = owner_of(item)
        if owner not in character.fits:
            character.fits[owner] = _fit(character.model, item)
        return character.fits[owner]
    world = character.joints.placement(item.rigcast.armature.evaluated_get(depsgraph))
    own = np.array(item.evaluated_get(depsgraph).matrix_world, np.float64)
    if world is None and np.array_equal(own, np.eye(4)):
        return None
    back = transforms.affine_inverse(own[None])[0]
    return unless_identity(back if world is None else back @ world)


def _fit(model: Any, item: Any) -> Array | None:
    """From the space of a model without joints to that of a mesh, by the vertices at rest."""
    rows = part_rows(model, item.rigcast.part)
    here = model.rest_vertices.astype(np.float64)
    here, there = here if rows is None else here[rows], _rest_vertices(item)
    if len(there) != len(here) or np.abs(there - here).max() < 1e-5 * (1.0 + np.abs(there).max()):
        return None
    return similarity(here, there)


def placed(vertices: Array, matrix: Array | None) -> Array:
    """Vertices (V, 3) moved by a matrix (4, 4)."""
    if matrix is None:
        return vertices
    turn, shift = matrix[:3, :3].T.astype(np.float32), matrix[:3, 3].astype(np.float32)
    return np.asarray(vertices @ turn + shift)


class Lamp:
    """The trust in a pose, and the bone or control that lies outside of what was learned; asked for by the panel."""

    def __init__(self) -> None:
        self._seen: dict[Any, tuple[bytes, float, str]] = {}

    def of(self, item: Any) -> tuple[float, str] | None:
        """(confidence, name or ""); None before the first evaluation."""
        key = key_of(item)
        character = _characters.get(key)
        if character is None or character.row is None:
            return None
        row = character.row
        if key not in self._seen or self._seen[key][0] != row.tobytes():
            confidence = float(character.model.confidence(row)[0])
            outside = _outside(character, row) if confidence < OUTSIDE else ""
            self._seen[key] = (row.tobytes(), confidence, outside)
        return self._seen[key][1:]


LAMP = Lamp()


def forget() -> None:
    """Forget all characters: names may mean others now. Models stay."""
    _characters.clear()


def forget_models() -> None:
    """Free all models."""
    forget()
    _models.clear()


def release_unused() -> None:
    """Free the models that no mesh of the file is bound to."""
    used = {path_of(item) for item in bpy.data.objects if item.rigcast.model}
    for key in [key for key in _models if key[0] not in used]:
        del _models[key]
    for key in [key for key in _characters if key[0] not in used]:
        del _characters[key]


def held() -> int:
    """The number of models in memory."""
    return len(_models)


def _outside(character: Character, row: Array) -> str:
    """The joint or control that is farthest outside by itself; else the one which at rest raises the trust most."""
    trust, rest = character.model.confidence, character.model.rest_pose
    joints = [] if character.joints is None else character.joints.bones
    names = [*joints, *character.dials.names]
    alone, without = np.tile(rest, (len(names), 1)), np.tile(row, (len(names), 1))
    for index in range(len(names)):
        columns = slice(12 * index, 12 * index + 12) if index < len(joints) else 11 * len(joints) + index
        alone[index, columns], without[index, columns] = row[columns], rest[columns]
    if trust(alone).min() < min(OUTSIDE, float(trust(rest)[0])):
        tried = (trust(rest + share * (alone - rest)) for share in SHARES)
        return names[int(next((found for found in tried if found.min() > 0.0), trust(alone)).argmin())]
    found = trust(without)
    return names[int(found.argmax())] if found.max() > trust(row)[0] else ""


def dial_meshes(item: Any) -> list[Any]:
    """The meshes whose shape keys a model takes: first the named one or the bound one, then others of its armature.

    Learned copies are none of them: their keys follow those of their originals.
    """
    about = item.rigcast
    first, armature = about.dials or item, about.armature
    others = [other for other in bpy.data.objects if other.type == "MESH" and armature is not None
              and follows(other, armature)]  # fmt: skip
    return [first, *(other for other in others if other != first and other.rigcast_compare.original is None)]


def follows(item: Any, armature: Any) -> bool:
    """True if an armature deforms or carries a mesh object."""
    return item.parent == armature or any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers)


def _rest_vertices(item: Any) -> Array:
    """The vertices (V, 3) of a mesh as it was modeled, in its own space."""
    keys = item.data.shape_keys
    source = keys.reference_key.data if keys is not None else item.data.vertices
    points = np.empty(3 * len(source), np.float32)
    source.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def _unit() -> float:
    """Length of the scene's unit in meters."""
    settings = bpy.context.scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)
