"""Learned bodies whose matrices have 16 or 8 bits: their numbers, derivatives, restricted models and files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._core import model_from_tensors
from tests.body.blocks import matrix_names, rounded
from tests.support.made.models import random_body, random_poses


def body_and_poses(**sizes) -> tuple[rc.Deformer, np.ndarray]:
    model = random_body(**({"num_vertices": 120, "num_sets": 5, "hidden": 40, "components": 9} | sizes))
    return model, random_poses(model.skeleton, 9, 1, numeric=len(model.metadata["numeric_controls"]))


def with_int8(model: rc.Deformer, names: object) -> rc.Deformer:
    metadata = model.metadata | {"network_storage": "int8", "int8_tensors": names}
    return model_from_tensors(model.tensors(), json.dumps(metadata))


def some_int8(model: rc.Deformer) -> list[str]:
    """Every second matrix."""
    return matrix_names(model)[::2]


def in_16_bits(model: rc.Deformer) -> tuple[rc.Deformer, rc.Deformer]:
    return model.stored("16-bit"), rounded(model, [])


def half_in_8_bits(model: rc.Deformer) -> tuple[rc.Deformer, rc.Deformer]:
    return with_int8(model, some_int8(model)), rounded(model, some_int8(model))


def all_in_8_bits(model: rc.Deformer) -> tuple[rc.Deformer, rc.Deformer]:
    return with_int8(model, matrix_names(model)), rounded(model, matrix_names(model))


STORAGES = [in_16_bits, half_in_8_bits, all_in_8_bits]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("hidden", [40, 130])
def test_vertices_and_derivatives_are_those_of_the_rounded_matrices(storage, hidden):
    """Scales are powers of two, so a product with a scaled input is the product with a scaled weight."""
    model, poses = body_and_poses(hidden=hidden)
    found, expected = storage(model)
    tangents = np.random.default_rng(0).standard_normal(poses.shape).astype(np.float32)
    vertices = found.evaluate(poses)
    assert vertices.tobytes() == expected.evaluate(poses).tobytes()
    assert np.stack([found.evaluate(pose) for pose in poses]).tobytes() == vertices.tobytes()
    assert found.jvp(poses, tangents).tobytes() == expected.jvp(poses, tangents).tobytes()
    assert found.vjp(poses, vertices).tobytes() == expected.vjp(poses, vertices).tobytes()
    assert found.restricted([3, 7]).jacobian(poses).tobytes() == expected.restricted([3, 7]).jacobian(poses).tobytes()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_restricted_model_has_the_same_vertices(storage):
    model, poses = body_and_poses()
    found, _ = storage(model)
    chosen = [3, 7, 50, 3, 119]
    part = found.restricted(chosen)
    assert part.evaluate(poses).tobytes() == found.evaluate(poses)[:, chosen].tobytes()
    assert part.restricted([2]).evaluate(poses).tobytes() == found.evaluate(poses)[:, [50]].tobytes()
    assert part.storage == found.storage


@pytest.mark.parametrize("storage", STORAGES)
def test_a_session_gives_the_bytes_of_evaluate(storage):
    model, poses = body_and_poses()
    found, _ = storage(model)
    session = found.session()
    for pose in poses:
        assert session.evaluate(pose).tobytes() == found.evaluate(pose).tobytes()


@pytest.mark.parametrize("storage", STORAGES)
def test_the_error_is_the_largest_of_all_matrices(storage):
    model, _ = body_and_poses()
    found, expected = storage(model)
    before, after = model.tensors(), expected.tensors()
    largest = max(np.abs(before[name] - after[name]).max(initial=0.0) for name in matrix_names(model))
    assert found.storage_error == largest > 0
    assert model.storage_error == 0


@pytest.mark.parametrize("name", ["set.000.layer1.weight", "set.000.basis"])
def test_a_large_number_costs_its_block_alone(name):
    model, poses = body_and_poses()
    tensors = model.tensors()
    tensors[name][0, 0] = 1e6
    large = model_from_tensors(tensors, json.dumps(model.metadata)).stored("16-bit")
    assert 0 < large.storage_error <= 16  # half of 2^5, the scale of 1e6
    assert np.isfinite(large.evaluate(poses)).all()


def test_16_bits_take_about_two_bytes_and_8_bits_about_one():
    model, _ = body_and_poses(num_vertices=600)
    numbers = sum(model.tensors()[name].size for name in matrix_names(model))
    half, narrow = model.stored("16-bit"), with_int8(model, matrix_names(model))
    assert model.num_bytes - half.num_bytes > 1.7 * numbers  # scales and padding take the rest
    assert half.num_bytes - narrow.num_bytes > 0.85 * numbers


@pytest.mark.parametrize("storage", STORAGES)
def test_a_saved_model_keeps_its_storage_and_all_digits(storage, tmp_path):
    model, poses = body_and_poses()
    found, _ = storage(model)
    found.save(tmp_path / "narrow.rc")
    loaded = rc.load(tmp_path / "narrow.rc")
    assert (model.storage, loaded.storage) == ("float32", found.storage)
    assert loaded.evaluate(poses).tobytes() == found.evaluate(poses).tobytes()
    assert loaded.stored("float32").evaluate(poses).tobytes() == model.evaluate(poses).tobytes()
    assert "int8_tensors" not in loaded.stored("16-bit").metadata


def test_other_storages_are_refused():
    model, _ = body_and_poses()
    with pytest.raises(ValueError, match='stored: storage is \'4-bit\'; it must be "float32", "16-bit" or "int8"'):
        model.stored("4-bit")
    metadata = json.dumps({**model.metadata, "network_storage": "4-bit"})
    with pytest.raises(ValueError, match=r"metadata\.network_storage is '4-bit'"):
        model_from_tensors(model.tensors(), metadata)


DAMAGED = ["set.000.basis", [1], ["set.000.mean"], ["set.000.layer9.weight"], ["rest_vertices"], ["set.001"], None]


@pytest.mark.parametrize("names", DAMAGED)
@pytest.mark.parametrize("key", ["int8_tensors", "float32_tensors"])
def test_damaged_lists_of_matrices_are_refused(key, names):
    model, _ = body_and_poses()
    metadata = model.metadata | {"network_storage": "int8", "int8_tensors": []} | {key: names}
    with pytest.raises(ValueError, match=rf"metadata\.{key}"):
        model_from_tensors(model.tensors(), json.dumps(metadata))


def test_int8_without_a_list_is_refused():
    model, _ = body_and_poses()
    metadata = json.dumps(model.metadata | {"network_storage": "int8"})
    with pytest.raises(ValueError, match=r"metadata\.int8_tensors"):
        model_from_tensors(model.tensors(), metadata)
