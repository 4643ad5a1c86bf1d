"""The linear transforms T of vertices, as skin weights, and displacements in rest space: v = T (v0 + d)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._regression.bind_pose import skinning
from rigcast._validate import Arguments, bad_argument
from rigcast.sources import Skin

_ROWS = 64  # poses at a time
_SINGULAR = 1e-6  # |det T| relative to the cube of its size below which T has no usable inverse
_INFLUENCES = 8  # of fitted skinning


class Skinned(Protocol):
    """A rig with skin weights of its own."""

    @property
    def skin(self) -> Skin | None: ...


class Sampled(Protocol):
    """A source of poses and vertices of channels."""

    def sample(self, channels: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...


class Movable(Sampled, Protocol):
    """A rig whose rest vertices can be moved."""

    def with_rest(self, vertices: NDArray[np.float32]) -> Sampled: ...


SkinOption = Skinned | Movable | tuple[ArrayLike, ArrayLike] | str | None


@dataclass(frozen=True)
class Transforms:
    """The linear transforms, and their origin.

    Attributes
    ----------
    origin : str
        "identity", "source", "probed" or "fitted".
    joint, weight : (V, K) arrays
        Skin weights; no columns for the identity.
    """

    origin: str
    joint: NDArray[np.int32]
    weight: NDArray[np.float32]

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The tensors ``skin.*``; none for the identity."""
        return {} if self.origin == "identity" else {"skin.joint": self.joint, "skin.weight": self.weight}

    def matrices(self, skeleton: Any, poses: NDArray[np.float32]) -> NDArray[np.float64]:
        """T of all vertices, (T, V, 3, 4)."""
        moved = skinning(skeleton, poses)
        result = np.zeros((len(poses), len(self.joint), 3, 4))
        for k in range(self.joint.shape[1]):
            result += self.weight[None, :, k, None, None] * moved[:, self.joint[:, k]]
        return result


def find_transforms(ds: Any, skin: Any, training: NDArray[np.integer[Any]], threads: int) -> Transforms:
    """The transforms of a data set.

    Parameters
    ----------
    skin : None, "identity", (joint, weight), or a rig
        None fits linear blend skinning to the training rows. A pair (V, K) is the source's own skinning. A rig with
        ``skin`` gives its own; one with ``with_rest(vertices)`` is probed.
    """
    count = len(ds.rest_vertices)
    nothing = np.zeros((count, 0), np.int32), np.zeros((count, 0), np.float32)
    if isinstance(skin, str) and skin != "identity":
        raise bad_argument("differential", "skin", repr(skin), '"identity", a pair of joints and weights, or a rig')
    if ds.skeleton is None or isinstance(skin, str):
        return Transforms("identity", *nothing)
    if skin is None:
        return Transforms("fitted", *_fitted(ds, training, threads))
    if isinstance(skin, tuple):
        return Transforms("source", *_checked(skin, count, ds.skeleton.num_joints))
    if hasattr(skin, "with_rest"):
        return Transforms("probed", *_probed(skin, ds, training))
    if getattr(skin, "skin", None) is not None:
        return Transforms("source", *_checked((skin.skin.joint, skin.skin.weight), count, ds.skeleton.num_joints))
    got = f"a {type(skin).__name__} without skin or with_rest"
    raise bad_argument("differential", "skin", got, '"identity", a pair of joints and weights, or a rig')


