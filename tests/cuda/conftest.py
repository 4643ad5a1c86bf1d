"""The two builds of the CUDA code: by nvcc for a GPU, and by the host compiler as an emulation."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast import _device_report as device_report
from rigcast._device_report import DeviceReport, cuda_report
from tests.cuda.derivative_operations import pose_rows
from tests.support.made.models import random_body

ROOT = Path(__file__).resolve().parents[2]


def find_extension(name: str) -> Path | None:
    """An extension of the tests, of the build in use, else of the newest of the builds without a sanitizer."""
    file = name + sysconfig.get_config_var("EXT_SUFFIX")
    own = Path(rc.__file__).parents[2] / "emulation" / file
    if own.exists():
        return own
    builds = [ROOT / "build" / preset / "emulation" / file for preset in ("main", "cuda", "debug")]
    return max(filter(Path.exists, builds), key=lambda path: path.stat().st_mtime, default=None)


def load_extension(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_emulation() -> ModuleType:
    path = find_extension("_cuda_emulated")
    if path is None:
        pytest.skip("no development build with the emulation of the CUDA code: cmake --preset main")
    return load_extension("_cuda_emulated", path)


def load_cuda() -> ModuleType:
    """The extension that is shipped, with the single kernels of the tests' own one where that is built."""
    report = cuda_report()
    if not report.works:
        pytest.skip(f"no GPU to test on: {report.detail}")
    lane = ModuleType("cuda_lane")
    vars(lane).update(vars(importlib.import_module("rigcast._cuda")))
    path = find_extension("_cuda_operations")
    if path is not None:
        kernels = load_extension("_cuda_operations", path)
        vars(lane).update({name: value for name, value in vars(kernels).items() if not name.startswith("_")})
    return lane


@pytest.fixture(scope="session", params=["emulation", pytest.param("cuda", marks=pytest.mark.gpu)])
def lane(request) -> ModuleType:
    """The kernels, emulated and on a GPU."""
    return load_emulation() if request.param == "emulation" else load_cuda()


def use_as_cuda(lane: ModuleType) -> Iterator[ModuleType]:
    """Make ``device="cuda"`` mean a lane."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setitem(sys.modules, "rigcast._cuda", lane)
        report = DeviceReport("cuda", True, "a GPU or its emulation")
        monkeypatch.setattr(device_report, "cuda_report", lambda: report)
        previous = _core.set_device_factory("cuda", lane.factory)
        yield lane
        _core.set_device_factory("cuda", previous)


@pytest.fixture
def cuda_lane(lane) -> Iterator[ModuleType]:
    """What ``device="cuda"`` uses, emulated and on a GPU."""
    yield from use_as_cuda(lane)


@pytest.fixture
def emulated_lane() -> Iterator[ModuleType]:
    """The emulation as ``device="cuda"``: its device arrays are host memory, and it counts copies to the host."""
    yield from use_as_cuda(load_emulation())


@pytest.fixture
def library_lane(lane) -> ModuleType:
    """The kernels in a build that has cuBLAS and cuSPARSE: the emulation has plain loops in their place."""
    if hasattr(lane, "status") and lane.status()["libraries"].startswith("not built in"):
        pytest.skip(f"cuBLAS and cuSPARSE are {lane.status()['libraries']}")
    return lane


@pytest.fixture
def body() -> rc.Deformer:
    return random_body()


@pytest.fixture
def poses(body) -> np.ndarray:
    return pose_rows(body, 6, 0)
