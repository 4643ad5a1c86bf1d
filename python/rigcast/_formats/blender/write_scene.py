"""Runs inside Blender: a mesh with shape keys, driven combinations and an action, saved as .blend.

Arguments: FOLDER, which holds scene.json and the arrays it needs; the result is FOLDER/scene.blend.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
sys.path.append(str(Path(__file__).parent))


def build(about: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """The mesh object with all keys; neutral and offsets as they are."""
    data = bpy.data.meshes.new(about["name"])
    faces = [[corner for corner in face if corner >= 0] for face in arrays["faces"].tolist()]
    data.from_pydata(arrays["neutral"].tolist(), [], faces)
    item = bpy.data.objects.new(about["name"], data)
    bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    item.matrix_world = Matrix(about["turn"]).to_4x4()
    item["licence"], item["origin"] = about["licence"], about["origin"]
    item.shape_key_add(name="Basis")
    for name, delta, (low, high) in zip(about["names"], arrays["deltas"], about["ranges"], strict=False):
        key = item.shape_key_add(name=name, from_mix=False)
        if key.name != name:
            raise SystemExit(f"Blender cannot name a shape key {name!r}")
        key.data.foreach_set("co", (arrays["neutral"] + delta).astype(np.float32).reshape(-1))
        key.slider_min, key.slider_max = low, high
        key.value = min(max(0.0, low), high)
    return item


def drive(item: Any, name: str, factors: list[list[Any]], names: list[str]) -> None:
    """Make a key the product of factors: [shape] or [shape, x1, x2, x3]."""
    driver = item.data.shape_keys.key_blocks[name].driver_add("value").driver
    driver.type = "SCRIPTED"
    words = []
    for index, (shape, *tent) in enumerate(factors):
        variable = driver.variables.new()
        variable.name = f"w{index}"
        target = variable.targets[0]
        target.id_type, target.id = "KEY", item.data.shape_keys
        target.data_path = f'key_blocks["{bpy.utils.escape_identifier(names[shape])}"].value'
        word = f"w{index}"
        if tent:
            x1, x2, x3 = tent
            word = f"max(0, min(({word} - {x1!r}) / {x2 - x1!r}, ({x3!r} - {word}) / {x3 - x2!r}))"
        words.append(word)
    driver.expression = " * ".join(words)
    if len(driver.expression) < len(" * ".join(words)):
        raise SystemExit(f"the expression of {name!r} is too long for Blender")


if __name__ == "__main__":
    action = importlib.import_module("write_action")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    about = json.loads((FOLDER / "scene.json").read_text(encoding="utf-8"))
    arrays = dict(np.load(FOLDER / "scene.npz"))
    bpy.context.scene.unit_settings.scale_length = about["meters_per_unit"]
    item = build(about, arrays)
    shapes = about["names"][: about["num_shapes"]]
    for name, factors in zip(about["names"][about["num_shapes"] :], about["factors"], strict=False):
        drive(item, name, factors, shapes)
    if about["keyed"] and action.key_shapes(item, shapes, arrays["weights"].tolist(), about["fps"]):
        raise SystemExit("a shape key is missing")
    if about["head"]:
        bpy.context.view_layer.update()
        action.key_head(item, about["head"], *about["box"])
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "scene.blend"))
