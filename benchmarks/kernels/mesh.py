"""Searches on surfaces, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.differential.anchored import shield

from benchmarks.kernels.register import Setup, kernel
from rigcast import _core

HALF, ROWS = 50, 100  # 10,100 vertices
QUERIES = 2000


def surface(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, faces, and points near the surface."""
    points, faces = shield(setup.size(HALF), ROWS)
    rng = np.random.default_rng(0)
    near = points[rng.integers(len(points), size=setup.size(QUERIES))]
    return points, faces, near + 0.3 * rng.standard_normal(near.shape)


@kernel
def mesh_closest_points(setup: Setup) -> Callable[[], object]:
    points, faces, queries = surface(setup)
    return lambda: _core.closest_points(points, faces, queries, threads=setup.threads)


@kernel
def mesh_point_tree_build(setup: Setup) -> Callable[[], object]:
    points, _, _ = surface(setup)
    return lambda: _core.PointTree(points)


@kernel
def mesh_point_tree_nearest(setup: Setup) -> Callable[[], object]:
    points, _, queries = surface(setup)
    tree = _core.PointTree(points)
    return lambda: tree.nearest(queries, 8, setup.threads)


@kernel
def mesh_box_tree_refit(setup: Setup) -> Callable[[], object]:
    points, faces, _ = surface(setup)
    picker = _core.SurfacePicker(points, faces)
    return lambda: picker.refit(points)


@kernel
def mesh_box_tree_pick(setup: Setup) -> Callable[[], object]:
    points, faces, _ = surface(setup)
    picker, origin = _core.SurfacePicker(points, faces), points.mean(axis=0) + np.array([0.0, 0.0, 50.0])
    return lambda: picker.pick(origin, [0.01, 0.02, -1.0])


@kernel
def mesh_vertex_normals(setup: Setup) -> Callable[[], object]:
    points, faces, _ = surface(setup)
    return lambda: _core.vertex_normals(points, faces)


@kernel
def mesh_pack_vertices(setup: Setup) -> Callable[[], object]:
    points, faces, _ = surface(setup)
    packer = _core.VertexPacker(faces, len(points))
    return lambda: packer.pack(points)
