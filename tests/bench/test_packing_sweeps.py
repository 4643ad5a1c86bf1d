"""The sweep of packing's threshold and beta on faces small enough to know the answer."""

from __future__ import annotations

import numpy as np
from benchmarks.systems.packing.faces import Face
from benchmarks.systems.packing.sweeps import BETAS, THRESHOLDS, sweep_table

from tests.packing import oracles


def cells(face: Face) -> list[list[str]]:
    """Of every line below the head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in sweep_table([face]).splitlines()[2:]]


def face(name, neutral, shapes, faces, areas=()):
    names = [f"shape{k}" for k in range(len(shapes))]
    truth = neutral + 1.5 * (shapes - neutral)
    return Face(name, names, neutral, shapes, faces, neutral, truth, areas, 10.0, "constructed")


def test_shapes_that_share_a_vertex_at_a_low_threshold_only():
    neutral, _, faces = oracles.random_shapes(0, 1)
    shapes = np.repeat(neutral[None], 2, axis=0)
    shapes[0, [0, 1], 2] = 1.0, 0.27  # moves vertex 1 by more than a quarter, and by less than 0.3
    shapes[1, [2, 1], 2] = 1.0, 0.35
    found = cells(face("two shapes", neutral, shapes, faces))
    assert [row[1:3] for row in found] == [[f"{mu:g}", f"{beta:g}"] for mu in THRESHOLDS for beta in BETAS]
    assert {row[0] for row in found} == {"two shapes, 2 shapes"}
    assert all(row[3] == "2, 2, 2" for row in found)
    assert [row[4] for row in found] == ["2 (2)"] * 3 + ["1 (1)"] * 6
    assert all(row[5] == "" for row in found)  # without painted areas nobody knows the true shapes


def test_beta_brings_shapes_of_unseen_directions_first():
    neutral, shapes, faces = oracles.random_shapes(4, 30, part=0.05)
    shapes[::2, :, 0] += (shapes - neutral)[::2, :, 2]  # half of the shapes move aside, too
    made = face("thirty shapes", neutral, shapes, faces, ((("shape1",), ("shape2",)),))
    found = {(row[1], row[2]): row for row in cells(made)}
    plans = {beta: made.plan(threshold=0.3, beta=beta).expressions for beta in BETAS}
    assert plans[0.0] != plans[2.0]
    for beta, expressions in plans.items():
        held = [len({k for shapes in expressions[:count] for k in shapes}) for count in (5, 10, 20)]
        row = found["0.3", f"{beta:g}"]
        assert row[3] == ", ".join(map(str, held))
        errors = [float(error) for error in row[5].split(", ")]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < errors[0]
