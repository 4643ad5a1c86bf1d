"""Runs inside Blender: makes the production face's .blend from a recipe (``recipe.json`` and ``recipe.npz``).

Usage: ``... blender_script.py -- FOLDER OUTPUT``. Needs bpy and NumPy only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np

Recipe = dict[str, Any]
Array = np.ndarray[Any, Any]
TAIL = 0.015  # meters: bones point backward, so that their axes are the world's


def build(folder: Path, output: Path) -> None:
    """Make the face and save it."""
    recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    arrays: Mapping[str, Array] = dict(np.load(folder / "recipe.npz", allow_pickle=False))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 1.0
    scene.render.fps = recipe["fps"]
    armature = make_armature(recipe, arrays["heads"])
    add_dials(armature.pose.bones[recipe["dial_bone"]], recipe["dials"])
    drive_bones(armature, recipe)
    mesh = make_mesh(recipe, arrays)
    bind(mesh, armature, recipe, arrays)
    add_shapes(mesh, armature, recipe, arrays)
    for clip in recipe["clips"]:
        add_action(armature, recipe["dial_bone"], clip, arrays[f"clip {clip['name']}"])
    for key, value in recipe["properties"].items():
        mesh[key] = value
    bpy.ops.wm.save_as_mainfile(filepath=str(output), check_existing=False, compress=True)


def make_armature(recipe: Recipe, heads: Array) -> Any:
    """The armature object; all transforms of its bones are locked, for drivers alone turn them."""
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for (name, parent), head in zip(recipe["bones"], heads.tolist(), strict=True):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, (head[0], head[1] + TAIL, head[2]), 0.0
        if parent:
            bone.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.bone.use_deform = bone.name != recipe["dial_bone"]
        bone.rotation_mode = "XYZ"
        bone.lock_location = bone.lock_rotation = bone.lock_scale = (True, True, True)
    return armature


def add_dials(bone: Any, dials: list[list[Any]]) -> None:
    """Custom properties with ranges."""
    for name, low, high, rest, group in dials:
        bone[name] = float(rest)
        bone.id_properties_ui(name).update(
            min=low, max=high, soft_min=low, soft_max=high, default=float(rest), description=group
        )


def drive_bones(armature: Any, recipe: Recipe) -> None:
    """Drivers of the bones' rotations and locations."""
    for name, kind, axis, expression, variables in recipe["bone_drivers"]:
        path = "rotation_euler" if kind == "rotation" else "location"
        drive(armature.pose.bones[name].driver_add(path, axis).driver, armature, recipe, expression, variables)


def drive(driver: Any, armature: Any, recipe: Recipe, expression: str, variables: dict[str, str]) -> None:
    """Give a driver its expression and a variable per dial that it reads."""
    driver.type = "SCRIPTED"
    for letter, dial in variables.items():
        variable = driver.variables.new()
        variable.name = letter
        variable.targets[0].id = armature
        variable.targets[0].data_path = f'pose.bones["{recipe["dial_bone"]}"]["{dial}"]'
    driver.expression = expression


def make_mesh(recipe: Recipe, arrays: Mapping[str, Array]) -> Any:
    """The mesh object with UVs, smooth shading, and a material and vertex group per part."""
    data = bpy.data.meshes.new(recipe["name"])
    faces = [[corner for corner in face if corner >= 0] for face in arrays["faces"].tolist()]
    data.from_pydata(arrays["vertices"].tolist(), [], faces)
    data.polygons.foreach_set("use_smooth", np.ones(len(data.polygons), bool))
    layer = data.uv_layers.new(name="UVMap")
    layer.data.foreach_set("uv", arrays["uvs"][arrays["faces"] >= 0].astype(np.float32).reshape(-1))
    slots: dict[str, int] = {}
    for part in recipe["parts"]:
        kind = next(kind for kind in recipe["colors"] if part.startswith(kind))
        if kind not in slots:
            slots[kind] = len(slots)
            material = bpy.data.materials.new(kind)
            material.diffuse_color = (*recipe["colors"][kind], 1.0)
            data.materials.append(material)
    kinds = [slots[next(kind for kind in recipe["colors"] if part.startswith(kind))] for part in recipe["parts"]]
    data.polygons.foreach_set("material_index", np.array(kinds, np.int32)[arrays["face_parts"]])
    mesh = bpy.data.objects.new(recipe["name"], data)
    bpy.context.scene.collection.objects.link(mesh)
    for number, part in enumerate(recipe["parts"]):
        corners = arrays["faces"][arrays["face_parts"] == number]
        mesh.vertex_groups.new(name=f"part.{part}").add(np.unique(corners[corners >= 0]).tolist(), 1.0, "REPLACE")
    return mesh


