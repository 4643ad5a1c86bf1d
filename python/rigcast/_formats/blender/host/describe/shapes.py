"""Shape keys of a mesh: offsets, ranges, drivers and keyed values, as they stand in the file."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..objects import InputError, UnusableError
from . import topology
from .covering import covering
from .curves import curves_of

Array = np.ndarray[Any, Any]


def shape_keys(mesh: str | None) -> tuple[dict[str, Any], dict[str, Array]]:
    """All shape keys but the reference, in world space.

    A key's offset is taken from the key it is relative to, and scaled by its vertex group. Muted keys are left out.
    """
    item = choose_shaped(mesh)
    block = item.data.shape_keys
    if not block.use_relative:
        raise UnusableError(f"the shape keys of mesh {item.name!r} are absolute; make them relative")
    matrix = np.array(item.matrix_world, np.float64)
    basis = block.reference_key
    keys = [key for key in block.key_blocks if key != basis and not key.mute]
    coordinates = {key.name: _coordinates(key) for key in block.key_blocks}
    neutral = coordinates[basis.name]
    deltas = np.zeros((len(keys), len(neutral), 3), np.float32)
    for k, key in enumerate(keys):
        offset = coordinates[key.name] - coordinates[key.relative_key.name]
        offset *= _group_weights(item, key.vertex_group)[:, None]
        deltas[k] = offset @ matrix[:3, :3].T
    settings = bpy.context.scene.unit_settings
    faces = topology.faces(item.data)
    materials, covered = covering(item, item.data)
    sizes = {"vertices": len(neutral), "faces": len(faces), "uvs": len(covered["uvs"])}
    header = {
        "mesh": item.name,
        "names": [key.name for key in keys],
        "drivers": {name: driver for name, driver in _drivers(block).items() if name in {key.name for key in keys}},
        "modifiers": [f"{m.name} ({m.type})" for m in item.modifiers if m.show_viewport],
        "meters_per_unit": 1.0 if settings.system == "NONE" else float(settings.scale_length),
        "licence": str(item.get("licence", "")),
        "origin": str(item.get("origin", "")),
        "part": {"name": item.name, **sizes, "corners": len(covered["corners"]), "materials": materials},
    }
    arrays = {
        "neutral": (neutral @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32),
        "deltas": deltas,
        "bounds": np.array([(key.slider_min, key.slider_max) for key in keys], np.float64).reshape(-1, 2),
        "values": np.array([key.value for key in keys], np.float64),
        "faces": faces,
        **{f"surface_{name}": array for name, array in covered.items()},
    }
    return header, arrays


def shape_action(mesh: str | None, name: str | None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Values (T, n) of the keys that an action moves, one row per whole frame of its range, and timeline markers."""
    item = choose_shaped(mesh)
    block = item.data.shape_keys
    if name is not None:
        action = bpy.data.actions.get(name)
    else:
        action = block.animation_data.action if block.animation_data is not None else None
    if action is None:
        known = ", ".join(repr(found.name) for found in bpy.data.actions) or "(the file holds none)"
        got = "not given, and the shape keys have none" if name is None else repr(name)
        raise InputError("action", got, f"one of {known}")
    curves = {curve.data_path: curve for curve in curves_of(action)}
    paths = {key.name: f'key_blocks["{bpy.utils.escape_identifier(key.name)}"].value' for key in block.key_blocks}
    moved = [key for key, path in paths.items() if path in curves]
    if not moved:
        raise InputError("action", repr(action.name), f"an action that moves shape keys of mesh {item.name!r}")
    first, last = (round(value) for value in action.frame_range)
    rows = [[curves[paths[key]].evaluate(frame) for key in moved] for frame in range(first, last + 1)]
    render = bpy.context.scene.render
    marks = [[marker.name, marker.frame - first] for marker in bpy.context.scene.timeline_markers]
    header = {"names": moved, "fps": render.fps / render.fps_base, "marks": marks}
    return header, {"values": np.array(rows, np.float64)}


