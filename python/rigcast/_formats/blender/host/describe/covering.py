"""The surface of an evaluated mesh: the materials of its faces and the texture coordinates of their corners."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import topology

Array = np.ndarray[Any, Any]


def covering(item: Any, mesh: Any) -> tuple[list[str], dict[str, Array]]:
    """Names of materials; ``kinds`` (F,), ``uvs`` (U, 2) and ``corners`` (F, 4) of the faces of :mod:`.topology`.

    Parameters
    ----------
    item : object
        Whose slots name the materials.
    mesh : mesh data
        After all modifiers.
    """
    loops, polygons = topology.corners(mesh)
    slots = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    named = [slot.material.name if slot.material is not None else "" for slot in item.material_slots]
    names = list(dict.fromkeys(filter(None, named)))
    place = np.array([names.index(name) if name else -1 for name in named] or [-1], np.int32)
    kinds = place[np.clip(slots[polygons], 0, len(place) - 1)]
    layer = rendered_layer(mesh)
    if layer is None:
        return names, {"kinds": kinds, "uvs": np.zeros((0, 2), np.float32), "corners": np.zeros((0, 4), np.int32)}
    flat = np.empty((len(mesh.loops), 2), np.float32)
    _read(layer, flat)
    vertices = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", vertices)
    keys = np.concatenate([vertices[:, None], flat.view(np.int32).reshape(-1, 2)], axis=1)
    _, first, row = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    corners = np.where(loops < 0, -1, row.reshape(-1)[loops]).astype(np.int32)
    return names, {"kinds": kinds, "uvs": flat[first], "corners": corners}


def rendered_layer(mesh: Any) -> Any | None:
    """The UV map that renders use; None without any."""
    layers = list(mesh.uv_layers)
    return next((layer for layer in layers if layer.active_render), layers[0] if layers else None)


def other_layers(mesh: Any) -> list[str]:
    """The names of the other UV maps."""
    used = rendered_layer(mesh)
    return [layer.name for layer in mesh.uv_layers if used is not None and layer.name != used.name]


def _read(layer: Any, into: Array) -> None:
    if hasattr(layer, "uv"):
        layer.uv.foreach_get("vector", into.reshape(-1))
    else:
        layer.data.foreach_get("uv", into.reshape(-1))