def _checked(skin: Any, count: int, joints: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    check = Arguments("differential", V=count)
    joint = check.integers("skin joints", skin[0], "V K", below=joints, dtype=np.int32)
    weight = check.numbers("skin weights", skin[1], "V K", dtype=np.float64)
    total = weight.sum(axis=1)
    wrong = np.flatnonzero((np.abs(total - 1.0) > 1e-3) | (weight < 0.0).any(axis=1))
    if len(wrong):
        got = f"of sum {total[wrong[0]]:g} at vertex {wrong[0]}"
        raise bad_argument("differential", "skin weights", got, "not negative, of sum 1 at every vertex")
    return joint, (weight / total[:, None]).astype(np.float32)


def _moving(ds: Any, poses: NDArray[np.float32]) -> NDArray[np.intp]:
    """Joints that move by themselves, and not as their parent does in every pose."""
    rest = np.asarray(ds.rest_vertices)
    size = float(np.linalg.norm(np.ptp(rest, axis=0)))
    radius = float(np.linalg.norm(rest, axis=1).max())
    sources = _core.motion_sources(ds.skeleton, poses, radius, 1e-5 * size)
    return np.flatnonzero(sources == np.arange(ds.skeleton.num_joints))


def _fitted(ds: Any, training: NDArray[np.integer[Any]], threads: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Linear blend skinning fitted to the training rows (Mohr and Gleicher 2003)."""
    poses = np.asarray(ds.poses)[training]
    fit = _core.LinearBlendFit(ds.skeleton, np.asarray(ds.rest_vertices), _moving(ds, poses))
    for begin in range(0, len(training), _ROWS):
        _, some, vertices = ds.take(training[begin : begin + _ROWS])
        fit.add(some, vertices, threads)
    joint, weight, _ = fit.solve(_INFLUENCES, threads)
    return joint, weight


def _probed(rig: Any, ds: Any, training: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Weights of the transforms that moving the rest vertices shows (Song et al. 2020, equations 12 and 13).

    All rest vertices move by one unit along x, y and z, and the outputs are differenced: exact if neither neighbors nor
    shapes mix in before the skinning. Weights are the least-squares ones of these matrices, not negative.
    """
    rows = training[: 2 * ds.skeleton.num_joints + 8]
    channels, poses, _ = ds.take(rows)
    rest = np.asarray(ds.rest_vertices, np.float64)
    unit = 0.1 * float(np.linalg.norm(np.ptp(rest, axis=0)))
    still = np.asarray(rig.sample(channels)[1], np.float64)
    columns = []
    for axis in range(3):
        moved = rig.with_rest((rest + unit * np.eye(3)[axis]).astype(np.float32))
        columns.append((np.asarray(moved.sample(channels)[1], np.float64) - still) / unit)
    seen = np.stack(columns, axis=-1).reshape(len(rows), len(rest), 9)
    joints = _moving(ds, poses)
    linear = skinning(ds.skeleton, poses)[:, joints, :, :3].reshape(len(rows), len(joints), 9)
    gram = np.einsum("tja,tka->jk", linear, linear)
    right = np.einsum("tja,tva->vj", linear, seen)
    weight = _nonnegative(gram, right)
    keep = np.argsort(-weight, axis=1, kind="stable")[:, :_INFLUENCES]
    chosen = np.take_along_axis(weight, keep, axis=1)
    return joints[keep].astype(np.int32), (chosen / chosen.sum(axis=1, keepdims=True)).astype(np.float32)


def _nonnegative(gram: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solutions (V, J) of ``min w^T G w / 2 - w^T b``, ``w >= 0``, by coordinate descent."""
    diagonal = np.maximum(np.diag(gram), 1e-12 * np.trace(gram))
    weight = np.full(right.shape, 1.0 / len(gram))
    for _ in range(500):
        before = weight.copy()
        for j in range(len(gram)):
            slope = right[:, j] - weight @ gram[:, j]
            weight[:, j] = np.maximum(weight[:, j] + slope / diagonal[j], 0.0)
        if np.abs(weight - before).max() < 1e-9:
            break
    return weight


def displacements(
    transforms: Transforms,
    skeleton: Any,
    poses: NDArray[np.float32],
    vertices: NDArray[np.float32],
    rest: NDArray[np.float32],
    name: Callable[[int], str],
) -> NDArray[np.float32]:
    """d = T^-1 v - v0 of some rows, (T, V, 3).

    Parameters
    ----------
    name : callable
        The name of a row, for errors.

    Raises
    ------
    ValueError
        If a vertex is not finite or a transform has no inverse; names vertex and row.
    """
    wrong = np.argwhere(~np.isfinite(vertices))
    if len(wrong):
        got = f"not finite at vertex {wrong[0, 1]} in {name(int(wrong[0, 0]))}"
        raise bad_argument("differential", "data.vertices", got, "finite everywhere")
    if transforms.origin == "identity":
        return np.asarray(vertices - rest, np.float32)
    result = np.empty(vertices.shape, np.float32)
    for begin in range(0, len(poses), _ROWS):
        rows = slice(begin, begin + _ROWS)
        matrix = transforms.matrices(skeleton, poses[rows])
        linear = matrix[..., :3]
        size = np.sqrt(np.einsum("tvab,tvab->tv", linear, linear) / 3.0)
        flat = np.argwhere(~(np.abs(np.linalg.det(linear)) > _SINGULAR * size**3))
        if len(flat):
            row, vertex = int(flat[0, 0]), int(flat[0, 1])
            got = f"of a singular linear transform at vertex {vertex} in {name(begin + row)}"
            raise bad_argument("differential", "data.poses", got, "transforms that can be inverted")
        moved = vertices[rows].astype(np.float64) - matrix[..., 3]
        result[rows] = np.linalg.solve(linear, moved[..., None])[..., 0] - rest
    return result
