"""Runs inside Blender: writes the small .blend files that the tests read. Usage: ``... files.py -- FOLDER``."""

import math
import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.append(str(Path(__file__).parent))

from arms import arp_arm, mgear_arm, rigify_arm
from constraint_kinds import constraint_kinds
from dressed import dressed, several, two_characters
from limb import clothed, draped, limb, stacked
from saved import mechanism, posed_chain, posed_dials, posed_helper, posed_locked, posed_quaternion
from shape_keys import combined, product_of_bone, scripted_face, shapes_only
from tube import grown, limit, shape, start


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
    first.rotation_euler = (0.4, 0.0, 0.0)  # a pose left in the file, of a channel
    bpy.context.scene.unit_settings.scale_length = 0.01


def constrained():
    """A bone that another's rotation is mapped to, one that a driver turns, one that reaches for a target, each in
    a way that no mechanism states; all have skin."""
    armature, mesh = start()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for index, (name, parent) in enumerate(
        (("free", None), ("copy", None), ("driven", None), ("upper", None), ("lower", "upper"), ("target", None))
    ):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (index, 0, 0.2 * (name == "lower")), (index, 0.05, 1)
        bone.parent = armature.data.edit_bones[parent] if parent else None
        mesh.vertex_groups.new(name=name).add([index], 0.01, "ADD")
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = armature.pose.bones
    for bone in bones:
        bone.rotation_mode = "XYZ"
    for name in ("bone0", "free", "copy"):
        limit(bones[name], math.radians(-40), math.radians(40))
    limit(bones["target"], -0.3, 0.3, "LIMIT_LOCATION", axes="x")
    copied = bones["copy"].constraints.new("TRANSFORM")
    copied.target, copied.subtarget, copied.map_from, copied.map_to = armature, "free", "ROTATION", "ROTATION"
    copied.mix_mode_rot, copied.target_space, copied.owner_space = "ADD", "LOCAL", "LOCAL"
    for axis in "xyz":
        for end, sign in (("min", -1), ("max", 1)):
            setattr(copied, f"from_{end}_{axis}_rot", sign * math.radians(40))
            setattr(copied, f"to_{end}_{axis}_rot", sign * math.radians(20))
    reached = bones["lower"].constraints.new("IK")
    reached.target, reached.subtarget, reached.chain_count, reached.use_rotation = armature, "target", 2, True
    driver = bones["driven"].driver_add("rotation_euler", 0).driver
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone0"].rotation_euler[1]'
    driver.expression = "angle * smoothstep(-1.0, 1.0, angle)"


def following():
    """A bone whose middle rotation axis is driven by the negated angle of a second bone."""
    armature, _ = start()
    first, second, _ = armature.pose.bones
    second.rotation_mode = "ZYX"
    limit(first, math.radians(-40), math.radians(40))
    limit(second, math.radians(-40), math.radians(40), axes="xz")
    driver = second.driver_add("rotation_euler", 1).driver
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone0"].rotation_euler[2]'
    driver.expression = "-angle"


def action():
    """An action of ten frames on an Euler bone and on a shape key."""
    armature, mesh = start()
    bone = armature.pose.bones["bone1"]
    for frame, angle in ((1, 0.0), (10, 0.5)):
        bone.rotation_euler = (angle, 0.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    bone.rotation_euler = (0.0, 0.0, 0.0)
    armature.animation_data.action.name = "bend"
    shape(mesh, "wide", grown)


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


def write_cache(path):
    """A turning mesh that a shape key bends, over five frames at 24 per second: the Alembic file, and its points."""
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


def _scripted(mesh, armature, name, expression):
    """A shape that a bone's turn drives, by an expression that may need Python."""
    driver = shape(mesh, name, grown).driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "turn"
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone1"].rotation_euler[0]'
    driver.expression = expression


def scripted():
    """Drivers of plain arithmetic, and two of Python, which nobody runs unasked; a text that registers itself."""
    armature, mesh = start()
    _scripted(mesh, armature, "plain", "abs(turn)")
    _scripted(mesh, armature, "python", "[abs(turn)][0]")
    _scripted(mesh, armature, "open", "max([turn, 0.0])")
    bpy.data.texts.new("setup.py").use_module = True


def write_fbx(folder):
    """A tube with a shape and an action as .blend and .fbx, and its skeleton alone as .fbx."""
    armature, mesh = start()
    shape(mesh, "wide", grown)
    armature.animation_data_create().action = bpy.data.actions.new("wag")
    bone = armature.pose.bones["bone1"]
    for frame, angle in ((1, 0.0), (13, 0.5), (25, -0.25)):
        bone.rotation_euler[0] = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "fbx.blend"))
    bpy.ops.export_scene.fbx(filepath=str(folder / "tube.fbx"), add_leaf_bones=False)
    bpy.data.objects.remove(mesh)
    bpy.ops.export_scene.fbx(filepath=str(folder / "motion.fbx"), add_leaf_bones=False)


FILES = (
    scripted,
    plain, controls, constrained, following, action, several, two_characters, dressed, two_rigs, subdivided, cut,
    late_cut, decimated, poisoned,
    collapsed, murderous, meshless, shapes_only, combined, product_of_bone, scripted_face, limb,
    clothed, draped, stacked,
    posed_chain, posed_quaternion, posed_locked, posed_helper, posed_dials, mechanism,
    constraint_kinds,
    rigify_arm, mgear_arm, arp_arm,
)  # fmt: skip

if __name__ == "__main__":
    folder = Path(sys.argv[sys.argv.index("--") + 1])
    for make in FILES:
        make()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{make.__name__}.blend"))
    if "alembic_export" in dir(bpy.ops.wm):
        write_cache(folder / "cache.abc")
    if "fbx" in dir(bpy.ops.export_scene):
        write_fbx(folder)
