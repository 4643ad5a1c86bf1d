"""The bound on a model's error: the formula, its calibration, its place in a model file."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._pose_statistics.combinations import squared_distances
from rigcast.training._body.error_bound import LEAST_ROWS, beyond_range, conformal, cross_validated, row_errors
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with


@pytest.fixture(scope="module")
def model(cylinder_data):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    quick = {"steps": 150, "hidden": 12, "batch": 64, "max_components": 8, "border": 1.0, "threads": 1}
    return train_with("body", cylinder_data, **quick)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fresh") / "cylinder.rwdata"
    return rc.sampling.sample(CylinderRig(rings=20, sides=8), folder, count=600, seed=77, probe=0)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A slow motion inside the ranges, which no sampler drew."""
    rig = CylinderRig(rings=20, sides=8)
    low, high = np.asarray(rig.channel_ranges).T
    phase = np.linspace(0.0, 2.0 * np.pi, 120)[:, None] * np.arange(1, len(low) + 1)
    frames = 0.5 * (low + high) + 0.35 * (high - low) * np.sin(phase)
    folder = tmp_path_factory.mktemp("clip") / "cylinder.rwdata"
    return rc.sampling.sample(rig, folder, sampler=rc.sampling.Animation(frames), probe=0)


def error(model, ds):
    return np.linalg.norm(model.evaluate(ds.poses) - ds.vertices, axis=2)


def expected_error(tensors, poses):
    """The error of confidence.h, pose by pose, relative to the 99th percentile of the held-out errors."""
    t = {name[11:]: value.astype(float) for name, value in tensors.items() if name.startswith("confidence.")}
    z = (poses[:, tensors["confidence.space.column"]] - t["space.mean"]) * t["space.scale"]
    u = np.clip(z / t["error.deviation"], -3.0, 3.0)
    distance = np.sqrt(squared_distances(tensors, poses)) / t["space.radius"]
    exponent = t["error.offset"] + t["error.distance"] * np.log(distance)
    return np.exp(np.clip(exponent + u @ t["error.linear"] + u**2 @ t["error.square"], -4.0, 4.0))


def slow_bound(tensors, pose):
    """The formula of error_bound.h, vertex by vertex."""
    result = []
    for v, group in enumerate(tensors["bound.vertex.group"]):
        exponent = 0.0
        if group >= 0:
            part = slice(tensors["bound.offset"][group], tensors["bound.offset"][group + 1])
            t = {name: tensors[f"bound.{name}"][part].astype(float) for name in ("mean", "inverse")}
            w = {n: tensors[f"bound.{n}.weight"][part].astype(float) for n in ("hidden", "linear", "square")}
            z = np.clip((pose[tensors["bound.column"][part]] - t["mean"]) * t["inverse"], -4.0, 4.0)
            hidden = np.tanh(z @ w["hidden"] + tensors["bound.hidden.bias"][group])
            found = z @ w["linear"] + z**2 @ w["square"] + hidden @ tensors["bound.output.weight"][group]
            found = found + tensors["bound.output.bias"][group]
            exponent = tensors["bound.vertex.offset"][v] + tensors["bound.vertex.loading"][v] @ found
            exponent = np.clip(exponent, tensors["bound.vertex.lowest"][v], tensors["bound.vertex.highest"][v])
        result.append(tensors["bound.vertex.scale"][v] * np.exp(exponent))
    return np.array(result)


def test_the_engine_computes_the_formula(model, fresh, tolerance):
    bounds = model.error_bound(fresh.poses[:3])
    expected = [slow_bound(model.tensors(), pose.astype(float)) for pose in fresh.poses[:3]]
    np.testing.assert_allclose(bounds, expected, rtol=tolerance["float32_scaled"])
    assert len(np.unique(model.tensors()["bound.vertex.group"])) > 2


def test_it_holds_for_93_to_97_percent_of_vertices_on_fresh_poses(model, fresh):
    assert 0.93 <= (error(model, fresh) <= model.error_bound(fresh.poses)).mean() <= 0.97


def test_it_holds_for_at_least_93_percent_on_a_clip(model, clip):
    assert not model.out_of_range(clip.poses).any()
    assert (error(model, clip) <= model.error_bound(clip.poses)).mean() >= 0.93


def test_it_is_narrower_than_constants_of_equal_coverage(model, fresh):
    """At equal coverage on the fresh poses themselves; the benchmark page says by how much on characters."""
    errors, bounds = error(model, fresh), model.error_bound(fresh.poses)
    constant = np.quantile(errors, (errors <= bounds).mean(), axis=0)
    assert bounds.mean() < 0.9 * constant.mean()


def test_what_the_model_states_agrees_with_fresh_poses(model, fresh):
    stated = model.metadata["bound"]
    assert abs(stated["coverage"] - (error(model, fresh) <= model.error_bound(fresh.poses)).mean()) < 0.03
    # 600 poses against the 70 that calibrated
    assert stated["mean_width"] == pytest.approx(model.error_bound(fresh.poses).mean(), rel=0.1)
    assert stated["false_alarm"] < 0.1
    assert stated["miss"] is None  # this rig does not state what its channels turn


def test_larger_errors_have_larger_bounds(model, fresh):
    errors, bounds = error(model, fresh), model.error_bound(fresh.poses)
    order = np.argsort(bounds.ravel())
    parts = [errors.ravel()[part].mean() for part in np.array_split(order, 5)]
    assert parts == sorted(parts)


