"""Parts of the example rigs: bones from a table, a skin of capsules around them, weights by distance.

Runs inside Blender (``pip install "rigcast[blender]"``). Everything is constructed from formulas; nothing is fetched.
"""

import math

import bpy
from mathutils import Vector

LICENCE = "CC0-1.0"


def empty_scene(fps=24):
    """Start anew, in meters."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.unit_settings.system = "METRIC"
    bpy.context.scene.render.fps = fps


def make_armature(bones, controls=()):
    """An armature object from rows (name, parent, head, tail, ...); bones named in ``controls`` deform nothing."""
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail, *_ in bones:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        if parent:
            bone.parent = data.edit_bones[parent]
            bone.use_connect = (bone.parent.tail - bone.head).length < 1e-6 and name not in controls
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
        bone.bone.use_deform = bone.name not in controls
    return armature


def mirrored(rows):
    """Rows with ``.L`` in their names, and their mirror images with ``.R``."""
    result = []
    for name, parent, head, tail, *rest in rows:
        result.append((name, parent, head, tail, *rest))
        if name.endswith(".L"):
            flipped = [(-x, y, z) for x, y, z in (head, tail)]
            result.append((f"{name[:-2]}.R", parent.replace(".L", ".R"), *flipped, *rest))
    return result


def skin(name, capsules, voxel):
    """A closed mesh around capsules (head, tail, radius at head, radius at tail), smoothed where they meet."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=1.0)
    mesh = bpy.context.object
    ball, sides = [vertex.co.copy() for vertex in mesh.data.vertices], [face.vertices[:] for face in mesh.data.polygons]
    points, faces = [], []
    for head, tail, thick, thin in capsules:
        head, tail = Vector(head), Vector(tail)
        steps = max(2, math.ceil((tail - head).length / (0.5 * min(thick, thin))))
        for step in range(steps + 1):
            share = step / steps
            center, radius, first = head.lerp(tail, share), (1 - share) * thick + share * thin, len(points)
            points += [center + radius * corner for corner in ball]
            faces += [[first + corner for corner in side] for side in sides]
    mesh.data = bpy.data.meshes.new(name)
    mesh.data.from_pydata(points, [], faces)
    mesh.name = name
    remesh = mesh.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", voxel
    smooth = mesh.modifiers.new("Smooth", "SMOOTH")
    smooth.iterations = 6
    for modifier in ("Remesh", "Smooth"):
        bpy.ops.object.modifier_apply(modifier=modifier)
    mesh.data.polygons.foreach_set("use_smooth", [True] * len(mesh.data.polygons))
    return mesh


def bind(mesh, armature, sharpness=6.0, preserve_volume=False):
    """Weights that fall with a power of the distance to each bone, the four nearest bones, and the modifier."""
    bones = [bone for bone in armature.data.bones if bone.use_deform]
    groups = {bone.name: mesh.vertex_groups.new(name=bone.name) for bone in bones}
    for vertex in mesh.data.vertices:
        near = sorted((distance(vertex.co, bone), bone.name) for bone in bones)[:4]
        shares = [(1.0 / max(gap, 1e-4)) ** sharpness for gap, _ in near]
        for (_, name), share in zip(near, shares, strict=True):
            if share > 0.01 * sum(shares):
                groups[name].add([vertex.index], share / sum(shares), "REPLACE")
    modifier = mesh.modifiers.new("Armature", "ARMATURE")
    modifier.object, modifier.use_deform_preserve_volume = armature, preserve_volume
    mesh.parent = armature
    return modifier


def distance(point, bone):
    """From a point to the segment of a bone at rest."""
    head, axis = bone.head_local, bone.tail_local - bone.head_local
    share = min(max((point - head).dot(axis) / axis.length_squared, 0.0), 1.0)
    return (point - head - share * axis).length


def limit(bone, **degrees):
    """Limit Rotation in local space: ``limit(bone, x=(-30, 60))``."""
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for axis, (low, high) in degrees.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", math.radians(low))
        setattr(constraint, f"max_{axis}", math.radians(high))


def reach(armature, owner, target, pole, chain):
    """Inverse kinematics of a chain of bones that ends at ``owner``."""
    constraint = armature.pose.bones[owner].constraints.new("IK")
    constraint.target = constraint.pole_target = armature
    constraint.subtarget, constraint.pole_subtarget, constraint.chain_count = target, pole, chain
    constraint.pole_angle = -math.pi / 2


def shape(mesh, name, offset):
    """A shape key: ``offset`` maps a coordinate to its displacement."""
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    key = mesh.shape_key_add(name=name, from_mix=False)
    for point in key.data:
        point.co = point.co + Vector(offset(point.co.copy()))
    key.value = 0.0
    return key


def drive(owner, path, expression, armature, index=-1, **variables):
    """A driver; each variable is a path of the armature object, or "frame"."""
    driver = owner.driver_add(path, index).driver if index >= 0 else owner.driver_add(path).driver
    driver.type = "SCRIPTED"
    for name, source in variables.items():
        variable = driver.variables.new()
        variable.name = name
        variable.targets[0].id = armature
        variable.targets[0].data_path = source
    driver.expression = expression


def bump(center, radius, offset):
    """An offset that fades from a center: cos^2 inside the radius."""
    center, offset = Vector(center), Vector(offset)

    def at(point):
        share = min((point - center).length / radius, 1.0)
        return offset * math.cos(0.5 * math.pi * share) ** 2

    return at


def key_action(owner, name, frames, curves):
    """Key an action: ``curves`` has (owner of the property, path, index, function of the phase 0 to 1)."""
    for holder, path, index, value in curves:
        for frame in range(frames + 1):
            if index >= 0:
                getattr(holder, path)[index] = value(frame / frames)
            elif path.startswith('["'):
                holder[path[2:-2]] = value(frame / frames)
            else:
                setattr(holder, path, value(frame / frames))
            holder.keyframe_insert(path, index=index, frame=frame + 1)
    owner.animation_data.action.name = name
    owner.animation_data.action.use_fake_user = True
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames + 1


def state(mesh, text):
    """Store the character's origin, as properties that rigcast reads."""
    mesh["licence"], mesh["origin"] = LICENCE, f"constructed: {text}"
