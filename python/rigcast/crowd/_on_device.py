"""Crowds whose shapes and curves are on a device: a call sends what each head plays, and no weights."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig
    from rigcast._cuda import DeviceArray, ResidentCrowd

Heads = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]  # clip (H,), frame (H,), prefix (H,): checked

_lock = threading.Lock()
_on_cuda: WeakKeyDictionary[object, ResidentCrowd] = WeakKeyDictionary()


def resident_crowd(function: str, rig: BlendshapeRig, crowd: _core.Crowd, device: str) -> ResidentCrowd:
    """Copy a crowd to a device other than the CPU, by its first call.

    Parameters
    ----------
    function : str
        The function that errors name.
    rig : BlendshapeRig
        The rig of the crowd.
    crowd : _core.Crowd
        The copy of its clips lives as long as this.
    device : str
        ``"cuda"``.

    Returns
    -------
    ResidentCrowd
        Crowds of one rig share the copy of its shapes.

    Raises
    ------
    ValueError
        If the device is the CPU, is unknown, does not work here, or does not evaluate this rig.
    """
    resident_rig = _core.device_model(rig, device, function)
    with _lock:
        resident = _on_cuda.get(crowd)
        if resident is None:
            from rigcast._cuda import ResidentCrowd

            resident = _on_cuda[crowd] = ResidentCrowd(resident_rig, crowd)
        return resident


def evaluate_on_device(resident: ResidentCrowd, heads: Heads, out: DeviceArray | None) -> DeviceArray:
    """Evaluate heads whose vertices stay on the device.

    Parameters
    ----------
    resident : ResidentCrowd
        The copy of the crowd.
    heads : Heads
        All that the call sends.
    out : DeviceArray, optional
        An earlier result (H, V, 3), which is written again.

    Returns
    -------
    DeviceArray of shape (H, V, 3)
        ``out`` if it was given.

    Raises
    ------
    ValueError
        If ``out`` is anything else, or of another shape.
    """
    from rigcast._cuda import DeviceArray

    if not isinstance(out, DeviceArray | None):
        raise bad_argument("evaluate_on_device", "out", f"a {type(out).__name__}", "None or an earlier result")
    return resident.evaluate_on_device(*heads, out)
