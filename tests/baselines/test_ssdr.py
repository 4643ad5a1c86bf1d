"""Skinning decomposition against dense NumPy, exact recovery, a monotone objective; and the model made of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.baselines import Samples, skinning_decomposition, ssdr


def rotations(vectors):
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3): Rodrigues' formula."""
    angle = np.maximum(np.linalg.norm(vectors, axis=-1), 1e-12)[..., None, None]
    x, y, z = np.moveaxis(vectors / angle[..., 0], -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def motions(frames, bones, seed=0, size=0.6):
    rng = np.random.default_rng(seed)
    turned = rotations(size * rng.standard_normal((frames, bones, 3)))
    return np.concatenate([turned, 0.3 * rng.standard_normal((frames, bones, 3, 1))], axis=3)


def posed(rest, weights, moves):
    """Vertices (T, V, 3) of skinning with dense weights (V, B), in float64."""
    points = np.append(rest, np.ones((len(rest), 1)), axis=1)
    return np.einsum("vb,tbij,vj->tvi", weights, moves, points)


def rod(vertices=120):
    """Points along a rod."""
    rng = np.random.default_rng(3)
    rest = 0.2 * rng.standard_normal((vertices, 3))
    rest[:, 0] = np.linspace(0, 4, vertices)
    return rest.astype(np.float32)


def parts(rest, bones):
    """Rigid parts along the rod (V, B)."""
    return np.eye(bones)[np.minimum((rest[:, 0] / 4 * bones).astype(int), bones - 1)]


def smooth(rest, bones):
    """Weights that blend along the rod."""
    centers = (np.arange(bones) + 0.5) * 4 / bones
    weights = np.maximum(0, 1 - np.abs(rest[:, :1] - centers) / (4 / bones)) ** 2
    return weights / weights.sum(axis=1, keepdims=True)


def curved_clip(frames=20):
    rest = rod()
    vertices = posed(rest, smooth(rest, 4), motions(frames, 4, size=0.3))
    return rest, (vertices + 0.05 * np.sin(4 * vertices)).astype(np.float32)


def slow_objective(rest, vertices, fit):
    weights = np.zeros((len(rest), fit.motions.shape[1]))
    bone, weight = fit.weights
    np.add.at(weights, (np.arange(len(rest))[:, None], bone), weight)
    return np.square(posed(rest, weights, fit.motions) - vertices).sum(), weights


@pytest.mark.parametrize("bones", [3, 5])
def test_rigid_parts_come_back_exactly(bones, tolerance):
    rest = rod()
    vertices = posed(rest, parts(rest, bones), motions(12, bones)).astype(np.float32)
    found = skinning_decomposition(rest, vertices, bones, influences=1)
    assert found.rms < tolerance["float32"]


def test_blended_parts_are_nearly_explained():
    """Alternating steps converge slowly where no vertex is rigid: a few percent of the motion remain."""
    rest = rod()
    vertices = posed(rest, smooth(rest, 3), motions(25, 3, size=0.4)).astype(np.float32)
    found = skinning_decomposition(rest, vertices, 3, influences=3, rounds=100)
    assert found.rms < 0.1 * np.std(vertices)
    assert found.rms < 0.3 * skinning_decomposition(rest, vertices, 3, influences=1).rms


def test_the_objective_never_rises():
    rest, vertices = curved_clip()
    fit = _core.SkinningDecomposition(rest, vertices, 6, 2)
    values = [fit.objective()]
    for _ in range(6):
        fit.update_weights()
        values.append(fit.objective())
        fit.update_bones()
        values.append(fit.objective())
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(values))
    assert values[-1] < 0.5 * values[0]


def test_the_objective_is_the_sum_of_squared_distances(tolerance):
    rest, vertices = curved_clip()
    fit = _core.SkinningDecomposition(rest, vertices, 6, 3)
    fit.update_weights()
    assert fit.objective() == pytest.approx(slow_objective(rest, vertices, fit)[0], rel=tolerance["gram"])


def test_bones_are_those_of_a_dense_reference(tolerance):
    """Section 4.3: bone after bone, the rotation nearest to a weighted covariance."""
    rest, vertices = curved_clip(frames=5)
    fit = _core.SkinningDecomposition(rest, vertices, 4, 3)
    fit.update_weights()
    _, weights = slow_objective(rest, vertices, fit)
    moves = fit.motions.copy()
    for t in range(5):
        for b in range(4):
            w = weights[:, b]
            others = weights.copy()
            others[:, b] = 0
            q = vertices[t] - posed(rest, others, moves[t : t + 1])[0]
            total = (w**2).sum()
            from_mean, to_mean = (w**2 @ rest) / total, (w @ q) / total
            u, _, vt = np.linalg.svd((w[:, None] * q).T @ rest - total * np.outer(to_mean, from_mean))
            turned = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
            moves[t, b] = np.append(turned, (to_mean - turned @ from_mean)[:, None], axis=1)
    fit.update_bones()
    np.testing.assert_allclose(fit.motions, moves, atol=tolerance["gram"])


def test_weights_are_those_of_a_dense_reference(tolerance):
    """Exact least squares on the simplex where a vertex may have all bones."""
    nnls = pytest.importorskip("scipy.optimize", reason="SciPy is not installed").nnls
    rest, vertices = curved_clip(frames=8)
    fit = _core.SkinningDecomposition(rest, vertices, 4, 4)
    fit.update_weights()
    _, weights = slow_objective(rest, vertices, fit)
    for k in range(0, len(rest), 12):
        moved = fit.motions @ np.append(rest[k], 1.0)
        heavy = 1e5
        system = np.vstack([moved.transpose(0, 2, 1).reshape(-1, 4), np.full((1, 4), heavy)])
        expected, _ = nnls(system, np.append(vertices[:, k].reshape(-1).astype(np.float64), heavy))
        np.testing.assert_allclose(weights[k], expected, atol=tolerance["float32_character"])


