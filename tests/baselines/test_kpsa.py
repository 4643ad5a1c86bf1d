"""Key point subspaces: reconstruction against least squares in NumPy, what the points determine, and the model."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.baselines import key_point_subspace, kpsa
from tests.baselines.test_pca_regression import controls, face, largest


def shapes(frames=40, dimensions=6, vertices=80, seed=0):
    x = np.random.default_rng(seed).standard_normal((frames, dimensions))
    deltas = np.random.default_rng(8).standard_normal((dimensions, vertices, 3))
    return np.einsum("tk,kvc->tvc", x, deltas).astype(np.float32)


def test_key_points_determine_shapes_of_the_span():
    found = key_point_subspace(shapes(), points=5, vectors=6)
    new = shapes(seed=1)
    assert np.abs(found.reconstruct(new[:, found.points]) - new).max() < 1e-3


def test_reconstruction_is_least_squares_on_the_points():
    data = shapes(dimensions=12) + 0.1 * np.random.default_rng(2).standard_normal((40, 80, 3)).astype(np.float32)
    found = key_point_subspace(data, points=30, vectors=8)
    rows = found.basis.reshape(80, 3, 8)[found.points].reshape(-1, 8).astype(np.float64)
    mean = found.mean.reshape(80, 3)[found.points]
    offsets = (data[:, found.points] - mean).reshape(40, -1)
    expected = np.linalg.lstsq(rows, offsets.T, rcond=None)[0].T
    np.testing.assert_allclose(found.coefficients(data[:, found.points]), expected, atol=1e-3 * np.abs(expected).max())


def test_chosen_points_determine_more_than_random_ones():
    """Of a mesh that is mostly still, key points lie where it moves."""
    data = shapes()
    data[:, 20:] *= np.float32(0.01)
    found = key_point_subspace(data, points=4, vectors=6)
    assert (found.points < 20).all()
    assert len(set(found.points.tolist())) == 4


def test_more_points_are_not_worse():
    data = shapes(dimensions=20)
    errors = []
    for points in (4, 8, 30):
        found = key_point_subspace(data, points, vectors=10)
        errors.append(np.square(found.reconstruct(data[:, found.points]) - data).mean())
    assert errors == sorted(errors, reverse=True)


def test_a_model_follows_the_controls():
    data, new = face(controls(80), power=2), face(controls(20, seed=1), power=2)
    model = kpsa(data, points=12, vectors=5)
    assert model.kind == "regression"
    assert largest(model, new) < 1e-2
    assert model.metadata["training"]["key_points_given"]["max"] < 1e-3
    assert len(model.metadata["training"]["points"]) == 12


def test_the_second_protocol_fits_the_judged_clip(tmp_path):
    data, clip = face(controls(80), power=2), face(controls(12, seed=1), power=2)
    model = kpsa(data, 10, 5, fit_on=clip)
    assert model.metadata["training"]["fitted_on"] == "judged clip"
    model.save(tmp_path / "model.safetensors")
    assert (
        rc.load(tmp_path / "model.safetensors").evaluate(clip.poses).tobytes() == model.evaluate(clip.poses).tobytes()
    )


def test_wrong_inputs_are_named():
    data = face(controls(10))
    for call, text in [
        (lambda: kpsa(data, 30, 10), "kpsa: vectors is 10; it must be a whole number from 1 to 9"),
        (lambda: kpsa(data, 41, 5), "kpsa: points is 41; it must be a whole number from 2 to 40"),
        (lambda: kpsa(data, 1, 5), "kpsa: points is 1; it must be a whole number from 2 to 40"),
        (lambda: key_point_subspace(data.vertices, 3, 10), "key_point_subspace: vectors is 10"),
        (lambda: key_point_subspace(data.vertices, 4, 3).reconstruct(data.vertices), "reconstruct: key_points is"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
