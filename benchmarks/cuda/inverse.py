"""Frames per second of the inverse rig on an NVIDIA GPU, beside the CPU: ``python -m benchmarks.cuda.inverse``.

The rig and the shot are those of ``inverse_rig.py``: constructed, of the paper's size. "call" is the wall time of
``Solver.solve(device="cuda")``: projection, upload of the targets from pageable memory, search, measures. "projection"
and "search" are its two largest parts by themselves, each with its own copies. Medians, after a warm-up. "cpu" is the
same call on all threads. Weights are compared where both reach the same objective, which must be all frames that have
one minimum in reach. Not yet run on a device; the goal is 200,000 frames per second of whole calls on a GPU of the
H100's class.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.inverse.scenes import paper_size
from rigwright._device_report import cuda_report
from rigwright.inverse import _measures as measures
from rigwright.inverse import _on_cuda as on_cuda
from rigwright.inverse import _projection as projection
from rigwright.inverse._problem import make_problem

ALPHA = 5.0
SAME_OBJECTIVE = 1e-9  # relative


def seconds(call: Callable[[], object], runs: int) -> float:
    times = []
    for run in range(runs + 1):
        started = time.perf_counter()
        call()
        if run > 0:
            times.append(time.perf_counter() - started)
    return median(times)


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    scene = paper_size(arguments.vertices, arguments.shapes, arguments.pairs, arguments.frames)
    targets = scene.targets(scene.truth)
    solver = rw.inverse.Solver(scene.rig)
    found = solver.solve(targets, alpha=ALPHA, device="cuda")
    cpu = solver.solve(targets, alpha=ALPHA)
    problem = make_problem(solver.gram, targets, alpha=ALPHA, device="cuda")
    terms, limits = problem.terms(), 1e-9 * measures.scale(problem)
    on_device, projector = on_cuda.solver(problem), projection.projector(solver.gram)
    start = problem.start()
    excess = found.objective / cpu.objective - 1.0
    same = np.abs(excess) <= SAME_OBJECTIVE
    times = {
        "call": seconds(lambda: solver.solve(targets, alpha=ALPHA, device="cuda"), arguments.runs),
        "projection": seconds(lambda: projector.project(targets), arguments.runs),
        "search": seconds(lambda: on_device.solve(terms, start, limits, 200), arguments.runs),
        "cpu": seconds(lambda: solver.solve(targets, alpha=ALPHA), 1),
    }
    return {
        "device": cuda_report().detail,
        "rig": scene.about,
        "frames_per_second": {name: len(targets) / spent for name, spent in times.items()},
        "converged": float(found.converged.mean()),
        "largest_excess": float(excess.max()),
        "lower": int((excess < -SAME_OBJECTIVE).sum()),
        "weights": float(np.abs(found.weights - cpu.weights)[same].max(initial=0.0)),
        "same": int(same.sum()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vertices", type=int, default=4000)
    parser.add_argument("--shapes", type=int, default=130)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--frames", type=int, default=32768)
    parser.add_argument("--runs", type=int, default=5, help="timed runs (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    found = measure(arguments)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{found['device']}\n{found['rig']}, alpha {ALPHA:g}")
    for name, rate in found["frames_per_second"].items():
        print(f"{name:10} {rate:12,.0f} frames/s")
    print(f"converged {found['converged']:.1%}; objective above the CPU's by at most {found['largest_excess']:.1e}")
    print(
        f"lower on {found['lower']} frames; weights of {found['same']} others differ by at most {found['weights']:.1e}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
