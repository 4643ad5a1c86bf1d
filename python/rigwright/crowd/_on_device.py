"""Crowds whose shapes and curves are on a device: a call sends what each head plays, and no weights."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rigwright import _device_models as device_models
from rigwright._validate import bad_argument

if TYPE_CHECKING:
    from rigwright._cuda import ResidentCrowd
    from rigwright.crowd._crowd import Crowd

_lock = threading.Lock()
_on_cuda: WeakKeyDictionary[Crowd, ResidentCrowd] = WeakKeyDictionary()


def evaluate(
    crowd: Crowd,
    clips: list[NDArray[np.float32]],
    heads: tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]],
    device: str,
    output: str,
    out: Any,
) -> Any:
    """Vertices (H, V, 3) of heads on a device other than the CPU.

    Parameters
    ----------
    crowd : Crowd
    clips : list of (T_i, K) float32
        The clips of the crowd, copied to the device by its first call, as the rig is.
    heads : clip (H,), frame (H,) and prefix (H,), checked
        All that a call sends.
    device : str
        ``"cuda"``.
    output : str
        ``"host"``: written into ``out``; ``"device"``: an array on the device.
    out : (H, V, 3) float32, or None
        With output ``"device"`` an earlier result of that shape, which is written again, or None.

    Raises
    ------
    ValueError
        If the device is unknown or does not work here, the output is neither, or ``out`` does not fit it.
    """
    if output not in ("host", "device"):
        raise bad_argument("evaluate", "output", repr(output), "'host' or 'device'")
    resident = _resident(crowd, clips, device)
    if output == "host":
        resident.evaluate(*heads, out)
        return out
    from rigwright._cuda import DeviceArray

    if not isinstance(out, DeviceArray | None):
        expected = "None or an earlier result on the device, if output is 'device'"
        raise bad_argument("evaluate", "out", f"a {type(out).__name__}", expected)
    return resident.evaluate_on_device(*heads, out)


def _resident(crowd: Crowd, clips: list[NDArray[np.float32]], device: str) -> ResidentCrowd:
    rig = device_models.resident_model("evaluate", crowd.rig, device)
    with _lock:
        resident = _on_cuda.get(crowd)
        if resident is None:
            from rigwright._cuda import ResidentCrowd

            resident = _on_cuda[crowd] = ResidentCrowd(rig, clips, crowd.order)
        return resident
