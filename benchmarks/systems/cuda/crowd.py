"""A crowd whose shapes and curves are on an NVIDIA GPU, by number of heads.

    python -m benchmarks.systems.cuda.crowd

Wall times of whole calls from Python, medians after a warm-up; each call shows other frames. "Stays, written again" is
``Crowd.evaluate_on_device(out=...)``: it sends the clip, frame and prefix of each head. "Stays, new array"
allocates the result. "Shared" is ``Crowd.instances_on_device`` of as many heads that show ten frames at most,
each of which is computed once (Carrigan 2020, figure 4.7). "Weights sent" is
``BlendshapeRig.evaluate_on_device`` with rows of weights. "To the host" copies the vertices back, and "CPU" is
the same crowd on all threads. The rig is that of ``benchmarks.systems.cuda.blendshapes``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda.blendshapes import generated, sizes
from benchmarks.systems.cuda.script import Found, Script, copy_rate, markdown, wall

CLIPS, FRAMES = 20, 600  # ten seconds at 60 frames per second
HEADS = (1, 10, 100, 1000)
STATES = 10  # different frames of heads that share weights
COLUMNS = {
    "again_ms": "stays, written again",
    "new_ms": "stays, new array",
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
            "new_ms": lambda: crowd.evaluate_on_device(*self.next(), device="cuda"),
            "shared_ms": lambda: crowd.instances_on_device(*self.shared(), device="cuda"),
            "weights_ms": lambda: rig.evaluate_on_device(crowd.weights(*self.next()), "cuda"),
            "host_ms": lambda: crowd.evaluate(*self.next(), device="cuda", out=self.host),
            "cpu_ms": lambda: crowd.evaluate(*self.next(), out=self.host),
        }


def measure(given: argparse.Namespace) -> Found:
    """A row per number of heads."""
    rig = generated(given.vertices, given.shapes, given.reach)
    crowd = rc.crowd.Crowd(rig, curves(given.shapes, np.random.default_rng(2)))
    copy, rows = copy_rate(), []
    for heads in given.heads:
        stream = Stream(crowd, heads)
        times = {name: wall(call, 20 if heads < 1000 else 5) for name, call in stream.calls().items()}
        frame = stream.next()
        cpu = crowd.evaluate(*frame)
        difference = float(np.abs(crowd.evaluate(*frame, device="cuda") - cpu).max() / np.abs(cpu).max())
        floor = 1e3 * cpu.nbytes / (copy / 2)  # a copy's rate counts what it reads, too
        rows.append({"heads": heads, "floor_ms": floor, "difference": difference} | times)
    sent = {"weights": 4 * given.shapes, "heads": 16}
    return {"rig": repr(rig), "crowd": repr(crowd), "sent": sent, "copy_rate": copy, "rows": rows}


def table(found: Found) -> list[str]:
    """Lines of Markdown; without the columns that no row has."""
    rows = found["rows"]
    columns = {name: head for name, head in COLUMNS.items() if any(name in row for row in rows)}
    about = (
        f"`{found['crowd']}`, `{found['rig']}`; {found['sent']['heads']} bytes sent per head instead of "
        f"{found['sent']['weights']}. Milliseconds per call; the floor is that of writing the vertices once. "
        f"The largest difference from the CPU is {max(row['difference'] for row in rows):.0e}."
    )
    cells = [[f"{row['heads']:,}", f"{row['floor_ms']:.3f}", *(f"{row[name]:.3f}" for name in columns)] for row in rows]
    return [about, "", *markdown(["heads", "floor", *columns.values()], cells)]


def headline(found: Found) -> str:
    """The row of 100 heads, or the last one."""
    row = next((row for row in found["rows"] if row["heads"] == 100), found["rows"][-1])
    return f"{row['heads']} heads in {row['again_ms']:.3f} ms, {row['cpu_ms'] / row['again_ms']:.1f} x the CPU"


def options(parser: argparse.ArgumentParser) -> None:
    sizes(parser)
    parser.add_argument("--heads", type=int, nargs="+", default=HEADS)


SCRIPT = Script(__doc__, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