def bind(mesh: Any, armature: Any, recipe: Recipe, arrays: Mapping[str, Array]) -> None:
    """Weights, armature with preserved volume, and corrective smooth after it."""
    mesh.parent = armature
    for (name, _), weights in zip(recipe["bones"], arrays["weights"].T, strict=True):
        add_group(mesh, name, weights)
    add_group(mesh, "smooth", arrays["smooth"])
    deform = mesh.modifiers.new("Armature", "ARMATURE")
    deform.object, deform.use_deform_preserve_volume = armature, True
    smooth = mesh.modifiers.new("Corrective Smooth", "CORRECTIVE_SMOOTH")
    smooth.factor, smooth.iterations = recipe["smooth"]["factor"], recipe["smooth"]["iterations"]
    smooth.rest_source, smooth.vertex_group, smooth.use_pin_boundary = "ORCO", "smooth", True


def add_group(mesh: Any, name: str, weights: Array) -> None:
    """A vertex group of the positive weights."""
    used = np.flatnonzero(weights > 0)
    if len(used):
        group = mesh.vertex_groups.new(name=name)
        for vertex, weight in zip(used.tolist(), weights[used].tolist(), strict=True):
            group.add([vertex], weight, "REPLACE")


def add_shapes(mesh: Any, armature: Any, recipe: Recipe, arrays: Mapping[str, Array]) -> None:
    """Shape keys, each with a driver."""
    mesh.shape_key_add(name="Basis")
    rest = np.empty((len(mesh.data.vertices), 3), np.float32)
    mesh.data.vertices.foreach_get("co", rest.reshape(-1))
    offsets = arrays["shape_offsets"]
    for number, (name, expression, variables) in enumerate(recipe["shapes"]):
        part = slice(offsets[number], offsets[number + 1])
        moved = rest.copy()
        moved[arrays["shape_vertices"][part]] += arrays["shape_deltas"][part]
        key = mesh.shape_key_add(name=name, from_mix=False)
        key.data.foreach_set("co", moved.reshape(-1))
        drive(key.driver_add("value").driver, armature, recipe, expression, variables)


def add_action(armature: Any, bone: str, clip: Recipe, rows: Array) -> None:
    """An action of the dials; columns that stay at rest have no curve."""
    action = bpy.data.actions.new(clip["name"])
    action.use_fake_user = True
    for key, value in clip["properties"].items():
        action[key] = value
    animation = armature.animation_data or armature.animation_data_create()
    animation.action = action
    holder = armature.pose.bones[bone]
    for column, dial in enumerate(clip["dials"]):
        holder[dial] = float(rows[0, column])
        holder.keyframe_insert(f'["{dial}"]', frame=1)
    curves = {curve.data_path: curve for curve in curves_of(action)}
    frames = np.arange(1, len(rows) + 1, dtype=np.float32)
    for column, dial in enumerate(clip["dials"]):
        points = curves[f'pose.bones["{bone}"]["{dial}"]'].keyframe_points
        points.add(len(rows) - 1)
        points.foreach_set("co", np.stack([frames, rows[:, column]], axis=1).reshape(-1))
        points.foreach_set("interpolation", np.full(len(rows), 1, np.int32))
    animation.action = None
    for dial, rest in clip["rest"].items():
        holder[dial] = rest


def curves_of(action: Any) -> list[Any]:
    """F-curves of an action, in Blender 3 to 5."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [
        curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves
    ]


if __name__ == "__main__":
    source, target = sys.argv[sys.argv.index("--") + 1 :]
    build(Path(source), Path(target))
