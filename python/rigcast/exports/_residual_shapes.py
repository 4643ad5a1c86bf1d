"""Shapes in the rest pose that add what linear skinning misses.

With the blended transform ``x -> L_tv x + p_tv`` of vertex v in frame t, shapes d_k and amounts a_tk minimize
``sum_tv |L_tv (r_v + sum_k a_tk d_kv) + p_tv - y_tv|^2``. The first shape is constant, a_t0 = 1: without it amounts
could not be brought into the range from 0 to 1, to which Blender and others clamp them. Shapes begin as the mean and
the principal components of the residual in the rest space, ``L^-1 (y - L r - p)`` (damped, since blended transforms
collapse), and then take turns: the amounts of each frame, and the shapes of each vertex, are linear least squares, so
that the sum never rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.components import principal_components
from rigcast._rigs.description import Skin
from rigcast._rigs.rotations import compose, globals_of, invert
from rigcast._rigs.skinned import SkinnedRig

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

FRAMES_AT_ONCE, VERTICES_AT_ONCE = 16, 256
DAMPING = 0.01  # of the mean square scale of a frame: a vertex between joints that are turned apart has none of its own
RIDGE = 1e-7  # of the mean diagonal: frames that do not tell shapes apart
ROUNDS, WORTH = 6, 0.01  # most turns, and the part of the sum of squares that a turn must take away to be followed
LEAST = 1e-12  # of the largest square: rounding
FIRST, SECOND = np.triu_indices(3)


@dataclass(frozen=True)
class PosedFrames:
    """Frames of a skin, and where its vertices should be.

    Attributes
    ----------
    rest : (V, 3) float32
    skin : Skin
    moved : (T, J, 3, 4) float32
        What carries a vertex from rest with each joint.
    truth : (T, V, 3) float32
    """

    rest: Float32
    skin: Skin
    moved: Float32
    truth: Float32

    @classmethod
    def of(cls, rig: SkinnedRig, local: Float64, truth: Float32) -> PosedFrames:
        """Of a rig's joints, parent-relative transforms (T, J, 3, 4)."""
        joints, skin = rig.joints, rig.own_skin
        assert joints is not None
        assert skin is not None
        moved = compose(globals_of(joints.parents, local), invert(joints.rest_globals))
        return cls(rig.rest_vertices, skin, moved.astype(np.float32), truth)

    def __len__(self) -> int:
        return len(self.moved)

    def blended(self, frames: slice, vertices: slice = slice(None)) -> Float32:
        """The transforms (t, n, 3, 4) of vertices."""
        joint, weight = self.skin.joint[vertices], self.skin.weight[vertices].astype(np.float32)
        moved = self.moved[frames]
        result = np.zeros((len(moved), len(joint), 3, 4), np.float32)
        for slot in range(joint.shape[1]):
            result += weight[:, slot, None, None] * moved[:, joint[:, slot]]
        return result

    def blocks(self) -> Iterator[tuple[slice, Float32, Float32]]:
        """Some frames at a time: linear parts (t, V, 3, 3), and what skinning alone misses (t, V, 3)."""
        for start in range(0, len(self), FRAMES_AT_ONCE):
            frames = slice(start, start + FRAMES_AT_ONCE)
            blended = self.blended(frames)
            yield frames, blended[..., :3], self.truth[frames] - _carried(blended, self.rest)

    def played(self, deltas: Float32, amounts: Float64) -> Float32:
        """Vertices (T, V, 3) with shapes (K, V, 3) by amounts (T, K)."""
        result = np.empty_like(self.truth)
        flat = deltas.reshape(len(deltas), self.rest.size)
        for start in range(0, len(self), FRAMES_AT_ONCE):
            frames = slice(start, start + FRAMES_AT_ONCE)
            shaped = self.rest + (amounts[frames].astype(np.float32) @ flat).reshape(-1, *self.rest.shape)
            result[frames] = _carried(self.blended(frames), shaped)
        return result

    def amounts(self, deltas: Float32, threads: int) -> tuple[Float64, float]:
        """The best amounts (T, K) of shapes (K, V, 3), 1 of the first, and the sum of squares that is left."""
        found, left = np.ones((len(self), len(deltas))), 0.0
        columns = np.ascontiguousarray(np.moveaxis(deltas, 0, 2))  # (V, 3, K)
        for frames, linear, missed in self.blocks():
            for frame, turned, goal in zip(range(frames.start, frames.stop), linear, missed, strict=False):
                moved = np.matmul(turned, columns).reshape(goal.size, len(deltas))
                wanted = goal.reshape(-1, 1) - moved[:, :1].sum(axis=1, keepdims=True)
                left += float(np.square(wanted, dtype=np.float64).sum())
                if len(deltas) > 1:
                    free = np.ascontiguousarray(moved[:, 1:])
                    square = _core.matrix_product(free.T, free, threads=threads).astype(np.float64)
                    along = _core.matrix_product(free.T, wanted, threads=threads).astype(np.float64)[:, 0]
                    found[frame, 1:] = amount = np.linalg.solve(_ridged(square), along)
                    left -= float(amount @ (2.0 * along - square @ amount))
        return found, max(left, 0.0)


