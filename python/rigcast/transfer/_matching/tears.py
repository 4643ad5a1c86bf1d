"""Neighbors of a target whose matches lie far apart along the source.

Across a shut mouth the lips are near each other and far apart along the skin. A vertex of the upper lip that is matched
to the lower one is nowhere far from its match; only its neighbors tell.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.transfer._matching.components import ComponentMesh
from rigcast.transfer._matching.fit import Matches, SourceFit

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Graph = list[list[tuple[int, float]]]

TORN = 2.0  # times the edge's own length, or the mean edge of the source where that is longer


def torn_edges(found: Matches, among: Bool, fit: SourceFit, graph: Graph) -> Int64:
    """(N, 2) edges of the target, both ends matched, whose matches are farther apart along the source than that allows.

    Of edges with an end ``among`` (V,) vertices. Edges between components of the source are none: they say what is
    welded. Paths run in the graph of the fitted source between the nearest corners of the triangles matched: somewhat
    longer than the shortest on its surface, and without the way inside these.
    """
    corners, target = found.corners, fit.target
    edges = _core.edges(target.faces, len(target.points)).astype(np.int64)
    edges = edges[found.matched[edges].all(axis=1) & among[edges].any(axis=1)]
    lies = fit.source.component[np.maximum(corners[edges, 0], 0)]
    edges = edges[lies[:, 0] == lies[:, 1]]
    length = np.linalg.norm(target.points[edges[:, 0]] - target.points[edges[:, 1]], axis=1)
    limit = TORN * np.maximum(length, fit.edge)
    ends = corners[edges]
    asked = np.flatnonzero(~(ends[:, 0, :, None] == ends[:, 1, None, :]).any(axis=(1, 2)))  # others meet at a corner
    order = asked[np.argsort(edges[asked, 0], kind="stable")]
    torn = np.zeros(len(edges), bool)
    for rows in np.split(order, np.flatnonzero(np.diff(edges[order, 0])) + 1):
        if len(rows):
            torn[rows] = ~reached(graph, corners, edges[rows[0], 0], edges[rows, 1], limit[rows])
    return np.asarray(edges[torn], np.int64)


def mended(torn: Int64, matched: Bool, target: ComponentMesh, trusted: Int64) -> Bool:
    """``matched`` without vertices that are astray, the one with the most torn edges first; ``trusted`` ones stay.

    Astray is a vertex torn from more than half of its matched neighbors, or on two sides. One torn on one side may be
    right: it lies next to a gap that the target's faces bridge, as between lips that are one surface.
    """
    kept: Bool = np.array(matched)
    edges = _core.edges(target.faces, len(target.points)).astype(np.int64)
    edges = edges[matched[edges].all(axis=1)]
    near: list[set[int]] = [set() for _ in kept]
    for a, b in edges.tolist():
        near[a].add(b)
        near[b].add(a)
    cut: dict[int, set[int]] = {}
    for a, b in torn.tolist():
        cut.setdefault(a, set()).add(b)
        cut.setdefault(b, set()).add(a)
    for vertex in trusted.tolist():
        cut.pop(vertex, None)
    while astray := [v for v, others in cut.items() if 2 * len(others) > len(near[v]) or _sides(others, near) > 1]:
        worst = max(astray, key=lambda v: (len(cut[v]) / len(near[v]), len(cut[v]), -v))
        kept[worst] = False
        for other in near[worst]:
            near[other].discard(worst)
            if other in cut:
                cut[other].discard(worst)
        cut = {v: others for v, others in cut.items() if v != worst and others}
    return kept


def _sides(vertices: set[int], near: list[set[int]]) -> int:
    """Connected parts of the graph that ``near`` makes of the vertices."""
    left, parts = set(vertices), 0
    while left:
        parts += 1
        front = {left.pop()}
        while front:
            front = left & set().union(*(near[v] for v in front))
            left -= front
    return parts


def graph_of(surface: ComponentMesh) -> Graph:
    """Edges and diagonals of quads, with their lengths."""
    points = surface.points.astype(np.float64)
    quads = surface.faces[surface.faces[:, 3] >= 0]
    edges = np.concatenate([_core.edges(surface.faces, len(points)), quads[:, [0, 2]], quads[:, [1, 3]]])
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    graph: Graph = [[] for _ in points]
    for (a, b), d in zip(edges.tolist(), length.tolist(), strict=True):
        graph[a].append((b, d))
        graph[b].append((a, d))
    return graph


def reached(graph: Graph, corners: Int32, start: int, ends: Int64, limit: Float64) -> Bool:
    """(E,) whether the matches of ``ends`` are within ``limit`` of that of ``start`` (Dijkstra, no farther)."""
    waiting: dict[int, list[int]] = {}
    for row, end in enumerate(ends.tolist()):
        for corner in corners[end].tolist():
            waiting.setdefault(corner, []).append(row)
    limits = limit.tolist()
    found, missing, farthest = [False] * len(ends), len(ends), max(limits)
    away = dict.fromkeys(corners[start].tolist(), 0.0)
    heap = [(0.0, corner) for corner in away]
    while heap and missing:
        distance, vertex = heapq.heappop(heap)
        if distance > away[vertex]:
            continue
        for row in waiting.get(vertex, ()):
            if not found[row] and distance <= limits[row]:
                found[row] = True
                missing -= 1
        for other, step in graph[vertex]:
            there = distance + step
            if there <= farthest and there < away.get(other, np.inf):
                away[other] = there
                heapq.heappush(heap, (there, other))
    return np.array(found)
