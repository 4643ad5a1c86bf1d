"""Edge differences against loops over points and cells, rigid motion, bumps and jitter."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.perception import EdgeDifferenceSettings
from tests.support.made.subdivision import triangulated

WIDE = EdgeDifferenceSettings(cell=0.2, time_step=0.05, temporal_weight=0.5)
FACE = rc.faces.example()


def sheet(seed, frames=3, side=5):
    rng = np.random.default_rng(seed)
    plane = np.stack([*np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), np.zeros((side, side))], axis=-1)
    number = np.arange(side * side).reshape(side, side)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    truth = plane.reshape(-1, 3) + rng.normal(0, 0.15, (frames, side * side, 3))
    return truth, truth + rng.normal(0, 0.05, truth.shape), triangulated(quads)


def centers(corners, pieces):
    """Centers of the equal parts of a triangle (3, 3)."""
    a, b, c = corners
    for i in range(pieces):
        for j in range(pieces - i):
            yield a + ((i + 1 / 3) * (b - a) + (j + 1 / 3) * (c - a)) / pieces
            if i + j < pieces - 1:
                yield a + ((i + 2 / 3) * (b - a) + (j + 2 / 3) * (c - a)) / pieces


def slow(truth, guess, triangles, settings):
    """Spatial and temporal part: points in cells, cell by cell, and vertex by vertex."""
    first = truth[0]
    diagonal = np.linalg.norm(np.ptp(first, axis=0))
    side = settings.cell * diagonal
    points, weights, owners, vertex = [], [], [], np.zeros(len(first))
    for number, (a, b, c) in enumerate(triangles):
        area = np.linalg.norm(np.cross(first[b] - first[a], first[c] - first[a])) / 2
        vertex[[a, b, c]] += area / 3
        longest = max(np.linalg.norm(first[u] - first[v]) for u, v in ((a, b), (b, c), (c, a)))
        pieces = int(np.ceil(longest / (side / 4)))
        for point in centers(first[[a, b, c]], pieces):
            points.append(point)
            weights.append(area / pieces**2)
            owners.append(number)
    cells = [tuple(cell) for cell in np.floor((np.array(points) - np.min(points, axis=0)) / side).astype(int)]
    deviations = []
    for before, after in zip(truth, guess, strict=True):
        stretch = [
            [np.linalg.norm(after[u] - after[v]) / np.linalg.norm(before[u] - before[v]) - 1 for u, v in edges]
            for edges in ([(a, b), (b, c), (c, a)] for a, b, c in triangles)
        ]
        total = 0.0
        for cell in set(cells):
            near = [
                k for k, other in enumerate(cells) if max(abs(x - y) for x, y in zip(cell, other, strict=True)) <= 1
            ]
            values = np.array([stretch[owners[k]] for k in near])
            shares = np.array([weights[k] for k in near])[:, None] / 3
            mean = (shares * values).sum() / (3 * shares.sum())
            deviation = np.sqrt((shares * (values - mean) ** 2).sum() / (3 * shares.sum()))
            total += deviation * sum(weights[k] for k, other in enumerate(cells) if other == cell)
        deviations.append(total / sum(weights))
    temporal = 0.0
    for i in range(len(first)):
        ways = []
        for t in range(1, len(truth)):
            own, other = (
                np.sqrt(np.sum(((mesh[t, i] - mesh[t - 1, i]) / diagonal) ** 2) + settings.time_step**2)
                for mesh in (truth, guess)
            )
            ways.append(abs(other / own - 1))
        temporal += vertex[i] * np.mean(ways)
    return np.mean(deviations), temporal / vertex.sum()


@pytest.mark.parametrize("seed", range(2))
def test_equal_to_loops(seed, tolerance):
    truth, guess, triangles = sheet(seed)
    found = rc.perception.edge_difference(truth, guess, triangles, settings=WIDE)
    spatial, temporal = slow(truth, guess, triangles, WIDE)
    np.testing.assert_allclose([found.spatial, found.temporal], [spatial, temporal], rtol=tolerance["gram"])
    np.testing.assert_allclose(found.total, np.hypot(spatial, 0.5 * temporal), rtol=tolerance["gram"])


def test_rigid_motion_of_the_whole_costs_no_space(tolerance):
    truth, _, triangles = sheet(0, frames=1)
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(0, 1, (3, 3)))
    assert (
        rc.perception.edge_difference(truth, truth @ turn.T + 3.0, triangles, settings=WIDE).spatial < tolerance["gram"]
    )


def test_bumps_cost_more_than_a_smooth_error_of_the_same_size():
    rest = FACE.rest_vertices.astype(np.float64)
    smooth = np.sin(rest[:, 1] / np.ptp(rest[:, 1]) * 3.0)
    rough = np.random.default_rng(0).permutation(smooth)
    offsets = [0.01 * values[:, None] * [0, 0, 1] for values in (smooth, rough)]
    costs = [rc.perception.edge_difference(rest, rest + offset, FACE.faces).total for offset in offsets]
    assert costs[1] > 10 * costs[0]


def test_jitter_in_time_costs_what_a_constant_error_does_not():
    rest = FACE.rest_vertices.astype(np.float64)
    still = np.repeat(rest[None], 6, axis=0)
    shift = np.array([0.01, 0.0, 0.0])
    jitter = still + shift * (-1.0) ** np.arange(6)[:, None, None]
    constant = rc.perception.edge_difference(still, still + shift, FACE.faces)
    assert constant.temporal == 0.0
    assert rc.perception.edge_difference(still, jitter, FACE.faces).temporal > 0.1


@pytest.mark.parametrize(
    ("field", "value"), [("cell", 0.0), ("cell", 1.5), ("time_step", 0.0), ("temporal_weight", -1.0)]
)
def test_settings_are_checked(field, value):
    with pytest.raises(ValueError, match=field):
        EdgeDifferenceSettings(**{field: value})
