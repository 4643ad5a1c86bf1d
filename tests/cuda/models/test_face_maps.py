"""Faces on deformation maps on the device: the CPU's formula, batches, detail, storage, rigid parts, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rigcast import _core
from tests.cuda.derivative_operations import resident
from tests.cuda.test_device_arrays import ByInterface
from tests.rig.base_shapes import based_model
from tests.support.made.face_maps import CONTROLS, random_face_maps, random_face_maps_tensors
from tests.support.made.models import random_body, random_poses

SIZES: list[dict[str, int]] = [
    {"base": 4, "doublings": 0, "channels": 5, "base_channels": 1},
    {"base": 4, "doublings": 1, "channels": 16, "base_channels": 8},
    {"base": 8, "doublings": 2, "channels": 16, "base_channels": 8, "num_vertices": 300},
    {"base": 4, "doublings": 2, "channels": 8, "base_channels": 5, "num_vertices": 25},
    {"base": 8, "doublings": 1, "channels": 21, "base_channels": 17, "num_vertices": 150},
    {"base": 3, "doublings": 2, "channels": 1, "base_channels": 2, "hidden": 1},
    {"base": 2, "doublings": 0, "channels": 33, "base_channels": 8, "parts": 0},
    {"base": 4, "doublings": 1, "channels": 4, "refinements": 5, "coarse": 3, "parts": 3, "num_vertices": 90},
    {"components": 7, "base": 8, "hidden_layers": 2, "num_vertices": 300},
    {"components": 70, "base": 5, "refinements": 3, "parts": 0, "hidden": 70},
    {"hidden_layers": 3},
    {"coarse": 0, "refinements": 1},
    {"coarse": 0, "refinements": 0, "parts": 0},
]


def poses_of(frames: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((frames, CONTROLS)).astype(np.float32)


def evaluated(on_device: Any, poses: np.ndarray, num_vertices: int, **choices: Any) -> np.ndarray:
    out = np.full((len(poses), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(poses, out, **choices)
    return out


def assert_close(result: np.ndarray, expected: np.ndarray, bound: float) -> None:
    scale = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(result / scale, expected / scale, rtol=0, atol=bound)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_vertices_are_those_of_the_cpu(sizes, lane, tolerance):
    model = random_face_maps(**sizes, seed=3)
    poses = poses_of(3)
    result = evaluated(resident(lane, model), poses, len(model.rest_vertices))
    assert_close(result, model.evaluate(poses), tolerance["float32_sum"])


def test_a_pose_gives_the_same_bytes_in_any_batch_and_chunk(lane):
    model = random_face_maps(channels=9)
    poses = poses_of(67)
    on_device = resident(lane, model)
    expected = evaluated(on_device, poses, 60)
    for workspace in (0, 40_000):
        assert evaluated(resident(lane, model, workspace=workspace), poses, 60).tobytes() == expected.tobytes()
    for size in (1, 64, 65):
        parts = [evaluated(on_device, poses[t : t + size], 60) for t in range(0, 67, size)]
        assert np.concatenate(parts).tobytes() == expected.tobytes()


def test_detail_is_that_of_the_cpu(cuda_lane, tolerance):
    model, poses = random_face_maps(refinements=3), poses_of(5)
    rng = np.random.default_rng(1)
    rows = rng.random((5, 3)).astype(np.float32)
    rows[rng.random((5, 3)) < 0.4] = 0.0
    for detail in (rows, rows[2], np.zeros(3)):
        result = model.evaluate_detail(poses, detail, device="cuda")
        assert_close(result, model.evaluate_detail(poses, detail), tolerance["float32_sum"])
    one = model.evaluate_detail(poses[1], rows[1], device="cuda")
    assert one.tobytes() == model.evaluate_detail(poses, rows, device="cuda")[1].tobytes()


def test_full_detail_gives_the_bytes_of_evaluate(cuda_lane):
    model, poses = random_face_maps(), poses_of(4)
    result = model.evaluate_detail(poses, np.ones(2), device="cuda")
    assert result.tobytes() == model.evaluate(poses, device="cuda").tobytes()


def test_refinements_at_zero_are_not_drawn(lane):
    """Maps that overflow would show: 0 times infinity is no number."""
    tensors, metadata = random_face_maps_tensors(coarse=1, refinements=1)
    poses = poses_of(3)
    expected = resident(lane, _core.model_from_tensors(dict(tensors), metadata))
    tensors["segment.001.conv1.weight"][:] = 3e38
    broken = resident(lane, _core.model_from_tensors(tensors, metadata))
    off = np.zeros((1, 1), np.float32)
    assert evaluated(broken, poses, 60, detail=off).tobytes() == evaluated(expected, poses, 60, detail=off).tobytes()


def test_detail_follows_its_frames_through_chunks(lane):
    model, poses = random_face_maps(), poses_of(9)
    detail = np.random.default_rng(0).random((9, 2)).astype(np.float32)
    whole = evaluated(resident(lane, model), poses, 60, detail=detail)
    assert evaluated(resident(lane, model, workspace=0), poses, 60, detail=detail).tobytes() == whole.tobytes()
    on_device = resident(lane, model)
    evaluated(on_device, poses, 60, detail=detail)
    assert evaluated(on_device, poses, 60).tobytes() == evaluated(resident(lane, model), poses, 60).tobytes()


def test_dense_layers_in_16_bits_have_the_weights_that_the_cpu_has(lane, tolerance):
    model, poses = random_face_maps(hidden=40).stored("16-bit"), poses_of(3)
    result = evaluated(resident(lane, model), poses, 60)
    assert_close(result, model.evaluate(poses), tolerance["float32_sum"])
    assert np.abs(result - random_face_maps(hidden=40).evaluate(poses)).max() > 1e-5  # the storage is seen


@pytest.mark.parametrize("mirrored", [False, True])
def test_rigid_parts_turn_as_on_the_cpu(mirrored, lane, tolerance):
    """Followers that change sides: the best orthogonal map mirrors, the best rotation does not."""
    tensors, metadata = random_face_maps_tensors(coarse=1, refinements=0, parts=3, base=8, seed=5)
    if mirrored:  # flat followers that move far: through their plane
        follower = tensors["parts.follower"]
        tensors["rest_vertices"][follower.reshape(-1), 2] *= 0.01
        tensors["segment.000.output.weight"] *= 20
    model, poses = _core.model_from_tensors(tensors, metadata), poses_of(40)
    expected = model.evaluate(poses)
    if mirrored:
        assert any(mirrors(tensors, model.rest_vertices, vertices) for vertices in expected)
    assert_close(evaluated(resident(lane, model), poses, 60), expected, tolerance["float32_sum"])


def mirrors(tensors: dict[str, np.ndarray], rest: np.ndarray, posed: np.ndarray) -> bool:
    """Whether the best orthogonal map of the first part's followers mirrors."""
    follower = tensors["parts.follower"][0]
    arms = [points[follower] - points[follower].mean(axis=0) for points in (rest, posed)]
    return bool(np.linalg.det(arms[1].T @ arms[0]) < 0)


