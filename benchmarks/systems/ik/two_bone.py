"""Two-bone limbs in closed form beside the same formula in vectorized NumPy.

    python -m benchmarks.systems.ik.two_bone

One thread. Both sides have float64 inputs; NumPy's has no fallbacks. The engine's results are new arrays, and those of
an earlier call (``out=``). Medians of the processor time of runs that alternate. Goals: 10 times NumPy, and 1e7 limbs
per second of a core.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tests.ik.limb_cases import random_limbs

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

COUNTS = (1_000, 30_000, 1_000_000)
Floats = NDArray[np.float64]
Limbs = tuple[Floats, ...]


def numpy_two_bone(
    base: Floats, target: Floats, upper: Floats, lower: Floats, axis: Floats
) -> tuple[Floats, Floats, Floats]:
    """The formula for limbs without a special case: elbow, end, and which targets are reached."""
    way = target - base
    length = np.sqrt(np.einsum("ij,ij->i", way, way))
    reach = np.clip(length, np.abs(upper - lower), upper + lower)
    way /= length[:, None]
    n = np.empty_like(way)  # np.cross is five times slower
    n[:, 0] = way[:, 1] * axis[:, 2] - way[:, 2] * axis[:, 1]
    n[:, 1] = way[:, 2] * axis[:, 0] - way[:, 0] * axis[:, 2]
    n[:, 2] = way[:, 0] * axis[:, 1] - way[:, 1] * axis[:, 0]
    a = (upper * upper - lower * lower + reach * reach) / (2 * reach)
    h = np.sqrt(np.maximum(upper * upper - a * a, 0.0) / np.einsum("ij,ij->i", n, n))
    elbow = base + a[:, None] * way + h[:, None] * n
    return elbow, base + reach[:, None] * way, reach == length


def seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def compare(count: int, runs: int) -> list[str]:
    """Rows of the table for a number of limbs."""
    limbs: Limbs = random_limbs(count, seed=0)
    ours = rc.ik.two_bone(*limbs, threads=1)
    elbow, end, _ = numpy_two_bone(*limbs)
    difference = max(np.abs(ours.elbow - elbow).max(), np.abs(ours.end - end).max())
    moved = 8 * (3 * 3 + 2 + 2 * 3) + 1  # bytes per limb: read, and written
    rows = []
    for name, out in [("new arrays", None), ("out=", ours)]:
        pairs = [
            (
                seconds(lambda out=out: rc.ik.two_bone(*limbs, threads=1, out=out)),
                seconds(lambda: numpy_two_bone(*limbs)),
            )
            for _ in range(runs)
        ]
        engine, numpy = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        rows.append(
            f"| {count:,} | {name} | {count / engine:.2g} | {moved * count / engine / 1e9:.0f} GB/s "
            f"| {count / numpy:.2g} | {ratio:.1f} x | {difference:.0e} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    options = parser.parse_args()
    lines = [
        "| limbs | results | limbs per second | memory | NumPy, limbs per second | ratio | largest difference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *[row for count in COUNTS for row in compare(count, options.runs)],
        "",
        f"NumPy {np.__version__}, load {load_average():.1f}; {machine()}",
    ]
    print("\n".join(lines))
    if options.write:
        write_between_marks("two-bone limbs", "\n".join(lines))


if __name__ == "__main__":
    main()
