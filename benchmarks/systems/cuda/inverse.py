"""Frames per second of the inverse rig on an NVIDIA GPU, beside the CPU: ``python -m benchmarks.systems.cuda.inverse``.

The rig and the shot are constructed, of the paper's size (``benchmarks/systems/inverse/scenes.py``). "Whole call" is
the wall time of ``Solver.solve(device="cuda")``: targets from the host's memory, or on the device already (a PyTorch
tensor), projection, search, measures. "Projection" and "search" are its two largest parts by themselves, each with its
own copies. Medians, after a warm-up. "CPU" is the same call on all threads. Weights are compared where both reach the
same objective, which must be all frames that have one minimum in reach.

The prediction counts gradient steps: those that a frame takes from its first start, and from each other one
(``--steps``); the work of the host (problem, notes) is not in it. Copies of targets run beside kernels: a whole call
takes the longer one of both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
    NOT_RUN,
    AbsentError,
    Found,
    Headline,
    Plan,
    Script,
    cell,
    markdown,
    torch_on_gpu,
    value_of,
    wall,
)
from benchmarks.systems.inverse.scenes import paper_size
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request

ALPHA = 5.0
SAME_OBJECTIVE = 1e-9  # relative
GOAL = 200_000  # frames per second of whole calls with targets on the device
PARTS = {
    "there": "whole call, targets on the device",
    "pinned": "whole call, pinned targets",
    "call": "whole call, targets in NumPy",
    "projection": "projection",
    "search": "search",
    "cpu": "CPU, whole call",
}
GOALS = {"there": f"{GOAL:,}", "pinned": "the link's rate", "call": "the link's rate"}


def plan(given: argparse.Namespace) -> Plan:
    """Sizes, and the kernels of each part; copies are parts of their own."""
    projection = floors.projection(given.vertices, given.shapes + given.pairs)
    search = floors.search(given.shapes, given.pairs, floors.Steps(*given.steps))
    parts = {"there": [projection, *search], "projection": [projection], "search": search}
    links = {name: [floors.link(given.vertices, memory)] for name, memory in LINKS.items()}
    shown = [projection, *search, *(kernel for chain in links.values() for kernel in chain)]
    return {
        "rig": f"constructed: {given.vertices:,} vertices, {given.shapes} shapes, {given.pairs} pairs",
        "frames": given.frames,
        "steps": list(given.steps),
        "shown": floors.as_json(shown),
        "parts": {name: floors.as_json(kernels) for name, kernels in parts.items()},
        "links": {name: floors.as_json(kernels) for name, kernels in links.items()},
    }


LINKS = {"pinned": "pinned", "call": "pinned"}  # pageable targets are staged in locked memory


def rates(plan: Plan, part: str, gpu: Gpu) -> tuple[float, float] | None:
    """Frames per second of a part: the floor, the prediction. A whole call waits for its copies or its kernels."""
    frames = plan["frames"]
    found = [plan["links"][part]] if part in plan["links"] else []
    found += [plan["parts"].get(part) or plan["parts"]["there"]] if part != "cpu" else []
    if not found:
        return None
    times = [floors.estimate(floors.from_json(kernels), frames, gpu) for kernels in found]
    return frames / max(time.floor for time in times), frames / max(time.predicted for time in times)


def measure(given: argparse.Namespace, plan: Plan) -> Found:
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

    def per_second(call: Callable[[], Any], runs: int) -> float:
        return 1e3 * len(targets) / wall(call, runs)

    rows: Found = {
        "call": per_second(lambda: solver.solve(targets, alpha=ALPHA, device="cuda"), given.runs),
        "projection": per_second(lambda: projector.project(targets), given.runs),
        "search": per_second(lambda: on_device.solve(terms, start, limits, 200), given.runs),
        "cpu": per_second(lambda: solver.solve(targets, alpha=ALPHA), 1),
    }
    rows |= elsewhere(lambda where: solver.solve(where, alpha=ALPHA, device="cuda"), targets, per_second)
    compared = {
        "converged": float(found.converged.mean()),
        "largest_excess": float(excess.max()),
        "lower": int((excess < -SAME_OBJECTIVE).sum()),
        "weights": float(np.abs(found.weights - cpu.weights)[same].max(initial=0.0)),
        "same": int(same.sum()),
    }
    return {name: {"rate": rate} for name, rate in rows.items()} | {"compared": compared}


Clock = Callable[[Callable[[], Any], int], float]


def elsewhere(solve: Callable[[Any], Any], targets: Any, per_second: Clock) -> Found:
    """Frames per second for targets on the device and in pinned memory, or why there are none."""
    try:
        torch = torch_on_gpu()
    except AbsentError as error:
        return {"there": str(error), "pinned": str(error)}
    given = {"there": torch.tensor(targets, device="cuda"), "pinned": torch.tensor(targets).pin_memory()}
    rows: Found = {}
    for name, where in given.items():
        try:
            rows[name] = per_second(lambda where=where: solve(where), 5)
        except rc.errors.ArgumentError:
            rows[name] = "refused"
    return rows


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    rows = []
    for part, name in PARTS.items():
        both = rates(plan, part, gpu)
        texts = [f"{rate:,.0f}" for rate in both] if both else ["-", "-"]
        rows.append([name, GOALS.get(part, "-"), *texts, cell(value_of(found, part, "rate"), ",.0f")])
    first, other, starts = plan["steps"]
    about = (
        f"{plan['rig']}; {plan['frames']:,} frames; alpha {ALPHA:g}. Predicted with {first} steps from the first of "
        f"{starts} starts and {other} from each other one. Floors and predictions of {gpu.name}."
    )
    lines = [about, "", *markdown(["part", "goal", "floor frames/s", "predicted frames/s", "measured frames/s"], rows)]
    return [*lines, "", compared(found["compared"])] if found is not None else lines


def compared(given: dict[str, Any]) -> str:
    """One sentence on the weights beside the CPU's."""
    return (
        f"Converged: {given['converged']:.1%}; objective above the CPU's by at most {given['largest_excess']:.0e}, "
        f"lower on {given['lower']:,} frames; weights of the {given['same']:,} frames with one objective differ by at "
        f"most {given['weights']:.0e}."
    )


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The rate of whole calls with targets on the device, or else from the host."""
    both = rates(plan, "there", gpu)
    predicted = f"{both[1]:,.0f} frames/s" if both else NOT_RUN
    if found is None:
        return Headline(predicted)
    there, host = found["there"]["rate"], found["call"]["rate"]
    words = "targets on the device" if isinstance(there, float) else "targets in NumPy"
    return Headline(predicted, f"{there if isinstance(there, float) else host:,.0f} frames/s, {words}")


def options(parser: argparse.ArgumentParser) -> None:
    steps = floors.Steps()
    parser.add_argument("--vertices", type=int, default=4000)
    parser.add_argument("--shapes", type=int, default=130)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--frames", type=int, default=32768)
    parser.add_argument("--runs", type=int, default=5, help="timed runs (default: %(default)s)")
    parser.add_argument(
        "--steps",
        type=int,
        nargs=3,
        default=[steps.first, steps.other, steps.starts],
        metavar=("FIRST", "OTHER", "STARTS"),
        help="gradient steps from the first and from each other start, and the starts (default: %(default)s)",
    )


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
