"""Ridge least squares on shapes that keep only the surroundings of what they move most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.inverse._methods.closed_forms import done, ridge
from rigcast.inverse._methods.geodesics import heat_distances
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request

Float64 = NDArray[np.float64]

#: How far from its core a shape is kept, in parts of the diagonal of the mesh's bounding box.
RADIUS = 0.15
#: A shape's core: where it moves at least this part of its largest displacement.
CORE = 0.1


def cet_loc(problem: ShotProblem, request: Request) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """``cet`` on a localized B (Cetinaslan and Orvalho 2020; Rackovic et al. 2022, section 3.3).

    Column k of B keeps the displacements of vertices whose geodesic distance from the shape's core (where it moves at
    least a tenth as far as it does anywhere) is within 15% of the diagonal of the mesh's bounding box; the others are
    0. Distances are measured on the whole mesh by the heat method. The targets stay as they are. The sources print
    neither number: ours are chosen on one face for the paper's signs beside ``cet``, more error and fewer weights.

    Raises
    ------
    ValueError
        If the rig has no faces.
    """
    gram = problem.gram
    if "cet_loc" not in gram.prepared:
        shapes = gram.columns[: problem.num_shapes]
        local = shapes * masks(problem)[..., None]
        flat = (local * gram.vertex_weights[:, None]).reshape(len(local), -1)
        gram.prepared["cet_loc"] = flat, flat @ local.reshape(len(local), -1).T
    weighted, matrix = gram.prepared["cet_loc"]
    weights = ridge(problem, matrix, gram.offsets(problem.host_targets).reshape(problem.num_frames, -1) @ weighted.T)
    return done(weights, request)


def masks(problem: ShotProblem) -> NDArray[np.bool_]:
    """Return (K, M): True where a shape keeps a chosen vertex."""
    rig = problem.gram.rig
    faces = np.asarray(rig.faces if rig.faces is not None else np.zeros((0, 3), np.int32))
    if len(faces) == 0:
        raise bad_argument("solve", "method", "'cet_loc' for a rig without faces", "another method")
    rest = np.asarray(rig.rest_vertices, np.float64)
    size = np.linalg.norm(np.asarray(rig.columns(), np.float32)[: problem.num_shapes], axis=2)
    largest = size.max(axis=1, keepdims=True)
    cores = (size >= CORE * largest) & (largest > 0)
    radius = RADIUS * np.linalg.norm(np.ptp(rest, axis=0))
    return np.asarray(heat_distances(rest, faces, cores) <= radius)[:, problem.gram.vertices]
