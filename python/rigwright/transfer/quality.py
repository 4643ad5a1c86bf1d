"""Where a transfer is doubtful: distortion, flipped faces, crossing lips and lids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright.errors import bad_argument
from rigwright.hashing import padded_faces
from rigwright.transfer.contacts import crossings

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class TransferQuality:
    """What to look at first, for K shapes and F faces.

    Attributes
    ----------
    distortion : (K, F) float64
        How differently a face is stretched: the larger of ``|log s_target - log s_source|`` over its two principal
        stretches from neutral to shape. 0 is the same stretch, 0.1 about ten percent off. Quads: the worse half.
        NaN where a face has no area.
    flipped : (K, F) bool
        Faces that lie the wrong way round: they have turned more than 90 degrees away from where the source's face
        turned.
    source_crossings, target_crossings : (K,) int64
        Pairs of faces that cut through each other, near ``contacts`` only where some were given.
    """

    distortion: Float64
    flipped: NDArray[np.bool_]
    source_crossings: NDArray[np.int64]
    target_crossings: NDArray[np.int64]

    @property
    def doubt(self) -> Float64:
        """(K,): a number to sort shapes by, the 99th percentile of distortion plus flips and new crossings."""
        stretched = np.nan_to_num(np.nanpercentile(self.distortion, 99, axis=1))
        new = np.maximum(self.target_crossings - self.source_crossings, 0)
        return np.asarray(stretched + self.flipped.sum(axis=1) + new, np.float64)


def quality(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    target_shapes: ArrayLike,
    faces: ArrayLike,
    *,
    contacts: ArrayLike | None = None,
) -> TransferQuality:
    """Measure where transferred shapes are doubtful.

    Parameters
    ----------
    source_neutral, target_neutral : (V, 3)
    source_shapes, target_shapes : (K, V, 3)
        Positions.
    faces : (F, 3) or (F, 4)
    contacts : (P, 2) integers, optional
        Crossings are looked for within two rings of these vertices, elsewhere everywhere.
    """
    corners = padded_faces(faces, "quality")
    neutrals = [np.asarray(x, np.float64) for x in (source_neutral, target_neutral)]
    shapes = [np.asarray(x, np.float32) for x in (source_shapes, target_shapes)]
    for argument, array in (("source_shapes", shapes[0]), ("target_shapes", shapes[1])):
        expected = (len(shapes[0]), len(neutrals[0]), 3)
        if array.shape != expected:
            raise bad_argument("quality", argument, str(array.shape), str(expected))
    distortion, flipped = [], []
    for source, target in zip(*shapes, strict=True):
        stretch, wrong = _compare(neutrals, [source, target], corners)
        distortion.append(stretch)
        flipped.append(wrong)
    counts = [np.array([crossings(x, corners, contacts) for x in group], np.int64) for group in shapes]
    shape = (len(shapes[0]), len(corners))
    return TransferQuality(np.reshape(distortion, shape), np.reshape(flipped, shape).astype(bool), *counts)


def _compare(
    neutrals: list[Float64], shapes: list[NDArray[np.float32]], faces: NDArray[np.int32]
) -> tuple[Float64, NDArray[np.bool_]]:
    worst, wrong = np.full(len(faces), np.nan), np.zeros(len(faces), bool)
    for half in ([0, 1, 2], [0, 2, 3]):
        rows = np.flatnonzero(faces[:, half].min(axis=1) >= 0)
        triangles = faces[rows][:, half]
        gradients = [_gradients(n, s.astype(np.float64), triangles) for n, s in zip(neutrals, shapes, strict=True)]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = [np.log(_stretches(*g)) for g in gradients]
            difference = np.abs(logs[0] - logs[1]).max(axis=1)
        worst[rows] = np.fmax(worst[rows], np.where(np.isfinite(difference), difference, np.nan))
        # Where the source's rotation takes the target's normal, against where the normal went.
        (gradient, _), (_, normal) = gradients
        u, _, vt = np.linalg.svd(np.nan_to_num(gradient))
        vt[:, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
        rotation = u @ vt
        expected = np.einsum("fij,fj->fi", rotation, normal)
        wrong[rows] |= (expected * _normals(shapes[1], triangles)).sum(axis=1) < 0.0
    return worst, wrong


def _stretches(gradient: Float64, normal: Float64) -> Float64:
    """The principal stretches (F, 2) in the plane of the face."""
    inside = gradient - np.einsum("fij,fj,fk->fik", gradient, normal, normal)
    return np.asarray(np.linalg.svd(np.nan_to_num(inside), compute_uv=False)[:, :2])


def _normals(points: NDArray[np.generic], triangles: NDArray[np.int32]) -> Float64:
    a, b, c = (np.asarray(points[triangles[:, i]], np.float64) for i in range(3))
    n = np.cross(b - a, c - a)
    length = np.linalg.norm(n, axis=1, keepdims=True)
    return np.asarray(np.divide(n, length, out=np.zeros_like(n), where=length > 0))


def _gradients(neutral: Float64, shape: Float64, triangles: NDArray[np.int32]) -> tuple[Float64, Float64]:
    """Deformation gradients (F, 3, 3), normals to normals without stretch, NaN where undefined; neutral normals."""
    frames = []
    for points in (neutral, shape):
        a, b, c = (points[triangles[:, i]] for i in range(3))
        frames.append(np.stack([b - a, c - a, _normals(points, triangles)], axis=2))
    flat = np.abs(np.linalg.det(frames[0])) < 1e-12 * np.square(frames[0]).sum(axis=(1, 2))
    inverse = np.linalg.inv(np.where(flat[:, None, None], np.eye(3), frames[0]))
    gradient = frames[1] @ inverse
    gradient[flat] = np.nan
    return gradient, frames[0][:, :, 2]
