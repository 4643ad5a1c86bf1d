"""Ambient occlusion of vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments
from rigcast.render._camera import Camera
from rigcast.render._render import visible

FAR = 50.0  # radii from the mesh to the cameras, so that rays are nearly parallel


def ambient_occlusion(
    vertices: ArrayLike, faces: ArrayLike, *, directions: int = 64, size: int = 256, threads: int = 0
) -> NDArray[np.float32]:
    """Find the share of the hemisphere light that arrives at each vertex.

    The mesh is drawn from directions spread evenly over the sphere (a Fibonacci lattice); a vertex receives the light
    of a direction, weighted by the cosine to its normal, if it is visible from there.

    Parameters
    ----------
    vertices : (V, 3) array
    faces : (F, 3) or (F, 4) integers
    directions : int
    size : int
        Of each picture, in pixels.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    (V,) float32 array
        From 0 to 1; 1 for vertices without faces.

    Examples
    --------
    >>> cube = rc.faces.example()
    >>> share = rc.render.ambient_occlusion(cube.rest_vertices, cube.faces, directions=16, size=64)
    >>> bool(0.0 <= share.min() and share.max() <= 1.0)
    True
    """
    check = Arguments("ambient_occlusion")
    check.threads(threads)
    points = check.numbers("vertices", vertices, "V+ 3", dtype=np.float32)
    count = check.whole("directions", directions, least=1)
    check.whole("size", size, least=1, most=8192)
    normals = np.asarray(_core.vertex_normals(points, faces), np.float64)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0)).astype(np.float64)
    radius = max(float(np.linalg.norm(points - middle, axis=1).max()), 1e-9)
    toward = _sphere(count)
    rotation = np.stack([_looking(direction) for direction in toward])
    distance = np.array([0.0, 0.0, FAR * radius])
    camera = Camera(
        size,
        size,
        focal=0.49 * size * (FAR - 1.0),
        rotation=rotation,
        translation=distance - rotation @ middle,
        near=0.5 * FAR * radius,
    )
    seen = visible(points, faces, camera, points=points, tolerance=2.0 * radius / size, threads=threads)
    cosine = np.maximum(toward @ normals.T, 0.0)
    total = cosine.sum(axis=0)
    share = np.divide((cosine * seen).sum(axis=0), total, out=np.ones_like(total), where=total > 0.0)
    return np.asarray(share, np.float32)


def _sphere(count: int) -> NDArray[np.float64]:
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.arange(count) * np.pi * (3.0 - np.sqrt(5.0))
    round_ = np.sqrt(1.0 - height**2)
    return np.stack([round_ * np.cos(angle), height, round_ * np.sin(angle)], axis=1)


def _looking(toward: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation of a camera in a direction from the mesh, looking at it."""
    aside = np.array([1.0, 0.0, 0.0]) if abs(toward[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = np.cross(aside, toward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(-toward, right), -toward])
