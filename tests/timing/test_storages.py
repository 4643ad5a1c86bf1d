"""What narrower storage costs beside a model's own error."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rigcast import _core
from rigcast._timing.storages import (
    StorageError,
    is_visible,
    narrower,
    own_error_of,
    storage_error,
    storage_line,
    storage_warning,
)
from rigcast.cli import _dispatch as dispatch
from tests.support.made.models import random_body, random_poses


def test_a_tenth_of_the_own_error_is_small():
    assert StorageError("16-bit", 1, mean=0.01, max=0.5, own_error=0.1).is_small
    assert not StorageError("16-bit", 1, mean=0.011, max=0.5, own_error=0.1).is_small


def test_without_the_own_error_there_is_no_share():
    figures = StorageError("16-bit", 1, mean=0.01, max=0.5, own_error=math.nan).figures()
    assert (figures["own_error"], figures["share_of_own_error"], figures["small"]) == (None, None, None)


SENTENCES = {
    "a fifth": (2e-5, 1e-4, "0.02 mm on average, 20% of the model's own error, 0.1 mm", "0.1 mm: 20.00% of it; more"),
    "little": (2e-5, 1e-3, "", "0.02 mm on average, 500 mm at most; beside the model's own error, 1 mm: 2.00% of it"),
    "an unknown error": (2e-5, math.nan, "", "beside the model's own error, which is not known"),
    "far above the error": (2e-6, 1e-6, "0.002 mm on average, 200% of the model's own error, 0.001 mm", "200.00%"),
    "below a micrometer, far above the error": (9e-7, 1e-7, "", "16-bit weights move vertices by less than 0.001 mm"),
    "nothing, of an exact model": (0.0, 0.0, "", "less than 0.001 mm on average"),
}


@pytest.mark.parametrize("meters_per_unit", [1.0, 0.01])
@pytest.mark.parametrize("case", SENTENCES)
def test_storages_are_told_in_millimeters_from_a_micrometer_on(case, meters_per_unit):
    mean, own_error, warning, line = SENTENCES[case]
    lengths = (length / meters_per_unit for length in (mean, 0.5, own_error))
    found = StorageError("16-bit", 1, *lengths, meters_per_unit).figures()
    assert is_visible(found) == (mean >= 1e-6)
    assert warning in storage_warning(found)
    assert bool(storage_warning(found)) == bool(warning)
    assert line in storage_line(found)


def stated(model, error):
    """The model with an error that its file states."""
    errors = np.full(len(model.rest_vertices), error, np.float32)
    return _core.model_from_tensors(model.tensors() | {"error.mean": errors}, json.dumps(model.metadata))


@pytest.mark.parametrize(("storage", "ratio", "warned"), [("16-bit", 2, 1), ("16-bit", 20, 0), ("float32", 2, 0)])
def test_a_body_whose_weights_are_too_narrow_is_told_when_it_plays(tmp_path, capsys, storage, ratio, warned):
    """Its own error is so many times what 16 bits move."""
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    np.save(tmp_path / "poses.npy", poses)
    moved = storage_error(model, model.stored("16-bit"), poses, math.nan).mean
    stated(model, ratio * moved).stored(storage).save(tmp_path / "body.safetensors")
    words = ["body.safetensors", "poses.npy", "-o", "vertices.npy"]
    assert dispatch.main(["evaluate", *(str(tmp_path / word) if "." in word else word for word in words)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("warning: 16-bit weights move vertices by ") == warned
    assert shown.count(", 50% of the model's own error, ") == warned


def test_a_narrow_model_is_compared_with_float32():
    model = random_body()
    half, poses = model.stored("16-bit"), random_poses(model.skeleton, 3, numeric=2)
    assert storage_error(half, half, poses, 1.0).mean == storage_error(model, half, poses, 1.0).mean > 0


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
    other = _core.model_from_tensors(model.tensors() | {"error.mean": errors}, json.dumps(model.metadata))
    assert own_error_of(other, None, None) == pytest.approx(2.0, rel=tolerance["float32_sum"])


def test_int8_needs_poses_and_an_error():
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    assert set(narrower(model, poses, 0.1)) == {"16-bit", "int8"}
    assert set(narrower(model, None, 0.1)) == {"16-bit"}
    assert set(narrower(model, poses, math.nan)) == {"16-bit"}