def test_no_vertex_has_more_bones_than_asked(tolerance):
    rest, vertices = curved_clip()
    found = skinning_decomposition(rest, vertices, 6, influences=2)
    assert found.weight.shape == (len(rest), 2)
    np.testing.assert_allclose(found.weight.sum(axis=1), 1.0, atol=tolerance["float64"])
    assert (found.weight >= 0).all()


def test_more_bones_are_better():
    rest, vertices = curved_clip()
    errors = [skinning_decomposition(rest, vertices, b, influences=min(b, 4), rounds=15).rms for b in (1, 2, 4, 8)]
    assert errors == sorted(errors, reverse=True)


def test_the_vertices_of_a_decomposition_have_its_error(tolerance):
    rest, vertices = curved_clip()
    found = skinning_decomposition(rest, vertices, 4, influences=4)
    assert rc.metrics.vertex_error(vertices, found.evaluate()).rms == pytest.approx(found.rms, rel=tolerance["printed"])


def test_any_number_of_threads_gives_the_same_bytes():
    rest, vertices = curved_clip()
    found = [skinning_decomposition(rest, vertices, 5, influences=3, threads=n) for n in (1, 3)]
    assert found[0].motions.tobytes() == found[1].motions.tobytes()
    assert found[0].weight.tobytes() == found[1].weight.tobytes()


def test_as_many_bones_as_vertices_are_allowed():
    rest, vertices = rod(5), np.repeat(rod(5)[None], 3, axis=0)
    assert skinning_decomposition(rest, vertices, 5, influences=1).rms < 1e-6


def turning_rod(frames, seed=0):
    """Samples of a rod whose four parts turn by two controls."""
    rest = rod()
    x = np.random.default_rng(seed).uniform(-1, 1, (frames, 2)).astype(np.float32)
    axes = np.random.default_rng(5).standard_normal((2, 4, 3))
    turned = rotations(0.5 * np.einsum("tk,kbi->tbi", x, axes))
    moves = np.concatenate([turned, np.zeros((frames, 4, 3, 1))], axis=3)
    vertices = posed(rest, smooth(rest, 4), moves).astype(np.float32)
    return Samples(None, rest, np.array([[0, 1, 2]], np.int32), x, vertices)


def mean_error(model, data):
    return rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).mean


def test_a_model_follows_the_controls():
    data, new = turning_rod(80), turning_rod(20, seed=1)
    model = ssdr(data, bones=4, influences=4)
    assert model.kind == "regressed_skinning"
    assert mean_error(model, new) < 0.3 * mean_error(ssdr(data, bones=1, influences=1), new)


def test_the_decomposition_alone_is_reported():
    data = turning_rod(40)
    model = ssdr(data, bones=4, influences=4)
    training = model.metadata["training"]
    assert training["decomposition"]["rms"] <= 1.05 * model.metadata["error"]["rms"]
    assert training["features"] in ("linear", "quadratic")


def test_bones_are_attached_to_joints(tmp_path, cylinder_rig):
    data = rc.sampling.sample(cylinder_rig, tmp_path / "cylinder.rwdata", count=60, seed=0, workers=1)
    new = rc.sampling.sample(cylinder_rig, tmp_path / "new.rwdata", count=20, seed=1, workers=1, probe=0)
    model = ssdr(data, bones=6, influences=4)
    assert (model.tensors()["bone.joint"] >= 0).any()
    assert mean_error(model, new) < 0.3 * mean_error(rc.baselines.pca_regression(data), new)


def test_the_second_protocol_fits_the_judged_clip():
    data, clip = turning_rod(30), turning_rod(15, seed=1)
    model = ssdr(data, bones=4, influences=4, fit_on=clip)
    assert model.metadata["training"]["fitted_on"] == "judged clip"
    assert model.metadata["error"]["poses"] == 15


def test_the_file_is_the_model(tmp_path):
    data = turning_rod(30)
    model = ssdr(data, bones=3, influences=2)
    model.save(tmp_path / "model.safetensors")
    assert (
        rc.load(tmp_path / "model.safetensors").evaluate(data.poses).tobytes() == model.evaluate(data.poses).tobytes()
    )


def test_wrong_inputs_are_named():
    data = turning_rod(10)
    still = Samples(None, data.rest_vertices, data.faces, np.ones((10, 2), np.float32), data.vertices)
    for call, text in [
        (lambda: ssdr(data, bones=121), "ssdr: bones is 121; it must be a whole number from 1 to 120"),
        (lambda: ssdr(data, bones=4), "ssdr: influences is 8; it must be a whole number from 1 to 4"),
        (lambda: ssdr(turning_rod(1), bones=4, influences=4), "ssdr: data is 1 poses; it must be at least 2"),
        (lambda: ssdr(still, 4, 4), "ssdr: data is of constant poses"),
        (
            lambda: skinning_decomposition(data.rest_vertices, data.vertices[:, 1:]),
            r"vertices is float32 \(10, 119, 3\)",
        ),
        (lambda: skinning_decomposition(data.rest_vertices, data.vertices[:0]), r"vertices is float32 \(0, 120, 3\)"),
        (lambda: _core.SkinningDecomposition(data.rest_vertices, data.vertices, 121, 1), "bones is 121"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
