"""Doubtful places of a transfer: distortion, flipped faces, crossing lips and lids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._crossings import DEPTH, CrossingCounter
from rigcast.transfer._positions import check_positions
from rigcast.transfer._surface import checked_vertices, degenerate_faces, is_degenerate

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class TransferQuality:
    """The places to inspect first, for K shapes and F faces.

    Attributes
    ----------
    distortion : (K, F) float64
        How differently a face is stretched: the larger of ``|log s_target - log s_source|`` over its two principal
        stretches from neutral to shape. 0 is the same stretch, 0.1 about ten percent off. Quads: the worse half.
        NaN where a face is degenerate, in a neutral or in the source's shape (closed lids fold faces to nothing).
    flipped : (K, F) bool
        Faces that lie the wrong way round: they have turned more than 90 degrees away from where the source's face
        turned.
    source_crossings : (K,) int64
        Pairs of faces that cut through each other in the source's shape, near ``contacts`` only where some were given.
    new_crossings : (K,) int64
        Those of the target's shape that neither the source's shape nor the target's neutral has
        (:func:`new_crossings`).
    deepest : (K,) float64
        How deep the deepest of the new crossings is, in the target's unit; 0 without one.
    least_depth : float
        From which depth crossings count, in the target's unit.
    degenerate : (F,) bool
        Faces that are degenerate in one of the neutrals (:func:`degenerate_faces`): they neither stretch nor flip.
    """

    distortion: Float64
    flipped: NDArray[np.bool_]
    source_crossings: NDArray[np.int64]
    new_crossings: NDArray[np.int64]
    deepest: Float64
    least_depth: float
    degenerate: NDArray[np.bool_]

    @property
    def doubt(self) -> Float64:
        """(K,): a number to sort shapes by, the 99th percentile of distortion plus flips and new crossings."""
        known = np.asarray(np.isfinite(self.distortion).any(axis=1))
        stretched = np.zeros(len(known))
        if known.any():
            stretched[known] = np.nanpercentile(self.distortion[known], 99, axis=1)
        return np.asarray(stretched + self.flipped.sum(axis=1) + self.new_crossings, np.float64)


def quality(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    target_shapes: ArrayLike,
    faces: ArrayLike,
    *,
    contacts: ArrayLike | None = None,
    depth: float = DEPTH,
    progress: ProgressOption = None,
) -> TransferQuality:
    """Measure where transferred shapes are doubtful.

    Parameters
    ----------
    source_neutral, target_neutral : array_like, shape (V, 3)
    source_shapes, target_shapes : array_like, shape (K, V, 3)
        Positions.
    faces : array_like, shape (F, 3) or (F, 4)
    contacts : array_like of int, shape (P, 2), optional
        Crossings are looked for within two rings of these vertices, elsewhere everywhere.
    depth : float
        From which crossings count, as a share of the mesh's largest extent (:func:`count_crossings`).
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    TransferQuality

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, indices out of range, and a depth below 0.
    """
    check_positions("quality", source_neutral, source_shapes, "source_shapes")
    check_positions("quality", target_neutral, target_shapes, "target_shapes")
    check = Arguments("quality")
    neutrals: list[Float64] = [
        check.numbers("source_neutral", source_neutral, "V 3"),
        check.numbers("target_neutral", target_neutral, "V 3"),
    ]
    shapes = [
        check.numbers("source_shapes", source_shapes, "K V 3", dtype=np.float32),
        check.numbers("target_shapes", target_shapes, "K V 3", dtype=np.float32),
    ]
    corners = padded_faces(faces, "quality", len(neutrals[0]))
    halves = [_Half(neutrals, corners, columns) for columns in ([0, 1, 2], [0, 2, 3])]
    distortion = np.full((len(shapes[0]), len(corners)), np.nan)
    flipped = np.zeros(distortion.shape, bool)
    counts, deepest = np.zeros((2, len(distortion)), np.int64), np.zeros(len(distortion))
    if contacts is not None:
        checked_vertices("quality", "contacts", contacts, len(neutrals[0]))
    counter = CrossingCounter("quality", neutrals[1].astype(np.float32), corners, contacts, depth=depth)
    report = as_callback(progress)
    for k, (source, target) in enumerate(zip(*shapes, strict=True)):
        report(Progress("measuring", k, len(distortion)))
        for half in halves:
            stretch, wrong = half.compare(source, target)
            distortion[k, half.rows] = np.fmax(distortion[k, half.rows], stretch)
            flipped[k, half.rows] |= wrong
        new, depths = counter.new(source, target)
        counts[:, k] = counter.count(source), len(new)
        deepest[k] = depths.max(initial=0.0)
    report(Progress("measuring", len(distortion), len(distortion)))
    degenerate = np.zeros(len(corners), bool)
    for neutral in neutrals:
        degenerate |= degenerate_faces(neutral, corners)
    return TransferQuality(distortion, flipped, counts[0], counts[1], deepest, counter.least, degenerate)


class _Half:
    """The triangles that three corners of all faces make: all triangles, or the second halves of quads."""

    def __init__(self, neutrals: list[Float64], faces: Int32, columns: list[int]) -> None:
        self.rows = np.flatnonzero(faces[:, columns].min(axis=1) >= 0)
        self.triangles = faces[self.rows][:, columns]
        self.before = [_Frames(neutral, self.triangles) for neutral in neutrals]
        self.flat = is_degenerate(neutrals[0], self.triangles) | is_degenerate(neutrals[1], self.triangles)

    def compare(self, source: NDArray[np.float32], target: NDArray[np.float32]) -> tuple[Float64, NDArray[np.bool_]]:
        """Differences of stretch, NaN where there is none to compare, and which triangles lie the wrong way round."""
        after = [_Frames(x, self.triangles) for x in (source, target)]
        inside = [_in_plane(*frames) for frames in zip(self.before, after, strict=True)]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = [np.log(_stretches(*entries)) for entries in inside]
            difference = np.abs(logs[0] - logs[1]).max(axis=0, initial=0.0)
        flat = self.flat | is_degenerate(np.asarray(source, np.float64), self.triangles)
        difference[flat | ~np.isfinite(difference)] = np.nan
        # Where the source's rotation takes the target's normal, against where the normal went.
        expected = _turned(self.before[1].normal, self.before[0], after[0], inside[0])
        wrong = (expected * after[1].normal).sum(axis=1) < 0.0
        return difference, wrong & ~flat


class _Frames:
    """Triangles in their own planes: first sides (length,), second sides (along, across), axes (F, 3) each."""

    def __init__(self, points: NDArray[np.floating[Any]], triangles: Int32) -> None:
        a, b, c = (np.asarray(points[triangles[:, i]], np.float64) for i in range(3))
        self.length, self.first = _normalized(b - a)
        self.along = np.einsum("fi,fi->f", c - a, self.first)
        self.normal = _normalized(np.cross(b - a, c - a))[1]
        self.second = np.cross(self.normal, self.first)
        self.across = np.einsum("fi,fi->f", c - a, self.second)


def _normalized(vectors: Float64) -> tuple[Float64, Float64]:
    length = np.linalg.norm(vectors, axis=1)
    unit = np.divide(vectors, length[:, None], out=np.zeros_like(vectors), where=length[:, None] > 0.0)
    return length, unit


def _in_plane(before: _Frames, after: _Frames) -> tuple[Float64, Float64, Float64]:
    """The deformation gradient ((p, q), (0, r)) from the plane of a triangle before to that after."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = after.length / before.length
        r = after.across / before.across
        q = (after.along - p * before.along) / before.across
    return p, q, r


def _stretches(p: Float64, q: Float64, r: Float64) -> Float64:
    """Singular values (2, F) of ((p, q), (0, r)), p and r at least 0."""
    sum_, difference = np.hypot(p + r, q), np.hypot(p - r, q)
    largest = 0.5 * (sum_ + difference)
    return np.stack([largest, p * r / largest])


def _turned(vectors: Float64, before: _Frames, after: _Frames, gradient: tuple[Float64, Float64, Float64]) -> Float64:
    """Vectors (F, 3) under the rotation of the polar decomposition of gradients that take normals to normals."""
    p, q, r = gradient
    angle = np.nan_to_num(np.arctan2(-q, p + r))
    x, y, z = (np.einsum("fi,fi->f", vectors, axis) for axis in (before.first, before.second, before.normal))
    u, v = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y
    return np.asarray(u[:, None] * after.first + v[:, None] * after.second + z[:, None] * after.normal)
