"""Weighted pose space deformation: examples come back, between them slow NumPy, and the weights of distances."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.baselines import Samples, linear_blend, pose_space_deformation
from tests.baselines.test_linear_blend import known_rig
from tests.baselines.test_pca_regression import controls, face


def bulging(frames=40, seed=0):
    """Samples of a linear blend rig whose vertices bulge before skinning, as the joints turn."""
    data, _ = known_rig(num_joints=4, influences=2, frames=frames, seed=seed)
    model = linear_blend(data, 2)
    turned = np.linalg.norm(data.poses.reshape(frames, -1, 12) - data.skeleton.rest.reshape(-1, 12), axis=2)
    bulge = np.sin(turned).sum(axis=1).astype(np.float32)
    vertices = model.evaluate(data.poses) * (1 + 0.05 * bulge[:, None, None])
    return Samples(data.skeleton, data.rest_vertices, data.faces, data.poses, vertices)


def slow(model, x):
    """A pose space without joints: every number of the formula, one vertex after another."""
    tensors = model.tensors()
    out = np.zeros((len(x), len(model.rest_vertices), 3))
    for t, k in np.ndindex(out.shape[:2]):
        scaled = tensors["space.scale"] * x[t, tensors["space.column"]]
        columns = np.square(scaled - tensors["space.example"])  # (E, M)
        squares = np.add.reduceat(columns, tensors["space.offset"][:-1], axis=1)  # (E, G)
        kernels = np.exp(-0.5 * (tensors["space.weight"][k] * squares[:, tensors["space.group"][k]]).sum(axis=1))
        out[t, k] = model.rest_vertices[k] + kernels @ tensors["space.delta"][k]
    return out


def test_vertices_are_those_of_the_formula(tolerance):
    model = pose_space_deformation(face(controls(30), power=2), 10)
    x = controls(5, seed=3)
    size = np.abs(model.tensors()["space.delta"]).max()  # of the coefficients, which cancel in the sum
    np.testing.assert_allclose(model.evaluate(x), slow(model, x), atol=tolerance["float32"] * size)


def test_examples_come_back():
    data = face(controls(30), power=2)
    model = pose_space_deformation(data, 10)
    rows = model.metadata["training"]["rows"]
    error = rc.metrics.vertex_error(data.vertices[rows], model.evaluate(data.poses[rows]))
    assert error.max < 5e-3


def test_examples_come_back_with_joints():
    data = bulging()
    model = pose_space_deformation(data, 12, influences=2)
    rows = model.metadata["training"]["rows"]
    error = rc.metrics.vertex_error(data.vertices[rows], model.evaluate(data.poses[rows]))
    assert error.max < 1e-2
    alone = rc.metrics.vertex_error(data.vertices[rows], linear_blend(data, 2).evaluate(data.poses[rows]))
    assert error.mean < 0.05 * alone.mean


def test_more_examples_are_better():
    data, new = face(controls(120, 3), power=2), face(controls(40, 3, seed=1), power=2)
    errors = [
        rc.metrics.vertex_error(new.vertices, pose_space_deformation(data, n).evaluate(new.poses)).mean
        for n in (2, 10, 40)
    ]
    assert errors == sorted(errors, reverse=True)


def test_a_joint_without_weight_does_not_change_a_vertex(tolerance):
    data = bulging()
    model = pose_space_deformation(data, 12, influences=2)
    tensors = model.tensors()
    used = np.zeros((len(model.rest_vertices), 4))
    np.add.at(used, (np.arange(len(used))[:, None], tensors["skin.joint"]), tensors["skin.weight"])
    leaf = next(j for j in (3, 2, 1) if j not in model.skeleton.parents)
    poses = data.poses[:1].copy()
    other = poses.copy()
    other[:, 12 * leaf : 12 * leaf + 12] = data.poses[1, 12 * leaf : 12 * leaf + 12]
    still = used[:, leaf] == 0
    change = np.abs(model.evaluate(poses) - model.evaluate(other))[0]
    assert change[still].max() <= tolerance["float32"]
    assert change[~still].max() > 0.01


def test_the_second_protocol_fits_the_judged_clip(tmp_path):
    data, clip = face(controls(30), power=2), face(controls(12, seed=1), power=2)
    model = pose_space_deformation(data, 5, fit_on=clip)
    assert model.metadata["training"]["fitted_on"] == "judged clip"
    model.save(tmp_path / "model.safetensors")
    loaded = rc.load(tmp_path / "model.safetensors")
    assert loaded.evaluate(clip.poses).tobytes() == model.evaluate(clip.poses).tobytes()


def test_wrong_inputs_are_named():
    data = face(controls(10))
    still = Samples(None, data.rest_vertices, data.faces, np.ones((10, 5), np.float32), data.vertices)
    for call, text in [
        (lambda: pose_space_deformation(data, 11), "pose_space_deformation: count is 11; .* from 1 to 10"),
        (lambda: pose_space_deformation(still, 5), "pose_space_deformation: data is of constant poses"),
        (lambda: pose_space_deformation(face(controls(1)), 1), "data is 1 poses; it must be at least 2"),
        (lambda: pose_space_deformation(data, 5, influences=0), "influences is 0"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
