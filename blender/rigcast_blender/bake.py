# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated mesh of the active object as a point cache, Alembic or shape keys, to play without the add-on."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .jobs.running import JobError, Progress, Works, draw_progress
from .model_paths import OPTIONS
from .moving import at_frame, vertices_of
from .panel import PanelOfRigcast

ENDINGS = {"PC2": ".pc2", "ALEMBIC": ".abc"}
MOST_SHAPES = 500  # shape keys that a mesh gets


class RIGCAST_OT_bake(Works, bpy.types.Operator):
    """Write what the active mesh does in the frames of the scene, and add an object that plays it without the add-on"""

    bl_idname = "rigcast.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and context.active_object.type == "MESH"

    def stopped(self) -> str:
        """Words after Esc."""
        return "Bake: stopped, nothing was written"

    def work(self, context: Any) -> Iterator[Progress]:
        """Go through the frames, write, and add the object."""
        text = yield from baked(context)
        self.report({"INFO"}, text)


def baked(context: Any) -> Generator[Progress, None, str]:
    """Bake the active mesh as the settings of the scene say; returns what was made, in words."""
    scene, settings, item = context.scene, context.scene.rigcast_bake, context.active_object
    frames, name = list(range(scene.frame_start, scene.frame_end + 1)), item.name
    if settings.kind == "SHAPES" and len(frames) > MOST_SHAPES:
        raise JobError(f"{len(frames)} frames are too many for shape keys, {MOST_SHAPES} at most: bake a point cache")
    before, path = scene.frame_current, _path(settings, name)
    try:
        if settings.kind == "PC2":
            yield from _point_cache(name, frames, path)
        elif settings.kind == "SHAPES":
            yield from _shape_keys(name, frames)
        else:
            yield Progress("Blender writes the Alembic file")
            _alembic(name, frames, path)
    finally:
        bpy.context.scene.frame_set(before)
    return f"{name}: {len(frames)} frames baked" + (f" to {path}" if path else "")


def _path(settings: Any, name: str) -> str:
    """The absolute path of the file; empty without one."""
    ending = ENDINGS.get(settings.kind)
    if ending is None:
        return ""
    given = settings.path or f"//{bpy.path.clean_name(name)}"
    if given.startswith("//") and not bpy.data.filepath:
        raise JobError("save the .blend first, or name a file: the cache lies beside it")
    path = bpy.path.abspath(given)
    path = path if path.lower().endswith(ending) else path + ending
    if not os.path.isdir(os.path.dirname(path)):
        raise JobError(f"the folder {os.path.dirname(path)} does not exist")
    return path


