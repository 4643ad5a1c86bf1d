"""Finite poses give finite vertices or an error that names the row: for every kind of model."""

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.blendshapes import random_rig
from tests.support.made.models import linear_blend, random_body, random_poses


def skinned(kind):
    model = linear_blend()
    about = model.metadata | {"kind": kind, "iterations": 3, "step": 0.5}
    return _core.model_from_tensors(model.tensors(), json.dumps(about))


MODELS = {
    "linear_blend": lambda: skinned("linear_blend"),
    "dual_quaternion": lambda: skinned("dual_quaternion"),
    "delta_mush": lambda: skinned("delta_mush"),
    "body": random_body,
    "blendshape": random_rig,
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


def ordinary_poses(model, frames):
    if model.skeleton is None:
        return np.full((frames, len(model.control_names)), 0.5, np.float32)
    numeric = len(model.control_names) - 12 * model.skeleton.num_joints
    return random_poses(model.skeleton, frames, seed=1, numeric=numeric)


@pytest.mark.parametrize("scale", [1e5, 1e10, 1e18, 1e25, 1e31, 1e36, 3e38])
def test_vertices_of_finite_poses_are_finite_or_refused(model, scale):
    rng = np.random.default_rng(int(np.log10(scale)))
    poses = np.float32(scale) * rng.uniform(-1, 1, (3, len(model.control_names))).astype(np.float32)
    for threads in (1, 2):
        try:
            vertices = model.evaluate(poses, threads=threads)
        except ValueError as error:
            assert "overflow" in str(error)
        else:
            assert np.isfinite(vertices).all()


@pytest.mark.parametrize("frames", [5, 100])
def test_the_row_that_overflows_is_named(model, frames):
    poses = ordinary_poses(model, frames)
    poses[frames - 2] = 3e38
    with pytest.raises(ValueError, match=rf"(in row |at \(){frames - 2}\D"):
        model.evaluate(poses)


def test_gradients_of_huge_poses_are_finite_or_refused(model):
    poses = np.full((1, len(model.control_names)), 1e30, np.float32)
    cotangents = np.ones((1, *model.rest_vertices.shape), np.float32)
    try:
        assert np.isfinite(model.vjp(poses, cotangents)).all()
    except ValueError as error:
        assert "overflow" in str(error)


@pytest.mark.parametrize(
    "name", ["set.000.layer1.weight", "set.000.layer2.bias", "set.000.layer3.weight", "set.000.basis"]
)
def test_networks_that_overflow_by_themselves_are_refused(name):
    model = random_body()
    tensors = model.tensors()
    assert tensors[name].size > 0
    tensors[name] = np.full_like(tensors[name], 3e38)
    huge = _core.model_from_tensors(tensors, json.dumps(model.metadata))
    with pytest.raises(ValueError, match="overflow"):
        huge.evaluate(ordinary_poses(huge, 2))


def test_rw_load_gives_models_with_the_same_limits(tmp_path):
    model = skinned("linear_blend")
    path = tmp_path / "model.safetensors"
    model.save(path)
    with pytest.raises(ValueError, match="overflow"):
        rc.load(path).evaluate(np.full((1, len(model.control_names)), 3e38, np.float32))
