"""Runs inside Blender: what the files of tests are made of, a tube on three bones with limits and shape keys."""

import math

import bpy

ROWS, AROUND = 9, 8


def edited_armature():
    """An armature without bones in an empty scene, in edit mode."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    return armature


def start():
    """An empty scene with an armature of three bones in a line, moved and turned, and a tube bound to it."""
    armature = edited_armature()
    data = armature.data
    parent = None
    for index in range(3):
        bone = data.edit_bones.new(f"bone{index}")
        bone.head, bone.tail, bone.roll = (0, 0, index), (0, 0.1 * index, index + 1), 0.3 * index
        bone.parent, parent = parent, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    armature.location, armature.rotation_euler = (0.5, -0.25, 0.125), (0.1, 0.2, 0.3)
    return armature, tube("Body", armature)


def tube(name, armature):
    """A tube of quads with an n-gon on top and smooth weights; every other row's weights sum to 0.5."""
    points, faces = [], []
    for row in range(ROWS):
        for step in range(AROUND):
            angle = 2 * math.pi * step / AROUND
            points.append((0.3 * math.cos(angle), 0.3 * math.sin(angle), 3 * row / (ROWS - 1)))
    for row in range(ROWS - 1):
        for step in range(AROUND):
            a, b = row * AROUND + step, row * AROUND + (step + 1) % AROUND
            faces.append((a, b, b + AROUND, a + AROUND))
    faces.append(tuple(range((ROWS - 1) * AROUND, ROWS * AROUND)))
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, [], faces)
    mesh = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(mesh)
    mesh.location = (0.5, -0.25, 0.0)
    for index in range(3):
        group = mesh.vertex_groups.new(name=f"bone{index}")
        for vertex in data.vertices:
            weight = max(0.0, 1.0 - abs(vertex.co.z - index - 0.5))
            scale = 0.5 if (vertex.index // AROUND) % 2 else 1.0
            if weight > 0:
                group.add([vertex.index], scale * weight, "REPLACE")
    modifier = mesh.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return mesh


def limit(bone, low, high, kind="LIMIT_ROTATION", axes="xyz"):
    """Limit a bone in local space."""
    constraint = bone.constraints.new(kind)
    constraint.owner_space = "LOCAL"
    for axis in axes:
        if kind == "LIMIT_ROTATION":
            setattr(constraint, f"use_limit_{axis}", True)
        else:
            setattr(constraint, f"use_min_{axis}", True)
            setattr(constraint, f"use_max_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    return constraint


def shape(mesh, name, change):
    """Add a shape key; ``change`` maps a coordinate to another."""
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    key = mesh.shape_key_add(name=name, from_mix=False)
    for point in key.data:
        point.co = change(point.co.copy())
    key.value = 0.0
    return key


def grown(co):
    """Wider."""
    return (1.5 * co[0], 1.5 * co[1], co[2])
