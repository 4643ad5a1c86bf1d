"""Matches decided along the mesh, where nearest points alone tear it apart.

Lips closer than the fit is exact lie on either lip of the source, as far as positions tell; so do lids and fingers
that touch. Connectivity tells: around torn edges vertices are matched anew, outward from those that are sure, each to
where a descent over the source's faces leads from its neighbor's match. Such a descent does not cross a gap.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.transfer._matching.components import ComponentMesh, border_vertices, on_border, parts_of
from rigcast.transfer._matching.fit import Matches, SourceFit
from rigcast.transfer._matching.tears import TORN, Graph, graph_of, reached, torn_edges
from rigcast.transfer._matching.walker import Walker

Bool = NDArray[np.bool_]
Int64 = NDArray[np.int64]

ROUNDS = 3  # at most; one does unless gaps lie near each other
MENDED = 0.5  # of the torn edges may be left: few of many where the surfaces differ tell nothing
SLACK = 0.1  # of the source's mean edge: a match on the own side may be farther than the nearest by so much
WIDE = 2.0  # times as far as a match is away at most: what is decided anew around torn edges


def decided_along(found: Matches, fit: SourceFit) -> tuple[Matches, Int64]:
    """Matches with fewer torn edges, and the torn edges (N, 2) that are left."""
    paths, border = graph_of(fit.source), border_vertices(fit.source)
    torn = torn_edges(found, np.ones(len(found.matched), bool), fit, paths)
    if not len(torn):
        return found, torn
    flood = _Flood(fit, paths, graph_of(fit.target), Walker.of(fit.source))
    for _ in range(ROUNDS):
        band = _within(flood.own, np.unique(torn), WIDE * fit.near)
        other = flood.decided(found, band)
        ends = on_border(other.corners, other.weights, border)
        ends[fit.given] = False
        other = other.only(other.matched & (found.matched | ~ends))
        better = _better(band, torn, torn_edges(other, band, fit, paths), fit.target)
        if not better.any():
            break
        found = found.but(better, _parts(other, better), other.matched[better])
        torn = np.concatenate([torn[~better[torn].any(axis=1)], torn_edges(found, better, fit, paths)])
        if not len(torn):
            break
    return found, torn


@dataclass(frozen=True)
class _Flood:
    """Matches of a band, decided outward from its rim. Graphs are those of the fitted source and of the target."""

    fit: SourceFit
    paths: Graph
    own: Graph
    walker: Walker

    def decided(self, found: Matches, band: Bool) -> Matches:
        """Matches that are those of before outside of the band, and at landmarks."""
        target, rim = self.fit.target, found.matched & ~band
        fixed = np.zeros(len(band), bool)
        fixed[self.fit.given] = True
        anew = found.but(band & ~fixed, _parts(found, band & ~fixed), False)
        # A landmark in the corner of a mouth lies on both lips: others lead on from it only where nothing else does.
        with_rim = np.bincount(target.component, rim, target.count) > 0
        sure = np.flatnonzero(rim | (anew.matched & ~with_rim[target.component]))
        settled = {int(v): self.walker.start(anew.corners[v], anew.weights[v]) for v in sure}
        # So does a vertex on the target's border: it lies where its faces do, and inner ones tell where that is.
        last = border_vertices(target)
        heap = [(bool(last[v]), step, other, v) for v in settled for other, step in self.own[v] if band[other]]
        heapq.heapify(heap)
        while heap:
            _, away, vertex, parent = heapq.heappop(heap)
            if vertex in settled:
                continue
            if not fixed[vertex]:
                self._decide(anew, vertex, parent, settled[parent])
            anew.matched[vertex] |= found.matched[vertex]
            settled[vertex] = self.walker.start(anew.corners[vertex], anew.weights[vertex])
            for other, step in self.own[vertex]:
                if band[other] and other not in settled:
                    heapq.heappush(heap, (bool(last[vertex]), away + step, other, vertex))
        unreached = band.copy()
        unreached[list(settled)] = False
        return anew.only(np.where(unreached, found.matched, anew.matched))

    def _decide(self, anew: Matches, vertex: int, parent: int, start: list[int]) -> None:
        """Match a vertex to where a descent from its neighbor's match leads, unless its nearest point is as good."""
        fit = self.fit
        triangle, weights, distance = self.walker.descend(start, fit.target.points[vertex], fit.target.normals[vertex])
        as_near = distance <= anew.distance[vertex] + SLACK * fit.edge
        if as_near or (distance <= fit.near and not self._agrees(anew, vertex, parent)):
            anew.corners[vertex], anew.weights[vertex] = self.walker.corners[triangle], weights
            anew.distance[vertex], anew.matched[vertex] = distance, distance <= fit.near

    def _agrees(self, anew: Matches, vertex: int, parent: int) -> bool:
        """True if the nearest point of a vertex lies where its neighbor's match has it, along the source."""
        if anew.corners[vertex, 0] < 0:
            return False
        points = self.fit.target.points
        length = float(np.linalg.norm(points[vertex] - points[parent]))
        limit = np.array([TORN * max(length, self.fit.edge)])
        return bool(reached(self.paths, anew.corners, parent, np.array([vertex]), limit)[0])


def _parts(found: Matches, rows: Bool) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    return found.corners[rows], found.weights[rows], found.distance[rows]


def _within(graph: Graph, starts: Int64, limit: float) -> Bool:
    """(V,) vertices whose paths to one of the starts are at most this long."""
    inside = np.zeros(len(graph), bool)
    heap = [(0.0, v) for v in starts.tolist()]
    while heap:
        away, vertex = heapq.heappop(heap)
        if inside[vertex]:
            continue
        inside[vertex] = True
        for other, step in graph[vertex]:
            if not inside[other] and away + step <= limit:
                heapq.heappush(heap, (away + step, other))
    return inside


def _better(band: Bool, before: Int64, after: Int64, target: ComponentMesh) -> Bool:
    """(V,) the connected parts of the band in which at most half as many edges are torn, on their rims too."""
    edges = _core.edges(target.faces, len(band)).astype(np.int64)
    edges = edges[band[edges].all(axis=1)]
    part = parts_of(edges, len(band))
    counts = []
    for torn in (before, after):
        inside = np.where(band[torn[:, 0]], torn[:, 0], torn[:, 1])
        counts.append(np.bincount(part[inside[band[inside]]], minlength=part.max() + 1))
    return np.asarray(band & (counts[0] > 0)[part] & (counts[1] <= MENDED * counts[0])[part])
