"""Runs inside Blender: files of shape keys, some of which others drive."""

import bpy
from tube import grown, shape, start


def shapes_only():
    """A mesh with a shape key and no armature."""
    armature, mesh = start()
    mesh.modifiers.clear()
    bpy.data.objects.remove(armature)
    shape(mesh, "wide", grown)


def key_driver(mesh, name, expression, kind="SCRIPTED", **keys):
    """Drive a key by the values of others, by name of the variable."""
    block = mesh.data.shape_keys
    driver = block.key_blocks[name].driver_add("value").driver
    driver.type = kind
    for variable_name, key in keys.items():
        variable = driver.variables.new()
        variable.name = variable_name
        target = variable.targets[0]
        target.id_type, target.id = "KEY", block
        target.data_path = f'key_blocks["{key}"].value'
    driver.expression = expression
    return driver


def combined():
    """Shape keys that other keys drive: products, in-betweens, a curve, a multiple; one is masked, one muted."""
    armature, mesh = start()
    mesh.modifiers.clear()
    bpy.data.objects.remove(armature)
    mesh.location, mesh.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    for index, name in enumerate("abc"):
        shape(mesh, name, lambda co, i=index: (co[0] + 0.1 * (i + 1), co[1], co[2] * (1 + 0.1 * i)))
    mesh.data.shape_keys.key_blocks["c"].slider_min, mesh.data.shape_keys.key_blocks["c"].slider_max = -1, 2
    for name in ("ab", "half ab", "tent", "curved", "double", "sum", "relative"):
        shape(mesh, name, lambda co, n=name: (co[0], co[1] + 0.05 * len(n), co[2] + 0.01 * len(n) * co[0]))
    keys = mesh.data.shape_keys.key_blocks
    keys["relative"].relative_key = keys["a"]
    keys["relative"].vertex_group = "bone1"
    shape(mesh, "muted", grown).mute = True
    key_driver(mesh, "ab", "a * b", a="a", b="b")
    key_driver(mesh, "half ab", "0.5 * one * other", one="a", other="b")
    key_driver(mesh, "tent", "max(0, 1 - 4 * abs(x - 0.5)) * b", x="a", b="b")
    key_driver(mesh, "double", "2 * a", a="a")  # the slider ends at 1, and so does the value
    key_driver(mesh, "sum", "", kind="AVERAGE", a="a", b="b")
    curve = key_driver(mesh, "curved", "x", x="a").id_data.animation_data.drivers.find('key_blocks["curved"].value')
    while len(curve.modifiers):  # older versions: one that bypasses the key points
        curve.modifiers.remove(curve.modifiers[0])
    while len(curve.keyframe_points):
        curve.keyframe_points.remove(curve.keyframe_points[0])
    for x, y in ((0.0, 0.0), (0.25, 0.75), (1.0, 0.5)):
        curve.keyframe_points.insert(x, y).interpolation = "LINEAR"


def scripted_face():
    """Two shape keys that an action moves, one whose driver is Python, and a text that registers itself."""
    armature, mesh = start()
    mesh.modifiers.clear()
    bpy.data.objects.remove(armature)
    for name in ("a", "b", "python"):
        shape(mesh, name, grown)
    key_driver(mesh, "python", "[a][0]", a="a")
    bpy.data.texts.new("setup.py").use_module = True
    key = mesh.data.shape_keys.key_blocks["a"]
    for frame, value in ((1, 0.0), (5, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def product_of_bone():
    """A shape key that a bone drives, and one that a key drives in a curve that is none of ours."""
    armature, mesh = start()
    for name in ("a", "b", "bent", "turned"):
        shape(mesh, name, grown)
    key_driver(mesh, "bent", "a * a * b", a="a", b="b")
    driver = mesh.data.shape_keys.key_blocks["turned"].driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone1"].rotation_euler[0]'
    driver.expression = "sin(angle)"
