"""The devices that can evaluate models here, and the reasons why the others cannot."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rigcast import _core
from rigcast._validate import bad_argument


@dataclass(frozen=True)
class DeviceReport:
    """One device.

    Attributes
    ----------
    name : str
        What ``evaluate(device=...)`` takes: ``"cpu"`` or ``"cuda"``.
    works : bool
    detail : str
        What it is where it works, one phrase why not where it does not: ``"no NVIDIA driver"``.
    """

    name: str
    works: bool
    detail: str


def devices() -> list[str]:
    """Names of the devices that work here, for ``evaluate(device=...)``: ``["cpu"]`` or ``["cpu", "cuda"]``."""
    return [report.name for report in device_reports() if report.works]


def device_reports() -> list[DeviceReport]:
    """All devices that this package knows. Never raises for a missing extension, driver or device."""
    return [DeviceReport("cpu", True, f"{_core.num_processors()} processors"), cuda_report()]


def cuda_report() -> DeviceReport:
    """Report if the CUDA extension is installed, loads, and finds a device that can run it."""
    try:
        extension = importlib.import_module("rigcast._cuda")
    except ModuleNotFoundError:
        fault = _core.build_info()["cuda_fault"] or "it was built, but its file is missing"
        return DeviceReport("cuda", False, f"no CUDA extension in this build ({fault})")
    except ImportError as error:
        return DeviceReport("cuda", False, f"the CUDA extension does not load: {error}")
    status = extension.status()
    if not status["works"]:
        return DeviceReport("cuda", False, status["reason"])
    return DeviceReport("cuda", True, _describe(status["devices"][0]))


def check_device(function: str, device: str) -> None:
    """Refuse a device other than the CPU that is unknown or does not work here; nothing is replaced silently.

    The extension of the device is loaded: it registers its models by ``_core.set_device_factory``.

    Parameters
    ----------
    function : str
        The function that errors name.
    device : str
        Its argument.

    Raises
    ------
    ArgumentError
        With the reason, and the devices that work.
    """
    got = repr(device)
    if device == "cuda":
        report = cuda_report()
        if report.works:
            return
        got = f"'cuda', which does not work here ({report.detail})"
    raise bad_argument(function, "device", got, "one of: " + ", ".join(devices()))


def cuda_libraries() -> str:
    """The versions of cuBLAS and cuSPARSE in the CUDA extension, or why they are not there. Needs no device."""
    try:
        return str(importlib.import_module("rigcast._cuda").status()["libraries"])
    except ImportError:
        return "no CUDA extension in use"


def _describe(device: Mapping[str, Any]) -> str:
    memory = device["memory"] / 2**30
    return f"{device['name']}, {memory:.0f} GiB, compute capability {device['compute_capability']}"
