"""Checks and tensors that the constructors of analytic skinning models share, with the metadata of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Skeleton
from rigcast._hashing import padded_faces, topology_hash
from rigcast._validate import Arguments, bad_argument, metadata_text

Weights = ArrayLike | tuple[ArrayLike, ArrayLike]
Made = tuple[dict[str, NDArray[np.generic]], str]  # tensors and metadata as JSON: what the engine makes a model of


class BoundMesh(NamedTuple):
    """A skinned mesh, as the constructors of :mod:`rigcast` take it."""

    skeleton: Skeleton
    rest_vertices: ArrayLike
    faces: ArrayLike
    weights: Weights
    dials: Sequence[str]
    control_ranges: ArrayLike | None
    metadata: Mapping[str, object] | None


def linear_blend(*mesh: Any) -> Made:
    """Tensors and metadata of :class:`rigcast.LinearBlendSkinning`, from the fields of a skinned mesh."""
    return _made("LinearBlendSkinning", "linear_blend", BoundMesh(*mesh))


def dual_quaternion(*mesh: Any) -> Made:
    """Tensors and metadata of :class:`rigcast.DualQuaternionSkinning`, from the fields of a skinned mesh."""
    return _made("DualQuaternionSkinning", "dual_quaternion", BoundMesh(*mesh))


def delta_mush(*mesh_iterations_step: Any) -> Made:
    """Tensors and metadata of :class:`rigcast.DeltaMush`, from the fields of a skinned mesh, iterations and step."""
    *mesh, iterations, step = mesh_iterations_step
    check = Arguments("DeltaMush")
    smoothing = {
        "iterations": check.whole("iterations", iterations, most=1000),
        "step": check.number("step", step, above=0.0, most=1.0),
    }
    return _made("DeltaMush", "delta_mush", BoundMesh(*mesh), smoothing)


def _made(function: str, kind: str, mesh: BoundMesh, settings: Mapping[str, object] | None = None) -> Made:
    tensors = _tensors(function, mesh)
    about = {"name": "", "meters_per_unit": 1.0, "up_axis": "Y", "licence": "", "origin": "", **(mesh.metadata or {})}
    about |= settings or {}
    about |= {
        "kind": kind,
        "version": 1,
        "joint_names": list(mesh.skeleton.names),
        "numeric_controls": list(mesh.dials),
        "topology_hash": topology_hash(tensors["faces"], len(tensors["rest_vertices"])),
    }
    return tensors, metadata_text(function, about)


def _tensors(function: str, mesh: BoundMesh) -> dict[str, NDArray[np.generic]]:
    """The tensors that every kind of skinning has."""
    skeleton, dials = mesh.skeleton, len(mesh.dials)
    check = Arguments(function, C=12 * skeleton.num_joints + dials)
    vertices = check.numbers("rest_vertices", mesh.rest_vertices, "V 3", dtype=np.float32)
    corners = padded_faces(mesh.faces, function, len(vertices))
    if mesh.control_ranges is None:
        ranges = _nominal_ranges(skeleton, vertices, dials)
    else:
        ranges = check.numbers("control_ranges", mesh.control_ranges, "C 2", dtype=np.float32)
    return {
        "skeleton.parents": skeleton.parents,
        "skeleton.rest": skeleton.rest,
        "rest_vertices": vertices,
        "faces": corners,
        "control_ranges": ranges,
        **_skin(function, mesh.weights, len(vertices), skeleton.num_joints),
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
