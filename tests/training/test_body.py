"""Learning a body end to end, on a small cylinder."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._extras import MissingExtra
from rigcast.training._export import rest_pose
from tests.rig.slow import slow_body
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with


@pytest.fixture(scope="session")
def trained(cylinder_data):
    """A model that is trained long enough to be good."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    settings = {"steps": 900, "hidden": 24, "batch": 64, "border": 1.0, "pca_threshold": 3e-5, "threads": 1}
    return train_with("body", cylinder_data, schedule="constant", tau=1.0, **settings)


def rigid(ds, poses):
    """Vertices that follow their best joint."""
    errors = _core.rigid_errors(ds.skeleton, ds.rest_vertices, *ds.take(np.arange(50))[1:])
    joint = errors.argmin(axis=1)
    world, rest = ds.skeleton.globals(poses)[:, joint], ds.skeleton.rest_globals[joint]
    local = np.einsum("vba,vb->va", rest[..., :3], ds.rest_vertices - rest[..., 3])
    return np.einsum("tvab,vb->tva", world[..., :3], local) + world[..., 3]


@pytest.mark.parametrize("method", ["blended", "paper"])
def test_engine_agrees_with_the_formula(cylinder_data, train, method, tolerance):
    model = train(cylinder_data, method=method, border=None)
    for pose in cylinder_data.poses[:4]:
        expected = slow_body(model, pose)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(model.evaluate(pose) / scale, expected / scale, atol=tolerance["float32_sum"])


def test_unseen_poses_are_predicted(trained, cylinder_data, unseen_data):
    error = np.linalg.norm(trained.evaluate(unseen_data.poses) - unseen_data.vertices, axis=2)
    without = np.linalg.norm(rigid(cylinder_data, unseen_data.poses) - unseen_data.vertices, axis=2)
    assert error.mean() < 0.3 * without.mean()
    assert error.max() < 0.6 * without.max()


