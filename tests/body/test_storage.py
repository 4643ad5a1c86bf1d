"""Learned bodies whose network weights have 16 bits."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigwright as rw
from rigwright._core import model_from_tensors
from tests.support.models import random_body, random_poses


def body_and_poses(**sizes) -> tuple[rw.Deformer, np.ndarray]:
    model = random_body(num_vertices=120, num_sets=5, hidden=40, components=9, **sizes)
    return model, random_poses(model.skeleton, 9, 1, numeric=len(model.metadata["numeric_controls"]))


def layer_names(model: rw.Deformer) -> list[str]:
    return [name for name in model.tensors() if ".layer" in name and name.endswith(".weight")]


def rounded(model: rw.Deformer) -> rw.Deformer:
    """The model in float32 with weights rounded to float16, by NumPy."""
    tensors = model.tensors()
    for name in layer_names(model):
        tensors[name] = tensors[name].astype(np.float16).astype(np.float32)
    return model_from_tensors(tensors, json.dumps(model.metadata))


def test_vertices_and_derivatives_are_those_of_the_rounded_weights():
    model, poses = body_and_poses()
    half, expected = model.stored("16-bit"), rounded(model)
    tangents = np.random.default_rng(0).standard_normal(poses.shape).astype(np.float32)
    vertices = half.evaluate(poses)
    assert vertices.tobytes() == expected.evaluate(poses).tobytes()
    assert half.jvp(poses, tangents).tobytes() == expected.jvp(poses, tangents).tobytes()
    assert half.vjp(poses, vertices).tobytes() == expected.vjp(poses, vertices).tobytes()
    assert half.restricted([3, 7]).jacobian(poses).tobytes() == expected.restricted([3, 7]).jacobian(poses).tobytes()


def test_the_error_is_the_largest_of_all_weights():
    model, _ = body_and_poses()
    before, after = model.tensors(), rounded(model).tensors()
    largest = max(np.abs(before[name] - after[name]).max() for name in layer_names(model))
    assert model.stored("16-bit").storage_error == largest > 0
    assert model.storage_error == 0


def test_weights_beyond_float16_are_bfloat16():
    model, poses = body_and_poses()
    tensors = model.tensors()
    tensors["set.000.layer1.weight"][0, 0] = 1e6
    large = model_from_tensors(tensors, json.dumps(model.metadata)).stored("16-bit")
    assert 2**9 < large.storage_error <= 2**12  # 8 significant bits of 1e6
    assert np.isfinite(large.evaluate(poses)).all()


def test_a_saved_model_keeps_its_storage_and_all_digits(tmp_path):
    model, poses = body_and_poses()
    half = model.stored("16-bit")
    half.save(tmp_path / "half.rw")
    loaded = rw.load(tmp_path / "half.rw")
    assert (model.storage, half.storage, loaded.storage) == ("float32", "16-bit", "16-bit")
    assert loaded.evaluate(poses).tobytes() == half.evaluate(poses).tobytes()
    assert loaded.stored("float32").evaluate(poses).tobytes() == model.evaluate(poses).tobytes()


def test_networks_take_half_the_bytes():
    model, _ = body_and_poses()
    weights = sum(model.tensors()[name].nbytes for name in layer_names(model))
    assert model.stored("16-bit").num_bytes < model.num_bytes - 0.45 * weights


def test_other_storages_are_refused():
    model, _ = body_and_poses()
    with pytest.raises(ValueError, match='stored: storage is \'int8\'; it must be "float32" or "16-bit"'):
        model.stored("int8")
    metadata = json.dumps({**model.metadata, "network_storage": "int8"})
    with pytest.raises(ValueError, match=r"metadata\.network_storage is 'int8'"):
        model_from_tensors(model.tensors(), metadata)
