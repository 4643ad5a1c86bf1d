"""A small character, made inside Blender: a tube around three bones, a free shape, and an action of 8 frames."""

import math

import bpy

BONES = ("upper", "lower", "hand")
LENGTH, RINGS, AROUND = 0.4, 13, 10
TURNS = {"upper": (0.0, 30.0, 10.0), "lower": (0.0, -50.0, 0.0), "hand": (20.0, -20.0, 15.0)}  # degrees, XYZ


def build():
    """The armature and the mesh, in an otherwise empty scene."""
    for item in list(bpy.data.objects):  # a new file would disable the add-on
        bpy.data.objects.remove(item)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 8
    rig = armature()
    skin = tube(rig)
    keys(rig)
    scene.frame_set(1)
    return rig, skin


def armature():
    """Three bones in a row along X, of three rotation modes."""
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for place, name in enumerate(BONES):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (LENGTH * place, 0, 0), (LENGTH * (place + 1), 0, 0)
        if parent is not None:
            bone.parent, bone.use_connect = parent, True
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, mode in zip(BONES, ("XYZ", "ZYX", "QUATERNION"), strict=True):
        rig.pose.bones[name].rotation_mode = mode
    return rig


def tube(rig):
    """Skin with smooth weights, a shape key, and Corrective Smooth."""
    points, faces = [], []
    for ring in range(RINGS):
        for step in range(AROUND):
            angle = 2 * math.pi * step / AROUND
            points.append((3 * LENGTH * ring / (RINGS - 1), 0.08 * math.cos(angle), 0.08 * math.sin(angle)))
            if ring:
                here, there = ring * AROUND, (ring - 1) * AROUND
                faces.append((there + step, there + (step + 1) % AROUND, here + (step + 1) % AROUND, here + step))
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(points, [], faces)
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for place, name in enumerate(BONES):
        group = skin.vertex_groups.new(name=name)
        for vertex in mesh.vertices:
            weight = max(0.0, min(1.0, 1.25 - abs(vertex.co.x / LENGTH - place - 0.5) * 1.5))
            if weight > 0.0:
                group.add([vertex.index], weight, "REPLACE")
    skin.shape_key_add(name="Basis")
    bulge = skin.shape_key_add(name="bulge")
    bulge.value = 0.0  # Blender 5.0 begins at 1
    for point, vertex in zip(bulge.data, mesh.vertices, strict=True):
        if 0.1 < vertex.co.x < 0.5:
            point.co = (vertex.co.x, 1.4 * vertex.co.y, 1.4 * vertex.co.z)
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.modifiers.new("Smooth", "CORRECTIVE_SMOOTH").iterations = 4
    return skin


def keys(rig):
    """The action ``bend``: rest, bent, rest."""
    for name, turn in TURNS.items():
        bone = rig.pose.bones[name]
        for frame, share in ((1, 0.0), (5, 1.0), (8, 0.0)):
            angles = [math.radians(share * degrees) for degrees in turn]
            if bone.rotation_mode == "QUATERNION":
                from mathutils import Euler

                bone.rotation_quaternion = Euler(angles, "XYZ").to_quaternion()
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            else:
                bone.rotation_euler = angles
                bone.keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "bend"
