"""Runs inside Blender: a bone for every kind of constraint, driver, inheritance and chain that a mechanism may have.

``constraint_kinds`` makes one armature. Each case has a bone NAME.base, its child NAME.owner, and NAME.target, which
the owner follows; a chain has NAME.base, NAME.upper, NAME.owner, NAME.target and NAME.pole.
"""

import bpy
from mathutils import Matrix, Vector
from tube import edited_armature

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def follow(kind, influence=1.0, **settings):
    """A constraint of the owner to the target."""

    def make(armature, bones):
        constraint = bones["owner"].constraints.new(kind)
        if hasattr(constraint, "target"):
            constraint.target, constraint.subtarget = armature, bones["target"].name
        constraint.influence = influence
        for name, value in settings.items():
            setattr(constraint, name, value)

    return make


def both(*makers):
    """Several constraints, one after another."""
    return lambda armature, bones: [make(armature, bones) for make in makers]


def moved_by(*names, **settings):
    """An Armature constraint to base and target by weights."""

    def make(armature, bones):
        constraint = bones["owner"].constraints.new("ARMATURE")
        for name, weight in zip(names, (0.3, 0.7), strict=False):
            target = constraint.targets.new()
            target.target, target.subtarget, target.weight = armature, bones[name].name, weight
        for name, value in settings.items():
            setattr(constraint, name, value)

    return make


def inherits(**settings):
    """How the owner inherits from its base."""
    return lambda armature, bones: [setattr(bones["owner"].bone, name, value) for name, value in settings.items()]


def turns_in(order, mode="REPLACE"):
    """A copied rotation in the order of the owner."""

    def make(armature, bones):
        bones["owner"].rotation_mode = order
        follow("COPY_ROTATION", mix_mode=mode, use_y=False, invert_x=True, owner_space="LOCAL",
               target_space="LOCAL")(armature, bones)  # fmt: skip

    return make


def driven(path, expression, kind="SCRIPTED", axis=-1, **variables):
    """A driver of the owner; variables by the target's properties, locations (letters) and rotations."""

    def make(armature, bones):
        owner, target = bones["owner"], bones["target"]
        if "constraints" in path:
            follow("COPY_LOCATION")(armature, bones)
        target["dial"] = 0.5
        target.id_properties_ui("dial").update(min=0.0, max=1.0)
        curve = owner.constraints[0].driver_add("influence") if axis < 0 else owner.driver_add(path, axis)
        curve.driver.type, curve.driver.expression = kind, expression
        for name, data_path in variables.items():
            variable = curve.driver.variables.new()
            variable.name = name
            if data_path.startswith("TRANSFORM "):
                variable.type = "TRANSFORMS"
                place = variable.targets[0]
                place.id, place.bone_target = armature, target.name
                place.transform_type, place.transform_space = data_path.split()[1], "LOCAL_SPACE"
            else:
                variable.targets[0].id = armature
                variable.targets[0].data_path = f'pose.bones["{target.name}"]{data_path}'

    return make


def reaches(pole=False, stretch=0.0, locked=False, influence=1.0, iterations=500):
    """A chain of two bones with a goal."""

    def make(armature, bones):
        constraint = bones["owner"].constraints.new("IK")
        constraint.target, constraint.subtarget = armature, bones["target"].name
        constraint.chain_count, constraint.influence, constraint.iterations = 2, influence, iterations
        constraint.use_stretch = stretch > 0.0
        for name in ("upper", "owner"):
            bones[name].ik_stretch = stretch
        bones["owner"].lock_ik_y = bones["owner"].lock_ik_z = locked
        if pole:
            constraint.pole_target, constraint.pole_subtarget = armature, bones["pole"].name
            constraint.pole_angle = -0.7

    return make


