"""Runs inside Blender: samples the open file with ``BlenderRig.in_process``. Arguments: FOLDER PACKAGES."""

import sys
from pathlib import Path

import bpy

folder, packages = sys.argv[sys.argv.index("--") + 1 :]
sys.path.append(packages)
import numpy as np  # noqa: E402

import rigcast  # noqa: E402
from rigcast._formats.blender import BlenderRig  # noqa: E402

bpy.ops.wm.open_mainfile(filepath=str(Path(folder) / "controls.blend"))
bone = bpy.data.objects["Rig"].pose.bones["bone0"]
cube = bpy.data.objects.new("Cube", None)
bpy.context.scene.collection.objects.link(cube)
before = (tuple(bone.rotation_euler), bpy.data.objects["Rig"]["dial"])
assert before[0][0] != 0.0
with BlenderRig.in_process() as rig:
    assert cube.hide_viewport
    poses, vertices = rig.sample(np.load(Path(folder) / "channels.npy"))
with BlenderRig.in_process(ranges=20) as rig:
    assert "bone2.rotation_x" in rig.channel_names
    try:
        rig.played("wave")
    except rigcast.SourceError as refused:
        assert "save this file and call BlenderRig.open(path).played('wave')" in str(refused)
    else:
        raise AssertionError("an action was played in the user's own scene")
assert (tuple(bone.rotation_euler), bpy.data.objects["Rig"]["dial"]) == before
assert not cube.hide_viewport
np.savez(Path(folder) / "in_process.npz", poses=poses, vertices=vertices)
