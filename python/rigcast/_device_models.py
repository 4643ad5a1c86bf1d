"""Models on other devices than the CPU: a copy of a model's constants is made on first use and kept with the model.

``Deformer`` calls these functions with arrays that it has checked, or with arrays that are on the device already.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._device_report import cuda_report, devices
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._cuda import DeviceArray, ResidentModel

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]

_lock = threading.Lock()
_on_cuda: WeakKeyDictionary[Deformer, ResidentModel] = WeakKeyDictionary()


def evaluate(
    model: Deformer,
    device: str,
    poses: Any,
    out: Float32,
    order: Int32 | None = None,
    lengths: Int32 | None = None,
    detail: Float32 | None = None,
) -> None:
    """Evaluate a model on a device other than the CPU.

    Parameters
    ----------
    model : Deformer
        Of kind ``"body"``, ``"differential"``, ``"face_maps"`` or ``"blendshape"``.
    device : str
        ``"cuda"``.
    poses : (T, C) float32, or an array (T, C) or (C,) that is on the device
    out : (T, V, 3) float32
        Receives the vertices.
    order : (K,), lengths : (T,), optional
        Of blendshapes: the shapes by importance, and how many of them each head uses.
    detail : (1, R) or (T, R), optional
        Of a face on deformation maps: the factors of its refinements.

    Raises
    ------
    ValueError
        If the device is unknown, does not work here, or does not evaluate models of this kind.
    CudaError
        If CUDA reports an error.
    """
    function = "evaluate" if detail is None else "evaluate_detail"
    resident_model(function, model, device).evaluate(poses, out, order, lengths, detail)


def evaluate_on_device(
    model: Deformer,
    device: str,
    poses: Any,
    order: Int32 | None = None,
    lengths: Int32 | None = None,
    detail: Float32 | None = None,
) -> DeviceArray:
    """The same vertices (T, V, 3), or (V, 3) of one pose, in an array that stays on the device."""
    function = "evaluate" if detail is None else "evaluate_detail"
    return resident_model(function, model, device).evaluate_on_device(poses, order, lengths, detail)


def jvp(model: Deformer, device: str, poses: Float32, tangents: Float32, out: Float32) -> None:
    """Write the derivatives (T, V, 3) of poses (T, C) along tangents (T, C); errors are those of `evaluate`."""
    resident_model("jvp", model, device).jvp(poses, tangents, out)


def jacobian(model: Deformer, device: str, poses: Float32, out: Float32) -> None:
    """Write the Jacobians (T, 3 V, C) of poses (T, C); errors are those of `evaluate`."""
    resident_model("jacobian", model, device).jacobian(poses, out)


def resident_model(function: str, model: Deformer, device: str) -> ResidentModel:
    """The copy of a model on a device, made by the first call; `function` is what errors name."""
    if device != "cuda":
        raise bad_argument(function, "device", repr(device), _one_of())
    with _lock:
        resident = _on_cuda.get(model)
        if resident is None:
            resident = _on_cuda[model] = _copy_to_cuda(function, model)
        return resident


def _copy_to_cuda(function: str, model: Deformer) -> ResidentModel:
    report = cuda_report()
    if not report.works:
        raise bad_argument(function, "device", f"'cuda', which does not work here ({report.detail})", _one_of())
    if model.kind not in ("body", "differential", "face_maps", "blendshape"):
        got = f"'cuda', which does not evaluate models of kind {model.kind!r}"
        raise bad_argument(function, "device", got, "'cpu' for this model")
    from rigcast._cuda import ResidentModel

    return ResidentModel(model.tensors(), json.dumps(model.metadata))


def _one_of() -> str:
    return "one of: " + ", ".join(devices())
