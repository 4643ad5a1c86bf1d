"""Runs inside Blender: saves what exported .blend files show at every frame. Arguments: FOLDER FRAMES."""

import sys
from pathlib import Path

import bpy
import numpy as np

folder, count = sys.argv[sys.argv.index("--") + 1 :]
seen = {}
for path in sorted(Path(folder).glob("*.blend")):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    (item,) = [item for item in bpy.data.objects if item.type == "MESH"]
    frames = []
    for frame in range(1, int(count) + 1):
        bpy.context.scene.frame_set(frame)
        evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty((len(evaluated.data.vertices), 3), np.float32)
        evaluated.data.vertices.foreach_get("co", points.reshape(-1))
        matrix = np.array(evaluated.matrix_world, np.float64)
        frames.append(points @ matrix[:3, :3].T + matrix[:3, 3])
    seen[path.stem] = np.array(frames)
    seen[f"{path.stem} fps"] = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
np.savez(Path(folder) / "seen.npz", **seen)
