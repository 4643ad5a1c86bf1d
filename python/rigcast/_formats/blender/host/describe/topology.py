"""Connectivity of the evaluated mesh, and the modifier to blame when it does not stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Modifiers whose result has the same connectivity whatever the pose; all others are compared pose by pose.
FIXED_TYPES = """
    ARMATURE CAST CURVE DISPLACE HOOK LAPLACIANDEFORM LATTICE MESH_DEFORM SHRINKWRAP SIMPLE_DEFORM SMOOTH
    CORRECTIVE_SMOOTH LAPLACIANSMOOTH SURFACE_DEFORM WARP WAVE SUBSURF MULTIRES MIRROR SOLIDIFY ARRAY
    WEIGHTED_NORMAL NORMAL_EDIT UV_PROJECT UV_WARP DATA_TRANSFER VERTEX_WEIGHT_EDIT VERTEX_WEIGHT_MIX
    VERTEX_WEIGHT_PROXIMITY CLOTH SOFT_BODY COLLISION MESH_CACHE MESH_SEQUENCE_CACHE
"""
FIXED = frozenset(FIXED_TYPES.split())
# Of these, the ones that merge vertices by distance when asked to: only then can the pose change the result.
MERGING = {"MIRROR": "use_mirror_merge", "ARRAY": "use_merge_vertices"}

Array = np.ndarray[Any, Any]


def is_fixed(modifier: Any) -> bool:
    """Return True if a modifier's type alone says that it keeps the connectivity in every pose."""
    merging = MERGING.get(modifier.type)
    return modifier.type in FIXED and not (merging and getattr(modifier, merging))


def connectivity(mesh: Any) -> tuple[int, Array, Array]:
    """Vertex count, first corner of each polygon, and vertex of each corner."""
    starts = np.empty(len(mesh.polygons), np.int32)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.loops.foreach_get("vertex_index", corners)
    return len(mesh.vertices), starts, corners


def counts(mesh: Any) -> tuple[int, int, int]:
    """Numbers of vertices, polygons and corners."""
    return len(mesh.vertices), len(mesh.polygons), len(mesh.loops)


def faces(mesh: Any) -> Array:
    """Faces as (F, 4) int32, -1 pads triangles; polygons with more than four corners are triangulated."""
    loops, _ = corners(mesh)
    vertices = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", vertices)
    return np.where(loops < 0, -1, vertices[loops]).astype(np.int32) if len(loops) else loops


def corners(mesh: Any) -> tuple[Array, Array]:
    """The corner (loop) at each corner of the faces, (F, 4) int32, and the polygon of each face."""
    _, starts, vertices = connectivity(mesh)
    sizes = np.diff(np.append(starts, len(vertices)))
    result: list[Array] = []
    order: list[Array] = []
    for size in (3, 4):
        picked = np.flatnonzero(sizes == size)
        block = np.full((len(picked), 4), -1, np.int32)
        block[:, :size] = starts[picked, None] + np.arange(size)
        result.append(block)
        order.append(picked)
    if sizes.size and sizes.max() > 4:
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        owner = np.empty(len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("loops", triangles.reshape(-1))
        mesh.loop_triangles.foreach_get("polygon_index", owner)
        large = sizes[owner] > 4
        block = np.full((int(large.sum()), 4), -1, np.int32)
        block[:, :3] = triangles[large]
        result.append(block)
        order.append(owner[large])
    polygons = np.concatenate(order)
    sorted_rows = np.argsort(polygons, kind="stable")
    return np.ascontiguousarray(np.concatenate(result)[sorted_rows]), polygons[sorted_rows]


def blame(mesh_object: Any, evaluate: Callable[[int], Any]) -> str:
    """The first modifier after which two poses differ in connectivity.

    ``evaluate(pose)`` gives the evaluated mesh in pose 0 or 1 with the modifiers that are switched on. The modifiers
    are switched on one after the other and left as they were found.
    """
    stack = [item for item in mesh_object.modifiers if item.show_viewport]
    try:
        for item in stack:
            item.show_viewport = False
        for item in stack:
            item.show_viewport = True
            first = connectivity(evaluate(0))
            second = connectivity(evaluate(1))
            if not same(first, second):
                return f"modifier {item.name!r} ({item.type})"
    finally:
        for item in stack:
            item.show_viewport = True
    return "the modifier stack"


def same(first: tuple[int, Array, Array], second: tuple[int, Array, Array]) -> bool:
    """Return True if two connectivities are equal."""
    return first[0] == second[0] and all(np.array_equal(a, b) for a, b in zip(first[1:], second[1:], strict=True))
