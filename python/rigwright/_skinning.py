"""Analytic skinning as models: made from arrays, evaluated, differentiated and saved like learned ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright import _core
from rigwright._core import Deformer, Skeleton
from rigwright._hashing import padded_faces, topology_hash
from rigwright._validate import Arguments, bad_argument

Weights = ArrayLike | tuple[ArrayLike, ArrayLike]


def LinearBlendSkinning(
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    faces: ArrayLike,
    weights: Weights,
    *,
    numeric_controls: Sequence[str] = (),
    control_ranges: ArrayLike | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Deformer:
    """Linear blend skinning: ``v_k = sum_j w_kj G_j (G_j^0)^-1 v_k^0`` (Magnenat-Thalmann et al. 1988).

    Parameters
    ----------
    skeleton : Skeleton
        J joints; its rest is the pose in which the mesh was bound.
    rest_vertices : (V, 3)
    faces : (F, 3) or (F, 4)
        Vertex indices; -1 in the last column pads triangles.
    weights : (V, J), or a pair of joints (V, K) and weights (V, K)
        Not negative, of sum 1 at every vertex within 1e-3; they are scaled to sum 1.
    numeric_controls : sequence of str
        Names of pose columns after the joints'; they have no effect.
    control_ranges : (C, 2), optional
        Lowest and highest value of each pose column, as information for users of the model. By default nominal
        ranges: one unit around rest for entries of matrices, the size of the mesh for translations, 0 to 1 for numbers.
    metadata : mapping, optional
        Entries of the model's metadata: ``name``, ``meters_per_unit`` (1.0), ``up_axis`` ("Y"), ``licence``,
        ``origin``, ``data_hash``, ``channels`` (:attr:`rigwright.Dataset.channel_entry`: what an artist changes), and
        any others that JSON can hold.

    Raises
    ------
    ValueError
        On wrong shapes, values that are not finite, corners that are no vertices, or weights that are negative or
        do not sum to 1.
    """
    tensors = _tensors("LinearBlendSkinning", skeleton, rest_vertices, faces, numeric_controls, control_ranges)
    tensors |= _skin("LinearBlendSkinning", weights, len(tensors["rest_vertices"]), skeleton.num_joints)
    return _model("linear_blend", skeleton, tensors, numeric_controls, metadata)


def DualQuaternionSkinning(
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    faces: ArrayLike,
    weights: Weights,
    *,
    numeric_controls: Sequence[str] = (),
    control_ranges: ArrayLike | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Deformer:
    """Dual quaternion skinning (Kavan et al. 2007): rotations blend without loss of volume.

    The skinning transform of a joint is split about the joint's rest position into a stretch, then a rigid motion whose
    rotation is the nearest one. Stretches are blended linearly, rigid motions as dual quaternions, each turned to the
    side of the vertex's most influential joint (two phases, Kavan et al. 2008, section 5). Where no joint stretches
    this is plain dual quaternion skinning.

    Parameters and errors are those of :func:`LinearBlendSkinning`.
    """
    tensors = _tensors("DualQuaternionSkinning", skeleton, rest_vertices, faces, numeric_controls, control_ranges)
    tensors |= _skin("DualQuaternionSkinning", weights, len(tensors["rest_vertices"]), skeleton.num_joints)
    return _model("dual_quaternion", skeleton, tensors, numeric_controls, metadata)


def DeltaMush(
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    faces: ArrayLike,
    weights: Weights,
    *,
    iterations: int = 10,
    step: float = 0.5,
    numeric_controls: Sequence[str] = (),
    control_ranges: ArrayLike | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Deformer:
    """Delta mush (Mancewicz et al. 2014): linear blend skinning, smoothed, with the detail of the rest mesh put back.

    The skinned mesh is smoothed; at every vertex the difference between the rest mesh and the smoothed rest mesh is
    added in the frame of the smoothed surface. Loose vertices keep their skinned position.

    Parameters
    ----------
    iterations : int
        Rounds of Laplacian smoothing, 0 to 1000.
    step : float
        How far a round moves a vertex towards the mean of its neighbors: above 0, at most 1.

    Other parameters and errors are those of :func:`LinearBlendSkinning`.
    """
    check = Arguments("DeltaMush")
    smoothing = {
        "iterations": check.whole("iterations", iterations, most=1000),
        "step": check.number("step", step, above=0.0, most=1.0),
    }
    tensors = _tensors("DeltaMush", skeleton, rest_vertices, faces, numeric_controls, control_ranges)
    tensors |= _skin("DeltaMush", weights, len(tensors["rest_vertices"]), skeleton.num_joints)
    return _model("delta_mush", skeleton, tensors, numeric_controls, {**(metadata or {}), **smoothing})


def _tensors(
    function: str,
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    faces: ArrayLike,
    numeric_controls: Sequence[str],
    control_ranges: ArrayLike | None,
) -> dict[str, NDArray[np.generic]]:
    """The tensors that every kind of model has."""
    check = Arguments(function, C=12 * skeleton.num_joints + len(numeric_controls))
    vertices = check.numbers("rest_vertices", rest_vertices, "V 3", dtype=np.float32)
    corners = padded_faces(faces, function, len(vertices))
    if control_ranges is None:
        ranges = _nominal_ranges(skeleton, vertices, len(numeric_controls))
    else:
        ranges = check.numbers("control_ranges", control_ranges, "C 2", dtype=np.float32)
    return {
        "skeleton.parents": skeleton.parents,
        "skeleton.rest": skeleton.rest,
        "rest_vertices": vertices,
        "faces": corners,
        "control_ranges": ranges,
    }


def _nominal_ranges(skeleton: Skeleton, vertices: NDArray[np.float32], num_numeric: int) -> NDArray[np.float32]:
    rest = skeleton.rest.reshape(-1)
    reach = np.ones((skeleton.num_joints, 3, 4), np.float32)
    reach[:, :, 3] = np.linalg.norm(np.ptp(vertices, axis=0)) if len(vertices) else 1.0
    low = np.append(rest - reach.reshape(-1), np.zeros(num_numeric))
    high = np.append(rest + reach.reshape(-1), np.ones(num_numeric))
    return np.ascontiguousarray(np.array([low, high], np.float32).T)


def _skin(function: str, weights: Weights, num_vertices: int, num_joints: int) -> dict[str, NDArray[np.generic]]:
    """The tensors skin.joint and skin.weight, sums exactly 1 up to float32."""
    check = Arguments(function, V=num_vertices, J=num_joints)
    if isinstance(weights, tuple):
        joint = check.integers("weights[0]", weights[0], "V K+", below=num_joints)
        weight = check.numbers("weights[1]", weights[1], "V K", dtype=np.float32)
    else:
        dense = check.numbers("weights", weights, "V J", dtype=np.float32)
        count = max(1, int((dense != 0).sum(axis=1).max(initial=0)))
        joint = np.argsort(-np.abs(dense), axis=1, kind="stable")[:, :count]
        weight = np.take_along_axis(dense, joint, axis=1)
    sums = weight.sum(axis=1, dtype=np.float64)
    wrong = np.flatnonzero((np.abs(sums - 1.0) > 1e-3) | (weight < 0).any(axis=1))
    if len(wrong):
        vertex = wrong[0]
        got = f"{weight[vertex].tolist()} at vertex {vertex}"
        raise bad_argument(function, "weights", got, "not negative and of sum 1 at every vertex")
    scaled = (weight / sums[:, None]).astype(np.float32)
    return {"skin.joint": np.ascontiguousarray(joint, np.int32), "skin.weight": scaled}


def _model(
    kind: str,
    skeleton: Skeleton,
    tensors: dict[str, NDArray[np.generic]],
    numeric_controls: Sequence[str],
    metadata: Mapping[str, object] | None,
) -> Deformer:
    given = dict(metadata or {})
    axis = given.get("up_axis", "Y")
    if axis not in ("X", "Y", "Z"):
        raise bad_argument("metadata", "up_axis", repr(axis), '"X", "Y" or "Z"')
    Arguments("metadata").unit("meters_per_unit", given.get("meters_per_unit", 1.0))
    about = {"name": "", "meters_per_unit": 1.0, "up_axis": "Y", "licence": "", "origin": "", **given}
    about |= {
        "kind": kind,
        "version": 1,
        "joint_names": list(skeleton.names),
        "numeric_controls": list(numeric_controls),
        "topology_hash": topology_hash(tensors["faces"], len(tensors["rest_vertices"])),
    }
    return _core.model_from_tensors(tensors, json.dumps(about))
