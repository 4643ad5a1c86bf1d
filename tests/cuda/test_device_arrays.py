"""Vertices that stay on the device and poses that are there: DLPack, __cuda_array_interface__, no copy to the host."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.derivative_operations import pose_rows
from tests.support.made.blendshapes import random_rig
from tests.support.made.models import random_body


class ByInterface:
    """An array of another library on the emulated device, with __cuda_array_interface__."""

    def __init__(self, array: np.ndarray, **changed: Any) -> None:
        self.array, self.shape, self.changed = array, array.shape, changed

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        host = self.array.__array_interface__
        keys = {key: host[key] for key in ("shape", "typestr", "data", "strides")}
        return {**keys, "version": 3, "stream": None, **self.changed}


class ByDlpack:
    """The same with DLPack alone."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.shape, self.device = array, array.shape, device

    def __dlpack__(self) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_numpy_reads_the_emulated_device_without_a_copy(emulated_lane, body, poses):
    array = body.evaluate_on_device(poses, device="cuda")
    vertices = np.from_dlpack(array)
    assert vertices.ctypes.data == array.__cuda_array_interface__["data"][0]
    assert vertices.tobytes() == body.evaluate(poses, device="cuda").tobytes()


def test_nothing_is_copied_to_the_host(emulated_lane, body, poses):
    before = emulated_lane.bytes_to_host()
    body.evaluate_on_device(poses, device="cuda")
    body.evaluate_on_device(ByInterface(poses), device="cuda")
    assert emulated_lane.bytes_to_host() == before


def test_the_counter_sees_copies_to_the_host(emulated_lane, body, poses):
    before = emulated_lane.bytes_to_host()
    vertices = body.evaluate(poses, device="cuda")
    assert emulated_lane.bytes_to_host() == before + vertices.nbytes


def test_vertices_outlive_the_array_and_the_model(emulated_lane):
    model = random_body()
    poses = pose_rows(model, 6, 0)
    expected = model.evaluate(poses, device="cuda")
    vertices = np.from_dlpack(model.evaluate_on_device(poses, device="cuda"))
    del model
    gc.collect()
    assert vertices.tobytes() == expected.tobytes()


def test_a_capsule_that_nobody_takes_is_freed(cuda_lane, body, poses):
    array = body.evaluate_on_device(poses, device="cuda")
    for _ in range(3):
        array.__dlpack__()
    assert array.shape == (6, 90, 3)


def test_the_interfaces_describe_the_array(cuda_lane, body, poses):
    array = body.evaluate_on_device(poses, device="cuda")
    entries = array.__cuda_array_interface__
    assert entries.pop("data")[1] is False
    assert entries == {"version": 3, "shape": (6, 90, 3), "typestr": "<f4", "strides": None, "stream": None}
    assert (array.shape, array.dtype) == ((6, 90, 3), np.float32)
    assert array.__dlpack_device__()[1] == 0
    assert repr(array) == "<rigcast.DeviceArray (6, 90, 3) float32>"


def test_one_pose_gives_one_shape(cuda_lane, body, poses):
    assert body.evaluate_on_device(poses[0], device="cuda").shape == (90, 3)


def test_no_poses_give_an_empty_array(cuda_lane, body, poses):
    assert body.evaluate_on_device(poses[:0], device="cuda").shape == (0, 90, 3)


@pytest.mark.parametrize("kind", [ByInterface, ByDlpack])
def test_poses_on_the_device_give_the_same_bytes(emulated_lane, body, poses, kind):
    expected = body.evaluate(poses, device="cuda")
    array = body.evaluate_on_device(kind(poses), device="cuda")
    assert np.from_dlpack(array).tobytes() == expected.tobytes()
    single = body.evaluate_on_device(kind(poses[2]), device="cuda")
    assert np.from_dlpack(single).tobytes() == expected[2].tobytes()


def test_vertices_of_poses_on_the_device_come_to_the_host(emulated_lane, body, poses):
    expected = body.evaluate(poses, device="cuda")
    assert body.evaluate(ByInterface(poses), device="cuda").tobytes() == expected.tobytes()
    out = np.empty((90, 3), np.float32)
    assert body.evaluate(ByInterface(poses[1]), device="cuda", out=out) is out
    assert out.tobytes() == expected[1].tobytes()


