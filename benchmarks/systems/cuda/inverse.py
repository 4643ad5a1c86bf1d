"""Frames per second of the inverse rig on an NVIDIA GPU, beside the CPU: ``python -m benchmarks.systems.cuda.inverse``.

The rig and the shot are constructed, of the paper's size (``benchmarks/systems/inverse/scenes.py``). "Whole call" is
the wall time of ``Solver.solve(device="cuda")``: projection, upload of the targets from pageable memory, search,
measures. "Projection" and "search" are its two largest parts by themselves, each with its own copies. Medians, after
a warm-up. "CPU" is the same call on all threads. Weights are compared where both reach the same objective, which must
be all frames that have one minimum in reach. The goal is 200,000 frames per second of whole calls on a GPU of the
H100's class.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda.script import Found, Script, markdown, wall
from benchmarks.systems.inverse.scenes import paper_size
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request

ALPHA = 5.0
SAME_OBJECTIVE = 1e-9  # relative
ROWS = {"call": "whole call", "projection": "projection", "search": "search", "cpu": "CPU, whole call"}


def measure(given: argparse.Namespace) -> Found:
    """Frames per second of the parts, and how the weights compare."""
    scene = paper_size(given.vertices, given.shapes, given.pairs, given.frames)
    targets = scene.targets(scene.truth)
    solver = rc.inverse.Solver(scene.rig)
    found = solver.solve(targets, alpha=ALPHA, device="cuda")
    cpu = solver.solve(targets, alpha=ALPHA)
    problem = make_problem(Request(solver.gram, targets, alpha=ALPHA, device="cuda"))
    terms, limits, start = problem.core.terms, 1e-9 * problem.core.scale, problem.core.start
    on_device, projector = on_cuda.solver(solver.gram, problem.core.ties), on_cuda.projector(solver.gram)
    excess = found.objective / cpu.objective - 1.0
    same = np.abs(excess) <= SAME_OBJECTIVE
    times = {
        "call": wall(lambda: solver.solve(targets, alpha=ALPHA, device="cuda"), given.runs),
        "projection": wall(lambda: projector.project(targets), given.runs),
        "search": wall(lambda: on_device.solve(terms, start, limits, 200), given.runs),
        "cpu": wall(lambda: solver.solve(targets, alpha=ALPHA), 1),
    }
    return {
        "rig": scene.about,
        "frames_per_second": {name: 1e3 * len(targets) / spent for name, spent in times.items()},
        "converged": float(found.converged.mean()),
        "largest_excess": float(excess.max()),
        "lower": int((excess < -SAME_OBJECTIVE).sum()),
        "weights": float(np.abs(found.weights - cpu.weights)[same].max(initial=0.0)),
        "same": int(same.sum()),
    }


def table(found: Found) -> list[str]:
    """Lines of Markdown."""
    rows = [[name, f"{found['frames_per_second'][key]:,.0f}"] for key, name in ROWS.items()]
    compared = (
        f"Converged: {found['converged']:.1%}; objective above the CPU's by at most {found['largest_excess']:.0e}, "
        f"lower on {found['lower']:,} frames; weights of the {found['same']:,} frames with one objective differ by at "
        f"most {found['weights']:.0e}."
    )
    return [f"{found['rig']}; alpha {ALPHA:g}.", "", *markdown(["part", "frames/s"], rows), "", compared]


def headline(found: Found) -> str:
    """The rate of whole calls."""
    return f"{found['frames_per_second']['call']:,.0f} frames/s"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vertices", type=int, default=4000)
    parser.add_argument("--shapes", type=int, default=130)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--frames", type=int, default=32768)
    parser.add_argument("--runs", type=int, default=5, help="timed runs (default: %(default)s)")


SCRIPT = Script(__doc__, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
