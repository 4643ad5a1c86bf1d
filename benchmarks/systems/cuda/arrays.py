"""Arrays of other packages on the device as poses: ``python -m benchmarks.systems.cuda.arrays``.

PyTorch, CuPy and JAX, each if it is installed: poses that are on the device go to ``evaluate_on_device`` and
``evaluate``. Their vertices must have the bytes of those of NumPy's poses, and nothing may be copied to the host:
copies from the device to the host are counted by PyTorch's profiler (CUPTI), which sees the whole process; the
vertices that the package reads must lie where the engine wrote them. Wall times of whole calls, medians.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.kernels.body import BODY_SIZES, learned
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
    NOT_RUN,
    Found,
    Headline,
    Plan,
    Script,
    cell,
    extension,
    markdown,
    value_of,
    wall,
)

Poses = NDArray[np.float32]


@dataclass(frozen=True)
class Package:
    """A package: poses put on the device, and the address of an array that is there as the package sees it."""

    name: str
    module: str
    put: Callable[[ModuleType, Poses], Any]
    address: Callable[[ModuleType, Any], int]


def jax_address(jax: ModuleType, array: Any) -> int:
    return int(jax.dlpack.from_dlpack(array).unsafe_buffer_pointer())


PACKAGES = [
    Package(
        "PyTorch",
        "torch",
        lambda torch, poses: torch.tensor(poses, device="cuda"),
        lambda torch, array: int(torch.from_dlpack(array).data_ptr()),
    ),
    Package(
        "CuPy",
        "cupy",
        lambda cupy, poses: cupy.asarray(poses),
        lambda cupy, array: int(cupy.from_dlpack(array).data.ptr),
    ),
    Package("JAX", "jax", lambda jax, poses: jax.device_put(poses, jax.devices("gpu")[0]), jax_address),
]


def copies_to_host(call: Callable[[], Any]) -> int | None:
    """Copies from the device to the host during a call, of the whole process; None if nothing can count them."""
    try:
        profiler = importlib.import_module("torch.profiler")
    except ModuleNotFoundError:
        return None
    activities = [profiler.ProfilerActivity.CUDA]
    if activities[0] not in profiler.supported_activities():
        return None
    with profiler.profile(activities=activities) as profile:
        call()
    return sum(event.name.startswith("Memcpy DtoH") for event in profile.events())


def with_package(package: Package, model: Any, poses: Poses) -> dict[str, Any]:
    """Figures of one package, or ``absent``: why there are none."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the device's memory
    try:
        module = importlib.import_module(package.module)
        there = package.put(module, poses)
    except ModuleNotFoundError:
        return {"absent": "not installed"}
    except (RuntimeError, AssertionError) as error:  # no GPU that this package works with
        return {"absent": str(error).strip().splitlines()[0]}
    expected = model.evaluate(poses, device="cuda")
    same = model.evaluate(there, device="cuda").tobytes() == expected.tobytes()
    array = model.evaluate_on_device(there, device="cuda")
    shared = package.address(module, array) == array.__cuda_array_interface__["data"][0]
    return {
        "version": str(module.__version__),
        "same": bool(same),
        "shared": bool(shared),
        "copies": copies_to_host(lambda: model.evaluate_on_device(there, device="cuda")),
        "there_ms": wall(lambda: model.evaluate_on_device(there, device="cuda")),
        "numpy_ms": wall(lambda: model.evaluate_on_device(poses, device="cuda")),
    }


def plan(given: argparse.Namespace) -> Plan:
    """The number of poses, and the kernels of their model."""
    model = learned(BODY_SIZES["num_vertices"])
    kernels = floors.body(model.tensors(), len(model.control_names), model.num_vertices)
    return {"model": repr(model), "poses": given.poses, "kernels": floors.as_json(kernels)}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """Figures by package. Raises RuntimeError if bytes differ or something is copied: no figure stands for that."""
    extension()
    model = learned(BODY_SIZES["num_vertices"])
    low, high = model.control_ranges.T
    poses = np.random.default_rng(0).uniform(low, high, (given.poses, len(low))).astype(np.float32)
    found = {package.name: with_package(package, model, poses) for package in PACKAGES}
    wrong = [name for name, row in found.items() if not row.get("same", True) or row.get("copies") not in (None, 0)]
    if wrong:
        raise RuntimeError(f"other bytes, or copies to the host, with poses of {', '.join(wrong)}")
    return found


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown: a row per package."""
    rows = []
    for package in PACKAGES:
        absent = value_of(found, package.name, "absent")
        values = {key: value_of(found, package.name, key) for key in ("version", "same", "shared", "copies")}
        if absent is not None or found is None:
            rows.append([package.name, absent or NOT_RUN, *[NOT_RUN] * 5])
            continue
        times = [cell(value_of(found, package.name, key), ".3f") for key in ("there_ms", "numpy_ms")]
        words = ["yes" if values[key] else "no" for key in ("same", "shared")]
        counted = "-" if values["copies"] is None else str(values["copies"])
        rows.append([package.name, str(values["version"]), *words, counted, *times])
    time = floors.estimate(floors.from_json(plan["kernels"]), plan["poses"], gpu)
    about = (
        f"{plan['poses']:,} poses of `{plan['model']}`; the kernels' floor is {1e3 * time.floor:.3f} ms, predicted "
        f"{1e3 * time.predicted:.3f} ms ({gpu.name}). Goal: same bytes, vertices shared, no copy to the host."
    )
    head = ["poses of", "version", "same bytes", "vertices shared", "copies to the host", "call ms", "NumPy's poses ms"]
    return [about, "", *markdown(head, rows)]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The packages that work."""
    predicted = "same bytes, no copy to the host"
    if found is None:
        return Headline(predicted)
    work = [name for name, row in found.items() if "absent" not in row]
    return Headline(predicted, f"{', '.join(work)}: {predicted}" if work else "no package is installed")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--poses", type=int, default=1024)


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
