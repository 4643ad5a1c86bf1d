"""Runs inside Blender: characters of several meshes."""

import math

import bpy
from tube import grown, limit, shape, start, tube


def several():
    """Two bound meshes and a loose one."""
    armature, _ = start()
    tube("Clothes", armature)
    mesh = bpy.data.meshes.new("Prop")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Prop", mesh))


def two_characters():
    """Two armatures with a mesh each."""
    start()
    data = bpy.data.armatures.new("Other")
    other = bpy.data.objects.new("Other", data)
    bpy.context.scene.collection.objects.link(other)
    tube("Other body", other)


def dressed():
    """A body; clothes placed elsewhere; an eye on a bone; brows that a driver of a bone moves; a proxy; a bone's shape.

    Body and clothes share a material and a shape key's name; the body has a seam and a second tile.
    """
    armature, body = start()
    limit(armature.pose.bones["bone0"], math.radians(-40), math.radians(60))
    limit(armature.pose.bones["bone2"], math.radians(-40), math.radians(60))
    shape(body, "wide", grown)
    clothes = tube("Clothes", armature)
    clothes.location, clothes.scale, clothes.rotation_euler = (0.1, 0.2, 0.3), (1.2, 1.1, 1.0), (0.0, 0.1, 0.0)
    shape(clothes, "wide", grown)
    paint(body, ["skin", "unused", "nails"], lambda index: 2 * (index > 50))
    paint(clothes, ["cotton", "skin"], lambda index: index % 2)
    unwrap(body)
    body["licence"], clothes["licence"] = "CC0-1.0", "CC-BY-4.0"
    eye = triangle("Eye")
    eye.parent, eye.parent_type, eye.parent_bone = armature, "BONE", "bone2"
    brows = triangle("Brows")
    raised = shape(brows, "raised", lambda co: (co[0], co[1], co[2] + 1.0))
    driver = raised.driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone2"].rotation_euler[0]'
    driver.expression = "angle"
    proxy = tube("Proxy", armature)
    proxy.hide_render = True
    handle = triangle("Handle")
    handle.parent = armature
    armature.pose.bones["bone0"].custom_shape = handle
    triangle("Prop")


def triangle(name):
    """A triangle of its own."""
    data = bpy.data.meshes.new(name)
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mesh = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(mesh)
    return mesh


def paint(mesh, names, slot_of):
    """Materials of those names, and the slot of each polygon."""
    for name in names:
        mesh.data.materials.append(bpy.data.materials.get(name) or bpy.data.materials.new(name))
    for polygon in mesh.data.polygons:
        polygon.material_index = slot_of(polygon.index)


def unwrap(mesh):
    """Angle and height, opened where the tube closes; the upper half in the tile to the right. And a second UV map."""
    layer = mesh.data.uv_layers.new(name="UVMap")
    mesh.data.uv_layers.new(name="Spare")
    for polygon in mesh.data.polygons:
        turns = [corner % 8 / 8 for corner in polygon.vertices]
        around = max(turns) - min(turns) > 0.5 and len(turns) == 4
        for loop, vertex, turn in zip(polygon.loop_indices, polygon.vertices, turns):  # noqa: B905
            u = turn + (around and turn < 0.5)
            layer.data[loop].uv = (0.05 + 0.9 * u + (polygon.index >= 32), 0.05 + 0.1 * (vertex // 8))
