"""Crowds whose shapes and curves are on a device: a call sends what each head plays, and no weights."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rigcast import _device_models as device_models
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig
    from rigcast._cuda import ResidentCrowd

_lock = threading.Lock()
_on_cuda: WeakKeyDictionary[object, ResidentCrowd] = WeakKeyDictionary()


@dataclass(frozen=True)
class Curves:
    """The data that a crowd copies to a device: its rig, clips (T_i, K) and order of shapes (K,)."""

    rig: BlendshapeRig
    clips: list[NDArray[np.float32]]
    order: NDArray[np.int32]


def evaluate(
    crowd: object,
    curves: Curves,
    heads: tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]],
    device: str,
    output: str,
    out: Any,
) -> Any:
    """Vertices (H, V, 3) of heads on a device other than the CPU.

    Parameters
    ----------
    crowd : object
        The copy on the device lives as long as this.
    curves : Curves
        Copied to the device by the first call of a crowd.
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
    resident = _resident(crowd, curves, device)
    if output == "host":
        resident.evaluate(*heads, out)
        return out
    from rigcast._cuda import DeviceArray

    if not isinstance(out, DeviceArray | None):
        expected = "None or an earlier result on the device, if output is 'device'"
        raise bad_argument("evaluate", "out", f"a {type(out).__name__}", expected)
    return resident.evaluate_on_device(*heads, out)


def _resident(crowd: object, curves: Curves, device: str) -> ResidentCrowd:
    rig = device_models.resident_model("evaluate", curves.rig, device)
    with _lock:
        resident = _on_cuda.get(crowd)
        if resident is None:
            from rigcast._cuda import ResidentCrowd

            resident = _on_cuda[crowd] = ResidentCrowd(rig, curves.clips, curves.order)
        return resident