def test_parts_with_followers_on_a_line_do_not_turn(lane, tolerance):
    tensors, metadata = random_face_maps_tensors(coarse=1, refinements=0)
    follower = tensors["parts.follower"][0]
    tensors["rest_vertices"][follower] = np.outer(np.arange(5), [1.0, 2.0, 3.0])
    model, poses = _core.model_from_tensors(tensors, metadata), poses_of(3)
    assert_close(evaluated(resident(lane, model), poses, 60), model.evaluate(poses), tolerance["float32_sum"])
    along = np.full((3, 60, 3), np.nan, np.float32)
    resident(lane, model).jvp(poses, poses[::-1], along)
    assert_close(along, model.jvp(poses, poses[::-1]), tolerance["float32_sum"])


def test_restricted_models_keep_followers_that_are_no_vertices(lane, tolerance):
    model, poses = random_face_maps(parts=2), poses_of(5)
    chosen = [51, 3, 49, 3, 59]
    whole = resident(lane, model)
    result = evaluated(whole.restricted(chosen), poses, 5)
    assert result.tobytes() == evaluated(whole, poses, 60)[:, chosen].tobytes()
    few = resident(lane, model.restricted(chosen))
    assert_close(evaluated(few, poses, 5), model.evaluate(poses)[:, chosen], tolerance["float32_sum"])


@pytest.mark.parametrize("sizes", [{}, SIZES[4], SIZES[5], SIZES[7]], ids=str)
def test_derivatives_are_those_of_the_cpu(sizes, cuda_lane, tolerance):
    model, poses = random_face_maps(**sizes), poses_of(3)
    tangents = poses_of(3, 9)
    along = model.jvp(poses, tangents, device="cuda")
    assert_close(along, model.jvp(poses, tangents), tolerance["float32_sum"])
    few = model.restricted([0, len(model.rest_vertices) - 5])  # of a segment and of a part
    assert_close(few.jacobian(poses, device="cuda"), few.jacobian(poses), tolerance["float32_sum"])


