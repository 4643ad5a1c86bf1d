"""A character made inside Blender of a model file: joints as bones, rest vertices as a mesh, a bending action."""

import math

import bpy
import numpy as np
from mathutils import Matrix

LENGTH = 0.3


def clear():
    """An empty scene; add-ons stay enabled."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for blocks in (bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.node_groups):
        for block in list(blocks):
            blocks.remove(block)
    bpy.context.scene.frame_set(1)


def armature(model, name="Rig", still=False):
    """An armature with the joints of a model, keyed over 40 frames; one bone is moved by a driver."""
    skeleton, world = model.skeleton, []
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for joint, (bone_name, parent) in enumerate(zip(skeleton.names, skeleton.parents.tolist(), strict=True)):
        local = Matrix([*skeleton.rest[joint].tolist(), (0, 0, 0, 1)])
        world.append(local if parent < 0 else world[parent] @ local)
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = (0, 0, 0), (0, LENGTH, 0)
        bone.matrix = world[joint]
        if parent >= 0:
            bone.parent = data.edit_bones[skeleton.names[parent]]
    bpy.ops.object.mode_set(mode="OBJECT")
    if not still:
        pose(rig, 40)
    return rig


def pose(rig, last):
    """Keys of every bone, and a driver of the last one."""
    bones = list(rig.pose.bones)
    for place, bone in enumerate(bones):
        bone.rotation_mode = "XYZ"
        for frame in (1, last // 2, last):
            turn = math.sin(frame + place)
            bone.rotation_euler = (0.5 * turn, 0.2 * turn, -0.3 * turn)
            bone.keyframe_insert("rotation_euler", frame=frame)
    driver = bones[-1].driver_add("location", 0).driver
    driver.type, driver.expression = "SCRIPTED", "0.001 * frame"


def mesh(model, rig=None, name="Skin"):
    """The rest vertices of a model as an object, moved by an armature."""
    data = bpy.data.meshes.new(name)
    faces = [[corner for corner in face if corner >= 0] for face in model.faces.tolist()]
    data.from_pydata(model.rest_vertices.tolist(), [], faces)
    return placed(data, rig, name)


def placed(data, rig, name):
    """An object of mesh data, moved by an armature."""
    item = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(item)
    if rig is not None:
        item.parent = rig
        item.modifiers.new("Armature", "ARMATURE").object = rig
    return item


def part(model, rig, name):
    """One part of a model as an object."""
    rows = np.flatnonzero(model.vertex_parts == model.parts.index(name))
    data = bpy.data.meshes.new(name)
    data.from_pydata(model.rest_vertices[rows].tolist(), [], [])
    return placed(data, rig, name)


def standing(vertices):
    """Vertices of a model in centimeters with y up, in a scene in meters."""
    return 0.01 * np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)


def upright(model, name):
    """The rest vertices of such a model as an object."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(standing(model.rest_vertices).tolist(), [], [])
    return placed(data, None, name)


def shown(item, depsgraph=None):
    """Evaluated vertices (V, 3) in world coordinates."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    evaluated = item.evaluated_get(depsgraph)
    points = np.empty(3 * len(evaluated.data.vertices), np.float32)
    evaluated.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3)
    matrix = np.array(evaluated.matrix_world, np.float32)
    return points if np.array_equal(matrix, np.eye(4)) else points @ matrix[:3, :3].T + matrix[:3, 3]