@pytest.mark.parametrize("prefix", [None, 3, [0, 1, 2, 3, 4, 5, 6, 7, 7]])
def test_weights_on_the_device_take_prefixes(emulated_lane, prefix):
    rig = random_rig()
    weights = pose_rows(rig, 9, 0)
    part = {} if prefix is None else {"order": np.arange(6, -1, -1), "prefix": prefix}
    expected = rig.evaluate(weights, device="cuda", **part).tobytes()
    for given in (weights, ByInterface(weights)):
        assert np.from_dlpack(rig.evaluate_on_device(given, device="cuda", **part)).tobytes() == expected
        assert rig.evaluate(given, device="cuda", **part).tobytes() == expected


def test_poses_on_the_host_are_checked(cuda_lane, body, poses):
    poses[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"^evaluate_on_device: poses is not finite"):
        body.evaluate_on_device(poses, device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_on_device: poses is 73 wide; it must be 74 wide"):
        body.evaluate_on_device(poses[:, 1:], device="cuda")


WEIGHTS: list[tuple[dict[str, Any], str]] = [
    ({"weights": np.zeros((2, 6))}, "poses is 6 wide; it must be 7 wide"),
    ({"weights": np.full((2, 7), np.nan)}, "poses is not finite everywhere"),
    ({"order": range(7)}, "prefix is None; it must be a number of shapes"),
    ({"order": [0, 1, 2, 3, 4, 5, 5], "prefix": 2}, "order is holding 5; it must be each shape once"),
    ({"prefix": 8}, "prefix is 8; it must be 0 to 7"),
    ({"prefix": [1, 2, 3]}, r"prefix is \(3,\); it must be \(2,\)"),
    ({"device": "tpu"}, "device is 'tpu'; it must be one of: cpu"),
    ({"device": "cpu", "prefix": 3}, "device is 'cpu'; it must be another"),
]


@pytest.mark.parametrize(("change", "text"), WEIGHTS, ids=[text for _, text in WEIGHTS])
def test_wrong_calls_of_a_rig_name_the_function(emulated_lane, change, text):
    with pytest.raises(ValueError, match=f"^evaluate_on_device: {text}"):
        random_rig().evaluate_on_device(**{"weights": np.zeros((2, 7)), "device": "cuda", **change})


def test_the_type_of_a_result_hangs_on_the_function_alone(emulated_lane, body, poses):
    for given in (poses, ByInterface(poses)):
        assert type(body.evaluate(given, device="cuda")) is np.ndarray
        assert type(body.evaluate_on_device(given, device="cuda")) is emulated_lane.DeviceArray


def test_copies_and_other_devices_are_refused_by_dlpack(cuda_lane, body, poses):
    array = body.evaluate_on_device(poses, device="cuda")
    with pytest.raises(BufferError, match="makes no copy"):
        array.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="makes no copy"):
        array.__dlpack__(copy="yes")
    with pytest.raises(BufferError, match="stays on the device"):
        array.__dlpack__(dl_device=(7, 0))


def test_a_crowd_stays_on_the_device(emulated_lane):
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, pose_rows(rig, 5, 0), np.arange(6, -1, -1))
    heads = {"clip": 0, "frame": [0, 3.5, 3.5, 2], "prefix": [7, 2, 2, 0]}
    expected = crowd.evaluate(**heads, device="cuda")
    before = emulated_lane.bytes_to_host()
    vertices = crowd.evaluate_on_device(**heads, device="cuda")
    instances = crowd.instances_on_device(**heads, device="cuda")
    assert emulated_lane.bytes_to_host() == before
    assert np.from_dlpack(vertices).tobytes() == expected.tobytes()
    assert np.from_dlpack(instances.vertices)[instances.head].tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["DeviceArray", "ResidentModel"])
def test_objects_made_by_new_alone_are_refused(lane, name):
    cls = getattr(lane, name)
    with pytest.raises(TypeError, match="made by __new__ alone"):
        cls.evaluate_on_device(cls.__new__(cls), [0.0]) if name == "ResidentModel" else cls.__new__(cls).shape
