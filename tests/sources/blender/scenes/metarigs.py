"""Runs inside Blender: a generated Rigify character of each metarig, with a box around each deforming bone as its skin
and an action on some of its controls. Usage: ``... metarigs.py -- FOLDER``."""

import math
import sys
from pathlib import Path

import bpy
from mathutils import Vector

FRAMES = 5
MOVED = 14  # controls


def metarigs():
    """Names of the metarigs that this Blender has."""
    ends = "armature_", "_metarig_add"
    return [name[len(ends[0]) : -len(ends[1])] for name in dir(bpy.ops.object) if name.endswith(ends[1])]


def generated(name):
    """The generated rig of a metarig in an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="rigify")
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    meta = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE" and item is not meta)
    meta.hide_viewport = True
    return rig


def boxes(rig):
    """A mesh with a box along each deforming bone, which belongs to it alone."""
    points, faces, groups = [], [], {}
    for bone in rig.data.bones:
        if not bone.use_deform:
            continue
        first, wide = len(points), 0.1 * bone.length
        for along in (0.0, 0.5, 1.0):
            for across in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
                points.append(bone.matrix_local @ Vector((wide * across[0], along * bone.length, wide * across[1])))
        for ring in (first, first + 4):
            faces += [(ring + k, ring + (k + 1) % 4, ring + 4 + (k + 1) % 4, ring + 4 + k) for k in range(4)]
        groups[bone.name] = range(first, len(points))
    data = bpy.data.meshes.new("Skin")
    data.from_pydata(points, [], faces)
    mesh = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(mesh)
    for name, members in groups.items():
        mesh.vertex_groups.new(name=name).add(list(members), 1.0, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    mesh.parent = rig


def moved(rig):
    """Key controls that an artist sees, and the switches between FK and IK."""
    seen = [bone for bone in rig.pose.bones if bone.custom_shape and not bone.name.startswith(("MCH-", "ORG-", "DEF-"))]
    chosen = seen[:: max(1, len(seen) // MOVED)]
    for frame in range(1, FRAMES + 1):
        share = math.sin(math.pi * (frame - 1) / (FRAMES - 1))
        for number, bone in enumerate(chosen):
            bone.rotation_mode = "XYZ"
            place, turn = number % 3, (number + 1) % 3
            if not bone.lock_location[place]:
                bone.location[place] = 0.05 * share
                bone.keyframe_insert("location", index=place, frame=frame)
            if not bone.lock_rotation[turn]:
                bone.rotation_euler[turn] = 0.3 * share
                bone.keyframe_insert("rotation_euler", index=turn, frame=frame)
        for bone in rig.pose.bones:
            if "IK_FK" in bone:
                bone["IK_FK"] = share
                bone.keyframe_insert('["IK_FK"]', frame=frame)
    rig.animation_data.action.name = "moved"


if __name__ == "__main__":
    folder = Path(sys.argv[sys.argv.index("--") + 1])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="rigify")
    wanted = sys.argv[sys.argv.index("--") + 2 :] or metarigs()
    for name in wanted:
        rig = generated(name)
        boxes(rig)
        moved(rig)
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"))
