"""Which matrices of a learned body become int8."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._core import model_from_tensors
from tests.body.blocks import matrix_names
from tests.body.test_storage import body_and_poses, with_int8


def distance(model: rc.Deformer, other: rc.Deformer, poses: np.ndarray) -> float:
    return float(np.linalg.norm(other.evaluate(poses) - model.evaluate(poses), axis=2).mean())


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_mean_distance_is_within_the_bound(share):
    model, poses = body_and_poses()
    everything = distance(model, with_int8(model, matrix_names(model)), poses)
    chosen = model.stored("int8", poses, share * everything)
    names = chosen.metadata["int8_tensors"]
    assert 0 < len(names) < len(matrix_names(model))
    assert distance(model, chosen, poses) <= share * everything
    assert distance(model, chosen, poses) > distance(model, model.stored("16-bit"), poses)


def test_a_larger_bound_makes_the_model_smaller():
    model, poses = body_and_poses()
    sizes = [model.stored("int8", poses, bound).num_bytes for bound in (0.0, 1e-3, 1e-2, 1e2)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_without_a_bound_to_keep_all_matrices_are_int8():
    model, poses = body_and_poses()
    names = model.stored("int8", poses, 1e3).metadata["int8_tensors"]
    assert set(names) == {name for name in matrix_names(model) if model.tensors()[name].size}


def test_a_bound_below_that_of_16_bits_leaves_16_bits():
    model, poses = body_and_poses()
    chosen = model.stored("int8", poses, 0.0)
    assert chosen.metadata["int8_tensors"] == []
    assert chosen.evaluate(poses).tobytes() == model.stored("16-bit").evaluate(poses).tobytes()


def test_the_default_bound_is_a_tenth_of_the_stated_error():
    model, poses = body_and_poses()
    errors = np.linspace(0.1, 0.3, len(model.rest_vertices), dtype=np.float32)
    stated = model_from_tensors(model.tensors() | {"error.mean": errors}, json.dumps(model.metadata))
    expected = stated.stored("int8", poses, 0.1 * float(errors.mean(dtype=np.float64)))
    assert stated.stored("int8", poses).metadata == expected.metadata
    assert expected.metadata["int8_tensors"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("int8",), "stored: poses is missing"),
        (("int8", np.zeros((0, 74), np.float32), 1.0), "stored: poses is of shape 0, 74"),
        (("int8", np.zeros((2, 73), np.float32), 1.0), "stored: poses is"),
        (("int8", np.zeros((2, 74), np.float32)), "stored: max_error is missing"),
        (("int8", np.zeros((2, 74), np.float32), -1.0), "stored: max_error is -1"),
        (("int8", np.zeros((2, 74), np.float32), float("nan")), "stored: max_error is nan"),
        (("16-bit", np.zeros((2, 74), np.float32)), "stored: poses is given"),
        (("float32", None, 0.1), "stored: max_error is given"),
    ],
)
def test_wrong_arguments_are_named(arguments, told):
    model, _ = body_and_poses()
    with pytest.raises(ValueError, match=told):
        model.stored(*arguments)
