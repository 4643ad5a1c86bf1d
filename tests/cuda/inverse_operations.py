"""Rows of the inverse rig: projections of shots, and the search in Gram space."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

import rigcast as rc
from rigcast.inverse._gram import Gram
from rigcast.inverse._on_cuda import factors
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.cuda.operation import Inputs, Operation, T, normal
from tests.support.inverse_rigs import random_rig as random_inverse_rig
from tests.support.made.blendshapes import random_rig


def projection(frames: int, num_vertices: int, markers: int | None = None, columns: int | None = None) -> Operation:
    """Projections, and energies as one more column; with markers the targets hold all vertices or these."""
    model = random_rig(num_vertices=num_vertices, num_shapes=columns or 7)
    rng = np.random.default_rng(num_vertices)
    vertices = np.arange(num_vertices) if markers is None else rng.permutation(num_vertices)[:markers]
    omega = rng.uniform(0.0, 2.0, len(vertices))
    gram = Gram(model, vertices=vertices, vertex_weights=omega)

    def join(projections: np.ndarray, energies: np.ndarray) -> np.ndarray:
        return np.concatenate([projections, energies[:, None]], axis=1)

    def device(lane: ModuleType, targets: np.ndarray) -> np.ndarray:
        projector = lane.Projection(gram.columns, gram.neutral, omega, vertices, num_vertices, workspace=40_000)
        return join(*projector.project(targets))

    given = num_vertices if markers is None or frames % 2 else markers
    return Operation(
        f"projection {frames} frames, {given} of {num_vertices} vertices, {model.num_columns} columns",
        lambda rng: {"targets": normal(rng, frames, given, 3)},
        lambda targets: join(*gram.core.project(targets)),
        device,
        "float64",
        np.float64,
    )


def inverse(frames: int, order: int, *, alpha: float = 1.0, **sizes: Any) -> Operation:
    """Weights of frames that the rig reaches up to some noise."""
    rig = random_inverse_rig(np.random.default_rng(order), order=order, **sizes)
    solver = rc.inverse.Solver(rig)

    def inputs(rng: np.random.Generator) -> Inputs:
        truth = rng.uniform(size=(frames, rig.num_shapes)) * (rng.random((frames, rig.num_shapes)) < 0.6)
        return {"targets": rig.evaluate(truth) + 0.1 * normal(rng, frames, len(rig.rest_vertices), 3)}

    def device(lane: ModuleType, targets: np.ndarray) -> np.ndarray:
        problem = make_problem(Request(solver.gram, targets, alpha=alpha))
        on_device = lane.InverseSolver(rig.num_shapes, *factors(solver.gram, problem.core.ties), solver.gram.matrix)
        weights, _, converged = on_device.solve(problem.core.terms, problem.core.start, 1e-9 * problem.core.scale, 200)
        assert converged.all()
        return weights

    text = "".join(f", {value} {key}" for key, value in sizes.items())
    return Operation(
        f"inverse {frames} frames, order {order}{text}, alpha {alpha:g}",
        inputs,
        lambda targets: solver.solve(targets, alpha=alpha).weights,
        device,
        "float32",  # the promise is 1e-5; both stop at the same relative optimality
        np.float64,
    )


def rows() -> list[Operation]:
    return [
        projection(1, 1),
        projection(T, 32),
        projection(T + 1, 33, markers=7),
        projection(130, 90, markers=40),
        projection(3, 70, columns=T),
        projection(2, 600, columns=2 * T + 3),
        inverse(1, 2, shapes=1, corrections=0),
        inverse(40, 2, tents=False),
        inverse(40, 2, alpha=0.0),
        inverse(40, 3),
        inverse(40, 4),
        inverse(20, 4, corrections=0),
        inverse(20, 4, shapes=40, corrections=70, vertices=120),
    ]
