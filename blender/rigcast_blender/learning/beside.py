# SPDX-License-Identifier: GPL-3.0-or-later
"""A learned model bound to a new mesh beside its original, and the model's error over the frames as colors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import bmesh
import bpy
import numpy as np

from .. import binding
from ..evaluation import model_of, pose_row
from ..jobs.running import JobError, Progress
from ..moving import at_frame, vertices_of
from .compare import add_compare

Array = np.ndarray[Any, Any]
COLORS, MEAN = "rigcast error", "rigcast_error_mm"
ERROR, VERDICT = "rigcast_error", "rigcast_verdict"  # properties of the object: [mean, max] in mm, lines as JSON
SCALE = np.array(  # linear colors from no error to the largest: dark blue, green, yellow, red
    [(0.01, 0.02, 0.16), (0.0, 0.22, 0.30), (0.10, 0.55, 0.10), (0.95, 0.75, 0.02), (0.80, 0.02, 0.01)]
)
MOST_FRAMES = 60  # frames that are compared, evenly spaced


def bind_beside(path: str, armature: str | None, meshes: list[str], name: str) -> Any:
    """Add a mesh with the vertices of the evaluated originals, one after another, and bind a model to it.

    Raises
    ------
    JobError
        If the originals no longer have the vertices of the model.
    """
    originals = [bpy.data.objects[mesh] for mesh in meshes]
    item = bpy.data.objects.new(name, _joined(originals, name))
    for collection in originals[0].users_collection or (bpy.context.scene.collection,):
        collection.objects.link(item)
    try:
        binding.bind(item, path, None if armature is None else bpy.data.objects[armature])
        model = model_of(item)
        if model.num_vertices != len(item.data.vertices):
            raise JobError(f"{', '.join(meshes)} changed: the model has {model.num_vertices} vertices")
    except BaseException:
        bpy.data.objects.remove(item)
        raise
    item.data.vertices.foreach_set("co", np.ascontiguousarray(model.rest_vertices, np.float32).ravel())
    add_compare(item, originals)
    item.rigcast_compare.beside = 1.1 * float(np.ptp(model.rest_vertices[:, 0]))
    return item


def _joined(originals: list[Any], name: str) -> Any:
    """One mesh of the evaluated ones, in world space, with their materials."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    together, materials = bmesh.new(), []
    try:
        for original in originals:
            evaluated = original.evaluated_get(depsgraph)
            mesh = bpy.data.meshes.new_from_object(evaluated, depsgraph=depsgraph)
            mesh.transform(evaluated.matrix_world)
            first, faces = len(materials), len(together.faces)
            materials += list(mesh.materials) or [None]
            together.from_mesh(mesh)
            together.faces.ensure_lookup_table()
            for face in together.faces[faces:]:
                face.material_index += first
            bpy.data.meshes.remove(mesh)
        joined = bpy.data.meshes.new(name)
        together.to_mesh(joined)
    finally:
        together.free()
    for material in materials if any(materials) else ():
        joined.materials.append(material)
    return joined


def error_map(name: str, meshes: list[str]) -> Iterator[Progress]:
    """Compare the model of an object with its originals over the frames of the scene, and color the object."""
    scene = bpy.context.scene
    before, first, last = scene.frame_current, scene.frame_start, scene.frame_end
    step = max(1, math.ceil((last - first + 1) / MOST_FRAMES))
    frames = list(range(first, last + 1, step))
    total: Array | float = 0.0
    largest: Array | float = 0.0
    try:
        for place, frame in enumerate(frames):
            depsgraph = at_frame(frame)
            truth = np.concatenate([vertices_of(bpy.data.objects[mesh], depsgraph, world=True) for mesh in meshes])
            item = bpy.data.objects[name]
            made = model_of(item).evaluate(pose_row(item, depsgraph))
            error = np.linalg.norm(made - truth, axis=1)
            total, largest = total + error, np.maximum(largest, error)
            yield Progress(f"comparing frame {frame}", (place + 1) / len(frames))
    finally:
        bpy.context.scene.frame_set(before)
    item = bpy.data.objects[name]
    unit = 1000.0 * float(model_of(item).meters_per_unit)
    paint(item, unit * np.asarray(total) / len(frames), unit * np.asarray(largest))


def paint(item: Any, mean: Array, largest: Array) -> None:
    """Keep errors (V,) in millimeters as attributes of a mesh, the largest of each vertex as colors."""
    mesh = item.data
    most = float(largest.max())
    values = mesh.attributes.get(MEAN) or mesh.attributes.new(MEAN, "FLOAT", "POINT")
    values.data.foreach_set("value", np.ascontiguousarray(mean, np.float32))
    colors = mesh.color_attributes.get(COLORS) or mesh.color_attributes.new(COLORS, "FLOAT_COLOR", "POINT")
    place = np.linspace(0.0, 1.0, len(SCALE))
    share = np.sqrt(largest / most) if most > 0.0 else np.zeros_like(largest)  # small errors are seen, too
    rows = np.stack([np.interp(share, place, SCALE[:, i]) for i in range(3)] + [np.ones_like(share)], axis=1)
    colors.data.foreach_set("color", np.ascontiguousarray(rows, np.float32).ravel())
    mesh.color_attributes.active_color = colors
    item[ERROR] = [float(mean.mean()), most]
    mesh.update()