CASES = {
    "copy_location": follow("COPY_LOCATION"),
    "copy_location_part": follow("COPY_LOCATION", 0.4, use_y=False, invert_x=True, use_offset=True),
    "copy_location_local": follow("COPY_LOCATION", use_offset=True, owner_space="LOCAL", target_space="LOCAL"),
    "copy_location_tail": follow("COPY_LOCATION", head_tail=0.6),
    "copy_rotation": follow("COPY_ROTATION"),
    "copy_rotation_half": follow("COPY_ROTATION", 0.5),
    "copy_rotation_pose": follow("COPY_ROTATION", owner_space="POSE", target_space="POSE"),
    "copy_rotation_parent": follow("COPY_ROTATION", owner_space="LOCAL_WITH_PARENT", target_space="LOCAL_WITH_PARENT"),
    "copy_rotation_before": follow("COPY_ROTATION", mix_mode="BEFORE", owner_space="LOCAL", target_space="LOCAL"),
    "copy_rotation_after": follow("COPY_ROTATION", mix_mode="AFTER", owner_space="LOCAL", target_space="LOCAL"),
    **{f"copy_rotation_{order}": turns_in(order) for order in ORDERS},
    **{f"copy_rotation_add_{order}": turns_in(order, "ADD") for order in ORDERS[1::2]},
    **{f"copy_rotation_offset_{order}": turns_in(order, "OFFSET") for order in ORDERS[::2]},
    "copy_scale": follow("COPY_SCALE"),
    "copy_scale_part": follow("COPY_SCALE", use_x=False, use_offset=True, power=2.0),
    "copy_scale_add": follow("COPY_SCALE", 0.5, use_offset=True, use_add=True),
    "copy_scale_uniform": follow("COPY_SCALE", use_make_uniform=True),
    "copy_transforms": follow("COPY_TRANSFORMS"),
    "copy_transforms_half": follow("COPY_TRANSFORMS", 0.5),
    "copy_transforms_local": follow("COPY_TRANSFORMS", owner_space="LOCAL", target_space="LOCAL"),
    **{f"track_{axis}": follow("DAMPED_TRACK", track_axis=f"TRACK_{axis}") for axis in ("X", "Y", "NEGATIVE_Z")},
    "track_half": follow("DAMPED_TRACK", 0.5, head_tail=1.0),
    **{f"stretch_{volume}": follow("STRETCH_TO", volume=volume, keep_axis="SWING_Y", rest_length=0.8)
       for volume in ("VOLUME_XZX", "VOLUME_X", "VOLUME_Z", "NO_VOLUME")},
    "stretch_bulge": follow("STRETCH_TO", keep_axis="SWING_Y", bulge=0.4, rest_length=1.1),
    "moved_by": moved_by("base", "target"),
    "moved_by_one": moved_by("target"),
    "limit_location": follow("LIMIT_LOCATION", owner_space="LOCAL", use_min_x=True, use_max_z=True, max_z=0.05),
    "limit_rotation": follow("LIMIT_ROTATION", owner_space="LOCAL", use_limit_x=True, min_x=-0.1, max_x=0.2),
    "limit_scale": follow("LIMIT_SCALE", owner_space="LOCAL", use_max_x=True, max_x=1.0, use_min_y=True, min_y=0.9),
    "limit_distance": follow("LIMIT_DISTANCE", distance=0.4),
    "several": both(follow("COPY_LOCATION", 0.5), follow("COPY_ROTATION"), follow("COPY_SCALE", 0.7)),
    **{f"scale_{mode}": inherits(inherit_scale=mode)
       for mode in ("FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")},
    **{f"hinge_{mode}": inherits(inherit_scale=mode, use_inherit_rotation=False)
       for mode in ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE")},
    "free_location": inherits(use_local_location=False),
    "driver": driven("rotation_euler", "2 * sin(a) + (b if a > 0 else -b) ** 2", axis=1, a='["dial"]', b=".location.x"),
    "driver_sum": driven("location", "", "SUM", axis=0, a='["dial"]', b=".scale[1]"),
    "driver_least": driven("scale", "", "MIN", axis=2, a='["dial"]', b=".scale[0]"),
    "driver_mean": driven("location", "", "AVERAGE", axis=2, a='["dial"]', b=".location[1]"),
    "driver_words": driven("location", "clamp(a * 3, 0, 1) if not a < 0.2 and b or 0 else min(a, b)", axis=1,
                           a='["dial"]', b=".location[0]"),
    "driver_turn": driven("rotation_euler", "", "SUM", axis=0, a="TRANSFORM ROT_X", b="TRANSFORM LOC_Z"),
    "driver_influence": driven("constraints", "1 - a", a='["dial"]'),
    "chain": reaches(),
    "chain_hinge": reaches(locked=True),
    "chain_stretch": reaches(locked=True, stretch=0.1),
    "chain_pole": reaches(pole=True),
    "chain_pole_half": reaches(pole=True, influence=0.5),
    "chain_half": reaches(influence=0.5),
    "chain_short": reaches(iterations=3),
}  # fmt: skip


def constraint_kinds():
    """All cases side by side on one armature, with a box around each bone."""
    armature = edited_armature()
    data = armature.data
    for place, name in enumerate(CASES):
        _bones_of(data, name, 3.0 * (place % 8), 4.0 * (place // 8))
    bpy.ops.object.mode_set(mode="POSE")
    for name, make in CASES.items():
        parts = ("base", "upper", "owner", "target", "pole")
        bones = {part: armature.pose.bones.get(f"{name}.{part}") for part in parts}
        for bone in filter(None, bones.values()):
            bone.rotation_mode = "XYZ"
        make(armature, {part: bone for part, bone in bones.items() if bone is not None})
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.matrix_world = Matrix.LocRotScale(Vector((0.3, -0.2, 0.1)), Matrix.Rotation(0.3, 3, "X"), None)
    _boxes(armature)


def _bones_of(data, name, x, y):
    def add(part, head, tail, parent=None, roll=0.0):
        bone = data.edit_bones.new(f"{name}.{part}")
        bone.head, bone.tail, bone.roll = Vector((x, y, 0)) + Vector(head), Vector((x, y, 0)) + Vector(tail), roll
        bone.parent = parent
        return bone

    base = add("base", (0, 0, 0), (0, 0.1, 1), roll=0.2)
    if not name.startswith("chain"):
        add("owner", (0, 0.2, 1.1), (0.1, 0.4, 2.0), base, roll=0.5)
        add("target", (0.8, 0.3, 1.6), (0.9, 0.9, 2.2), roll=-0.4)
        return
    upper = add("upper", (0, 0.1, 1), (0, -0.2, 2), base)
    add("owner", (0, -0.2, 2), (0, 0.2, 2.9), upper).use_connect = True
    add("target", (0.1, 0.3, 2.6), (0.1, 0.6, 2.6))
    add("pole", (0, -2.0, 2), (0, -2.4, 2))


def _boxes(armature):
    points, faces, groups = [], [], {}
    for bone in armature.data.bones:
        first = len(points)
        points += [bone.matrix_local @ Vector((x, y * bone.length, z))
                   for y in (0, 1) for x, z in ((0.1, 0.1), (0.1, -0.1), (-0.1, -0.1), (-0.1, 0.1))]  # fmt: skip
        faces += [(first + k, first + (k + 1) % 4, first + 4 + (k + 1) % 4, first + 4 + k) for k in range(4)]
        groups[bone.name] = list(range(first, len(points)))
    data = bpy.data.meshes.new("Skin")
    data.from_pydata(points, [], faces)
    mesh = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(mesh)
    for name, members in groups.items():
        mesh.vertex_groups.new(name=name).add(members, 1.0, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    mesh.parent = armature