@pytest.mark.parametrize("sizes", [{"parts": 2}, {"components": 4, "hidden_layers": 2}], ids=str)
def test_a_base_lies_under_the_maps(sizes, lane, tolerance):
    model, poses = based_model(*random_face_maps_tensors(**sizes)), poses_of(5)
    vertices = len(model.rest_vertices)
    on_device = resident(lane, model)
    assert_close(evaluated(on_device, poses, vertices), model.evaluate(poses), tolerance["float32_sum"])
    assert evaluated(on_device, poses[3:4], vertices).tobytes() == evaluated(on_device, poses, vertices)[3:4].tobytes()
    along = np.empty((5, vertices, 3), np.float32)
    on_device.jvp(poses, poses[::-1], along)
    assert_close(along, model.jvp(poses, poses[::-1].copy()), tolerance["float32_sum"])
    few = model.restricted([0, vertices - 5])  # of a segment and of a part
    jacobian = np.empty((5, 6, CONTROLS), np.float32)
    resident(lane, few).jacobian(poses, jacobian)
    assert_close(jacobian, few.jacobian(poses), tolerance["float32_sum"])


def test_derivatives_have_the_same_bytes_in_any_chunk(lane):
    model, poses = random_face_maps(), poses_of(5)

    def derivatives(on_device: Any) -> bytes:
        along, jacobian = np.empty((5, 60, 3), np.float32), np.empty((5, 180, CONTROLS), np.float32)
        on_device.jvp(poses, poses[::-1], along)
        on_device.jacobian(poses, jacobian)
        return along.tobytes() + jacobian.tobytes()

    assert derivatives(resident(lane, model, workspace=0)) == derivatives(resident(lane, model))


def test_vertices_stay_on_the_device(emulated_lane):
    model, poses = random_face_maps(), poses_of(4)
    expected = model.evaluate_detail(poses, [0.5, 0.0], device="cuda")
    before = emulated_lane.bytes_to_host()
    for given in (poses, ByInterface(poses)):
        array = model.evaluate_detail_on_device(given, [0.5, 0.0], device="cuda")
        assert np.from_dlpack(array).tobytes() == expected.tobytes()
    assert emulated_lane.bytes_to_host() == before
    assert model.evaluate_detail(ByInterface(poses), [0.5, 0.0], device="cuda").tobytes() == expected.tobytes()


def test_wrong_detail_is_named(cuda_lane):
    model, poses = random_face_maps(), poses_of(4)
    with pytest.raises(ValueError, match=r"evaluate_detail: detail is \(3, 2\); it must be \(4, 2\)"):
        model.evaluate_detail(poses, np.ones((3, 2)), device="cuda")
    with pytest.raises(ValueError, match=r"evaluate_detail: detail is 1\.5"):
        model.evaluate_detail(poses, [1.0, 1.5], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_detail_on_device: detail is 1\.5"):
        model.evaluate_detail_on_device(poses, [1.0, 1.5], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_detail_on_device: detail is float64 \(\)"):
        model.evaluate_detail_on_device(poses, 1.0, device="cuda")
    with pytest.raises(ValueError, match="evaluate_detail: poses is not finite"):
        model.evaluate_detail(np.nan * poses, [1.0, 1.0], device="cuda")


def test_wrong_poses_of_detail_name_the_function(emulated_lane):
    model, poses = random_face_maps(), poses_of(4)
    double = ByInterface(poses.astype(np.float64))
    with pytest.raises(ValueError, match=r"^evaluate_detail: poses is .*of type '<f8'"):
        model.evaluate_detail(double, [1.0, 1.0], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_detail_on_device: poses is .*of type '<f8'"):
        model.evaluate_detail_on_device(double, [1.0, 1.0], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_detail_on_device: poses is not finite"):
        model.evaluate_detail_on_device(np.nan * poses, [1.0, 1.0], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_detail_on_device: device is 'cpu'; it must be another"):
        model.evaluate_detail_on_device(poses, [1.0, 1.0], device="cpu")


def test_detail_on_an_unknown_device_is_refused():
    with pytest.raises(ValueError, match="evaluate_detail: device is 'tpu'"):
        random_face_maps().evaluate_detail(poses_of(1), [1.0, 1.0], device="tpu")


def test_detail_of_other_kinds_is_refused(lane):
    body = random_body()
    poses = random_poses(body.skeleton, 2, numeric=2)
    with pytest.raises(ValueError, match="evaluate_detail: detail is given for a model of kind 'body'"):
        evaluated(resident(lane, body), poses, 90, detail=np.ones((1, 2), np.float32))


def test_vertices_that_overflow_are_refused_and_name_the_row(lane):
    model, poses = random_face_maps(), poses_of(3)
    poses[1] *= np.float32(1e38)
    with pytest.raises(ValueError, match="evaluate: poses is so large in row 1 that vertices overflow"):
        evaluated(resident(lane, model), poses, 60)


def test_timing_takes_a_detail(lane):
    model = random_face_maps()
    on_device = resident(lane, model)
    assert min(on_device.milliseconds(poses_of(8), 4, 2, detail=np.zeros((1, 2), np.float32))) > 0
