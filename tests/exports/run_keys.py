"""Runs inside Blender: an artist opens a file, selects the face and runs the exported script. Arguments: FOLDER."""

import runpy
import sys
from pathlib import Path

import bpy

folder = Path(sys.argv[sys.argv.index("--") + 1])
bpy.ops.wm.open_mainfile(filepath=str(folder / "face.blend"))
bpy.context.view_layer.objects.active = next(item for item in bpy.data.objects if item.type == "MESH")
runpy.run_path(str(folder / "keys.py"), run_name="__main__")
bpy.ops.wm.save_as_mainfile(filepath=str(folder / "keyed.blend"))
