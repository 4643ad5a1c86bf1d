"""Residuals in bone space (Bailey et al. 2018, equation 2), streamed over the rows of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Skeleton
from rigcast._notes import tell
from rigcast._rigs.matching import listed
from rigcast._rigs.rotations import inverse_linear
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast.training._body.linear_part import LinearPart

Part = tuple[int, NDArray[np.integer[Any]]]  # a joint, and vertices

TOGETHER = 1 << 28  # bytes of the residuals that one pass finds
COLLAPSES = 0.05  # of the rows: a joint that collapses more often is refused
DAMPED = 0.1  # of a transform's mean column length
SINGULAR = 1e-6  # |det X| relative to the cube of its mean column length below which X has no usable inverse


class BoneSpace:
    """World-space vertices of many poses, seen from the frames of joints.

    Parameters
    ----------
    skeleton : Skeleton
    poses : (T, C) float32 array
    vertices : (T, V, 3) float32 array, or what gives one by slices
        The rows of a data set as a rule, which are read from the disk at each pass.
    rest_vertices : (V, 3) float32 array
    joints : array of int
        The joints whose frames will be used.
    linear : LinearPart, optional
        Residuals are then those of the skinning that it is, over what sets with networks hold of each vertex.

    Raises
    ------
    ValueError
        If one of these joints cannot be inverted in many poses; names the joint and a row. A few poses are reported.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        poses: NDArray[np.float32],
        vertices: Any,
        rest_vertices: NDArray[np.float32],
        joints: NDArray[np.integer[Any]],
        linear: LinearPart | None = None,
    ) -> None:
        self.vertices, self._poses, self._linear = vertices, poses, linear
        self.num_rows = len(poses)
        names = [skeleton.names[j] for j in joints]
        world = np.concatenate([skeleton.globals(block)[:, joints] for block in _blocks(poses)]).astype(np.float64)
        self._slot = {int(joint): slot for slot, joint in enumerate(joints)}
        self._inverse = _inverses(world[..., :3], names)
        self._origin = world[..., 3]
        rest = np.asarray(skeleton.rest_globals, np.float64)[joints]
        rest_inverse = _inverses(rest[None, ..., :3], names)[0]
        relative = np.asarray(rest_vertices, np.float64) - rest[:, None, :, 3]  # (S, V, 3)
        self._rest = np.einsum("sab,svb->sva", rest_inverse, relative)

    def rest(self, joint: int) -> NDArray[np.float64]:
        """Rest vertices in the joint's rest frame, (V, 3)."""
        return np.asarray(self._rest[self._slot[int(joint)]])

    def residuals(self, joint: int, members: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """f = X^-1 (v - t) - X0^-1 (v0 - t0) of some vertices in every pose: (T, M, 3).

        Over linear skinning s, f = X^-1 (v - s) / share.
        """
        return next(self.residuals_of([(joint, members)]))

    def residuals_of(self, parts: Sequence[Part]) -> Iterator[NDArray[np.float32]]:
        """:meth:`residuals` of several joints and vertices, as many in one pass over the vertices as fit memory."""
        size = [12 * self.num_rows * len(members) for _, members in parts]
        begin = 0
        while begin < len(parts):
            end = begin + 1
            while end < len(parts) and sum(size[begin : end + 1]) <= TOGETHER:
                end += 1
            yield from self._in_one_pass(parts[begin:end])
            begin = end

    def _in_one_pass(self, parts: Sequence[Part]) -> list[NDArray[np.float32]]:
        results = [np.empty((self.num_rows, len(members), 3), np.float32) for _, members in parts]
        for begin in range(0, self.num_rows, 64):
            rows = slice(begin, min(begin + 64, self.num_rows))
            vertices = self.vertices[rows]
            if self._linear is not None:
                vertices = vertices - self._linear.model.evaluate(self._poses[rows])
            for (joint, members), result in zip(parts, results, strict=True):
                slot = self._slot[int(joint)]
                block = np.asarray(vertices[:, members], np.float64)
                inverse = self._inverse[rows, slot].transpose(0, 2, 1)
                if self._linear is None:
                    block -= self._origin[rows, slot, None]
                    result[rows] = np.matmul(block, inverse) - self._rest[slot, members]
                else:
                    result[rows] = np.matmul(block, inverse) / self._linear.share[members, None]
        return results


def _blocks(poses: NDArray[np.float32], size: int = 1024) -> list[NDArray[np.float32]]:
    return [poses[begin : begin + size] for begin in range(0, len(poses), size)]


def _inverses(linear: NDArray[np.float64], names: list[str]) -> NDArray[np.float64]:
    """Inverses of (T, S, 3, 3).

    A control rig may collapse a bone in a few random poses. There the inverse is damped, ``M^T (M M^T + d^2 I)^-1``, so
    that residuals stay bounded: what the joint's frame lost no network can bring back.

    Raises
    ------
    ValueError
        If a joint has no inverse in more than :data:`COLLAPSES` of the rows; names joint and row.
    """
    size = np.sqrt(np.einsum("tsab,tsab->ts", linear, linear) / 3.0)
    flat = np.abs(np.linalg.det(linear)) <= SINGULAR * size**3
    if not flat.any():
        return inverse_linear(linear)
    often = np.flatnonzero(flat.mean(axis=0) > COLLAPSES)
    if len(often):
        row, slot = int(np.flatnonzero(flat[:, often[0]])[0]), int(often[0])
        got = f"of zero volume at joint '{names[slot]}' in row {row}"
        raise bad_argument("body", "data.poses", got, "transforms that can be inverted in nearly all poses")
    found = [names[slot] for slot in np.flatnonzero(flat.any(axis=0))]
    remedy = "no model of joints follows the skin there; hold what scales or stretches it"
    text = f"some poses collapse {listed(found)}: {remedy}"
    tell(text)
    result = inverse_linear(np.where(flat[..., None, None], np.eye(3), linear))
    own = linear[flat]
    damping = np.where(size[flat] > 0, (DAMPED * size[flat]) ** 2, 1.0)
    gram = own @ own.swapaxes(1, 2) + damping[:, None, None] * np.eye(3)
    result[flat] = own.swapaxes(1, 2) @ inverse_linear(gram)
    return result
