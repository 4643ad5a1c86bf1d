# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the learned meshes, with the model bound to them, beside the originals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from .. import binding
from ..jobs.running import JobError
from ..moving import vertices_of
from .compare import add_aside

VERDICT = "rigcast_verdict"  # of the object: lines as JSON
APART = 1.1  # widths of the character between the original and the copy


def bind_beside(path: str, armature: str, meshes: Sequence[str]) -> list[str]:
    """Copy meshes and bind a model to the copies; the originals stay as they are. Returns the names of the copies.

    Raises
    ------
    JobError
        If the model does not fit the meshes, as they are now. Nothing is left then.
    """
    made = []
    try:
        for name in meshes:
            original = bpy.data.objects[name]
            made.append(_copy(original))
            rig = bpy.data.objects.get(armature) if armature else None
            binding.bind(made[-1], path, rig, name if len(meshes) > 1 else None, bpy.data.objects[meshes[0]])
            add_aside(made[-1])
    except (binding.BindError, KeyError) as error:
        for item in made:
            binding.unbind(item)
            bpy.data.objects.remove(item)
        raise JobError(f"the model was learned, and does not fit the scene as it is now: {error}") from None
    return [item.name for item in made]


def _copy(original: Any) -> Any:
    item = original.copy()
    item.data = original.data.copy()
    item.name = item.data.name = f"{original.name} learned"
    item.rigcast_compare.original = original
    for collection in original.users_collection or (bpy.context.scene.collection,):
        collection.objects.link(item)
    ours, theirs = item.data.shape_keys, original.data.shape_keys
    if ours is not None:
        ours.animation_data_clear()
        for key in ours.key_blocks[1:]:
            _follow(key, theirs)
    return item


def _follow(key: Any, theirs: Any) -> None:
    """Let a shape key have the value of the original's of the same name."""
    driver = key.driver_add("value").driver
    driver.type = "AVERAGE"
    variable = driver.variables.new()
    target = variable.targets[0]
    target.id_type, target.id = "KEY", theirs
    target.data_path = theirs.key_blocks[key.name].path_from_id("value")


def set_aside(names: Sequence[str]) -> None:
    """Move copies away from their originals, all by the width of the whole character."""
    items = [bpy.data.objects[name] for name in names]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    across = np.concatenate([vertices_of(item, depsgraph, world=True)[:, 0] for item in items])
    for item in items:
        item.rigcast_compare.aside = APART * float(np.ptp(across))
