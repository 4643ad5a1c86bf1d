"""Times expression packing beside the published program, and shows what it finds: ``... packing.py [DATA]``.

DATA, if it is not ../shared/data, is the folder with ``ict_facekit`` and ``makehuman_hm08``; needed too: ``pip install
pulp highspy``. Two minutes on a quiet machine, half a minute with ``--quick``; ``--write`` puts the tables into
docs/benchmarks.

First table: the first expression beside PuLP with CBC on the program as published (one row per vertex that a shape
moves, one per pair), and the whole sequence beside HiGHS on the same rows, both with their own presolve; then both
beside HiGHS at its best, on the distinct rows that lie in no other, whose reduction is a part of its time as ours is of
ours. All sides start from the same binary shapes and importance and must reach the same objectives. A peer that takes
longer than ``--limit`` is stopped, and its row says so. Seconds are processor time of one thread, rounds interleaved.
Second and third: the thesis's shape of results: what the first expressions of greedy and optimal packing cover, how
near examples of them bring transferred shapes to the true ones, and what the importance's alpha and beta and the
threshold of binary shapes (mu) change.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import rigwright as rw
from benchmarks.marks import write_between_marks
from benchmarks.packing.coverage import alpha_table, by_alpha, coverage, coverage_table, where_ours_differs
from benchmarks.packing.faces import Face, arkit, ict, modelling, units
from benchmarks.packing.peers import Outcome, maximal_rows, processor_seconds, published, sequence
from benchmarks.packing.sweeps import sweep_table
from rigwright._bench.timing import load_average, machine
from rigwright.transfer._packing.program import Program
from rigwright.transfer._packing.solvers import optimal

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NODES = 1_000_000
IN_A_ROW = 5  # calls of ours in a round; their peers take hundreds of times as long


@dataclass
class Timed:
    """Seconds of a function's calls, and what the last one gave."""

    function: Callable[[], Outcome]
    calls: int = 1
    seconds: list[float] = field(default_factory=list)
    outcome: Outcome = field(default_factory=lambda: Outcome([]))

    def round(self) -> None:
        for _ in range(self.calls):
            begin = processor_seconds()
            self.outcome = self.function()
            self.seconds.append(processor_seconds() - begin)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def cell(self, ours: Timed) -> str:
        """Its time and how many times ours that is."""
        ratio = self.median / ours.median
        if self.outcome.stopped:
            return f"> {ratio:,.0f} x, stopped after {self.median:.0f} s {self.outcome.ending()}"
        return f"{1e3 * self.median:,.0f} ms, {ratio:,.0f} x"


def ours(active: np.ndarray, weights: np.ndarray, groups: list[list[int]], count: int | None) -> Outcome:
    """Expressions by the own search, from the same binary shapes."""
    program = Program(groups, active, [], 0.0, NODES)
    left, values = list(range(len(groups))), []
    while left and len(values) != count:
        expression = optimal(program, weights, 1.0, left)
        assert expression.proven
        values.append(float(weights[program.shapes(expression.items)].sum()))
        left = [item for item in left if item not in set(expression.items)]
    return Outcome(values)


def row(face: Face, symmetry: bool, rounds: int, limit: float) -> str:
    """One row of the first table."""
    plan = face.plan(symmetry)
    active, weights = plan.active, plan.importance
    pairs = [(pair.first, pair.second) for pair in plan.pairs]
    grouped = {k for group in plan.groups for k in group}
    groups = plan.groups + [[k] for k in range(len(weights)) if k not in grouped]
    first = Timed(lambda: ours(active, weights, groups, 1), IN_A_ROW)
    whole = Timed(lambda: ours(active, weights, groups, None), IN_A_ROW)
    cbc = Timed(lambda: published(active, weights, pairs, limit))
    highs = Timed(lambda: sequence(active, weights, pairs, limit))
    best_first = Timed(lambda: sequence(active, weights, pairs, limit, maximal_rows, 1))
    best = Timed(lambda: sequence(active, weights, pairs, limit, maximal_rows))
    call = Timed(lambda: Outcome([len(face.plan(symmetry).expressions)]))
    everything = [first, cbc, best_first, whole, highs, best, call]
    first.function(), whole.function()  # the first calls warm up
    for _ in range(rounds):
        for timed in everything:
            if not (timed.outcome.stopped and timed.seconds):
                timed.round()
    fewest = face.plan(symmetry, minimize=True)
    proof = "proven minimal" if fewest.proven_minimal else f"at least {fewest.lower_bound}"
    motion = sum(pair.kind == "motion" for pair in plan.pairs)
    pairing = f"{len(pairs) - motion} + {motion} pairs" if symmetry else "no symmetry"
    vertices, shapes = active.shape[1], active.shape[0]
    return (
        f"| {face.name}, {vertices:,} x {shapes}, {pairing} | {1e3 * first.median:.2f} ms | {cbc.cell(first)}"
        f" | {best_first.cell(first)} | {1e3 * whole.median:.2f} ms | {highs.cell(whole)} | {best.cell(whole)}"
        f" | {objectives(whole, [cbc, best_first], [highs, best])}"
        f" | {len(plan.expressions)} (at least {plan.lower_bound}) | {len(fewest.expressions)}, {proof}"
        f" | {1e3 * call.median:.0f} ms |"
    )


