"""Models on other devices than the CPU: a copy of a model's weights is made on first use and kept with the model."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rigwright._core import Deformer
from rigwright.device_report import cuda_report, devices
from rigwright.errors import bad_argument

if TYPE_CHECKING:
    from rigwright._cuda import BlendshapeEvaluator, BodyEvaluator

_lock = threading.Lock()
_on_cuda: WeakKeyDictionary[Deformer, BodyEvaluator | BlendshapeEvaluator] = WeakKeyDictionary()


def evaluate(model: Deformer, device: str, poses: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Evaluate a model on a device other than the CPU; ``Deformer.evaluate`` calls this with checked arrays.

    Parameters
    ----------
    model : Deformer
        Of kind ``"body"`` or ``"blendshape"``.
    device : str
        ``"cuda"``.
    poses : (T, C) float32
    out : (T, V, 3) float32
        Receives the vertices.

    Raises
    ------
    ValueError
        If the device is unknown, does not work here, or does not evaluate models of this kind.
    CudaError
        If CUDA reports an error.
    """
    if device != "cuda":
        raise bad_argument("evaluate", "device", repr(device), _one_of())
    _cuda_evaluator(model).evaluate(poses, out)


def evaluate_prefix(
    model: Deformer,
    device: str,
    weights: NDArray[np.float32],
    out: NDArray[np.float32],
    order: NDArray[np.int32],
    lengths: NDArray[np.int32],
) -> None:
    """The same for blendshapes of which each head uses a part: ``order`` (K,) shapes, ``lengths`` (T,)."""
    if device != "cuda":
        raise bad_argument("evaluate", "device", repr(device), _one_of())
    evaluator: Any = _cuda_evaluator(model)
    evaluator.evaluate(weights, out, order, lengths)


def _cuda_evaluator(model: Deformer) -> BodyEvaluator | BlendshapeEvaluator:
    with _lock:
        evaluator = _on_cuda.get(model)
        if evaluator is None:
            evaluator = _on_cuda[model] = _copy_to_cuda(model)
        return evaluator


def _copy_to_cuda(model: Deformer) -> BodyEvaluator | BlendshapeEvaluator:
    report = cuda_report()
    if not report.works:
        raise bad_argument("evaluate", "device", f"'cuda', which does not work here ({report.detail})", _one_of())
    if model.kind not in ("body", "blendshape"):
        got = f"'cuda', which does not evaluate models of kind {model.kind!r}"
        raise bad_argument("evaluate", "device", got, "'cpu' for this model")
    from rigwright._cuda import BlendshapeEvaluator, BodyEvaluator

    make = BodyEvaluator if model.kind == "body" else BlendshapeEvaluator
    return make(model.tensors(), json.dumps(model.metadata))


def _one_of() -> str:
    return "one of: " + ", ".join(devices())
