"""Run by Blender: a .glb as .fbx, at the rate of its clip."""

from __future__ import annotations

import sys

import bpy

source, target = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 25
bpy.ops.import_scene.gltf(filepath=source)
for item in [item for item in bpy.data.objects if item.type == "MESH" and not item.vertex_groups]:
    bpy.data.objects.remove(item)  # shapes of bones, which the importer makes
ends = [frame for action in bpy.data.actions for frame in action.frame_range]
bpy.context.scene.frame_start, bpy.context.scene.frame_end = int(min(ends)), int(max(ends))
bpy.ops.export_scene.fbx(filepath=target, add_leaf_bones=False, bake_anim_simplify_factor=0.0)
