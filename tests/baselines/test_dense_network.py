"""Dense networks per segment: what they read, what they learn, and the same bytes after a restart."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.baselines import Samples, dense_network, pca_regression
from rigcast.baselines import _dense_network as module
from rigcast.training import _optimize as optimize
from tests.baselines.baselines import random_dense_network

pytest.importorskip("torch", reason="PyTorch is not installed")
QUICK = {"hidden": 16, "steps": 60, "threads": 1}


def strip(first, count):
    """Triangles that connect ``count`` vertices."""
    return np.array([[first + i, first + i + 1, first + i + 2] for i in range(count - 2)], np.int32)


def face(frames=200, seed=0):
    """Two connected halves of ten vertices: the first moves by products of two controls, the second by a third one."""
    x = np.random.default_rng(seed).uniform(-1, 1, (frames, 3)).astype(np.float32)
    rng = np.random.default_rng(5)
    rest = rng.standard_normal((20, 3)).astype(np.float32)
    product = (x[:, 0] * x[:, 1])[:, None, None] * rng.standard_normal((10, 3))
    linear = x[:, 2, None, None] * rng.standard_normal((10, 3))
    moved = rest + np.concatenate([product, linear], axis=1).astype(np.float32)
    return Samples(None, rest, np.concatenate([strip(0, 10), strip(10, 10)]), x, moved)


class Probed(Samples):
    """Samples with an influence probe of the same face: one base pose, each control turned alone."""

    @property
    def probe(self):
        class Probe:
            base = np.zeros(4, np.int32)
            channel = np.array([-1, 0, 1, 2], np.int32)
            poses = np.float32([[0.5] * 3, [1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]])
            vertices = np.zeros((4, 20, 3), np.float32)

        Probe.vertices[[1, 2], :10] = 1.0
        Probe.vertices[3, 10:] = 1.0
        return Probe


def mean_error(model, data):
    return rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).mean


def test_the_engine_is_the_formula(tolerance):
    model = random_dense_network()
    tensors = model.tensors()
    poses = np.random.default_rng(0).standard_normal((5, len(model.control_names))).astype(np.float32)
    expected = np.tile(tensors["mean"].astype(np.float64), (5, 1)).reshape(5, -1, 3)
    for s in range(len(tensors["networks.offset"]) - 1):
        vertices, columns = (
            tensors[name][tensors[offset][s] : tensors[offset][s + 1]]
            for name, offset in (("networks.vertex", "networks.offset"), ("inputs.column", "inputs.offset"))
        )
        first, second, last = (tensors[f"network.{s:03d}.layer{n}.weight"].astype(np.float64) for n in (1, 2, 3))
        hidden = np.tanh(poses[:, columns] @ first.T + tensors[f"network.{s:03d}.layer1.bias"])
        hidden = np.tanh(hidden @ second.T + tensors[f"network.{s:03d}.layer2.bias"])
        expected[:, vertices] += (hidden @ last.T).reshape(5, -1, 3)
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"])


def test_a_nonlinear_face_is_learned_better_than_by_linear_regression():
    data, new = face(), face(50, seed=1)
    network = dense_network(data, hidden=32, steps=200, threads=1)
    assert mean_error(network, new) < 0.25 * mean_error(pca_regression(data), new)


def test_many_inputs_are_reduced_to_their_principal_components(monkeypatch):
    monkeypatch.setattr(module, "_MOST_INPUTS", 3)
    data, new = face(), face(50, seed=1)
    copies = [Samples(d.skeleton, d.rest_vertices, d.faces, np.tile(d.poses, (1, 2)), d.vertices) for d in (data, new)]
    network = dense_network(copies[0], hidden=32, steps=200, threads=1)
    assert network.metadata["training"]["inputs"] == [6, 6]
    assert mean_error(network, copies[1]) < 0.25 * mean_error(pca_regression(data), new)


def test_few_poses_of_many_controls_are_not_learned_by_heart():
    """Noise in forty columns: without decay the network fits it, and is worse than linear regression on new poses."""
    noise = np.random.default_rng(9)
    data, new = face(120), face(200, seed=1)
    wide = [
        Samples(
            None,
            d.rest_vertices,
            d.faces,
            np.append(d.poses, noise.random((len(d.poses), 40)), axis=1).astype(np.float32),
            d.vertices,
        )
        for d in (data, new)
    ]
    network = dense_network(wide[0], hidden=64, steps=400, threads=1)
    assert mean_error(network, wide[1]) < mean_error(pca_regression(wide[0]), wide[1])


def test_a_segment_reads_the_columns_that_move_it():
    data = face()
    probed = Probed(data.skeleton, data.rest_vertices, data.faces, data.poses, data.vertices)
    tensors = dense_network(probed, **QUICK).tensors()
    assert tensors["inputs.offset"].tolist() == [0, 2, 3]
    assert tensors["inputs.column"].tolist() == [0, 1, 2]


def test_without_a_probe_all_varying_columns_are_inputs():
    data = face()
    data.poses[:, 1] = 0.5
    model = dense_network(data, **QUICK)
    assert model.tensors()["inputs.column"].tolist() == [0, 2, 0, 2]
    assert model.metadata["training"]["influence"].startswith("all varying columns")


def test_a_segment_that_nothing_moves_has_no_network(tolerance):
    data = face()
    data.vertices[:, 10:] = data.rest_vertices[10:] + 1.0
    model = dense_network(data, **QUICK)
    assert model.tensors()["networks.vertex"].tolist() == list(range(10))
    np.testing.assert_allclose(
        model.evaluate(data.poses[:3])[:, 10:], data.vertices[:3, 10:], atol=tolerance["float32"]
    )


def test_many_components_share_a_network():
    data = face()
    loose = Samples(
        None,
        *(np.tile(a, (1,) * (a.ndim - 2) + (3, 1)) for a in (data.rest_vertices,)),
        data.faces,
        data.poses,
        np.tile(data.vertices, (1, 3, 1)),
    )  # 40 vertices without faces
    model = dense_network(loose, hidden=4, steps=1, threads=1)
    assert model.metadata["training"]["segments"] == 32
    assert sorted(model.tensors()["networks.vertex"].tolist()) == list(range(60))


def test_the_second_protocol_fits_the_judged_clip():
    data, clip = face(), face(30, seed=1)
    model = dense_network(data, fit_on=clip, **QUICK)
    assert model.metadata["training"]["fitted_on"] == "judged clip"
    assert model.metadata["error"]["poses"] == 3


def test_the_file_is_the_model(tmp_path):
    data = face()
    model = dense_network(data, **QUICK)
    model.save(tmp_path / "model.safetensors")
    loaded = rc.load(tmp_path / "model.safetensors")
    assert loaded.kind == "dense_network"
    assert loaded.evaluate(data.poses).tobytes() == model.evaluate(data.poses).tobytes()
    assert loaded.metadata["error"]["on"] == "held-out part of the training poses"


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    first, again, other = (dense_network(face(), seed=seed, **QUICK).tensors() for seed in (0, 0, 1))
    assert all(first[name].tobytes() == again[name].tobytes() for name in first)
    assert first["mean"].tobytes() != other["mean"].tobytes()


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, monkeypatch):
    monkeypatch.setattr(optimize, "CHECKPOINT_SECONDS", 0.0)
    file, data = tmp_path / "run.ckpt", face()

    def stop(progress):
        if progress.stage == "training" and progress.done > 0.4:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        dense_network(data, checkpoint=file, progress=stop, **QUICK)
    assert file.exists()
    with pytest.raises(ValueError, match=r"dense_network: checkpoint is .*, which belongs to another run"):
        dense_network(face(seed=4), checkpoint=file, **QUICK)
    resumed, whole = dense_network(data, checkpoint=file, **QUICK), dense_network(data, **QUICK)
    assert not file.exists()
    assert all(resumed.tensors()[name].tobytes() == whole.tensors()[name].tobytes() for name in whole.tensors())


def test_joints_and_dials_are_inputs(tmp_path, cylinder_rig):
    data = rc.sampling.sample(cylinder_rig, tmp_path / "cylinder.rwdata", count=60, seed=0, workers=1)
    model = dense_network(data, **QUICK)
    assert model.control_names == data.pose_names
    assert mean_error(model, data) < 0.5 * rc.metrics.vertex_error(data.vertices, data.vertices[::-1]).mean


def test_wrong_inputs_are_named(tmp_path):
    data = face(20)
    still = Samples(None, data.rest_vertices, data.faces, np.ones((20, 3), np.float32), data.vertices)
    (tmp_path / "text").write_text("no checkpoint")
    for call, text in [
        (lambda: dense_network(face(2)), "dense_network: data is 2 poses; it must be at least 3"),
        (lambda: dense_network(data, fit_on=face(1)), "dense_network: fit_on is 1 poses"),
        (lambda: dense_network(still), "dense_network: data is of constant poses"),
        (lambda: dense_network(data, hidden=0), "dense_network: hidden is 0"),
        (lambda: dense_network(data, steps=0), "dense_network: steps is 0"),
        (lambda: dense_network(data, holdout=1), "dense_network: holdout is 1"),
        (lambda: dense_network(data, by="colors"), "segments: by is 'colors'"),
        (lambda: dense_network(data, device="tpu", **QUICK), "dense_network: device is 'tpu'"),
        (lambda: dense_network(data, checkpoint=tmp_path / "text", **QUICK), "dense_network: checkpoint is the unread"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
