"""Times expression packing beside the published program, and shows what it finds: ``... packing.plans [DATA]``.

DATA, if it is not ../shared/data, is the folder with ``ict_facekit`` and ``makehuman_hm08``; needed too: ``pip install
pulp highspy``. About ten minutes on a quiet machine, three with ``--quick``; ``--write`` puts the tables into
docs/benchmarks.

First a summary of the faces, then two tables of times: the first expression beside PuLP with CBC and beside HiGHS on
the program as published (raw rows: one per vertex that a shape moves, one per pair), and the whole sequence beside
HiGHS on the same rows, all with their own presolve; then both beside HiGHS at its best, on maximal rows: the distinct
rows that lie in no other. In the first line of a face each side's reduction is a part of its time, in the second of
neither's. All sides start from the same binary shapes and importance and must reach the same objectives. A peer that
takes longer than ``--limit`` is stopped, and its row says so. Seconds are processor time of one thread, rounds
interleaved.
The others: the thesis's shape of results: what the first expressions of greedy and optimal packing cover, how near
examples of them bring transferred shapes to the true ones, and what the importance's alpha and beta and the threshold
of binary shapes (mu) change.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.packing.coverage import alpha_table, by_alpha, coverage, coverage_table, where_ours_differs
from benchmarks.systems.packing.faces import Face, arkit, ict, modelling, units
from benchmarks.systems.packing.speed import CLOCK, LONG, speed_tables
from benchmarks.systems.packing.sweeps import sweep_table
from rigcast._timing import load_average, machine

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def versions() -> str:
    found = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pulp", "highspy", "numpy"))
    return f"{machine()}; rigcast {rc.__version__}, {found} (CBC as PuLP brings it)."


def protocol(rounds: int, limit: float) -> str:
    return (
        f"One thread, processor time,"
        f" medians of {rounds} interleaved rounds, of fewer where they take {LONG:g} s together; CBC may take {limit:g}"
        f" s of the processor, HiGHS {CLOCK * limit:g} s by the clock. All of them start from binary shapes;"
        " `pack_expressions` starts from vertices and finds pairs and importance too. Bounds hold for every plan,"
        " whatever its order. The thesis's seconds are of its machine, on characters that are not public."
    )


def true_shapes(faces: list[Face]) -> str:
    return f"Identities and true shapes: {'; '.join(face.about for face in faces)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="folder of the faces")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that CBC may take for its job, HiGHS more")
    parser.add_argument("--quick", action="store_true", help="one round, short limits, errors on hm08 only")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    arguments = parser.parse_args()
    rounds, limit = (1, 3.0) if arguments.quick else (arguments.rounds, arguments.limit)
    begin = time.perf_counter()
    faces = [ict(arguments.data), units(arguments.data), arkit(arguments.data)]
    large = [modelling(arguments.data, ("eyes", "mouth", "nose")), modelling(arguments.data)]
    times = speed_tables(faces + large, rounds, limit)
    print(f"load average {load_average():.1f}\n", *times, sep="\n\n", flush=True)
    shown = faces[1:] if arguments.quick else faces
    covered = [entry for face in shown for entry in coverage(face)]
    alphas = [by_alpha(face) for face in shown]
    plans = [coverage_table(covered + [entry for face in large for entry in coverage(face, judged=False)])]
    plans += [alpha_table(alphas), sweep_table(shown + large), where_ours_differs(covered, alphas)]
    plans.append(true_shapes(faces + large[-1:]))
    print("\n\n".join(plans), f"\n\n{time.perf_counter() - begin:.0f} s", flush=True)
    if arguments.write:
        summary, *details = times
        write_between_marks("packing figures", f"{summary}\n\n{versions()}")
        write_between_marks("packing times", "\n\n".join([*details, protocol(rounds, limit), versions()]))
        write_between_marks("packing plans", "\n\n".join(plans))


if __name__ == "__main__":
    main()