def choose_shaped(name: str | None) -> Any:
    """The mesh object called ``name``, or the only one with shape keys."""
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH" and item.data.shape_keys is not None]
    found = [item for item in meshes if name in (None, item.name)]
    if len(found) != 1:
        known = ", ".join(repr(item.name) for item in meshes) or "left out: no mesh of the file has shape keys"
        raise InputError("mesh", "not given" if name is None else repr(name), known)
    return found[0]


def _coordinates(key: Any) -> Array:
    result = np.empty((len(key.data), 3), np.float32)
    key.data.foreach_get("co", result.reshape(-1))
    return result.astype(np.float64)


def _group_weights(item: Any, name: str) -> Array:
    result = np.ones(len(item.data.vertices))
    group = item.vertex_groups.get(name) if name else None
    if group is not None:
        for vertex in item.data.vertices:
            result[vertex.index] = next((g.weight for g in vertex.groups if g.group == group.index), 0.0)
    return result


def _drivers(block: Any) -> dict[str, dict[str, Any]]:
    """The driver of each key: kind, expression, variables, and the curve over the result."""
    result: dict[str, dict[str, Any]] = {}
    curves = block.animation_data.drivers if block.animation_data is not None else []
    for key in block.key_blocks:
        path = f'key_blocks["{bpy.utils.escape_identifier(key.name)}"].value'
        for curve in curves:
            if curve.data_path == path and not curve.mute:
                result[key.name] = {
                    "kind": curve.driver.type,
                    "expression": curve.driver.expression,
                    "variables": {v.name: _variable(v, block) for v in curve.driver.variables},
                    "curve": _curve(curve),
                }
    return result


def _variable(variable: Any, block: Any) -> dict[str, Any]:
    """The key of this mesh whose value a variable reads, None where it reads something else; and words for it."""
    target = variable.targets[0]
    words = f"{variable.type} {getattr(target.id, 'name', None)!r} {target.data_path}"
    path = target.data_path
    if variable.type == "SINGLE_PROP" and target.id is not None:
        if getattr(target.id, "type", None) == "MESH":
            path = path.removeprefix("data.shape_keys.") if target.id.data.shape_keys == block else ""
        elif target.id == getattr(block, "user", None):
            path = path.removeprefix("shape_keys.")
        elif target.id != block:
            path = ""
        for key in block.key_blocks:
            if path == f'key_blocks["{bpy.utils.escape_identifier(key.name)}"].value':
                return {"key": key.name, "words": words}
    return {"key": None, "words": words}


def _curve(curve: Any) -> dict[str, Any]:
    """Key points, whether all pieces are straight, and modifiers.

    Older versions give a new driver a generator ``1 * x``, which takes the place of whatever the key points say.
    """
    bypassed = any(_is_identity(m) for m in curve.modifiers if not m.mute)
    points = [] if bypassed else [[float(x) for x in point.co] for point in curve.keyframe_points]
    keys = list(curve.keyframe_points)
    straight = all(_is_straight(first, second) for first, second in zip(keys, keys[1:]))  # noqa: B905, RUF007
    acting = [m.type for m in curve.modifiers if not m.mute and not _is_identity(m)]
    return {"points": points, "straight": straight, "extrapolation": curve.extrapolation, "modifiers": acting}


def _is_straight(first: Any, second: Any) -> bool:
    """Return True if the piece between two key points is a line: Blender gives a new driver a Bezier piece that is
    one."""
    if first.interpolation == "LINEAR":
        return True
    way = second.co - first.co
    handles = (first.handle_right - first.co, second.handle_left - first.co)
    return first.interpolation == "BEZIER" and all(abs(way.cross(handle)) < 1e-6 * way.length for handle in handles)


def _is_identity(modifier: Any) -> bool:
    if modifier.type != "GENERATOR" or modifier.mode != "POLYNOMIAL" or modifier.use_additive:
        return False
    return list(modifier.coefficients) == [0.0, 1.0] + [0.0] * (len(modifier.coefficients) - 2)
