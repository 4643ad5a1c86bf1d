"""Runs inside Blender: opens files of several parts and saves what they hold. Arguments: FOLDER.

The result is FOLDER/parts.json: for each file and object its materials by face, texture coordinates by corner, and
FOLDER/parts.npz: world positions (T, V, 3), z up.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
FRAMES = 9


def seen(first):
    """What each mesh object is, and how it moves."""
    facts, frames = {}, {}
    items = sorted((item for item in bpy.data.objects if item.type == "MESH"), key=lambda item: item.name)
    for item in items:
        data = item.data
        slots = [slot.material.name for slot in item.material_slots]
        layer = data.uv_layers[0].data if data.uv_layers else []
        facts[item.name] = {
            "faces": [list(polygon.vertices) for polygon in data.polygons],
            "materials": [slots[polygon.material_index] if slots else "" for polygon in data.polygons],
            "uvs": [[list(layer[loop].uv) for loop in polygon.loop_indices] for polygon in data.polygons],
        }
        frames[item.name] = []
    for frame in range(first, first + FRAMES):
        bpy.context.scene.frame_set(frame)
        for item in items:
            evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
            points = np.empty((len(evaluated.data.vertices), 3), np.float32)
            evaluated.data.vertices.foreach_get("co", points.reshape(-1))
            matrix = np.array(evaluated.matrix_world, np.float64)
            frames[item.name].append(points @ matrix[:3, :3].T + matrix[:3, 3])
    return facts, frames


def opened(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 48, 1.0
    if path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path))
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    elif path.suffix == ".abc":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=str(path))


texts, arrays = {}, {}
for name, first in (("m.blend", 1), ("m.glb", 0), ("m.abc", 1), ("m.usdc", 1)):
    if (FOLDER / name).exists():
        opened(FOLDER / name)
        texts[name], found = seen(first)
        arrays |= {f"{name} {item}": np.array(frames) for item, frames in found.items()}
(FOLDER / "parts.json").write_text(json.dumps(texts))
np.savez(FOLDER / "parts.npz", **arrays)
