"""A crowd whose shapes and curves are on an NVIDIA GPU, by number of heads.

    python -m benchmarks.systems.cuda.crowd

Wall times of whole calls from Python, medians after a warm-up; each call shows other frames. "Stays, written again" is
``Crowd.evaluate_on_device(out=...)``: it sends the clip, frame and prefix of each head. "Shared" is
``Crowd.instances_on_device`` of as many heads that show ten frames at most, each of which is computed once (Carrigan
2020, figure 4.7). "Weights sent" is ``BlendshapeRig.evaluate_on_device`` with rows of weights. "To the host" copies the
vertices back, and "CPU" is the same crowd on all threads. The rig is that of ``benchmarks.systems.cuda.blendshapes``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.blendshapes import generated, sizes
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import Found, Headline, Plan, Script, cell, markdown, value_of, wall

CLIPS, FRAMES = 20, 600  # ten seconds at 60 frames per second
HEADS = (1, 10, 100, 1000)
STATES = 10  # different frames of heads that share weights
CALL = 120e-6  # seconds: one head took .139 ms on an H100, most of it outside the kernels
COLUMNS = {
    "again_ms": "stays, written again",
    "shared_ms": f"shared: {STATES} frames",
    "weights_ms": "weights sent",
    "host_ms": "to the host",
    "cpu_ms": "CPU",
}


def curves(shapes: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Clips of smooth curves between 0 and 1."""
    seconds = np.arange(FRAMES)[:, None] / 60
    rates, phases = rng.uniform(0.2, 2.0, (CLIPS, shapes)), rng.uniform(0, 6.3, (CLIPS, shapes))
    return [0.5 + 0.5 * np.sin(6.3 * rate * seconds + phase) for rate, phase in zip(rates, phases, strict=True)]


class Stream:
    """Calls for successive frames of a crowd."""

    def __init__(self, crowd: rc.crowd.Crowd, heads: int) -> None:
        rng = np.random.default_rng(heads)
        self.crowd, self.clip = crowd, rng.integers(0, CLIPS, heads)
        self.start, self.now = rng.integers(0, FRAMES // 2, heads) + 0.5, 0
        self.array = crowd.evaluate_on_device(*self.next(), device="cuda")
        self.host = np.empty(self.array.shape, np.float32)

    def next(self) -> tuple[Any, Any]:
        """Clips and frames of the next call."""
        self.now = (self.now + 1) % (FRAMES // 2)
        return self.clip, self.start + self.now

    def shared(self) -> tuple[Any, Any]:
        """The same for heads of which every tenth shows the same."""
        clip, frame = self.next()
        state = np.arange(len(clip)) % STATES
        return clip[state], frame[state]

    def calls(self) -> dict[str, Callable[[], Any]]:
        """The calls to time, by column."""
        crowd, rig = self.crowd, self.crowd.rig
        return {
            "again_ms": lambda: crowd.evaluate_on_device(*self.next(), device="cuda", out=self.array),
            "shared_ms": lambda: crowd.instances_on_device(*self.shared(), device="cuda"),
            "weights_ms": lambda: rig.evaluate_on_device(crowd.weights(*self.next()), "cuda"),
            "host_ms": lambda: crowd.evaluate(*self.next(), device="cuda", out=self.host),
            "cpu_ms": lambda: crowd.evaluate(*self.next(), out=self.host),
        }


def plan(given: argparse.Namespace) -> Plan:
    """The kernels of a call, and what a call sends."""
    rig = generated(given.vertices, given.shapes, given.reach)
    kernels = [floors.curves(given.shapes)]
    kernels += floors.heads(rig.num_shapes, rig.num_columns, given.vertices, rig.num_entries, 12)
    sent = {"weights": 4 * given.shapes, "heads": 16}
    return {"rig": repr(rig), "sent": sent, "heads": list(given.heads), "kernels": floors.as_json(kernels)}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """Figures by number of heads."""
    rig = generated(given.vertices, given.shapes, given.reach)
    crowd = rc.crowd.Crowd(rig, curves(given.shapes, np.random.default_rng(2)))
    rows = {}
    for heads in given.heads:
        stream = Stream(crowd, heads)
        times: dict[str, float] = {name: wall(call, 20 if heads < 1000 else 5) for name, call in stream.calls().items()}
        frame = stream.next()
        cpu = crowd.evaluate(*frame)
        difference = float(np.abs(crowd.evaluate(*frame, device="cuda") - cpu).max() / np.abs(cpu).max())
        rows[str(heads)] = times | {"difference": difference}
    return rows


def predicted_ms(plan: Plan, heads: int, gpu: Gpu) -> tuple[float, float]:
    """Milliseconds of the floor, and of a whole call that writes an array again."""
    found = floors.estimate(floors.from_json(plan["kernels"]), heads, gpu)
    return 1e3 * found.floor, 1e3 * (found.predicted + CALL)


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    about = (
        f"`{plan['rig']}`, {CLIPS} clips of {FRAMES} frames; {plan['sent']['heads']} bytes sent per head instead of "
        f"{plan['sent']['weights']}. Milliseconds per call. Floors and predictions of {gpu.name}; a prediction "
        f"counts {1e3 * CALL:.2f} ms of each call outside the kernels. No goal of its own: that of blendshapes."
    )
    if found is not None:
        most = max(found[str(heads)]["difference"] for heads in plan["heads"])
        about += f" The largest difference from the CPU is {most:.0e}."
    cells = []
    for heads in plan["heads"]:
        times = predicted_ms(plan, heads, gpu)
        measured = [cell(value_of(found, str(heads), name), ".3f") for name in COLUMNS]
        cells.append([f"{heads:,}", *(f"{time:.3f}" for time in times), *measured])
    return [about, "", *markdown(["heads", "floor", "predicted", *COLUMNS.values()], cells)]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """100 heads, or the most."""
    heads = 100 if 100 in plan["heads"] else plan["heads"][-1]
    predicted = f"{heads} heads in {predicted_ms(plan, heads, gpu)[1]:.3f} ms"
    if found is None:
        return Headline(predicted)
    row = found[str(heads)]
    measured = f"{heads} heads in {row['again_ms']:.3f} ms, {row['cpu_ms'] / row['again_ms']:.1f} x the CPU"
    return Headline(predicted, measured)


def options(parser: argparse.ArgumentParser) -> None:
    sizes(parser)
    parser.add_argument("--heads", type=int, nargs="+", default=HEADS)


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
