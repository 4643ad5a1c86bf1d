"""Runs inside Blender: meshes that PC2 point caches move, saved as .blend or exported as Alembic.

Arguments: FOLDER, which holds scene.json and scene.npz; the result is scene.blend or scene.abc in it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])


def build(about: dict[str, Any], part: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """The mesh object of a part, as its first frame has it, with the cache as its modifier."""
    data = bpy.data.meshes.new(part["name"])
    faces = [[corner for corner in face if corner >= 0] for face in arrays["faces"].tolist()]
    data.from_pydata(arrays["first"].tolist(), [], faces)
    cover(data, part["materials"], arrays)
    item = bpy.data.objects.new(part["name"], data)
    bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    item.matrix_world = Matrix(about["turn"]).to_4x4()
    item["licence"] = about["licence"]
    cache = item.modifiers.new("Mesh Cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = part["cache"]
    cache.time_mode = "FRAME"
    cache.frame_start = 1.0
    return item


def cover(data: Any, materials: list[str], arrays: dict[str, Any]) -> None:
    """Materials by their names, and a UV map."""
    for name in materials:
        data.materials.append(bpy.data.materials.get(name) or bpy.data.materials.new(name))
    if materials:
        data.polygons.foreach_set("material_index", np.maximum(arrays["face_materials"], 0).astype(np.int32))
    if "uvs" in arrays:
        corners = arrays["uv_faces"][arrays["faces"] >= 0]
        coordinates = np.where(corners[:, None] < 0, 0.0, arrays["uvs"][corners]).astype(np.float32)
        data.uv_layers.new(name="UVMap").data.foreach_set("uv", coordinates.reshape(-1))


def set_timeline(about: dict[str, Any]) -> None:
    """Frames 1 to T at the rate, and the unit of length."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = about["meters_per_unit"]
    scene.render.fps = max(1, round(about["fps"]))
    scene.render.fps_base = scene.render.fps / about["fps"]
    scene.frame_start, scene.frame_end = 1, about["frames"]
    scene.frame_set(1)


if __name__ == "__main__":
    bpy.ops.wm.read_factory_settings(use_empty=True)
    about = json.loads((FOLDER / "scene.json").read_text(encoding="utf-8"))
    arrays = dict(np.load(FOLDER / "scene.npz"))
    names = ("first", "faces", "face_materials", "uvs", "uv_faces")
    for number, part in enumerate(about["parts"]):
        mine = {name: arrays[f"{name}{number}"] for name in names if f"{name}{number}" in arrays}
        build(about, part, mine)
    set_timeline(about)
    if about["suffix"] == ".blend":
        bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "scene.blend"), relative_remap=False)
    else:
        if "alembic_export" not in dir(bpy.ops.wm):
            raise SystemExit(f"Blender {bpy.app.version_string} was built without Alembic")
        bpy.ops.wm.alembic_export(
            filepath=str(FOLDER / "scene.abc"),
            start=1,
            end=about["frames"],
            uvs=True,
            normals=False,
            as_background_job=False,
        )
