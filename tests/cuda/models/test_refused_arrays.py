"""Arrays of another place, type or layout: named errors, and never a silent copy through the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.test_device_arrays import ByDlpack, ByInterface
from tests.support.made.blendshapes import random_rig
from tests.support.made.face_maps import random_face_maps
from tests.support.made.models import random_body


class Elsewhere(ByDlpack):
    """An array of a library that copies to the host when NumPy asks: JAX does, wherever the array is."""

    copies = 0

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        Elsewhere.copies += 1
        return np.asarray(self.array, dtype)


class Unshared(ByDlpack):
    """An array whose library refuses to share it."""

    def __init__(self, array: np.ndarray, error: Exception, device: Any = (1, 0)) -> None:
        super().__init__(array, device)
        self.error = error

    def __dlpack__(self) -> Any:
        raise self.error

    def __dlpack_device__(self) -> Any:
        if self.device is None:
            raise self.error
        return self.device


GRADIENT = BufferError("Can't export tensors that require gradient")
REFUSED = {
    "float64": (lambda poses: ByInterface(poses.astype(np.float64)), "on the device, of type '<f8'"),
    "integers": (lambda poses: ByInterface(poses.astype(np.int32)), "on the device, of type '<i4'"),
    "big endian": (lambda poses: ByInterface(poses.astype(">f4")), "on the device, of type '>f4'"),
    "float64, DLPack": (lambda poses: ByDlpack(poses.astype(np.float64)), "on the device, of type float64"),
    "float16, DLPack": (lambda poses: ByDlpack(poses.astype(np.float16)), "on the device, of type float16"),
    "integers, DLPack": (lambda poses: ByDlpack(poses.astype(np.int64)), "on the device, of type int64"),
    "bool, DLPack": (lambda poses: ByDlpack(poses > 0), "on the device, of type (bool|uint)8"),
    "three axes": (lambda poses: ByInterface(poses[None]), "with 3 axes"),
    "no axis, DLPack": (lambda poses: ByDlpack(poses[0, 0:1].reshape(())), "with 0 axes"),
    "every other column": (lambda poses: ByInterface(poses[:, ::2]), "not contiguous"),
    "backward": (lambda poses: ByInterface(poses[:, ::-1]), "not contiguous"),
    "transposed, DLPack": (lambda poses: ByDlpack(poses.T), "not contiguous"),
    "strides of one axis": (lambda poses: ByInterface(poses, strides=(4,)), "not contiguous"),
    "strides of three axes": (lambda poses: ByInterface(poses, strides=(4, 4, 4)), "not contiguous"),
    "narrow": (lambda poses: ByInterface(poses[:, :-1].copy()), "73 wide; it must be 74 wide"),
    "host memory": (lambda poses: ByInterface(poses, data=(0, False)), "not memory of the first device"),
    "device 1": (lambda poses: ByDlpack(poses, (1, 1)), "on device 1"),
    "another kind of device": (lambda poses: Elsewhere(poses, (8, 0)), "on a device of DLPack's type 8"),
    "CUDA, where the emulation is": (lambda poses: Elsewhere(poses, (2, 0)), "on a device of DLPack's type 2"),
    "with a gradient": (lambda poses: Unshared(poses, GRADIENT), r"__dlpack__ fails \(Can't export tensors"),
    "of no place": (lambda poses: Unshared(poses, ValueError("meta"), None), r"__dlpack_device__ fails \(meta\)"),
    "place in one number": (lambda poses: Unshared(poses, ValueError(), (1,)), "__dlpack_device__ fails"),
    "masked": (lambda poses: ByInterface(poses, mask=poses), "masked"),
    "rows below zero": (lambda poses: ByInterface(poses, shape=(-1, 74)), r"of shape \(-1, 74\)"),
    "too many numbers": (lambda poses: ByInterface(poses, shape=(2**62, 74)), "of shape"),
    "too many vertices": (lambda poses: ByInterface(poses, shape=(2**54, 74)), f"{2**54} rows; it must be so few"),
    "no address": (lambda poses: ByInterface(poses, data=None), "is malformed"),
    "shape as text": (lambda poses: ByInterface(poses, shape="many"), "is malformed"),
    "stream as text": (lambda poses: ByInterface(poses, stream="now"), "is malformed"),
    "no version": (lambda poses: ByInterface(poses, version=None), "is malformed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_arrays_are_refused_by_name(emulated_lane, body, poses, case):
    change, text = REFUSED[case]
    before = Elsewhere.copies, emulated_lane.bytes_to_host()
    with pytest.raises(ValueError, match=f"^evaluate_on_device: poses is .*{text}") as caught:
        body.evaluate_on_device(change(poses), device="cuda")
    assert isinstance(caught.value, rc.errors.ArgumentError)
    assert (Elsewhere.copies, emulated_lane.bytes_to_host()) == before


# In the emulation DLPack's device is the host, whose arrays `evaluate` converts.
OF_THE_HOST = {case for case in REFUSED if case.endswith("DLPack")} | {"device 1", "with a gradient"}


@pytest.mark.parametrize("case", [case for case in REFUSED if case not in OF_THE_HOST | {"too many vertices"}])
def test_evaluate_refuses_them_too(emulated_lane, body, poses, case):
    change, _ = REFUSED[case]
    with pytest.raises(ValueError, match=r"^evaluate: (poses|out) is "):
        body.evaluate(change(poses), device="cuda")
    assert Elsewhere.copies == 0


CPU_CALLS = {
    "body": (random_body, lambda model, poses: model.evaluate(poses)),
    "blendshapes": (random_rig, lambda model, poses: model.evaluate(poses)),
    "a prefix": (random_rig, lambda model, poses: model.evaluate(poses, order=range(7), prefix=3)),
    "a face": (random_face_maps, lambda model, poses: model.evaluate(poses)),
    "a detail": (random_face_maps, lambda model, poses: model.evaluate_detail(poses, [0.5] * model.num_refinements)),
}


@pytest.mark.parametrize("call", CPU_CALLS)
def test_the_cpu_does_not_read_a_device_through_a_copy(call):
    make, evaluate = CPU_CALLS[call]
    model = make()
    poses = np.zeros((3, len(model.control_names)), np.float32)
    for there in (Elsewhere(poses, (2, 0)), Elsewhere(poses, (8, 0)), ByInterface(poses)):
        with pytest.raises(ValueError, match="poses is on a device; it must be in host memory, as device is 'cpu'"):
            evaluate(model, there)
    assert Elsewhere.copies == 0


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_pinned_memory_is_host_memory(emulated_lane, body, poses, device, monkeypatch):
    """DLPack's type 3: PyTorch has tensors there for faster copies."""
    monkeypatch.setattr(Elsewhere, "copies", 0)
    pinned = Elsewhere(poses, (3, 0))
    assert body.evaluate(pinned, device=device).tobytes() == body.evaluate(poses, device=device).tobytes()
    vertices = body.evaluate_on_device(pinned, device="cuda")
    assert np.from_dlpack(vertices).tobytes() == body.evaluate(poses, device="cuda").tobytes()
    assert Elsewhere.copies > 0


def test_interrupts_are_not_errors_of_the_array(emulated_lane, body, poses):
    class Interrupted(ByDlpack):
        def __dlpack__(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        body.evaluate_on_device(Interrupted(poses), device="cuda")
