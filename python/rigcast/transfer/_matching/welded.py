"""Parts that are one surface with the skin in the target and apart in the source: teeth, gums, lashes.

Landmarks tie skin to skin, and what is welded to the target's skin finds nothing there: it lies behind what the skin
corresponds to. Such vertices may be matched to components of the source that nothing else corresponds to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.transfer._matching.components import OVERLAP, parts_of
from rigcast.transfer._matching.fit import Matches, SourceFit
from rigcast.transfer._matching.tears import TORN, Graph, graph_of, reached

Bool = NDArray[np.bool_]
Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]

APART = 0.25  # of the source's mean edge: what is nearer to it is no other layer
FEW = 0.1  # of the largest patch on a component: fewer vertices on it elsewhere are strays
NEARER = 0.5  # of a vertex' distance: a layer before it is at most so far from the source


def match_welded(found: Matches, fit: SourceFit) -> Matches:
    """Matches in which layers behind others follow components of the source that are left, or count as unmatched.

    Only components of the target with landmarks have parts welded to them.
    """
    source, target = fit.source, fit.target
    whole = np.asarray(fit.tied.any(axis=0))[target.component]
    found = found.only(found.matched & ~_covered(found, whole, fit))
    left = np.flatnonzero(~np.asarray(fit.met.any(axis=0))[source.component])
    if not len(left):
        return found
    corners, weights, distance = _core.closest_points(
        target.points, target.faces, source.points[left], source.normals[left], threads=fit.threads
    )
    heaviest = np.take_along_axis(np.maximum(corners, 0), weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    # What a component that is left lies on, or far nearer to than the match that was found, is its counterpart.
    limit = np.where(found.matched, NEARER * found.distance, found.distance)
    loose = whole & (~found.matched | (found.distance > APART * fit.edge))
    loose[fit.given] = False
    backed = (distance <= fit.near) & loose[heaviest]
    backed &= ~found.matched[heaviest] | (distance < limit[heaviest])
    share = np.bincount(source.component[left], backed, source.count) / np.bincount(source.component)
    found = _at(found, share >= OVERLAP, np.flatnonzero(loose), limit, fit)
    return _gathered(found, fit)


def _at(found: Matches, allowed: Bool, rows: Int64, limit: Float32, fit: SourceFit) -> Matches:
    """With vertices matched to components ``allowed`` (S,), where those are near and nearer than ``limit`` (V,)."""
    other = fit.source.closest(allowed, fit.target.points[rows], fit.target.normals[rows], fit.threads)
    here = (other[2] <= fit.near) & (other[2] < limit[rows])
    return found.but(rows[here], (other[0][here], other[1][here], other[2][here]), True)


def _gathered(found: Matches, fit: SourceFit) -> Matches:
    """Matches in which few vertices among many that lie on another component follow these: teeth that bite touch."""
    count, source = len(found.matched), fit.source
    edges = _core.edges(fit.target.faces, count).astype(np.int64)
    edges = edges[found.matched[edges].all(axis=1)]
    lies = source.component[np.maximum(found.corners[:, 0], 0)]
    same = lies[edges[:, 0]] == lies[edges[:, 1]]
    patch = parts_of(edges[same], count)
    size, label = np.bincount(patch), np.zeros(patch.max() + 1, np.int64)
    label[patch] = lies
    largest = np.zeros(source.count, np.int64)
    np.maximum.at(largest, label, size)
    few = size < FEW * largest[label]
    rim = np.concatenate([edges[~same], edges[~same][:, ::-1]])
    rim = rim[few[patch[rim[:, 0]]] & ~few[patch[rim[:, 1]]]]
    votes = np.zeros((len(size), source.count), np.int64)
    np.add.at(votes, (patch[rim[:, 0]], lies[rim[:, 1]]), 1)
    goes = np.where(votes.any(axis=1), votes.argmax(axis=1), label)
    for s in np.unique(goes[goes != label]):
        rows = np.flatnonzero(found.matched & (goes == s)[patch] & (label != s)[patch])
        rows = np.setdiff1d(rows, fit.given)
        found = _at(found, np.arange(source.count) == s, rows, np.full_like(found.distance, np.inf), fit)
    return found


def _covered(found: Matches, whole: Bool, fit: SourceFit) -> Bool:
    """(V,) vertices whose match is that of another layer: nearer to it, and far away along the target."""
    source, target = fit.source, fit.target
    result = np.zeros(len(whole), bool)
    rows = np.flatnonzero(found.matched & whole & (found.distance > APART * fit.edge))
    rows = np.setdiff1d(rows, fit.given)
    if not len(rows):
        return result
    points, normals = (
        np.einsum("vca,vc->va", part[found.corners[rows]], found.weights[rows])
        for part in (source.points, source.normals)
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.float32(1e-12))
    back, _, beyond = _core.closest_points(target.points, target.faces, points, normals, threads=fit.threads)
    close = beyond < NEARER * found.distance[rows]
    graph: Graph = graph_of(target) if close.any() else []
    for row, corner in zip(rows[close].tolist(), back[close], strict=True):
        ends = np.stack([np.full(3, row), corner]).astype(np.int32)
        away = float(np.linalg.norm(target.points[corner] - target.points[row], axis=1).min())
        limit = np.array([TORN * max(away, 2.0 * float(found.distance[row]), fit.edge)])
        result[row] = not reached(graph, ends, 0, np.array([1]), limit)[0]
    return result
