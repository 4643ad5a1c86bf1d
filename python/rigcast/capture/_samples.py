"""Places on a character where colors are compared, and the surface that may hide them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument
from rigcast.metrics._distortion import triangles
from rigcast.render._camera import Camera
from rigcast.render._render import visible

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

FACING = 0.25  # least cosine between the normal at rest and the view of a triangle with samples
TURNED = -0.35  # of a triangle that may hide some when the head turns
HIDDEN = 0.005  # of the mesh's size: triangles so far behind the surface at rest have no samples
MOVED = 0.02  # of the largest offset of a shape: what counts as moved


@dataclass(frozen=True)
class SampledSurface:
    """S samples and the triangles before them.

    Attributes
    ----------
    vertices : (S, 3) int32
        Corners of each sample's triangle.
    shares : (S, 3) float64
        Barycentric coordinates.
    importance : (S,) float64
    occluder : (U,) int32
        Vertices of the surface that may hide samples.
    faces : (F, 3) int32
        Indices of them.
    """

    vertices: Int32
    shares: Float64
    importance: Float64
    occluder: Int32
    faces: Int32


def connected(faces: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """(V,) the least vertex that each vertex is connected with; faces (F, C), -1 where one has fewer corners."""
    label = np.arange(count)
    corners = np.where(faces < 0, faces[:, :1], faces)
    while True:  # each vertex takes the least label of its faces, until none changes
        spread = label.copy()
        np.minimum.at(spread, corners.ravel(), np.repeat(label[corners].min(axis=1), corners.shape[1]))
        spread = spread[spread]
        if np.array_equal(spread, label):
            return label
        label = spread


def usual_region(rig: BlendshapeRig) -> Float64:
    """(V,) 1 for vertices that shapes move, on the part of the mesh that they move most."""
    size = np.zeros(rig.num_vertices)
    for k in range(rig.num_shapes):
        size = np.maximum(size, np.linalg.norm(rig.column(k), axis=1))
    label = connected(rig.faces, rig.num_vertices)
    part = np.argmax(np.bincount(label, weights=size, minlength=rig.num_vertices))
    return np.asarray((label == part) & (size > MOVED * size.max()), np.float64)


def draw_surface(
    rig: BlendshapeRig, region: Float64, rest_pose: Float64, camera: Camera, draw: tuple[int, int]
) -> SampledSurface:
    """Samples spread evenly over the area of a region that the camera sees at rest.

    Parameters
    ----------
    rig : BlendshapeRig
    region : (V,) array
        Importance of the surface around a vertex; 0: no samples.
    rest_pose : (3, 4) array
        From the rig to the camera's axes.
    camera : Camera
    draw : (int, int)
        Number of samples, and the seed that they are drawn from.
    """
    count, seed = draw
    rest = rig.rest_vertices @ rest_pose[:, :3].T + rest_pose[:, 3]
    halves = triangles(rig.faces)
    across = np.cross(rest[halves[:, 1]] - rest[halves[:, 0]], rest[halves[:, 2]] - rest[halves[:, 0]])
    middle = rest[halves].mean(axis=1)
    area = np.linalg.norm(across, axis=1)
    facing = -(across * middle).sum(axis=1) / np.maximum(area * np.linalg.norm(middle, axis=1), 1e-30)
    label = connected(rig.faces, rig.num_vertices)
    face = np.flatnonzero((facing > FACING) & (region[halves].min(axis=1) > 0.0))
    solid = rig.faces[np.isin(label[rig.faces[:, 0]], np.unique(label[halves[face, 0]]))]
    near = HIDDEN * float(np.ptp(rest, axis=0).max())
    chance = np.zeros(len(halves))
    if len(face):
        seen = visible(rest[None], solid, camera, points=middle[face][None], tolerance=near)[0]
        chance[face[seen]] = area[face[seen]]
    if not chance.any():
        raise bad_argument("refine", "region", "without a triangle that the camera sees", "on the front of the face")
    # systematic sampling: equal steps through the triangles' areas, from one random place
    rng = np.random.default_rng(seed)
    at = (np.arange(count) + rng.uniform()) * (chance.sum() / count)
    chosen = np.searchsorted(np.cumsum(chance), at, side="right").clip(max=len(halves) - 1)
    u, v = rng.uniform(size=(2, count))
    root = np.sqrt(u)
    shares = np.stack([1.0 - root, root * (1.0 - v), root * v], axis=1)
    importance = (region[halves[chosen]] * shares).sum(axis=1)
    before = np.isin(label[halves[:, 0]], np.unique(label[halves[chosen, 0]])) & (facing > TURNED)
    occluder, faces = np.unique(halves[before], return_inverse=True)
    return SampledSurface(
        halves[chosen], shares, importance, occluder.astype(np.int32), faces.reshape(-1, 3).astype(np.int32)
    )
