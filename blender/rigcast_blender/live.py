# SPDX-License-Identifier: GPL-3.0-or-later
"""Bound meshes brought up to date with the scene: only what changed is evaluated, written and tagged."""

from __future__ import annotations

import traceback
from typing import Any

import bpy
import numpy as np

from . import evaluation, points
from .colors import NO_BOUND, colors_of
from .dials import owner_of
from .matching import BindError
from .model_paths import settle

Array = np.ndarray[Any, Any]
_names: dict[str, tuple[int, list[evaluation.Owner]]] = {}  # of scenes: number of objects, bound ones


def bound_in(scene: Any) -> list[Any]:
    """The bound mesh objects of a scene."""
    count, names = _names.get(scene.name, (-1, []))
    if count != len(scene.objects):
        found = [item for item in scene.objects if item.type == "MESH" and item.rigcast.model and item.rigcast.points
                 and item.library is None]  # fmt: skip
        settle(found)
        _separate(found)
        _names[scene.name] = (len(scene.objects), [owner_of(item) for item in found])
        return found
    found = [bpy.data.objects.get(name) for name in names]
    if None in found:
        del _names[scene.name]
        return bound_in(scene)
    return found


def _separate(items: list[Any]) -> None:
    """Give points of their own to duplicates, and to meshes that override linked ones."""
    seen = set()
    for item in items:
        if item.rigcast.points.library is not None or item.rigcast.points.name in seen:
            points.own_points(item)
        seen.add(item.rigcast.points.name)


def forget() -> None:
    """Forget names and what was written: the file or its history changed."""
    _names.clear()
    evaluation.forget()


def update_scene(scene: Any = None, depsgraph: Any = None, force: bool = False) -> None:
    """Bring all live meshes up to date. An error switches a mesh off and is said once.

    Parameters
    ----------
    scene, depsgraph
        Those of a handler; default: the context's.
    force : bool
        Write everything, whatever was written before.
    """
    scene = bpy.context.scene if scene is None else scene
    if force:
        forget()
    items = [item for item in bound_in(scene) if item.rigcast.live]
    if not items:
        return
    depsgraph = bpy.context.evaluated_depsgraph_get() if depsgraph is None else depsgraph
    characters: dict[tuple[Any, ...], list[Any]] = {}
    for item in items:
        if not hidden(item, depsgraph):
            characters.setdefault((*evaluation.key_of(item), item.rigcast.detail), []).append(item)
    for members in characters.values():
        try:
            _update_anew(members, depsgraph)
        except (BindError, ValueError) as error:
            _stop(members, str(error))
        except Exception as error:  # noqa: BLE001 -- whatever it is, Blender draws on
            traceback.print_exc()
            _stop(members, f"unexpected {type(error).__name__}: {error}")


def hidden(item: Any, depsgraph: Any) -> bool:
    """True if nothing shows a mesh in a viewport, or in a render."""
    if depsgraph.mode == "RENDER":
        return bool(item.hide_render)
    return bool(item.hide_viewport) or not _visible(item)


def _visible(item: Any) -> bool:
    try:
        return bool(item.visible_get())
    except RuntimeError:  # of another view layer
        return True


def _update_anew(members: list[Any], depsgraph: Any) -> None:
    """Update; where a bone or a control has lost its name, find all of them once more."""
    try:
        _update(members, depsgraph)
    except KeyError:
        evaluation.forget()
        _update(members, depsgraph)


def _update(members: list[Any], depsgraph: Any) -> None:
    first = members[0]
    character = evaluation.character_of(first)
    row = character.pose(first.rigcast.armature, depsgraph)
    matrices = [evaluation.placement(character, item, depsgraph) for item in members]
    seen = [_signature(row, matrix, members, item) for item, matrix in zip(members, matrices)]  # noqa: B905
    if all(character.written.get(owner_of(item)) == sign for item, sign in zip(members, seen)):  # noqa: B905
        return
    character.row = row
    made = evaluation.evaluate_shown(character, members, row, first.rigcast.detail)
    for item, matrix, sign in zip(members, matrices, seen):  # noqa: B905
        points.write(item.rigcast.points.data, evaluation.placed(made[owner_of(item)], matrix))
        _color(character, item, row)
        character.written[owner_of(item)] = sign


def _color(character: evaluation.Character, item: Any, row: Array) -> None:
    """Write the colors that a mesh shows; without any, its message says why."""
    try:
        colors = colors_of(character.model, row, item.rigcast.show)
    except ValueError:
        colors = None
        if item.rigcast.message != NO_BOUND:
            item.rigcast.message = NO_BOUND
    if colors is not None:
        rows = evaluation.part_rows(character.model, item.rigcast.part)
        points.write_colors(item.rigcast.points.data, colors if rows is None else colors[rows])


def _signature(row: Array, matrix: Array | None, members: list[Any], item: Any) -> bytes:
    place = b"" if matrix is None else matrix.tobytes()
    return row.tobytes() + place + f"{item.rigcast.show} {len(members)}".encode()


def _stop(members: list[Any], sentence: str) -> None:
    """Switch meshes off and say why, once, in the panel and on the console."""
    for item in members:
        item.rigcast.message = sentence
        item.rigcast.live = False
    print(f"Rigcast: {', '.join(item.name for item in members)} stopped: {sentence}", flush=True)