def test_most_fresh_poses_keep_the_error_that_the_confidence_expects(model, fresh, cylinder_data):
    """Nine of ten held-out poses kept it: 70 of them, which leaves a few percent to chance."""
    _, held_out = cylinder_data.split(0.1, 0)
    level = np.quantile(row_errors(model, cylinder_data, held_out), 0.99)
    kept = error(model, fresh).max(axis=1) / level <= expected_error(model.tensors(), fresh.poses)
    assert 0.8 <= kept.mean() <= 0.99


def test_poses_with_a_channel_far_outside_are_out_of_range(model, fresh):
    far = np.array(fresh.channels[:50])
    low, high = np.asarray(fresh.channel_ranges).T
    far[:, 1:4] = (high + 1.5 * (high - low))[1:4]
    assert model.out_of_range(CylinderRig(rings=20, sides=8).sample(far)[0]).all()


def test_the_rates_of_the_flag_are_those_of_poses_moved_by_the_rig(tmp_path):
    """Misses on poses of channels as the rig itself makes them, the root's left out: the model is exact there."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    arm = rc.sources.example_body()
    data = rc.sampling.sample(arm, tmp_path / "arm.rwdata", count=300, seed=0, probe=1)
    model = train_with("body", data, steps=1, hidden=2, threads=1, linear="rigid")
    _, held = data.split(0.1, 0)
    moved = beyond_range(data.channels[held], data.channel_ranges, np.random.default_rng([0, 7]))
    low, high = data.channel_ranges.T
    outside = (moved < low) | (moved > high)
    assert (outside.sum(axis=1) == 1).all()
    assert np.array_equal(np.where(outside, 0, moved), np.where(outside, 0, data.channels[held]))
    matters = ~outside[:, :2].any(axis=1)  # the shoulder is the root
    expected = 1.0 - model.out_of_range(arm.sample(moved[matters])[0]).mean()
    assert model.metadata["bound"]["miss"] == pytest.approx(expected)
    assert model.metadata["bound"]["false_alarm"] == model.out_of_range(data.poses[held]).mean()


def test_bytes_do_not_depend_on_threads_nor_on_the_batch(model, fresh):
    whole = model.error_bound(fresh.poses[:40], threads=1)
    assert np.array_equal(whole, model.error_bound(fresh.poses[:40], threads=4))
    assert np.array_equal(whole[7], model.error_bound(fresh.poses[7]))


def test_a_restricted_model_bounds_its_own_vertices(model, fresh, tmp_path):
    some = np.array([5, 90, 3, 3])
    part = model.restricted(some)
    assert np.array_equal(part.error_bound(fresh.poses[:4]), model.error_bound(fresh.poses[:4])[:, some])
    part.save(tmp_path / "part.safetensors")
    assert np.array_equal(
        rc.load(tmp_path / "part.safetensors").error_bound(fresh.poses[0]), part.error_bound(fresh.poses[0])
    )


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("bound.vertex.scale", lambda a: a[:-1]),
        ("bound.vertex.scale", lambda a: -a - 1),
        ("bound.vertex.group", lambda a: a + 1000),
        ("bound.vertex.group", lambda a: a - 5),
        ("bound.vertex.loading", lambda a: a[:, :-1].copy()),
        ("bound.column", lambda a: a + 100000),
        ("bound.offset", lambda a: a[::-1].copy()),
        ("bound.mean", lambda a: a[:-1]),
        ("bound.hidden.weight", lambda a: a[:, :-1].copy()),
        ("bound.linear.weight", lambda a: a[:-1]),
        ("bound.output.bias", lambda a: a[:-1]),
        ("bound.vertex.lowest", lambda a: a + 1000),
        ("bound.inverse", lambda a: a * np.nan),
    ],
)
def test_malformed_tensors_are_refused(model, name, change):
    tensors = model.tensors()
    tensors[name] = change(tensors[name])
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        _core.model_from_tensors(tensors, json.dumps(model.metadata))


def test_a_missing_tensor_is_refused(model):
    tensors = {name: value for name, value in model.tensors().items() if name != "bound.inverse"}
    with pytest.raises(ValueError, match=r"bound\.inverse"):
        _core.model_from_tensors(tensors, json.dumps(model.metadata))


def test_formulas_state_no_bound():
    face = rc.faces.example()
    with pytest.raises(ValueError, match=r"error_bound: the model is one whose file states no bound"):
        face.error_bound(np.zeros((1, face.num_shapes)))


def test_too_few_held_out_rows_state_no_bound(unprobed_data, train):
    few = train(unprobed_data, holdout=(LEAST_ROWS - 1) / len(unprobed_data), steps=1)
    assert "bound" not in few.metadata
    assert "bound" in train(unprobed_data, holdout=LEAST_ROWS / len(unprobed_data), steps=1).metadata


def test_conformal_quantiles_cover_as_often_as_they_must():
    """Over many draws: the rank ceil(0.95 (n + 1)) of n covers a new value with probability rank / (n + 1)."""
    rng = np.random.default_rng(0)
    seen, new = rng.exponential(size=(49, 20000)), rng.exponential(size=20000)
    # twice the deviation of a share of 20,000
    assert (new <= conformal(seen)).mean() == pytest.approx(48 / 50, abs=0.005)


def test_cross_validation_judges_rows_by_others():
    """Errors that follow the shape exactly are covered as promised; the width is the shape's times the quantile."""
    rng = np.random.default_rng(1)
    shaped = np.exp(rng.standard_normal((400, 50)))
    found = cross_validated((shaped * rng.random((400, 50))).astype(np.float32), shaped.astype(np.float32))
    assert found["coverage"] == pytest.approx(0.95, abs=0.01)  # of 400 poses
    assert found["mean_width"] == pytest.approx(0.95 * shaped.mean(), rel=0.03)  # of 400 poses
    assert found["constant_mean_width"] > 1.3 * found["mean_width"]
