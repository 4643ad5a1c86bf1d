"""Device time of a learned model on an NVIDIA GPU, by batch, against what the device can copy and multiply.

Device times lie between two events around the kernels (median, after warm-up, poses rotating through eight batches) and
hold no copies; "call" is the wall time of ``evaluate(device="cuda")`` with its copies, "CPU" that of the CPU on all
threads. Floors: the constants on the device and the numbers that kernels must move, once, over the measured rate of a
copy; multiply-adds over the measured float32 rate of a large matrix product (PyTorch with CUDA, TF32 off; left out
where that is missing). "Of floor" is the larger floor over the time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.systems.cuda.script import Found, Script, copy_rate, extension, limits_line, markdown, matrix_rate, wall

BATCHES = [1, 4, 16, 64, 256, 1024, 4096]
ROTATE = 8  # batches of poses
WORKSPACE = 16 << 30  # bytes: every batch in one piece
SAME = 1e-4  # of the largest coordinate: beyond it, times are those of a wrong result
REPEATS = 50


@dataclass(frozen=True)
class Way:
    """One more device time of the same poses: of another model, or with a detail of refinements."""

    name: str
    model: Any
    detail: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class Case:
    """A model, and per pose its multiply-adds and the bytes that kernels read and write beside the constants."""

    model: Any
    multiply_adds: float
    bytes_per_pose: float
    ways: list[Way] = field(default_factory=list)
    batches: Sequence[int] = tuple(BATCHES)


def evaluator(model: Any, **options: Any) -> Any:
    """The model on the device."""
    return extension().ResidentModel(model, workspace=WORKSPACE, **options)


def rotating_poses(model: Any, most: int) -> NDArray[np.float32]:
    """Random poses inside the ranges of the controls, eight batches of the largest size."""
    low, high = model.control_ranges.T
    return np.random.default_rng(0).uniform(low, high, (ROTATE * most, len(low))).astype(np.float32)


def measure(case: Case, repeats: int = REPEATS) -> Found:
    """Figures of all batches."""
    model, poses = case.model, rotating_poses(case.model, max(case.batches))
    on_device = evaluator(model)
    others = {way.name: (evaluator(way.model), way.detail) for way in case.ways}
    copy, matrix = copy_rate(), matrix_rate()
    rows = []
    for batch in case.batches:
        some, one = poses[: ROTATE * batch], poses[:batch]
        device = median(on_device.milliseconds(some, batch, repeats))
        floors = [(on_device.num_bytes + batch * case.bytes_per_pose) / copy]
        if matrix["rate"]:
            floors.append(2.0 * batch * case.multiply_adds / matrix["rate"])
        cpu, out = model.evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
        row = {
            "batch": batch,
            "device_ms": device,
            "fraction": 1e3 * max(floors) / device,
            "call_ms": wall(lambda one=one, out=out: model.evaluate(one, device="cuda", out=out)),
            "cpu_ms": wall(lambda one=one, out=out: model.evaluate(one, out=out), 10 if batch < 256 else 3),
            "difference": float(np.abs(model.evaluate(one, device="cuda") - cpu).max() / np.abs(cpu).max()),
        }
        if not row["difference"] < SAME:
            raise RuntimeError(f"{batch} poses are {row['difference']:.0e} of the largest coordinate off the CPU's")
        ways = {
            name: median(other.milliseconds(some, batch, repeats, detail)) for name, (other, detail) in others.items()
        }
        rows.append(row | {"ways": ways})
    return {
        "model": repr(model),
        "multiply_adds": case.multiply_adds,
        "device_bytes": {"": on_device.num_bytes} | {name: other.num_bytes for name, (other, _) in others.items()},
        "copy_rate": copy,
        "matrix": matrix,
        "rows": rows,
    }


def table(found: Found) -> list[str]:
    """Lines of Markdown."""
    names = [name for name in found["device_bytes"] if name]
    sizes = [f"{size / 1e6:.2f} MB{f' ({name})' * bool(name)}" for name, size in found["device_bytes"].items()]
    about = (
        f"`{found['model']}`: {found['multiply_adds'] / 1e6:.1f} M multiply-adds per pose, constants on the device "
        f"{', '.join(sizes)}. {limits_line(found)}"
    )
    head = ["poses", "device ms", "of floor", *(f"device ms, {name}" for name in names)]
    rows = [
        [
            f"{row['batch']:,}",
            f"{row['device_ms']:.4f}",
            f"{row['fraction']:.0%}",
            *(f"{row['ways'][name]:.4f}" for name in names),
            f"{row['call_ms']:.3f}",
            f"{row['cpu_ms']:.3f}",
            f"{row['difference']:.0e}",
        ]
        for row in found["rows"]
    ]
    return [about, "", *markdown([*head, "call ms", "CPU ms", "largest difference"], rows)]


def headline(found: Found) -> str:
    """The rate at the batch that has the highest."""
    best = max(found["rows"], key=lambda row: row["batch"] / row["device_ms"])
    rate = 1e3 * best["batch"] / best["device_ms"]
    return f"{rate:,.0f} poses/s at {best['batch']:,} poses, {best['fraction']:.0%} of the floor"


def script(doc: str, kind: str, case: Callable[[Any], Case], random: Callable[[], Any]) -> Script:
    """The script of a kind of model; `random` makes the model that is measured if no file is given."""

    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="?", help=f"a model file of kind {kind} (default: a random one)")
        parser.add_argument("--repeats", type=int, default=REPEATS, help="timed runs per batch (default: %(default)s)")

    def measured(given: argparse.Namespace) -> Found:
        return measure(case(rc.load(given.model) if given.model else random()), given.repeats)

    return Script(f"{doc}\n{__doc__}", measured, table, headline, options)
