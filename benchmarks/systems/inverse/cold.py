"""Cold shots of the inverse rig: from a rig to weights, nothing made before.

    python -m benchmarks.systems.inverse.cold

A short shot on a rig that was just opened pays for what later shots share: packing the rig's columns, their Gram
matrix, how independent the shapes are. Rows are constructed rigs of many shapes, local ones as sculpted shapes are, and
one whose shapes all move every vertex, which nothing can skip; then the ICT face, whose projection has a goal of its
own. Each run makes a new ``Solver``. Wall time, and processor time of all threads, which other work on the machine
disturbs less. Two minutes; seconds with ``--quick``.

Example: ``python -m benchmarks.systems.inverse.cold --data ../shared/data --write``
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.inverse.scenes import constructed_rig, ict_face, smooth_curves
from rigcast._core import num_processors
from rigcast._timing import load_average, machine
from rigcast.inverse._gram import Gram

ROOT = Path(__file__).resolve().parents[3]
FRAMES = 60
ALPHA = 1.0
HEAD = [
    "rig",
    "entries that move",
    "time",
    "solver made",
    "projection of 60 frames",
    "the whole cold shot",
    "frames per second",
    "projection alone, frames per second",
]
SIZES = [(17000, 150, "1,000"), (30000, 300, "400")]
PRODUCT = 1500  # rows and columns of the matrices whose product shows the processor's rate
CLOCKS = {"wall, {} threads": time.perf_counter, "processor": time.process_time}


@dataclass(frozen=True)
class Case:
    """A rig with one shot.

    Attributes
    ----------
    about : str
    rig : BlendshapeRig
    targets : (60, V, 3)
    goal : str
        Frames per second of a cold shot on two threads.
    projection_goal : str
        Frames per second of projections on one thread.
    """

    about: str
    rig: Any
    targets: np.ndarray
    goal: str = ""
    projection_goal: str = ""

    @property
    def density(self) -> float:
        """Share of the pairs of a column and a vertex where the column moves the vertex."""
        return float(np.any(np.asarray(self.rig.columns()) != 0, axis=2).mean())


def dense_rig(vertices: int, shapes: int, seed: int) -> rc.BlendshapeRig:
    """Shapes that move every vertex."""
    rng = np.random.default_rng(seed)
    neutral = rng.normal(size=(vertices, 3)).astype(np.float32)
    deltas = rng.standard_normal((shapes, vertices, 3), np.float32)
    return rc.BlendshapeRig(neutral, deltas, metadata={"meters_per_unit": 0.01})


def cases(data: Path, quick: bool) -> list[Case]:
    sizes = SIZES if not quick else [(500, 20, "1,000"), (800, 30, "400")]
    made = []
    for vertices, shapes, goal in sizes:
        rig = constructed_rig(vertices, shapes, 0, 0)
        made.append(case(f"local shapes: {vertices:,} vertices, {shapes} shapes", rig, goal))
    vertices, shapes, _ = sizes[-1]
    made.append(case(f"dense shapes: {vertices:,} vertices, {shapes} shapes", dense_rig(vertices, shapes, 0)))
    face = None if quick else ict_face(data)
    if face is not None:
        columns = face.rig.num_columns
        targets = face.targets(face.truth[face.shots[0]])[:FRAMES]
        about = f"ICT face: {targets.shape[1]:,} vertices, {columns} columns"
        made.append(Case(about, face.rig, targets, projection_goal="4,000"))
    return made


def case(about: str, rig: Any, goal: str = "") -> Case:
    truth = smooth_curves(FRAMES, rig.num_shapes, 1)
    targets = np.array(rig.evaluate(truth))
    targets += 0.01 * np.random.default_rng(0).standard_normal(targets.shape, np.float32)
    return Case(about, rig, targets, goal)


def median(work: Callable[[], object], clock: Callable[[], float], runs: int) -> float:
    """Seconds, after a call that is not timed."""
    work()
    times = []
    for _ in range(runs):
        began = clock()
        work()
        times.append(clock() - began)
    return statistics.median(times)


def rate(seconds: float, goal: str) -> str:
    """Frames per second, with the goal if there is one."""
    return f"{FRAMES / seconds:,.0f}" + f" (goal {goal})" * bool(goal)


def rows(one: Case, runs: int) -> list[list[str]]:
    """A line of wall time and one of processor time.

    Projections are timed on one thread: their goal is one of a core.
    """
    gram = Gram(one.rig)
    warm = rc.inverse.Solver(one.rig).solve(one.targets, alpha=ALPHA).weights

    def cold() -> np.ndarray:
        return np.asarray(rc.inverse.Solver(one.rig).solve(one.targets, alpha=ALPHA).weights)

    assert np.array_equal(cold(), warm), "a cold shot has the bytes of a warm one"
    lines = []
    for name, clock in CLOCKS.items():
        made = median(lambda: rc.inverse.Solver(one.rig), clock, runs)
        projected = median(lambda: gram.core.project(one.targets, 1), clock, runs)
        whole = median(cold, clock, runs)
        is_wall = clock is time.perf_counter
        lines.append(
            [
                one.about,
                f"{one.density:.0%}",
                name.format(num_processors()),
                *(f"{1e3 * seconds:,.0f} ms" for seconds in (made, projected, whole)),
                rate(whole, one.goal if is_wall else ""),
                rate(projected, "" if is_wall else one.projection_goal),
            ]
        )
    return lines


def dense_multiply_adds(vertices: int, shapes: int) -> float:
    """Those of the upper half of a Gram matrix and of the projections of a shot, if every shape moves every vertex."""
    return 3.0 * vertices * (shapes * (shapes + 1) / 2 + FRAMES * shapes)


def dense_floor(runs: int) -> str:
    """The reason why dense shapes have no goal: the time of their arithmetic alone, at the rate of a matrix product."""
    vertices, shapes, goal = SIZES[-1]
    square = np.random.default_rng(0).random((PRODUCT, PRODUCT))
    rate = PRODUCT**3 / median(lambda: square @ square, time.process_time, runs)
    work = dense_multiply_adds(vertices, shapes)
    return (
        f"Dense shapes: the Gram matrix and {FRAMES} projections are {work / 1e9:.2f} G multiply-adds in double "
        f"precision. At the {rate / 1e9:.1f} G/s of NumPy's matrix product on one thread they take "
        f"{1e3 * work / rate / 2:.0f} ms on two; {goal} frames per second leave {1e3 * FRAMES / float(goal):.0f} ms "
        f"for everything."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the faces")
    parser.add_argument("--runs", type=int, default=10, help="timed runs")
    parser.add_argument("--quick", action="store_true", help="small rigs: does it all run?")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    arguments = parser.parse_args()
    if arguments.quick and arguments.write:
        parser.error("--quick writes no table")
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    for one in cases(arguments.data, arguments.quick):
        for cells in rows(one, 3 if arguments.quick else arguments.runs):
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    about = (
        f"alpha {ALPHA:g}, {FRAMES} frames, medians of {arguments.runs} runs after a warm-up; weights have the bytes "
        f"of a shot on a solver that was made before. Processor time is that of all threads together; projections are "
        f"on one thread. Goals of cold shots are wall times on two processors. {machine()}; "
        f"rigcast {rc.__version__}, NumPy {np.__version__}; load average {load_average():.1f}."
    )
    text = "\n".join(lines) + f"\n\n{dense_floor(arguments.runs)}\n\n{about}"
    print(text.split("\n\n", 1)[1])
    if arguments.write:
        write_between_marks("inverse cold", text)


if __name__ == "__main__":
    main()
