"""Vertices of a body in its bind pose: what is left to explain once every vertex follows its joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._rigs.rotations import compose, inverse_linear, invert

SINGULAR = 1e-6  # |det X| relative to the cube of its mean column length below which X has no usable inverse
MOST_FRAMES = 200  # that decide which joint a vertex follows
FRAMES_AT_ONCE = 64

Transforms = NDArray[np.float64]


@dataclass(frozen=True)
class BindPose:
    """Vertex k follows a joint: ``v_tk = X_t (v_k^0 + f_tk) + x_t``, where ``(X_t, x_t)`` is its skinning transform.

    Without joints X is the identity for all vertices.

    Attributes
    ----------
    rest : (V, 3) float32
    skeleton : Skeleton or None
    joint : (V,) int64
        The joint that explains the vertex best by rigid motion (Bailey et al. 2018, section 3.1.1), of those that can
        be inverted in every pose. 0 without joints.
    """

    rest: NDArray[np.float32]
    skeleton: Skeleton | None
    joint: NDArray[np.intp]

    def offsets(self, poses: NDArray[np.float32], vertices: NDArray[np.float32]) -> None:
        """Replace vertices (T, V, 3) by their offsets f in the bind pose."""
        if self.skeleton is None:
            vertices -= self.rest
            return
        for rows, moves in self._moves(poses):
            part = vertices[rows.start : rows.stop]
            inverse = inverse_linear(moves[..., :3])
            shift = -np.einsum("tjab,tjb->tja", inverse, moves[..., 3])
            for j, some in enumerate(self._followers()):
                turned = part[:, some] @ inverse[:, j].transpose(0, 2, 1) + shift[:, j, None]
                part[:, some] = turned - self.rest[some]

    def lengths(self, poses: NDArray[np.float32], differences: NDArray[np.float32]) -> NDArray[np.float64]:
        """Lengths (T, V) that differences (T, V, 3) of offsets have in the poses."""
        if self.skeleton is None:
            return np.asarray(np.linalg.norm(differences.astype(np.float64), axis=2))
        result = np.empty(differences.shape[:2])
        for rows, moves in self._moves(poses):
            part = slice(rows.start, rows.stop)
            for j, some in enumerate(self._followers()):
                turned = differences[part, some] @ moves[:, j, :, :3].transpose(0, 2, 1)
                result[part, some] = np.linalg.norm(turned, axis=2)
        return result

    def _followers(self) -> list[NDArray[np.intp]]:
        """The vertices that follow each joint that has any, ascending."""
        return [np.flatnonzero(self.joint == joint) for joint in np.unique(self.joint)]

    def _moves(self, poses: NDArray[np.float32]) -> list[tuple[range, Transforms]]:
        """Rows, and the skinning transforms (t, J', 3, 4) in them of the joints that vertices follow."""
        assert self.skeleton is not None
        joints = np.unique(self.joint)
        parts = [range(b, min(b + FRAMES_AT_ONCE, len(poses))) for b in range(0, len(poses), FRAMES_AT_ONCE)]
        return [(part, skinning(self.skeleton, poses[part.start : part.stop], joints)) for part in parts]


def bind_pose(
    skeleton: Skeleton | None,
    rest: NDArray[np.float32],
    poses: NDArray[np.float32],
    vertices: NDArray[np.float32],
    judged: NDArray[np.float32],
    threads: int = 0,
) -> BindPose:
    """The bind pose of a mesh, from poses (T, C) and vertices (T, V, 3) to learn from, and the judged poses (N, C).

    Without a joint that can be inverted in all of these poses offsets are those of the rig's space, as without joints.
    """
    nowhere = np.zeros(len(rest), np.intp)
    if skeleton is None:
        return BindPose(rest, None, nowhere)
    usable = np.flatnonzero(_invertible(skeleton, poses) & _invertible(skeleton, judged))
    if len(usable) == 0:
        return BindPose(rest, None, nowhere)
    rows = np.unique(np.linspace(0, len(poses) - 1, min(len(poses), MOST_FRAMES)).round().astype(np.intp))
    errors = np.zeros((len(rest), skeleton.num_joints))
    for begin in range(0, len(rows), FRAMES_AT_ONCE):
        some = rows[begin : begin + FRAMES_AT_ONCE]
        errors += _core.rigid_errors(skeleton, rest, poses[some], vertices[some], threads)
    return BindPose(rest, skeleton, usable[errors[:, usable].argmin(axis=1)])


def skinning(
    skeleton: Skeleton, poses: NDArray[np.float32], joints: NDArray[np.intp] | slice = slice(None)
) -> Transforms:
    """Skinning transforms ``G (G^0)^-1`` (T, J', 3, 4) of some joints, of all if none are given."""
    return compose(skeleton.globals(poses)[:, joints], invert(skeleton.rest_globals[joints]))


def _invertible(skeleton: Skeleton, poses: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Joints (J,) whose linear parts can be inverted at rest and in every pose."""
    result = _has_volume(np.asarray(skeleton.rest_globals, np.float64)[..., :3])
    for begin in range(0, len(poses), FRAMES_AT_ONCE):
        linear = skeleton.globals(poses[begin : begin + FRAMES_AT_ONCE])[..., :3].astype(np.float64)
        result &= _has_volume(linear).all(axis=0)
    return result


def _has_volume(linear: Transforms) -> NDArray[np.bool_]:
    size = np.sqrt(np.square(linear).sum(axis=(-2, -1)) / 3.0)
    return np.asarray(np.abs(np.linalg.det(linear)) > SINGULAR * size**3)
