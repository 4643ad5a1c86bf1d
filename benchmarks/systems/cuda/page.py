"""The page of the GPU: tables of all parts together, from kept figures or from floors and predictions alone."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from benchmarks.systems.cuda.floors import EFFICIENCY, SPLIT_PRODUCTS, estimate, from_json
from benchmarks.systems.cuda.gpus import Gpu, gpu_of
from benchmarks.systems.cuda.script import NOT_RUN, Plan, Script, markdown

NO_DEVICE = "No device has run these kernels: floors and predictions alone."
RATES = "GPU rates"  # the part that measures the GPU itself, whose rates all floors then use
Figures = dict[str, Any]

# One run on an H100 80GB HBM3 beside 16 processors of a Xeon, of kernels without matrix units and their peers.
BEFORE = [
    ["100 heads of 72 shapes, 46,000 vertices", "0.113 ms", "one kernel per head 2.136 ms, cuBLAS 0.102 ms"],
    ["100 heads of a crowd, stay on the GPU", "0.237 ms", "CPU 14.849 ms"],
    ["inverse rig, whole call", "12,602 frames/s", "CPU 17,444 frames/s"],
    ["body, 4,096 poses", "3.053 ms", "CPU 54.1 ms; with copies 63.9 ms"],
    ["face maps, 1,024 poses", "13.42 ms", "CPU 111.8 ms; with copies 27.2 ms"],
    ["differential subspace, one pose", "0.96 ms", "cuBLAS 0.12 ms"],
]


@dataclass(frozen=True)
class Part:
    """One script and its place on the page.

    Attributes
    ----------
    name : str
        Of the marks.
    module : str
        With a ``SCRIPT`` (``benchmarks/systems/cuda/script.py``).
    seconds : float
        Limit.
    goal : str
    """

    name: str
    module: str
    seconds: float
    goal: str

    def script(self) -> Script:
        script: Script = importlib.import_module(self.module).SCRIPT
        return script


@dataclass(frozen=True)
class Shown:
    """A part as the page shows it: its plan, its figures or None, and why there are none."""

    part: Part
    plan: Plan
    rows: Figures | None
    reason: str = ""


def shown(part: Part, figures: Figures) -> Shown:
    """Plans of parts that were not measured are made here, with their scripts' own sizes."""
    entry = figures["parts"].get(part.name, {})
    if entry.get("state") == "measured":
        return Shown(part, entry["found"]["plan"], entry["found"]["rows"])
    return Shown(part, part.script().default_plan(), None, entry.get("reason", ""))


def gpu_measured(figures: Figures) -> Gpu:
    """The GPU of the figures with its measured rates, or the H100."""
    entry = figures["parts"].get(RATES, {})
    return gpu_of(entry["found"]["rows"] if entry.get("state") == "measured" else None)


def overview(figures: Figures, parts: list[Shown], gpu: Gpu) -> list[str]:
    """The run with its device, and a row per part: goal, prediction, measurement."""
    about = figures.get("setting")
    where = f"{about['device']}; {about['machine']}; rigcast {about['version']}." if about else NO_DEVICE
    rows = []
    for each in parts:
        phrases = each.part.script().headline(each.plan, each.rows, gpu)
        measured = phrases.measured if not each.reason else f"{NOT_RUN}: {each.reason}"
        rows.append([f"`python -m {each.part.module}`", each.part.goal, phrases.predicted, measured])
    return [where, "", *markdown(["script", "goal", "predicted", "measured"], rows)]


def section(each: Shown, gpu: Gpu) -> list[str]:
    """The table of a part; rows without figures say so, and why."""
    lines = each.part.script().table(each.plan, each.rows, gpu)
    return [*lines, "", f"Not measured: {each.reason}."] if each.reason else lines


MANY = 1 << 20  # frames of a batch whose constants and launches no longer count


def kernel_rows(each: Shown, gpu: Gpu) -> list[list[str]]:
    """A row per kernel of a part: its work, both floors of a frame in a large batch, the predicted share."""
    rows: list[list[str]] = []
    for kernel in from_json(each.plan.get("shown", each.plan.get("kernels", []))):
        many = estimate([kernel], MANY, gpu)
        cells = [
            f"{kernel.operations / 1e6:.3f}",
            f"{kernel.frame_bytes / 1e3:.1f}",
            f"{kernel.constant_bytes / 1e6:.2f}",
            f"{1e9 * many.bytes / MANY:.1f}",
            f"{1e9 * many.operations / MANY:.1f}",
            kernel.unit,
            f"{EFFICIENCY[kernel.efficiency].share:.0%} ({kernel.efficiency})",
        ]
        if rows and rows[-1][1:] == cells:
            first = rows[-1][0].split(" to ")[0]
            rows[-1][0] = first if first.endswith(f": {kernel.name}") else f"{first} to {kernel.name}"
        else:
            rows.append([f"{each.part.name.removeprefix('GPU ')}: {kernel.name}", *cells])
    return rows


def kernel_table(parts: list[Shown], gpu: Gpu) -> list[str]:
    """Both floors of every kernel, and the efficiencies of the predictions with their reasons."""
    head = ["kernel", "M operations", "KB moved", "MB of constants", "bytes ns", "operations ns", "unit", "efficiency"]
    twice = ("GPU libraries", "GPU arrays")  # they have the kernels of other parts
    rows = [row for each in parts if each.part.name not in twice for row in kernel_rows(each, gpu)]
    reasons = [[name, f"{given.share:.0%}", given.reason] for name, given in EFFICIENCY.items()]
    about = (
        f"Work and floors per frame, pose or head of a large batch, whose constants do not count; {gpu.name}. Unit "
        f"split: {SPLIT_PRODUCTS} products of TF32 on the matrix units for one of float32; cache: bytes in the L2."
    )
    return [about, "", *markdown(head, rows), "", *markdown(["efficiency", "share", "why"], reasons)]


def before_table() -> list[str]:
    """Figures of an H100 with scalar kernels."""
    return markdown(["job", "scalar kernels", "peer in the same run"], BEFORE)