def residual_components(posed: PosedFrames, count: int, threads: int) -> Float32:
    """Mean and leading components (K, V, 3) of what skinning misses, in the rest space; ``count`` with the mean.

    At most as many as there are frames or coordinates.
    """
    count = min(count, *posed.truth.reshape(len(posed), -1).shape)
    if not count:
        return np.zeros((0, *posed.rest.shape), np.float32)
    rows = np.empty_like(posed.truth)
    for frames, linear, missed in posed.blocks():
        square = np.swapaxes(linear, -1, -2) @ linear
        scale = np.trace(square, axis1=-2, axis2=-1).mean(axis=1) / 3.0
        square += DAMPING * scale[:, None, None, None] * np.eye(3, dtype=np.float32)
        pulled = np.einsum("tvji,tvj->tvi", linear, missed)
        rows[frames] = np.linalg.solve(square, pulled[..., None])[..., 0]
    found = principal_components(rows.reshape(len(rows), -1), count - 1, threads)
    return np.concatenate([found.mean[None], found.basis.T]).reshape(-1, *posed.rest.shape)


def refined(posed: PosedFrames, deltas: Float32, threads: int) -> Float32:
    """Shapes (K, V, 3) after turns of amounts and shapes: the constant one, then the most important first."""
    if not len(deltas):
        return deltas
    amounts, left = posed.amounts(deltas, threads)
    for _ in range(ROUNDS):
        following = _best_deltas(posed, amounts, threads)
        found, now = posed.amounts(following, threads)
        if now >= left:
            break
        deltas, amounts, before, left = following, found, left, now
        if left >= (1.0 - WORTH) * before:
            break
    return _ordered(deltas, amounts)


def _best_deltas(posed: PosedFrames, amounts: Float64, threads: int) -> Float32:
    """The best shapes (K, V, 3) of amounts (T, K): for each vertex 3 K normal equations."""
    count = amounts.shape[1]
    first, second = np.triu_indices(count)
    pairs = np.ascontiguousarray((amounts[:, first] * amounts[:, second]).T)
    across, along = np.ascontiguousarray(amounts.T), np.empty((count, *posed.rest.shape), np.float32)
    for start in range(0, len(posed.rest), VERTICES_AT_ONCE):
        some = slice(start, start + VERTICES_AT_ONCE)
        blended = posed.blended(slice(None), some)
        linear = blended[..., :3].astype(np.float64)
        missed = (posed.truth[:, some] - _carried(blended, posed.rest[some])).astype(np.float64)
        square = np.swapaxes(linear, -1, -2) @ linear
        pulled = np.einsum("tvji,tvj->tvi", linear, missed)
        size, frames = square.shape[1], len(square)
        sums = _core.matrix_product(pairs, square[..., FIRST, SECOND].reshape(frames, -1), threads=threads)
        normal = np.empty((size, count, count, 3, 3))
        entries = sums.reshape(-1, size, 6).swapaxes(0, 1)
        for place, (i, j) in enumerate(zip(FIRST, SECOND, strict=True)):
            for rows, columns in ((i, j), (j, i)):
                normal[:, first, second, rows, columns] = entries[..., place]
                normal[:, second, first, rows, columns] = entries[..., place]
        equations = np.swapaxes(normal, 2, 3).reshape(size, 3 * count, 3 * count)
        right = _core.matrix_product(across, pulled.reshape(frames, -1), threads=threads).reshape(count, size, 3)
        solved = np.linalg.solve(_ridged(equations), right.swapaxes(0, 1).reshape(size, -1, 1))
        along[:, some] = solved.reshape(size, count, 3).swapaxes(0, 1)
    return along


def _ordered(deltas: Float32, amounts: Float64) -> Float32:
    """The constant shape, and orthogonal ones of the same span by the squares that they explain.

    Each is as large as the range of its amounts; one whose amount never changes is added to the constant shape.
    """
    flat = deltas.reshape(len(deltas), -1).astype(np.float64)
    mean = amounts[:, 1:].mean(axis=0)
    constant, free, away = flat[0] + mean @ flat[1:], flat[1:], amounts[:, 1:] - mean
    triangle: Float64 = np.linalg.qr(away, mode="r")  # type: ignore[assignment]  # NumPy's stubs see a pair
    values, vectors = np.linalg.eigh(triangle @ (free @ free.T) @ triangle.T)
    chosen = vectors[:, ::-1][:, values[::-1] > LEAST * max(float(values[-1]), 1e-300)] if len(free) else vectors
    span = np.ptp(away @ np.linalg.pinv(triangle) @ chosen, axis=0)
    turned = (chosen.T @ triangle @ free) * span[:, None]
    return np.concatenate([constant[None], turned]).astype(np.float32).reshape(-1, *deltas.shape[1:])


def _carried(blended: Float32, points: Float32) -> Float32:
    """Points (V, 3) or (t, V, 3) by transforms (t, V, 3, 4)."""
    return np.asarray(np.matmul(blended[..., :3], points[..., None])[..., 0] + blended[..., 3])


def _ridged(normal: Float64) -> Float64:
    size = normal.shape[-1]
    mean = np.trace(normal, axis1=-2, axis2=-1) / size
    return normal + np.where(mean > 0.0, RIDGE * mean, 1.0)[..., None, None] * np.eye(size)
