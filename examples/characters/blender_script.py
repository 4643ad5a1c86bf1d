"""Runs inside Blender: makes the demo character's .blend from a recipe (``recipe.json`` and ``recipe.npz``).

Usage: ``... blender_script.py -- FOLDER OUTPUT``. Needs bpy and NumPy only.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np

Recipe = dict[str, Any]
Array = np.ndarray[Any, Any]


def build(folder: Path, output: Path) -> None:
    """Make the character and save it."""
    recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    arrays: Mapping[str, Array] = np.load(folder / "recipe.npz", allow_pickle=False)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.unit_settings.system = "METRIC"
    bpy.context.scene.unit_settings.scale_length = 1.0
    armature = make_armature(recipe, arrays["bones"])
    limit_joints(armature, recipe)
    mesh = make_mesh(recipe, arrays)
    bind(mesh, armature, recipe, arrays)
    add_shapes(mesh, armature, recipe["shapes"], arrays["deltas"])
    follow(armature, recipe["followers"])
    for key, value in recipe["properties"].items():
        mesh[key] = value
    bpy.ops.wm.save_as_mainfile(filepath=str(output), check_existing=False)


def make_armature(recipe: Recipe, bones: Array) -> Any:
    """The armature object: bones (J, 3, 3) as head, tail and Z direction (zero: use the roll)."""
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for (name, parent, roll), (head, tail, z_axis) in zip(recipe["bones"], bones.tolist(), strict=True):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        if any(z_axis):
            bone.align_roll(z_axis)
        if parent:
            bone.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, _, _ in recipe["bones"]:
        data.bones[name].use_deform = name in recipe["groups"]
        armature.pose.bones[name].rotation_mode = "XYZ"
    return armature


def limit_joints(armature: Any, recipe: Recipe) -> None:
    """Rotation order and Limit Rotation constraint of every moving bone."""
    for name, ranges in recipe["joints"].items():
        bone = armature.pose.bones[name]
        bone.rotation_mode = recipe["order"]
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        for axis, (low, high) in zip("xyz", ranges, strict=True):
            setattr(limit, f"use_limit_{axis}", True)
            setattr(limit, f"min_{axis}", math.radians(low))
            setattr(limit, f"max_{axis}", math.radians(high))


def make_mesh(recipe: Recipe, arrays: Mapping[str, Array]) -> Any:
    """The mesh object, smooth shaded."""
    data = bpy.data.meshes.new(recipe["name"])
    data.from_pydata(arrays["vertices"].tolist(), [], arrays["faces"].tolist())
    data.polygons.foreach_set("use_smooth", np.ones(len(data.polygons), bool))
    mesh = bpy.data.objects.new(recipe["name"], data)
    bpy.context.scene.collection.objects.link(mesh)
    return mesh


def bind(mesh: Any, armature: Any, recipe: Recipe, arrays: Mapping[str, Array]) -> None:
    """Vertex groups, armature (preserve volume) and corrective smooth modifiers."""
    mesh.parent = armature
    for index, name in enumerate(recipe["groups"]):
        group = mesh.vertex_groups.new(name=name)
        start, end = arrays["group_offsets"][index : index + 2]
        pairs = zip(arrays["group_vertices"][start:end].tolist(), arrays["group_weights"][start:end], strict=True)
        for vertex, weight in pairs:
            group.add([vertex], float(weight), "REPLACE")
    deform = mesh.modifiers.new("Armature", "ARMATURE")
    deform.object = armature
    deform.use_deform_preserve_volume = True
    smooth = mesh.modifiers.new("Corrective Smooth", "CORRECTIVE_SMOOTH")
    smooth.factor = recipe["smooth"]["factor"]
    smooth.iterations = recipe["smooth"]["iterations"]
    smooth.rest_source = "ORCO"


def add_shapes(mesh: Any, armature: Any, shapes: list[Recipe], deltas: Array) -> None:
    """Shape keys; those with a bone get a driver."""
    mesh.shape_key_add(name="Basis")
    rest = np.empty(3 * len(mesh.data.vertices), np.float32)
    mesh.data.vertices.foreach_get("co", rest)
    for shape, delta in zip(shapes, deltas, strict=True):
        key = mesh.shape_key_add(name=shape["name"], from_mix=False)
        key.data.foreach_set("co", rest + delta.reshape(-1).astype(np.float32))
        key.value = 0.0
        if shape["bone"] is None:
            continue
        driver = key.driver_add("value").driver
        drive(driver, armature, shape["bone"], shape["axis"])
        driver.expression = f"smoothstep({shape['start']}, {shape['end']}, {shape['sign']} * angle)"


def follow(armature: Any, followers: dict[str, str]) -> None:
    """Bones that copy the flexion of another bone."""
    for name, leader in followers.items():
        bone = armature.pose.bones[name]
        bone.rotation_mode = armature.pose.bones[leader].rotation_mode
        driver = bone.driver_add("rotation_euler", 0).driver
        drive(driver, armature, leader, 0)
        driver.expression = "angle"


def drive(driver: Any, armature: Any, bone: str, axis: int) -> None:
    """Give a driver one variable ``angle``: a rotation of a pose bone, radians."""
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name = "angle"
    variable.targets[0].id = armature
    variable.targets[0].data_path = f'pose.bones["{bone}"].rotation_euler[{axis}]'


if __name__ == "__main__":
    source, target = sys.argv[sys.argv.index("--") + 1 :]
    build(Path(source), Path(target))
