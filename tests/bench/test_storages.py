"""What narrower storage costs beside a model's own error."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rigwright import _core
from rigwright._bench.storages import StorageError, narrower, own_error_of, storage_error
from tests.support.models import random_body, random_poses


def test_a_tenth_of_the_own_error_is_small():
    assert StorageError("16-bit", 1, mean=0.01, max=0.5, own_error=0.1).is_small
    assert not StorageError("16-bit", 1, mean=0.011, max=0.5, own_error=0.1).is_small


def test_without_the_own_error_there_is_no_share():
    figures = StorageError("16-bit", 1, mean=0.01, max=0.5, own_error=math.nan).figures()
    assert (figures["own_error"], figures["share_of_own_error"], figures["small"]) == (None, None, None)


def test_distances_are_those_of_vertices(tolerance):
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    half = model.stored("16-bit")
    found = storage_error(model, half, poses, 1.0)
    distance = np.sqrt(((half.evaluate(poses) - model.evaluate(poses)) ** 2).sum(axis=2))
    assert found.mean == pytest.approx(distance.mean(), rel=tolerance["float32_sum"])
    assert found.max == pytest.approx(distance.max(), rel=tolerance["float32_sum"])


def test_the_own_error_is_that_on_the_poses_or_the_one_that_the_file_states(tolerance):
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    truth = model.evaluate(poses) + np.float32([3, 0, 4])
    assert own_error_of(model, poses, truth) == pytest.approx(5.0, rel=tolerance["float32_sum"])
    assert math.isnan(own_error_of(model, None, None))
    errors = np.linspace(1, 3, len(model.rest_vertices), dtype=np.float32)
    stated = _core.model_from_tensors(model.tensors() | {"error.mean": errors}, json.dumps(model.metadata))
    assert own_error_of(stated, None, None) == pytest.approx(2.0, rel=tolerance["float32_sum"])


def test_int8_needs_poses_and_an_error():
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    assert set(narrower(model, poses, 0.1)) == {"16-bit", "int8"}
    assert set(narrower(model, None, 0.1)) == {"16-bit"}
    assert set(narrower(model, poses, math.nan)) == {"16-bit"}