def test_the_root_takes_the_whole_mesh_along(trained, cylinder_data, tolerance):
    pose = cylinder_data.poses[3].copy()
    moved = pose.copy()
    turn = np.float32([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    moved[:12] = (np.concatenate([turn @ pose[:12].reshape(3, 4)[:, :3], [[50], [3], [-7]]], axis=1)).ravel()
    back = (trained.evaluate(moved) - moved[[3, 7, 11]]) @ moved[:12].reshape(3, 4)[:, :3]
    here = (trained.evaluate(pose) - pose[[3, 7, 11]]) @ pose[:12].reshape(3, 4)[:, :3]
    np.testing.assert_allclose(back, here, atol=tolerance["float32_character"])
    assert trained.confidence(moved) == trained.confidence(pose) > 0.9


def test_errors_are_those_of_the_held_out_rows(trained, cylinder_data, tolerance):
    _, held_out = cylinder_data.split(0.1, 0)
    _, poses, vertices = cylinder_data.take(held_out)
    distance = np.linalg.norm(trained.evaluate(poses).astype(np.float64) - vertices, axis=2)
    tensors, error = trained.tensors(), trained.metadata["error"]
    np.testing.assert_allclose(tensors["error.mean"], distance.mean(axis=0), rtol=tolerance["float32_character"])
    np.testing.assert_allclose(tensors["error.max"], distance.max(axis=0), rtol=tolerance["float32_character"])
    expected = distance.mean(), np.sqrt((distance**2).mean()), np.percentile(distance, 95), distance.max()
    np.testing.assert_allclose(
        [error[name] for name in ("mean", "rms", "p95", "max")], expected, rtol=tolerance["float32_character"]
    )
    assert error["poses"] == len(held_out)


def test_metadata_says_what_was_learned_from_what(trained, cylinder_data):
    facts = trained.metadata
    for name in ("name", "licence", "origin", "up_axis", "meters_per_unit"):
        assert facts[name] == getattr(cylinder_data, name)
    assert facts["data_hash"] == cylinder_data.hash
    assert facts["topology_hash"] == rc.topology_hash(cylinder_data.faces, len(cylinder_data.rest_vertices))
    assert trained.control_names == cylinder_data.pose_names
    training = facts["training"]
    assert training["method"] == "blended"
    assert training["influence"] == "probe"
    assert training["steps_done"] == training["steps"] == 900
    learned, _ = cylinder_data.split(0.1, 0)
    poses = cylinder_data.poses[learned]
    np.testing.assert_array_equal(trained.control_ranges, np.stack([poses.min(0), poses.max(0)], axis=1))


def test_paper_variant_has_hard_sets_and_all_numbers_of_a_joint(cylinder_data, train):
    tensors = train(cylinder_data, method="paper", border=None).tensors()
    np.testing.assert_array_equal(tensors["sets.weight"], 1.0)
    assert len(tensors["sets.vertex"]) == len(cylinder_data.rest_vertices)
    assert {2, 6, 10} <= {column % 12 for column in tensors["inputs.column"]}


def test_border_is_continuous_only_with_the_blend(cylinder_data, train):
    """Neighbors in different sets: a jump of the error between them is a visible seam."""
    _, poses, vertices = cylinder_data.take(np.arange(60))
    a, b = _core.edges(cylinder_data.faces, vertices.shape[1]).T

    def seam(model):
        """Mean difference of the error along edges that cross sets, relative to the other edges."""
        error = model.evaluate(poses) - vertices
        steps = np.linalg.norm(error[:, a] - error[:, b], axis=2).mean(axis=0)
        across = owner[a] != owner[b]
        return steps[across].mean() / steps[~across].mean()

    settings = {"steps": 300, "max_components": 20, "hidden": 16, "tau": 1.0, "learning_rate": 0.003}
    hard = train(cylinder_data, border=0.0, **settings)
    tensors = hard.tensors()
    owner = np.empty(vertices.shape[1], int)
    owner[tensors["sets.vertex"]] = np.repeat(tensors["sets.joint"], np.diff(tensors["sets.offset"]))
    assert seam(train(cylinder_data, border=2.0, **settings)) < 0.65 * seam(hard)


def test_same_seed_same_bytes_and_another_seed_another_model(cylinder_data, train, tmp_path):
    files = []
    for number, seed in enumerate((5, 5, 6)):
        train(cylinder_data, seed=seed).save(tmp_path / f"{number}.safetensors")
        files.append((tmp_path / f"{number}.safetensors").read_bytes())
    assert files[0] == files[1] != files[2]


def test_confidence_falls_outside_the_training_poses(trained, cylinder_data):
    learned, _ = cylinder_data.split(0.1, 0)
    poses = cylinder_data.poses[learned]
    assert np.quantile(trained.confidence(poses), 0.01) > 0.9
    assert "confidence.error.rest" in trained.tensors()
    assert trained.confidence(rest_pose(cylinder_data)) == 1.0
    far = poses[:1].copy()
    cos, sin = np.cos(2.9), np.sin(2.9)
    far[0, 12:24] = [cos, 0, sin, 0, 0, 1, 0, 10, -sin, 0, cos, 0]  # joint1 twisted round
    stretched = poses[:1].copy()
    stretched[0, 19] *= 1.3  # joint1 never translates in the data
    dialled = poses[:1].copy()
    dialled[0, -1] = 4.0
    assert trained.confidence(far) < 0.5
    assert trained.confidence(stretched) < 0.5
    assert trained.confidence(dialled) < 0.01


def test_without_a_probe_the_model_says_so(unprobed_data, train):
    assert "no influence probe" in train(unprobed_data).metadata["training"]["influence"]


def test_a_rig_that_never_deforms_needs_no_network(tmp_path, train, tolerance):
    rig = CylinderRig(num_joints=1, rings=8, sides=6, bulge=False, extra_control=False)
    ds = rc.sampling.sample(rig, tmp_path / "stiff.rwdata", count=30, probe=1)
    model = train(ds)
    _, poses, vertices = ds.take(np.arange(30))
    np.testing.assert_allclose(model.evaluate(poses), vertices, atol=tolerance["printed"])
    assert model.metadata["training"]["components"] == [0]


def test_progress_tells_the_error_in_millimeters(cylinder_data, train):
    seen = []
    model = train(cylinder_data, progress=seen.append)
    messages = [p.message for p in seen if p.stage == "training"]
    assert messages
    assert all("mm" in message for message in messages)
    last = float(messages[-1].split("held-out error ")[1].split(" mm")[0])
    # The unit is a centimeter; the message measures fewer poses.
    assert last == pytest.approx(10 * model.metadata["error"]["mean"], rel=0.3)
    assert all(0 <= p.done <= p.total for p in seen)


def test_minutes_end_the_training(cylinder_data, train, monkeypatch):
    """A clock of the test's own: every look at it is a second later."""
    ticks = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))
    steps = [train(cylinder_data, steps=None, minutes=minutes).metadata["training"]["steps_done"] for minutes in (1, 4)]
    assert 0 < steps[0] < steps[1]


def test_training_stops_when_the_held_out_error_stops_falling(cylinder_data, train):
    model = train(cylinder_data, steps=5000, patience=1, learning_rate=0.05, schedule="constant")
    assert model.metadata["training"]["steps_done"] < 5000


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "best"}, 'method is \'best\'; it must be "blended" or "paper"'),
        ({"holdout": 1.0}, "holdout is 1.0; it must be a part between 0 and 1"),
        ({"tau": 0.9}, "tau is 0.9; it must be a finite number not below 1.0"),
        ({"hidden": 1.5}, "hidden is 1.5; it must be a whole number"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
        ({"device": "abacus"}, "device is 'abacus'"),
        ({"holdout": 0.0001}, "0 held out"),
    ],
)
def test_wrong_settings_are_named(cylinder_data, train, settings, message):
    with pytest.raises(ValueError, match="body: ") as caught:
        train(cylinder_data, **settings)
    assert message in str(caught.value)


def test_divergence_is_a_numerical_error(cylinder_data, train):
    with pytest.raises(rc.NumericalError, match="lower learning_rate"):
        train(cylinder_data, learning_rate=1e30)


def test_missing_torch_is_one_sentence(cylinder_data, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r'pip install "rigcast\[training\]"'):
        train_with("body", cylinder_data)
