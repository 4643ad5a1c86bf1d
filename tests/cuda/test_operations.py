"""Every CUDA operation against the CPU, emulated on any machine and on a GPU where there is one."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.cuda.operation import Operation
from tests.cuda.operations import rows
from tests.support.made.models import linear_blend, random_body, random_poses


@pytest.mark.parametrize("operation", rows(), ids=lambda row: row.name)
def test_operation_matches_the_cpu(operation: Operation, lane, tolerance):
    inputs = operation.inputs(np.random.default_rng(7))
    before = {name: np.copy(value) for name, value in inputs.items() if isinstance(value, np.ndarray)}
    expected = operation.cpu(**inputs)
    result = operation.device(lane, **inputs)
    assert result.shape == expected.shape
    assert result.dtype == operation.dtype
    scale = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(result / scale, expected / scale, rtol=0, atol=tolerance[operation.bound])
    for name, value in before.items():
        assert inputs[name].tobytes() == value.tobytes(), f"{name} was changed"


def evaluator(lane, model: rc.Deformer, **options):
    return lane.ResidentModel(model, **options)


def evaluate(on_device, model: rc.Deformer, poses: np.ndarray) -> np.ndarray:
    out = np.full((len(poses), len(model.rest_vertices), 3), np.nan, np.float32)
    on_device.evaluate(poses, out)
    return out


def body_and_poses(frames: int, **sizes):
    model = random_body(**sizes)
    return model, random_poses(model.skeleton, frames, 3, numeric=len(model.metadata["numeric_controls"]))


def test_a_pose_gives_the_same_bytes_in_any_batch_and_chunk(lane):
    model, poses = body_and_poses(133, num_vertices=150, num_sets=7)
    expected = evaluate(evaluator(lane, model), model, poses)
    assert np.isfinite(expected).all()
    for workspace in (0, 50_000, 400_000):  # one pose, some, and many at a time
        assert evaluate(evaluator(lane, model, workspace=workspace), model, poses).tobytes() == expected.tobytes()
    again = evaluator(lane, model)
    for size in (1, 2, 63, 64, 65, 133, 7):
        parts = [evaluate(again, model, poses[t : t + size]) for t in range(0, len(poses), size)]
        assert np.concatenate(parts).tobytes() == expected.tobytes(), size


def test_several_python_threads_take_turns(lane):
    model, poses = body_and_poses(20)
    on_device = evaluator(lane, model)
    expected = evaluate(on_device, model, poses)
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(evaluate, on_device, model, poses[i % 13 : i % 13 + 1 + i % 7]) for i in range(60)]
    for i, job in enumerate(jobs):
        assert job.result().tobytes() == expected[i % 13 : i % 13 + 1 + i % 7].tobytes()


def test_no_poses_give_no_vertices(lane):
    model, _ = body_and_poses(1)
    assert evaluate(evaluator(lane, model), model, np.zeros((0, 74), np.float32)).shape == (0, 90, 3)


def test_wrong_input_is_named(lane):
    model, poses = body_and_poses(2)
    on_device = evaluator(lane, model)
    with pytest.raises(ValueError, match="evaluate: poses is 73 wide; it must be 74 wide"):
        on_device.evaluate(poses[:, 1:], np.empty((2, 90, 3), np.float32))
    with pytest.raises(ValueError, match=r"evaluate: out is \(3, 90, 3\); it must be \(2, 90, 3\)"):
        on_device.evaluate(poses, np.empty((3, 90, 3), np.float32))
    with pytest.raises(TypeError):  # never a converted copy that nobody sees
        on_device.evaluate(poses, np.empty((2, 90, 3), np.float64))
    with pytest.raises(ValueError, match="resident: model is of kind 'linear_blend'; it must be of kind 'body'"):
        evaluator(lane, linear_blend())
    with pytest.raises(ValueError, match="milliseconds: batch is 3; it must be from 1 to"):
        on_device.milliseconds(poses, 3, 1)
    with pytest.raises(ValueError, match="batch is 2; it must be from 1 to 1, the poses given that fit the workspace"):
        evaluator(lane, model, workspace=0).milliseconds(poses, 2, 1)


HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a column out of range": (lambda t: t["inputs.column"].__setitem__(0, 10_000), r"inputs\.column is holding 10000"),
    "a column below 0": (lambda t: t["inputs.column"].__setitem__(0, -1), r"inputs\.column is holding -1"),
    "a vertex out of range": (lambda t: t["sets.vertex"].__setitem__(0, 90), r"sets\.vertex is holding 90"),
    "a joint out of range": (lambda t: t["sets.joint"].__setitem__(0, 10_000), r"sets\.joint is holding 10000"),
    "a matrix with too few rows": (
        lambda t: t.update({"set.000.basis": t["set.000.basis"][:-1]}),
        r"set\.000\.basis is F32\[\d+, \d+\]; it must be F32\[\d+, any\]",
    ),
    "a vector in place of a matrix": (
        lambda t: t.update({"set.000.layer1.weight": t["set.000.layer1.weight"][0]}),
        r"set\.000\.layer1\.weight is F32\[\d+\]; it must be F32 with 2 axes",
    ),
    "a missing tensor": (lambda t: t.pop("set.000.basis"), r"without tensor 'set\.000\.basis'"),
    "floats for indices": (
        lambda t: t.update({"inputs.column": t["inputs.column"].astype(np.float32)}),
        r"inputs\.column is F32\[\d+\]; it must be I32 with 1 axes",
    ),
    "doubles": (
        lambda t: t.update({"set.000.basis": t["set.000.basis"].astype(np.float64)}),
        r"set\.000\.basis is float64 \(\d+, \d+\); it must be a float32 or int32 array",
    ),
    "a text": (lambda t: t.update({"set.000.basis": "basis"}), r"set\.000\.basis is .*; it must be a float32 or int32"),
    "no array": (lambda t: t.update({"set.000.basis": None}), r"set\.000\.basis is .*; it must be a float32 or int32"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_tensors_are_refused_before_a_device_sees_them(what):
    """A device copies models alone, and these are checked when they are made."""
    change, text = HOSTILE[what]
    model, _ = body_and_poses(1)
    tensors = model.tensors()
    change(tensors)
    with pytest.raises(ValueError, match=f"^(load|model_from_tensors): .*{text}"):
        _core.model_from_tensors(tensors, json.dumps(model.metadata))


@pytest.mark.parametrize("given", [None, {}, "body", np.zeros(3)], ids=str)
def test_what_is_no_model_is_not_copied_to_a_device(given, lane):
    with pytest.raises(TypeError, match=r"incompatible .*arguments"):
        lane.ResidentModel(given)
    with pytest.raises(TypeError, match=r"incompatible .*arguments"):
        lane.factory(given, "evaluate")


def test_a_copy_outlives_its_model(lane):
    model, poses = body_and_poses(2)
    on_device = evaluator(lane, model)
    expected = evaluate(on_device, model, poses)
    del model
    gc.collect()
    out = np.empty_like(expected)
    on_device.evaluate(poses, out)
    assert out.tobytes() == expected.tobytes()
    assert on_device.restricted([3, 1]).num_bytes < on_device.num_bytes


def test_timing_gives_a_positive_time_a_run(lane):
    model, poses = body_and_poses(10)
    times = evaluator(lane, model).milliseconds(poses, 3, 5)
    assert len(times) == 5
    assert min(times) > 0
