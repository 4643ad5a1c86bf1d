# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape keys of a mesh object as a blendshape rig: read as arrays, made from arrays, keyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..jobs.running import JobError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Shapes:
    """Shape keys as arrays, in the object's own coordinates.

    Attributes
    ----------
    neutral : (V, 3) float32
        The first key.
    deltas : (K, V, 3) float32
    names : list of str
    bounds : (K, 2) float32
        The sliders.
    left_out : list of str
        Keys that are muted, driven or empty of offsets.
    """

    neutral: Array
    deltas: Array
    names: list[str]
    bounds: Array
    left_out: list[str]

    def save(self, path: Path, faces: Array) -> None:
        """Write the rig as an archive that ``rigcast`` reads; z is up."""
        arrays = {"neutral": self.neutral, "deltas": self.deltas, "names": np.array(self.names, np.str_)}
        np.savez(path, **arrays, bounds=self.bounds, faces=faces, up_axis=np.array("Z"))


def shapes_of(item: Any) -> Shapes:
    """The shape keys of a mesh object.

    Raises
    ------
    JobError
        If there is none that can be set.
    """
    keys = item.data.shape_keys if item.type == "MESH" else None
    if keys is None or not keys.use_relative:
        raise JobError(f"{item.name} has no relative shape keys: select the face whose shape keys are meant")
    driven = _driven(keys)
    points = {key.name: _points(key) for key in keys.key_blocks}
    names, deltas, bounds, left_out = [], [], [], []
    for key in keys.key_blocks:
        if key == keys.reference_key:
            continue
        delta = points[key.name] - points[key.relative_key.name]
        delta = delta * _weights(item, key.vertex_group)[:, None] if key.vertex_group else delta
        if key.mute or key.path_from_id("value") in driven or not np.abs(delta).max() > 0.0:
            left_out.append(key.name)
            continue
        names.append(key.name)
        deltas.append(delta)
        bounds.append((key.slider_min, key.slider_max))
    if not names:
        raise JobError(f"{item.name} has no shape key that can be set: all are muted, driven, or move nothing")
    neutral = points[keys.reference_key.name]
    return Shapes(neutral, np.array(deltas), names, np.array(bounds, np.float32), left_out)


def faces_of(mesh: Any) -> Array:
    """The faces (F, 4) of a mesh, -1 in the fourth column of triangles; larger ones as fans of triangles."""
    rows = []
    for polygon in mesh.polygons:
        corners = list(polygon.vertices)
        if len(corners) <= 4:
            rows.append([*corners, -1][:4])
        else:
            rows += [[corners[0], corners[i], corners[i + 1], -1] for i in range(1, len(corners) - 1)]
    return np.array(rows, np.int32).reshape(-1, 4)


def add_shapes(item: Any, names: Sequence[str], deltas: Array, bounds: Array) -> list[str]:
    """Add shape keys to a mesh object, or replace those of the same names. Returns the names of those replaced."""
    if item.data.shape_keys is None:
        item.shape_key_add(name="Basis", from_mix=False)
    keys = item.data.shape_keys
    neutral = _points(keys.reference_key)
    replaced = []
    for name, delta, (low, high) in zip(names, deltas, bounds, strict=True):
        key = keys.key_blocks.get(name)
        if key is not None:
            replaced.append(name)
        else:
            key = item.shape_key_add(name=name, from_mix=False)
        key.slider_min, key.slider_max, key.value = float(low), float(high), 0.0
        key.data.foreach_set("co", np.ascontiguousarray(neutral + delta, np.float32).ravel())
    item.data.update()
    return replaced


def key_weights(item: Any, names: Sequence[str], frames: Sequence[int], weights: Array) -> None:
    """Key the values of shape keys, one key per frame; keys of other frames stay."""
    blocks = item.data.shape_keys.key_blocks
    for name, column in zip(names, np.asarray(weights).T, strict=True):
        key = blocks[name]
        key.slider_min = max(-10.0, min(key.slider_min, float(column.min())))
        key.slider_max = min(10.0, max(key.slider_max, float(column.max())))
        for frame, value in zip(frames, column, strict=True):
            key.value = float(value)
            key.keyframe_insert("value", frame=frame)


def _points(key: Any) -> Array:
    points = np.empty(3 * len(key.data), np.float32)
    key.data.foreach_get("co", points)
    return points.reshape(-1, 3)


def _driven(keys: Any) -> set[str]:
    return {curve.data_path for curve in keys.animation_data.drivers} if keys.animation_data else set()


def _weights(item: Any, group: str) -> Array:
    """The weights of a vertex group, of which a key's offsets are multiplied; ones without the group."""
    found = item.vertex_groups.get(group)
    if found is None:
        return np.ones(len(item.data.vertices), np.float32)
    weights = np.zeros(len(item.data.vertices), np.float32)
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            if entry.group == found.index:
                weights[vertex.index] = entry.weight
    return weights
