"""Slow, obvious answers: every subset tried, and the published program row by row."""

from __future__ import annotations

import numpy as np


def random_shapes(seed: int, count: int, side: int = 9, part: float = 0.12):
    """A plane of side x side vertices and shapes that lift a random patch of it each."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).reshape(-1, 2)
    neutral = np.concatenate([grid, np.zeros((len(grid), 1))], axis=1).astype(np.float32)
    corner = np.arange(side * side).reshape(side, side)
    quads = [corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]]
    faces = np.stack(quads, axis=-1).reshape(-1, 4).astype(np.int32)
    shapes = np.repeat(neutral[None], count, axis=0)
    for shape in shapes:
        center = rng.uniform(0, side - 1, 2)
        distance = np.linalg.norm(grid - center, axis=1)
        radius = rng.uniform(0.8, side * np.sqrt(part / 0.5))
        shape[:, 2] += rng.uniform(0.2, 2.0) * np.clip(1.2 - distance / radius, 0, 1)
        shape[int(np.argmin(distance)), 2] += 0.1
    return neutral, shapes, faces


def binary(neutral, shapes, threshold):
    """Equation 3.2, shape by shape and vertex by vertex."""
    active = np.zeros(shapes.shape[:2], bool)
    for k, shape in enumerate(shapes):
        distance = np.sqrt(((shape - neutral) ** 2).sum(axis=1))
        for n, d in enumerate(distance):
            active[k, n] = d > 0 and d >= np.float32(threshold) * distance.max()
    return active


def subsets_that_fit(active, refused=()):
    """Every set of shapes of which no two share a vertex, none with a refused set inside."""
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in active]

    def grown(chosen, area, start):
        if not any(set(entry) <= set(chosen) for entry in refused):
            yield chosen
            for k in range(start, len(rows)):
                if not rows[k] & area:
                    yield from grown((*chosen, k), area | rows[k], k + 1)

    return grown((), frozenset(), 0)


def heaviest(active, weights, refused=()):
    """The largest weight of a set that fits."""
    return max(sum(weights[k] for k in chosen) for chosen in subsets_that_fit(active, refused))


def fewest(active, refused=()):
    """The smallest number of sets that fit and cover all shapes: every cover of ever more shapes, one bit each."""
    count = len(active)
    fitting = [sum(1 << k for k in chosen) for chosen in subsets_that_fit(active, refused) if chosen]
    reached, steps = {0}, 0
    while (1 << count) - 1 not in reached:
        reached = {done | more for done in reached for more in fitting}
        steps += 1
    return steps


def published_program(active, weights, pairs=(), allowed=None):
    """The optimum of equation 3.3 in HiGHS as it is printed: one row per vertex, one per pair."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    for k, weight in enumerate(weights):
        solver.addVar(0.0, 1.0 if allowed is None or k in allowed else 0.0)
        solver.changeColCost(k, float(weight))
        solver.changeColIntegrality(k, highspy.HighsVarType.kInteger)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    for column in active.T:
        shapes = np.flatnonzero(column).astype(np.int32)
        solver.addRow(-highspy.kHighsInf, 1.0, len(shapes), shapes, np.ones(len(shapes)))
    for left, right in pairs:
        solver.addRow(0.0, 0.0, 2, np.array([left, right], np.int32), np.array([1.0, -1.0]))
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return solver.getInfo().objective_function_value