def objectives(whole: Timed, firsts: list[Timed], sequences: list[Timed]) -> str:
    """Ours of the first expression; how far the peers' are from ours in any expression that they reached."""
    own = whole.outcome.values
    peers = [peer.outcome for peer in firsts + sequences]
    gaps = [abs(a - b) for peer in peers for a, b in zip(peer.values, own, strict=False)]
    for peer in sequences:
        if not peer.outcome.stopped:
            assert len(peer.outcome.values) == len(own), "sequences of different lengths"
    equal = "" if not gaps else f", peers equal to {max(gaps):.0e}" if max(gaps) > 0.0 else ", peers equal"
    return f"{own[0]:.4f}{equal}"


def speed_table(faces: list[Face], rounds: int, limit: float) -> str:
    head = [
        "vertices x shapes, left-right + painted pairs",
        "first expression",
        "PuLP + CBC",
        "HiGHS, maximal rows (goal 20 x)",
        "whole sequence",
        "HiGHS, raw rows",
        "HiGHS, maximal rows (goal 40 x)",
        "objective of the first, gap of any",
        "expressions",
        "with `minimize`",
        "`pack_expressions`",
    ]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + [row(face, symmetry, rounds, limit) for face in faces for symmetry in (False, True)])


def about(faces: list[Face], rounds: int, limit: float) -> str:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pulp", "highspy", "numpy"))
    return (
        f"{machine()}; rigwright {rw.__version__}, {versions} (CBC as PuLP brings it). One thread, processor time,"
        f" medians of {rounds} interleaved rounds; a peer may take {limit:g} s. All of them start from binary shapes;"
        " `pack_expressions` starts from vertices and finds pairs and importance too. Bounds hold for every plan,"
        f" whatever its order. Identities and true shapes: {'; '.join(face.about for face in faces)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="folder of the faces")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that a peer may take for its job")
    parser.add_argument("--quick", action="store_true", help="one round, short limits, errors on hm08 only")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    arguments = parser.parse_args()
    rounds, limit = (1, 3.0) if arguments.quick else (arguments.rounds, arguments.limit)
    begin = time.perf_counter()
    faces = [ict(arguments.data), units(arguments.data), arkit(arguments.data)]
    large = [modelling(arguments.data, ("eyes", "mouth", "nose")), modelling(arguments.data)]
    parts = [speed_table(faces + large, rounds, limit)]
    print(f"load average {load_average():.1f}\n\n{parts[-1]}\n", flush=True)
    shown = faces[1:] if arguments.quick else faces
    covered = [entry for face in shown for entry in coverage(face)]
    alphas = [by_alpha(face) for face in shown]
    parts += [coverage_table(covered + [entry for face in large for entry in coverage(face, judged=False)])]
    parts += [alpha_table(alphas), sweep_table(shown + large), where_ours_differs(covered, alphas)]
    parts.append(about(faces + large[-1:], rounds, limit))
    print("\n\n".join(parts[1:]), f"\n\n{time.perf_counter() - begin:.0f} s", flush=True)
    if arguments.write:
        write_between_marks("packing figures", "\n\n".join(parts))


if __name__ == "__main__":
    main()
