"""Matching points between latent spaces: where a character may go from one label to another."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rigcast.progress import Progress, ProgressCallback
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._learning.embedding import rounded
from rigcast.synthesis._learning.kept import Kept
from rigcast.synthesis._mesh import ControlledMesh
from rigcast.synthesis._parts import Bridge
from rigcast.synthesis._space import Space

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

MOST = 50  # pairs of points per bridge (Bailey 2020: 10 to 50)
CANDIDATES = 64  # training points of each side whose match is searched
UNSURE = 0.1  # of the process' variance: where it predicts worse, no bridge ends
APART = 3  # frames between candidates of one clip: what matches is spread
STANDS = 1e-3  # of the largest distance in 12 frames: what moves less stands still
BLEND = 12  # frames of a transition: a pose may be as far as clips move in that time


def default_threshold(spaces: Mapping[str, Space], around: Coordinates, effects: Float64, millimeters: float) -> float:
    """The distance in millimeters that clips' meshes, where they move, exceed in 12 frames three quarters of the time.

    A transition takes as long: it then moves no faster than the clips mostly do.
    """
    moved = [np.zeros(0)]
    for space in spaces.values():
        features = around.of(space.frames) @ effects
        for s in space.segments:
            own = features[s.begin : s.end]
            moved.append(np.linalg.norm(own[BLEND:] - own[:-BLEND], axis=1))
    steps = np.concatenate(moved)
    steps = steps[steps > STANDS * steps.max(initial=0.0)]
    return float(np.quantile(steps, 0.25)) * millimeters if len(steps) else 0.0


def find_bridges(
    spaces: Mapping[str, Space],
    around: Coordinates,
    effects: Float64,
    mesh: ControlledMesh | None,
    threshold: float,
    matching: str,
    kept_before: Kept,
    progress: ProgressCallback,
) -> dict[tuple[str, str], Bridge]:
    """Bridges between all labels, in both directions.

    For training points of each label the closest latent point of the other is searched from the nearest training
    frames (Bailey 2020, equation 5.15, on the mesh, or with ``matching="components"`` as printed). Pairs within
    ``threshold`` (millimeters) are kept. Labels that no chain of bridges joins are joined by the single closest pairs,
    shortest first, which are marked.
    """
    pairs = list(combinations(spaces, 2))
    found: dict[tuple[str, str], Bridge] = {}
    for done, (a, b) in enumerate(pairs):
        progress(Progress("bridging", done, len(pairs), f"{a} - {b}"))
        make = partial(_matched, spaces[a], spaces[b], around, effects, mesh, matching)
        found[a, b] = kept_before.bridge(spaces[a], spaces[b], matching, make)
    within = {pair: _below(bridge, threshold) for pair, bridge in found.items()}
    kept = {pair: bridge for pair, bridge in within.items() if len(bridge)}
    for pair in _joining(list(spaces), kept, found):
        best = found[pair]
        kept[pair] = Bridge(best.from_points[:1], best.to_points[:1], best.distances[:1], within=False)
    progress(Progress("bridging", len(pairs), len(pairs)))
    kept = {
        pair: Bridge(rounded(k.from_points), rounded(k.to_points), rounded(k.distances), k.within)
        for pair, k in kept.items()
    }
    back = {(b, a): Bridge(k.to_points, k.from_points, k.distances, k.within) for (a, b), k in kept.items()}
    return {**kept, **back}


def _below(bridge: Bridge, threshold: float) -> Bridge:
    rows = np.flatnonzero(bridge.distances <= threshold)[:MOST]
    return Bridge(bridge.from_points[rows], bridge.to_points[rows], bridge.distances[rows])


def _joining(
    labels: list[str], kept: Mapping[tuple[str, str], Bridge], found: Mapping[tuple[str, str], Bridge]
) -> list[tuple[str, str]]:
    """The pairs that join what ``kept`` keeps apart: the shortest first (Kruskal 1956)."""
    group = {label: i for i, label in enumerate(labels)}

    def join(a: str, b: str) -> None:
        old, new = group[b], group[a]
        for label in labels:
            group[label] = new if group[label] == old else group[label]

    for a, b in kept:
        join(a, b)
    chosen = []
    for a, b in sorted(found, key=lambda pair: float(found[pair].distances[0])):
        if group[a] != group[b]:
            chosen.append((a, b))
            join(a, b)
    return chosen


def _matched(
    first: Space,
    second: Space,
    around: Coordinates,
    effects: Float64,
    mesh: ControlledMesh | None,
    matching: str,
) -> Bridge:
    """Pairs of points, the closest first: candidates of either side with their matches on the other."""
    there = _candidates(first, second, effects)
    back = _candidates(second, first, effects)
    answered = partial(_answers, around=around, effects=effects, matching=matching)
    from_there, to_there = first.points[there], answered(second, first.controls(first.points[there]))
    from_back, to_back = answered(first, second.controls(second.points[back])), second.points[back]
    a, b = np.concatenate([from_there, from_back]), np.concatenate([to_there, to_back])
    controls = first.controls(a), second.controls(b)
    if mesh is None:
        apart = np.linalg.norm((around.of(controls[0]) - around.of(controls[1])) @ effects, axis=1)
    else:
        apart = mesh.millimeters * mesh.distances(*controls)
    order = np.argsort(apart, kind="stable")
    return Bridge(a[order], b[order], apart[order])


def _answers(space: Space, controls: Float32, around: Coordinates, effects: Float64, matching: str) -> Float64:
    """Points of a space that match poses, where it is sure of them; elsewhere those of the nearest training frames.

    Far from all training points every process returns to its mean, where spaces that have nothing in common match.
    """
    points, _ = space.closest(controls, matching=matching)
    unsure = space.latent.predictive_variance(points) > UNSURE * space.latent.variance
    if unsure.any():
        own = space.coordinates(space.points) @ effects
        wanted = around.of(controls[unsure]) @ effects
        square = (own**2).sum(axis=1) - 2.0 * wanted @ own.T
        points[unsure] = space.points[square.argmin(axis=1)]
    return points


def _candidates(first: Space, second: Space, effects: Float64) -> NDArray[np.intp]:
    """Training points of the first space that lie nearest to the second's, no two of a clip next to each other."""
    own, other = (space.coordinates(space.points) @ effects for space in (first, second))
    square = (own**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2.0 * own @ other.T
    order = np.argsort(square.min(axis=1), kind="stable")
    clip = np.repeat(np.arange(len(first.segments)), [len(s) for s in first.segments])
    free = np.ones(len(own), bool)
    chosen: list[int] = []
    for row in map(int, order):
        if len(chosen) == CANDIDATES:
            break
        if free[row]:
            chosen.append(row)
            near = slice(max(0, row - APART + 1), row + APART)
            free[near] &= clip[near] != clip[row]
    return np.array(chosen, np.intp)
