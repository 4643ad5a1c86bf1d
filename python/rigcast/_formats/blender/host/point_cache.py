"""Meshes of point caches (Alembic), frame by frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from . import topology
from .objects import InputError, UnusableError

Array = np.ndarray[Any, Any]


def alembic_frames(path: str, name: str | None, fps: float) -> tuple[dict[str, Any], dict[str, Array]]:
    """Vertices (T, V, 3) of a mesh in the file's axes and world space, sampled at ``fps`` over the file's range."""
    if "alembic_import" not in dir(bpy.ops.wm):
        raise UnusableError(f"{bpy.app.version_string} was built without Alembic")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    try:
        bpy.ops.wm.alembic_import(filepath=path, set_frame_range=True, as_background_job=False)
    except RuntimeError as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise InputError("path", f"{path}: a file that Blender cannot open ({reason})", "an Alembic file") from None
    item = _choose(path, name)
    frames: list[Array] = []
    faces: Array = np.zeros((0, 4), np.int32)
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty((len(evaluated.data.vertices), 3), np.float32)
        evaluated.data.vertices.foreach_get("co", points.reshape(-1))
        matrix = np.array(evaluated.matrix_world, np.float64)
        world = points @ matrix[:3, :3].T + matrix[:3, 3]
        frames.append(np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1))
        own = topology.faces(evaluated.data)
        if frames[1:] and not np.array_equal(own, faces):
            raise UnusableError(f"mesh {item.name!r} of {path} changes its topology at frame {frame}")
        faces = own
    return {"mesh": item.name}, {"vertices": np.array(frames, np.float32), "faces": faces}


def _choose(path: str, name: str | None) -> Any:
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    found = [item for item in meshes if name in (None, item.name)]
    if len(found) != 1:
        known = ", ".join(repr(item.name) for item in meshes) or f"left out: {path} holds no mesh"
        raise InputError("mesh", "not given" if name is None else repr(name), known)
    return found[0]