def _point_cache(name: str, frames: list[int], path: str) -> Iterator[Progress]:
    """Write a PC2 file whole or not at all, and an object with its modifier."""
    waiting = f"{path}.part"
    try:
        with open(waiting, "wb") as file:
            count = 0
            for place, points in enumerate(_played(name, frames)):
                if place == 0:
                    count = len(points)
                    file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, count, frames[0], 1.0, len(frames)))
                if len(points) != count:
                    raise JobError(f"{name} changes its number of vertices in frame {frames[place]}: {len(points)}")
                file.write(np.ascontiguousarray(points, "<f4").tobytes())
                yield Progress(f"frame {frames[place]} of {frames[-1]}", (place + 1) / len(frames))
        os.replace(waiting, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(waiting)
    baked = _copy(name, "cache")
    cache = baked.modifiers.new("Mesh Cache", "MESH_CACHE")
    cache.cache_format, cache.time_mode, cache.frame_start = "PC2", "FRAME", float(frames[0])
    inside = bpy.data.filepath and Path(path).is_relative_to(Path(bpy.data.filepath).parent)
    cache.filepath = bpy.path.relpath(path) if inside else path


def _shape_keys(name: str, frames: list[int]) -> Iterator[Progress]:
    """Make one shape key per frame, on at its frame alone."""
    found = []
    for place, points in enumerate(_played(name, frames)):
        found.append(points)
        yield Progress(f"frame {frames[place]} of {frames[-1]}", (place + 1) / len(frames))
    baked = _copy(name, "shapes")
    baked.shape_key_add(name="Basis", from_mix=False)
    for frame, points in zip(frames, found, strict=True):
        if points.shape != found[0].shape:
            raise JobError(f"{name} changes its number of vertices in frame {frame}")
        key = baked.shape_key_add(name=f"frame {frame}", from_mix=False)
        key.data.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
        for other, value in ((frame - 1, 0.0), (frame, 1.0), (frame + 1, 0.0)):
            key.value = value
            key.keyframe_insert("value", frame=other)


def _alembic(name: str, frames: list[int], path: str) -> None:
    context = bpy.context
    if "alembic_export" not in dir(bpy.ops.wm):
        raise JobError("this Blender was built without Alembic: bake a point cache")
    chosen, active = [item.name for item in context.selected_objects], context.active_object
    for item in context.selected_objects:
        item.select_set(False)
    bpy.data.objects[name].select_set(True)
    try:
        bpy.ops.wm.alembic_export(
            filepath=path, start=frames[0], end=frames[-1], selected=True, flatten=True, as_background_job=False
        )
    finally:
        for item in chosen:
            bpy.data.objects[item].select_set(True)
        context.view_layer.objects.active = active


def _played(name: str, frames: list[int]) -> Iterator[np.ndarray[Any, Any]]:
    """World-space vertices of each frame."""
    for frame in frames:
        depsgraph = at_frame(frame)
        yield vertices_of(bpy.data.objects[name], depsgraph, world=True)


def _copy(name: str, what: str) -> Any:
    """A new object with the evaluated mesh, at the origin, without modifiers; it becomes the active one."""
    item = bpy.data.objects[name]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(item.evaluated_get(depsgraph), depsgraph=depsgraph)
    mesh.transform(item.matrix_world)
    baked = bpy.data.objects.new(f"{name} {what}", mesh)
    for collection in item.users_collection or (bpy.context.scene.collection,):
        collection.objects.link(baked)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    baked.select_set(True)
    bpy.context.view_layer.objects.active = baked
    return baked


class RigcastBake(bpy.types.PropertyGroup):
    """What is baked."""

    kind: bpy.props.EnumProperty(
        name="As",
        items=[
            ("PC2", "Point Cache", "A PC2 file and an object with a Mesh Cache modifier"),
            ("ALEMBIC", "Alembic", "An Alembic file, for other programs"),
            ("SHAPES", "Shape Keys", "An object with a shape key per frame, inside the .blend: for short shots"),
        ],
        description="What is made",
    )
    path: bpy.props.StringProperty(
        name="File",
        description="Default: beside the .blend, named after the object",
        subtype="FILE_PATH",
        options=OPTIONS,
    )


class RIGCAST_PT_bake(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Bake"

    def draw(self, context: Any) -> None:
        layout, settings, scene = self.layout, context.scene.rigcast_bake, context.scene
        layout.use_property_split = True
        if draw_progress(layout, RIGCAST_OT_bake.bl_label):
            return
        if not RIGCAST_OT_bake.poll(context):
            layout.label(text="Select a mesh", icon="INFO")
            return
        layout.prop(settings, "kind")
        if settings.kind in ENDINGS:
            layout.prop(settings, "path")
        text = f"Bake Frames {scene.frame_start} to {scene.frame_end}"
        layout.operator(RIGCAST_OT_bake.bl_idname, text=text, icon="RENDER_ANIMATION")


CLASSES = (RigcastBake, RIGCAST_OT_bake, RIGCAST_PT_bake)


def register() -> None:
    """Settings belong to the scene."""
    bpy.types.Scene.rigcast_bake = bpy.props.PointerProperty(type=RigcastBake)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Scene.rigcast_bake
