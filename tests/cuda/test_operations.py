"""Every CUDA operation against the CPU, emulated on any machine and on a GPU where there is one."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rigcast as rc
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
    return lane.ResidentModel(model.tensors(), json.dumps(model.metadata), **options)


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


def test_hostile_tensors_are_refused_before_the_device_sees_them(lane):
    model, _ = body_and_poses(1)
    tensors = model.tensors()
    tensors["inputs.column"][0] = 10_000
    with pytest.raises(ValueError, match=r"inputs\.column is holding 10000"):
        lane.ResidentModel(tensors, json.dumps(model.metadata))


def test_timing_gives_a_positive_time_a_run(lane):
    model, poses = body_and_poses(10)
    times = evaluator(lane, model).milliseconds(poses, 3, 5)
    assert len(times) == 5
    assert min(times) > 0
