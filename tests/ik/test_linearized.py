"""What the solver linearizes: vertices and their Jacobian by unknowns, for every kind of model that has derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.solving import RIG, TIP, arm, free_arm
from tests.support.made.kinds import MAKERS, WITH_DERIVATIVES

MODELS = {
    "skinning by channels": arm,
    "body by channels": lambda: arm(learned=True),
    "skinning by rotations": free_arm,
    **{kind: MAKERS[kind] for kind in WITH_DERIVATIVES},
}


def engine_of(model: rc.Deformer) -> tuple[rc.ik.Solver, np.ndarray, np.ndarray]:
    """A solver for a few vertices, unknowns (N,) away from rest, and the reference."""
    vertices = np.unique(np.linspace(0, len(model.rest_vertices) - 1, 5).astype(int))
    solver = rc.ik.Solver(model, vertices)
    reference, rest = solver.rest
    low, high = np.maximum(solver.bounds[:, 0], -1e3), np.minimum(solver.bounds[:, 1], 1e3)
    x = rest[0] + np.random.default_rng(3).uniform(0.1, 0.3, rest.shape[1]) * np.minimum(solver.scales, high - low)
    return solver, np.clip(x, low, high), reference


@pytest.mark.parametrize("name", MODELS)
def test_vertices_are_those_of_the_model(name, tolerance):
    model = MODELS[name]()
    solver, x, reference = engine_of(model)
    vertices, _ = solver.engine.linearized(x, reference)
    truth = model.evaluate(solver.engine.poses(x[None], reference))[0, solver.vertices]
    assert np.abs(vertices - truth).max() < tolerance["float32_character"] * solver.size


@pytest.mark.parametrize("name", [name for name in MODELS if name != "face_maps"])  # whose activations have corners
def test_the_jacobian_is_that_of_central_differences(name):
    model = MODELS[name]()
    solver, x, reference = engine_of(model)
    _, jacobian = solver.engine.linearized(x, reference)
    step = 2e-3 * solver.scales
    sides = [solver.engine.poses(x + side * np.diag(step), reference) for side in (1.0, -1.0)]
    ahead, behind = (model.evaluate(poses)[:, solver.vertices].reshape(len(x), -1).astype(float) for poses in sides)
    differences = ((ahead - behind) / 2.0).T
    assert np.abs(differences).max() > 0.0
    assert np.abs(jacobian * step - differences).max() < 5e-3 * np.abs(differences).max()


def test_the_jacobian_of_dials_is_the_models_own(tolerance):
    model = MAKERS["face_maps"]()
    solver, x, reference = engine_of(model)
    _, jacobian = solver.engine.linearized(x, reference)
    own = model.restricted(solver.vertices).jacobian(x.astype(np.float32)[None])
    assert np.allclose(jacobian, own.reshape(jacobian.shape), atol=tolerance["float32_sum"] * np.abs(own).max())


def test_unknowns_of_another_number_are_named():
    solver, x, reference = engine_of(arm())
    with pytest.raises(ValueError, match=r"^linearized: values"):
        solver.engine.linearized(x[:-1], reference)


def test_a_body_restricted_to_a_vertex_twice_has_its_rows_twice():
    model = arm(learned=True)
    twice = rc.ik.Solver(model.restricted([TIP, TIP]), [0, 1])
    vertices, jacobian = twice.engine.linearized(twice.rest[1][0] + 1.0, twice.rest[0])
    assert (vertices[0] == vertices[1]).all()
    assert (jacobian[:3] == jacobian[3:]).all()
    assert len(RIG.rest_vertices) > TIP
