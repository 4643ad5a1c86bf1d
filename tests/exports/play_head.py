"""Runs inside Blender: plays exported files and stores the vertices that it shows. Arguments: FOLDER.

face.blend is opened; face.glb and face.usda are imported, each into an empty file; keys.py runs on the imported glb of
the rig at rest, which an artist has moved.
"""

import runpy
import sys
from pathlib import Path

import bpy
import numpy as np

FRAMES = 6
folder = Path(sys.argv[sys.argv.index("--") + 1])


def face():
    return next(item for item in bpy.data.objects if item.type == "MESH" and item.data.shape_keys is not None)


def played(first=1):
    """(T, V, 3) in world space, frames from the first key on, and the rate."""
    render, scene = bpy.context.scene.render, bpy.context.scene
    frames = []
    for frame in range(first, first + FRAMES):
        scene.frame_set(frame)
        item = face().evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty(3 * len(item.data.vertices), np.float32)
        item.data.vertices.foreach_get("co", points)
        matrix = np.array(item.matrix_world)
        frames.append(points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.stack(frames), render.fps / render.fps_base


def start(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps


result = {}
bpy.ops.wm.open_mainfile(filepath=str(folder / "face.blend"))
result["blend"], result["fps"] = played()

start(25)
bpy.ops.import_scene.gltf(filepath=str(folder / "face.glb"))
result["glb"] = played(round(face().animation_data.action.frame_range[0]))[0]

start(25)
bpy.ops.wm.usd_import(filepath=str(folder / "face.usda"))
result["usd"] = played()[0]
result["usd_keys"] = np.array([key.name for key in face().data.shape_keys.key_blocks])

start(25)
bpy.ops.import_scene.gltf(filepath=str(folder / "rest.glb"))
item = face()
item.animation_data_clear()
item.data.shape_keys.animation_data_clear()
item.location += type(item.location)((0.5, -0.25, 2.0))
bpy.context.view_layer.objects.active = item
bpy.context.view_layer.update()
runpy.run_path(str(folder / "keys.py"), run_name="__main__")
result["script"] = played()[0]
np.savez(folder / "played.npz", **result)
