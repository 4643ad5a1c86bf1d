"""Runs inside Blender: writes the small .blend files that the tests read. Usage: ``... blender_files.py -- FOLDER``."""

import math
import sys
from pathlib import Path

import bpy
import numpy as np

ROWS, AROUND = 9, 8


def start():
    """An empty scene with an armature of three bones in a line, moved and turned, and a tube bound to it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
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


def plain():
    """No limits anywhere."""
    start()


def controls():
    """One of every kind of channel, and of everything that is none."""
    armature, mesh = start()
    first, second, third = armature.pose.bones
    first.rotation_mode, second.rotation_mode, third.rotation_mode = "YZX", "ZYX", "QUATERNION"
    limit(first, math.radians(-40), math.radians(60))
    limit(first, -0.5, 0.25, "LIMIT_LOCATION", axes="yz")
    limit(second, math.radians(-20), math.radians(20), axes="xy")
    second.constraints["Limit Rotation"].use_limit_z = True  # min and max 0: held
    limit(third, math.radians(-45), math.radians(45))
    third.lock_rotation[1] = True
    limit(third, 0.75, 1.25, "LIMIT_SCALE", axes="x")
    shape(mesh, "wide", grown).slider_max = 0.5
    driven = shape(mesh, "driven", lambda co: (co[0], co[1] + 0.1, co[2]))
    driver = driven.driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone1"].rotation_euler[0]'
    driver.expression = "smoothstep(0.0, 0.3, angle)"
    armature["dial"], armature["switch"], armature["free"], armature["label"] = 0.25, 1, 2.0, "text"
    armature.id_properties_ui("dial").update(min=-1.0, max=1.0)
    armature.id_properties_ui("switch").update(min=0, max=3)
    third["curl"] = 0.0
    third.id_properties_ui("curl").update(min=0.0, max=0.5)
    curve = mesh.driver_add("scale", 0).driver  # the dial is seen to act
    variable = curve.variables.new()
    variable.name = "dial"
    variable.targets[0].id = armature
    variable.targets[0].data_path = '["dial"]'
    curve.expression = "1.0 + dial"
    first.rotation_euler, second.location = (0.4, 0.0, 0.0), (0.0, 1.0, 0.0)  # a pose left in the file
    bpy.context.scene.unit_settings.scale_length = 0.01


def action():
    """An action of ten frames on an Euler bone and on a shape key."""
    armature, mesh = start()
    bone = armature.pose.bones["bone1"]
    for frame, angle in ((1, 0.0), (10, 0.5)):
        bone.rotation_euler = (angle, 0.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    armature.animation_data.action.name = "bend"
    shape(mesh, "wide", grown)


def several():
    """Two bound meshes and a loose one."""
    armature, _ = start()
    tube("Clothes", armature)
    mesh = bpy.data.meshes.new("Prop")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Prop", mesh))


def two_rigs():
    """One mesh under two armatures."""
    _, mesh = start()
    other = bpy.data.armatures.new("Other")
    item = bpy.data.objects.new("Other", other)
    bpy.context.scene.collection.objects.link(item)
    mesh.modifiers.new("Second", "ARMATURE").object = item


def subdivided():
    """A subdivision, which keeps its topology."""
    _, mesh = start()
    mesh.modifiers.new("Subdivision", "SUBSURF").levels = 1


def cut():
    """A boolean, whose result depends on the pose."""
    _, mesh = start()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.8, -0.25, 2.5))
    cutter = bpy.context.object
    modifier = mesh.modifiers.new("Cut", "BOOLEAN")
    modifier.operation, modifier.object = "DIFFERENCE", cutter


def late_cut():
    """A boolean that touches the tube in the middle of the only channel's range, and not at its ends."""
    armature, mesh = start()
    armature.location, armature.rotation_euler, mesh.location = (0, 0, 0), (0, 0, 0), (0, 0, 0)
    limit(armature.pose.bones["bone0"], math.radians(-80), math.radians(100), axes="x")
    bpy.ops.mesh.primitive_cube_add(size=0.8, location=(0.0, -1.67, 1.99))
    cutter = bpy.context.object
    modifier = mesh.modifiers.new("Cut", "BOOLEAN")
    modifier.operation, modifier.object = "DIFFERENCE", cutter


def decimated():
    """A decimation, whose choice of edges depends on the pose."""
    _, mesh = start()
    mesh.modifiers.new("Fewer", "DECIMATE").ratio = 0.5


def poisoned():
    """A shape key with NaN, silent while its value is 0."""
    _, mesh = start()
    shape(mesh, "bad", lambda co: (float("nan"), co[1], co[2]))


def collapsed():
    """A bone that can be scaled to nothing."""
    armature, _ = start()
    limit(armature.pose.bones["bone0"], 0.0, 1.0, "LIMIT_SCALE")


def murderous():
    """Python in the file that ends the process at the second evaluation."""
    start()
    text = bpy.data.texts.new("register.py")
    text.use_module = True
    text.write(
        "import bpy, os\n"
        "calls = []\n"
        "def count(*_):\n"
        "    calls.append(1)\n"
        "    if len(calls) > 40:\n"
        "        print('the rig gave up', flush=True)\n"
        "        os._exit(7)\n"
        "bpy.app.handlers.depsgraph_update_post.append(count)\n"
    )


def meshless():
    """No mesh at all."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


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


def write_cache(path):
    """A turning mesh that a shape key bends, over five frames at 24 a second: the Alembic file, and its points."""
    armature, mesh = start()
    mesh.modifiers.clear()
    bpy.data.objects.remove(armature)
    key = shape(mesh, "wide", grown)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 5
    for frame, value in ((1, 0.0), (5, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
        mesh.rotation_euler[2] = value
        mesh.keyframe_insert("rotation_euler", frame=frame)
    frames = []
    for frame in range(1, 6):
        scene.frame_set(frame)
        item = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        frames.append([tuple(item.matrix_world @ vertex.co) for vertex in item.data.vertices])
    bpy.ops.wm.alembic_export(filepath=str(path), start=1, end=5, as_background_job=False)
    np.save(path.with_suffix(".npy"), np.array(frames))


FILES = (
    plain, controls, action, several, two_rigs, subdivided, cut, late_cut, decimated, poisoned, collapsed, murderous,
    meshless, shapes_only, combined, product_of_bone,
)  # fmt: skip

if __name__ == "__main__":
    folder = Path(sys.argv[sys.argv.index("--") + 1])
    for make in FILES:
        make()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{make.__name__}.blend"))
    if "alembic_export" in dir(bpy.ops.wm):
        write_cache(folder / "cache.abc")
