"""Files of other programs through Blender's importers: Alembic as frames, FBX as a scene, and on as glTF."""

from __future__ import annotations

import os
from typing import Any

import bpy
import numpy as np

from .describe import topology
from .objects import InputError, UnusableError

Array = np.ndarray[Any, Any]
ON_A_FRAME = 1e-3  # of a frame
LOST = "read by Blender's importer of FBX, which knows no constraints of the file: what they do is lost"
PLAIN = {  # vertices stay one each, in their order: nothing splits them
    "export_format": "GLB",
    "export_normals": False,
    "export_texcoords": False,
    "export_tangents": False,
    "export_materials": "NONE",
    "export_all_influences": True,
    "export_animations": True,
    "export_force_sampling": True,
    "export_frame_range": False,
    "export_optimize_animation_size": False,
    "export_yup": True,
}


def import_fbx(path: str) -> None:
    """Read a file into an empty scene, at the rate that it states if Blender takes it over.

    Raises
    ------
    InputError
        If Blender cannot read it.
    UnusableError
        If this Blender has no importer.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        if "fbx_import" in dir(bpy.ops.wm):
            bpy.ops.wm.fbx_import(filepath=path)
        elif "fbx" in dir(bpy.ops.import_scene):
            bpy.ops.import_scene.fbx(filepath=path)
        else:
            raise UnusableError(f"{bpy.app.version_string} was built without FBX")
    except RuntimeError as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise InputError("path", f"a file that Blender cannot open ({reason})", "an .fbx file") from None
    if not len(bpy.data.objects):
        raise InputError("path", "a file in which Blender finds no object", "an .fbx file")
    for item in bpy.data.objects:  # where readers look for it; FBX states none
        item["origin"] = item.get("origin") or os.path.basename(path)


def fbx_to_glb(path: str, target: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Write what a file holds as .glb: how many meshes it has, and its frames per second."""
    import_fbx(path)
    known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
    bpy.ops.export_scene.gltf(filepath=target, **{name: value for name, value in PLAIN.items() if name in known})
    scene = bpy.context.scene
    meshes = [item.name for item in scene.objects if item.type == "MESH"]
    return {"meshes": meshes, "fps": scene.render.fps / scene.render.fps_base}, {}


def alembic_frames(
    path: str, name: str | None, fps: float, times: list[float]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Vertices (T, V, 3) of a mesh in the file's axes and world space at some seconds, at ``fps`` frames each."""
    if "alembic_import" not in dir(bpy.ops.wm):
        raise UnusableError(f"{bpy.app.version_string} was built without Alembic")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    try:
        bpy.ops.wm.alembic_import(filepath=path, set_frame_range=False, as_background_job=False)
    except RuntimeError as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise InputError("path", f"{path}: a file that Blender cannot open ({reason})", "an Alembic file") from None
    item = _mesh_named(path, name)
    frames: list[Array] = []
    faces: Array = np.zeros((0, 4), np.int32)
    for time in times:
        frame = int(np.floor(time * fps + ON_A_FRAME))
        part = time * fps - frame
        scene.frame_set(frame, subframe=part if part > ON_A_FRAME else 0.0)
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


def _mesh_named(path: str, name: str | None) -> Any:
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    found = [item for item in meshes if name in (None, item.name)]
    if len(found) != 1:
        known = ", ".join(repr(item.name) for item in meshes) or f"left out: {path} holds no mesh"
        raise InputError("mesh", "not given" if name is None else repr(name), known)
    return found[0]
