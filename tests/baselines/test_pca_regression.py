"""Principal components regressed from controls: what they explain exactly, against NumPy, and named errors."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._regression.components import principal_components
from rigcast.baselines import Samples, pca_regression


def controls(frames, count=5, seed=0):
    return np.random.default_rng(seed).random((frames, count)).astype(np.float32)


def face(x, vertices=40, power=1):
    """Samples of a rig without joints; power 2 multiplies controls, too."""
    rng = np.random.default_rng(9)
    rest = rng.standard_normal((vertices, 3)).astype(np.float32)
    deltas = rng.standard_normal((x.shape[1], vertices, 3))
    features = x if power == 1 else x * np.roll(x, 1, axis=1)
    moved = rest + np.einsum("tk,kvc->tvc", features, deltas).astype(np.float32)
    return Samples(None, rest, np.array([[0, 1, 2]], np.int32), x, moved)


def largest(model, data):
    return rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).max


def test_components_are_those_of_a_singular_value_decomposition(tolerance):
    data = np.random.default_rng(0).standard_normal((50, 60)) * 0.7 ** np.arange(60)
    found = principal_components(data.astype(np.float32), 5)
    _, _, right = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    overlap = np.abs((found.basis.T @ right[:5].T).diagonal())
    np.testing.assert_allclose(overlap, 1.0, atol=tolerance["printed"])
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(5), atol=tolerance["float32_sum"])


def test_a_linear_rig_is_learned_from_a_few_poses():
    model = pca_regression(face(controls(30)), components=5)
    assert largest(model, face(controls(20, seed=1))) < 1e-4


def test_products_need_quadratic_features():
    data, new = face(controls(80), power=2), face(controls(20, seed=1), power=2)
    linear, quadratic, chosen = (pca_regression(data, features=f) for f in ("linear", "quadratic", None))
    assert largest(quadratic, new) < 1e-2 * largest(linear, new)
    assert chosen.metadata["training"]["features"] == "quadratic"


def test_more_components_fit_the_poses_better():
    data = face(controls(80), power=2)
    errors = [pca_regression(data, n).metadata["error"]["rms"] for n in (1, 2, 4, 8)]
    assert errors == sorted(errors, reverse=True)


def test_the_second_protocol_fits_the_judged_clip():
    data, clip = face(controls(80), power=2), face(controls(12, seed=1), power=2)
    first, second = pca_regression(data), pca_regression(data, fit_on=clip)
    error = [rc.metrics.vertex_error(clip.vertices, model.evaluate(clip.poses)).mean for model in (first, second)]
    assert error[1] < error[0]
    assert second.metadata["training"]["fitted_on"] == "judged clip"


def test_the_file_is_the_model(tmp_path):
    model = pca_regression(face(controls(30)))
    model.save(tmp_path / "model.safetensors")
    loaded = rc.load(tmp_path / "model.safetensors")
    x = controls(9, seed=3)
    assert loaded.kind == "regression"
    assert loaded.evaluate(x).tobytes() == model.evaluate(x).tobytes()
    assert loaded.metadata["error"]["on"] == "training poses"


def test_confidence_falls_outside_the_fitted_poses():
    model = pca_regression(face(controls(30)))
    inside, outside = model.confidence(np.float32([[0.5] * 5, [3.0] * 5]))
    assert inside == 1.0
    assert outside < 0.01


def test_joints_and_dials_are_inputs(tmp_path, cylinder_rig, tolerance):
    data = rc.sampling.sample(cylinder_rig, tmp_path / "cylinder.rwdata", count=60, seed=0, workers=1)
    model = pca_regression(data, features="quadratic")
    assert model.metadata["data_hash"] == data.hash
    assert model.control_names == data.pose_names
    error = rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).mean
    assert error < 0.2 * rc.metrics.vertex_error(data.vertices, data.vertices[::-1]).mean
    assert error == pytest.approx(model.metadata["error"]["mean"], rel=tolerance["float32_scaled"])


def test_any_number_of_threads_gives_the_same_bytes():
    data = face(controls(300, 20), vertices=300, power=2)
    fitted = [pca_regression(data, features="quadratic", threads=n).tensors() for n in (1, 3)]
    assert all(fitted[0][name].tobytes() == fitted[1][name].tobytes() for name in fitted[0])


def test_few_poses_have_few_components():
    assert pca_regression(face(controls(4))).metadata["training"]["components"] == 3


def test_wrong_inputs_are_named():
    data = face(controls(10))
    still = Samples(None, data.rest_vertices, data.faces, np.ones((10, 5), np.float32), data.vertices)
    other = face(controls(10, 4))
    for call, text in [
        (lambda: pca_regression(data, 10), "pca_regression: components is 10; it must be at most 9: 10 poses"),
        (lambda: pca_regression(data, 0), "pca_regression: components is 0"),
        (lambda: pca_regression(face(controls(1))), "pca_regression: data is 1 poses; it must be at least 2"),
        (lambda: pca_regression(still), "pca_regression: data is of constant poses"),
        (lambda: pca_regression(data, fit_on=other), r"pca_regression: fit_on is with poses \(10, 4\)"),
        (lambda: pca_regression(data, features="cubic"), "pca_regression: features is 'cubic'"),
        (lambda: pca_regression(data, rows=[10]), "pca_regression: rows is 10"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
