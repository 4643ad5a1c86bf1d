"""Device time of a learned model on an NVIDIA GPU, by batch, beside its floor and a prediction.

Device times lie between two events around the kernels (median, after warm-up, poses rotating through eight batches) and
hold no copies; "call" is the wall time of ``evaluate(device="cuda")`` with its copies, "CPU" that of the CPU on all
threads. The floor of a batch is the sum of those of its kernels (``benchmarks/systems/cuda/floors.py``), and at least
the time of its launches in a graph; the share after a measured time is the floor over it.
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
from benchmarks.systems.cuda.floors import Estimate, Kernel, as_json, estimate, from_json
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
    Found,
    Headline,
    Plan,
    Script,
    cell,
    extension,
    markdown,
    share,
    value_of,
    wall,
)

BATCHES = [1, 4, 16, 64, 256, 1024, 4096]
ROTATE = 8  # batches of poses
WORKSPACE = 16 << 30  # bytes: every batch in one piece
SAME = 1e-4  # of the largest coordinate: beyond it, times are those of a wrong result
REPEATS = 50
GOAL = "70 % of the floor at the largest batch, one pose in 2 x its launches in a graph"


@dataclass(frozen=True)
class Way:
    """One more device time of the same poses: of another model, or with a detail of refinements."""

    name: str
    model: Any
    detail: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class Case:
    """A model, the kernels of its evaluation, and other ways to measure."""

    model: Any
    kernels: list[Kernel]
    ways: list[Way] = field(default_factory=list)
    batches: Sequence[int] = tuple(BATCHES)


def evaluator(model: Any, **options: Any) -> Any:
    """The model on the device."""
    return extension().ResidentModel(model, workspace=WORKSPACE, **options)


def rotating_poses(model: Any, most: int) -> NDArray[np.float32]:
    """Random poses inside the ranges of the controls, eight batches of the largest size."""
    low, high = model.control_ranges.T
    return np.random.default_rng(0).uniform(low, high, (ROTATE * most, len(low))).astype(np.float32)


def plan(case: Case) -> Plan:
    """Batches, kernels and names of the ways."""
    return {
        "model": repr(case.model),
        "batches": list(case.batches),
        "kernels": as_json(case.kernels),
        "ways": [way.name for way in case.ways],
    }


def measure(case: Case, repeats: int = REPEATS) -> Found:
    """Figures by batch."""
    model, poses = case.model, rotating_poses(case.model, max(case.batches))
    on_device = evaluator(model)
    others = {way.name: (evaluator(way.model), way.detail) for way in case.ways}
    rows = {}
    for batch in case.batches:
        some, one = poses[: ROTATE * batch], poses[:batch]
        cpu, out = model.evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
        row = {
            "device_ms": median(on_device.milliseconds(some, batch, repeats)),
            "call_ms": wall(lambda one=one, out=out: model.evaluate(one, device="cuda", out=out)),
            "cpu_ms": wall(lambda one=one, out=out: model.evaluate(one, out=out), 10 if batch < 256 else 3),
            "difference": float(np.abs(model.evaluate(one, device="cuda") - cpu).max() / np.abs(cpu).max()),
        }
        if not row["difference"] < SAME:
            raise RuntimeError(f"{batch} poses are {row['difference']:.0e} of the largest coordinate off the CPU's")
        for name, (other, detail) in others.items():
            row[name] = median(other.milliseconds(some, batch, repeats, detail))
        rows[str(batch)] = row
    rows["device bytes"] = {"": on_device.num_bytes} | {name: other.num_bytes for name, (other, _) in others.items()}
    return rows


def of_batch(plan: Plan, batch: int, gpu: Gpu) -> Estimate:
    return estimate(from_json(plan["kernels"]), batch, gpu)


def about(plan: Plan, found: Found | None, gpu: Gpu) -> str:
    """The text above a table: the model, its work, the goal, the launches; memory and accuracy if measured."""
    kernels = from_json(plan["kernels"])
    launches = sum(kernel.launches for kernel in kernels)
    work, begun = sum(kernel.operations for kernel in kernels) / 2e6, 1e3 * launches * gpu.launch
    text = (
        f"`{plan['model']}`: {work:.1f} M multiply-adds per pose in {launches} launches, {begun:.3f} ms in a graph. "
        f"Goal: {GOAL}. Floors and predictions of {gpu.name}."
    )
    if found is None:
        return text
    sizes = found["device bytes"].items()
    bytes_there = ", ".join(f"{size / 1e6:.2f} MB{f' ({name})' * bool(name)}" for name, size in sizes)
    most = max(found[str(batch)]["difference"] for batch in plan["batches"])
    return f"{text} Constants on the device: {bytes_there}. The largest difference from the CPU is {most:.0e}."


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    columns = {name: f"{name} ms" for name in plan["ways"]} | {"call_ms": "call ms", "cpu_ms": "CPU ms"}
    forms = dict.fromkeys(columns, ".3f") | dict.fromkeys(plan["ways"], ".4f")
    rows = []
    for batch in plan["batches"]:
        floors = of_batch(plan, batch, gpu)
        measured = value_of(found, str(batch), "device_ms")
        own = [f"{1e3 * floors.floor:.4f}", f"{1e3 * floors.predicted:.4f}"]
        own.append(cell(measured, ".4f") + share(1e3 * floors.floor, measured))
        rows.append([f"{batch:,}", *own, *(cell(value_of(found, str(batch), key), forms[key]) for key in columns)])
    head = ["poses", "floor ms", "predicted ms", "measured ms", *columns.values()]
    return [about(plan, found, gpu), "", *markdown(head, rows)]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """Rates at the largest batch, and one pose."""
    batch = plan["batches"][-1]
    most, one = of_batch(plan, batch, gpu), of_batch(plan, plan["batches"][0], gpu)

    def phrase(large: float, small: float) -> str:
        return (
            f"{batch / large:,.0f} poses/s at {batch:,} poses, {most.floor / large:.0%} of the floor; "
            f"one pose {1e3 * small:.3f} ms, {small / one.launches:.1f} x its launches"
        )

    predicted = phrase(most.predicted, one.predicted)
    if found is None:
        return Headline(predicted)
    ms = [found[str(size)]["device_ms"] / 1e3 for size in (batch, plan["batches"][0])]
    return Headline(predicted, phrase(*ms))


def script(doc: str, kind: str, case: Callable[[Any], Case], random: Callable[[], Any]) -> Script:
    """The script of a kind of model; `random` makes the model that is measured if no file is given."""

    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="?", help=f"a model file of kind {kind} (default: a random one)")
        parser.add_argument("--repeats", type=int, default=REPEATS, help="timed runs per batch (default: %(default)s)")

    def of(given: argparse.Namespace) -> Case:
        return case(rc.load(given.model) if given.model else random())

    return Script(
        f"{doc}\n{__doc__}",
        lambda given: plan(of(given)),
        lambda given, planned: measure(of(given), given.repeats),
        table,
        headline,
        options,
    )
