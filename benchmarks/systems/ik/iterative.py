"""Times ``rc.ik.Solver`` beside SciPy and mink: ``python -m benchmarks.systems.ik.iterative model.safetensors``.

The model has channels that decide its poses (``./run demo`` makes one). Two rows:

- eight point targets on the learned body, along a smooth motion, each frame started from the solution of the frame
  before. SciPy's ``least_squares`` minimizes the same objective inside the same bounds from the same starts, with the
  engine's own evaluation and Jacobian of the eight vertices; the row says how far the ends are apart.
- eight point targets on the plain skeleton beside mink 1.3 (``pip install mink==1.3.0 daqp``), cold (from rest to
  other poses) and warm (along the motion), with one tolerance on the position error and the same joint limits.

One thread; times are medians of calls that take turns.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.optimize import least_squares

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.ik.scenes import Scene, bounds_of, motion, scene, skeleton_model
from rigcast._timing import interleaved, load_average, machine

PREFERENCE = 0.003
TOLERANCE = 1e-4  # of the size: a frame has converged where no target is missed by more
PEER_STEPS = 100
Cases = list[tuple[NDArray[Any], NDArray[Any]]]  # targets and starts
TIMED = 24  # frames that are timed, spread over the motion


class Peer:
    """SciPy on the same objective."""

    def __init__(self, task: Scene, size: float) -> None:
        self.task, self.part = task, task.model.restricted(task.vertices)
        self.low, self.high, _ = bounds_of(task.model)
        self.scale = self.high - self.low
        self.pull = PREFERENCE * size / self.scale

    def residuals(self, x: NDArray[np.float64], targets: NDArray[np.float32], start: NDArray[np.float64]) -> object:
        """The terms whose squares the objective sums."""
        moved = self.part.evaluate(self.part.poses_from_channels(x), threads=1)
        return np.concatenate([(moved - targets).ravel(), self.pull * (x - start)])

    def jacobian(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The engine's Jacobian times central differences of the poses."""
        step = 1e-3 * self.scale
        ahead, behind = (self.part.poses_from_channels(x + side * np.diag(step)) for side in (1.0, -1.0))
        slopes = (ahead.astype(np.float64) - behind) / (2.0 * step[:, None])
        moving = np.flatnonzero(np.abs(slopes).max(axis=0) > 0)
        rows = self.part.jacobian(self.part.poses_from_channels(x), threads=1)[:, moving] @ slopes[:, moving].T
        return np.concatenate([rows, np.diag(self.pull)])

    def solve(self, targets: NDArray[np.float32], start: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Channels and the objective."""
        inside = np.clip(start, self.low + 1e-9 * self.scale, self.high - 1e-9 * self.scale)
        found = least_squares(
            lambda x: self.residuals(x, targets, start),
            inside,
            jac=self.jacobian,
            bounds=(self.low, self.high),
            x_scale=self.scale,
        )
        return found.x, 2.0 * found.cost


def body_row(model: rc.Deformer) -> dict[str, object]:
    """Ours beside SciPy on the learned body."""
    task = scene(model)
    solver = rc.ik.Solver(model, task.vertices)
    peer = Peer(task, solver.size)
    frames = np.linspace(1, len(task.targets) - 1, TIMED).astype(int)

    def ours(t: int) -> rc.ik.PoseSolution:
        return solver.solve(task.targets[t], task.channels[t - 1], preference=PREFERENCE, threads=1)

    ends = [(ours(t), peer.solve(task.targets[t], task.channels[t - 1])) for t in frames]
    ratios = [found.objective[0] / max(cost, 1e-300) for found, (_, cost) in ends]
    apart = [np.abs((found.unknowns[0] - x) / peer.scale).max() for found, (x, _) in ends]
    batch = task.targets[frames], task.channels[frames - 1]
    times = interleaved(
        {
            "ours": _turns(ours, frames),
            "scipy": _turns(lambda t: peer.solve(task.targets[t], task.channels[t - 1]), frames),
            "ours, one call": lambda: solver.solve(batch[0], batch[1], preference=PREFERENCE, threads=1),
        },
        runs=10,
    )
    times = {name: seconds / TIMED for name, seconds in times.items()}
    return {
        "ms": {name: 1e3 * seconds for name, seconds in times.items()},
        "times faster": times["scipy"] / times["ours"],
        "solves per second": 1.0 / times["ours, one call"],
        "iterations": float(np.mean([found.iterations[0] for found, _ in ends])),
        "objective, ours / scipy, median and worst": [float(np.median(ratios)), float(np.max(ratios))],
        "channels apart, of their ranges, median and worst": [float(np.median(apart)), float(np.max(apart))],
        "goal": "100 x, 1,000 solves/s",
    }


def skeleton_rows(model: rc.Deformer) -> dict[str, object]:
    """Ours beside mink on the plain skeleton."""
    from benchmarks.systems.ik.mink_peer import MinkPeer

    task = scene(skeleton_model(model))
    solver = rc.ik.Solver(task.model, task.vertices)
    rest = bounds_of(task.model)[2]
    peer = MinkPeer(task, TOLERANCE * solver.size, PEER_STEPS)
    random = motion(task.model, 4 * TIMED, seed=1)[::4]
    cold = task.model.restricted(task.vertices).evaluate(task.model.poses_from_channels(random))
    frames = np.linspace(1, len(task.targets) - 1, TIMED).astype(int)
    pairs = {
        "cold": [(goal, rest) for goal in cold],
        "warm": [(task.targets[t], task.channels[t - 1]) for t in frames],
    }
    result: dict[str, object] = {"mink's skeleton is ours within": peer.kinematics_error(task.channels[::40])}
    for name, cases in pairs.items():

        def ours(i: int, cases: Cases = cases) -> rc.ik.PoseSolution:
            return solver.solve(*cases[i], preference=1e-4, tolerance=0.1 * TOLERANCE, threads=1)

        def theirs(i: int, cases: Cases = cases) -> tuple[float, int]:
            return peer.solve(*cases[i])

        numbers = np.arange(TIMED)
        goals, starts = np.array([goal for goal, _ in cases]), np.array([start for _, start in cases])
        jobs = {
            "ours": _turns(ours, numbers),
            "mink": _turns(theirs, numbers),
            "ours, one call": lambda goals=goals, starts=starts: solver.solve(
                goals, starts, preference=1e-4, tolerance=0.1 * TOLERANCE, threads=1
            ),
        }
        times = interleaved(jobs, runs=10, warm_up=1)
        met = [float(ours(i).error.max()) <= TOLERANCE * solver.size for i in numbers]
        result[name] = {
            "ms": {side: 1e3 * seconds / TIMED for side, seconds in times.items()},
            "times faster": times["mink"] / times["ours"],
            "times faster, one call": times["mink"] / times["ours, one call"],
            "converged, ours and mink": [
                float(np.mean(met)),
                float(np.mean([theirs(i)[0] <= TOLERANCE * solver.size for i in numbers])),
            ],
            "steps of mink": float(np.mean([theirs(i)[1] for i in numbers])),
            "goal": "10 x, at least its share of converged poses",
        }
    return result


def _turns(function: Callable[[int], object], numbers: NDArray[np.integer[Any]]) -> Callable[[], None]:
    def every() -> None:
        for number in numbers:
            function(int(number))

    return every


def main() -> None:
    """Print both rows as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    chosen = parser.parse_args()
    model = rc.load(chosen.model)
    rows: dict[str, object] = {"machine": machine(), "load": load_average(), "body": body_row(model)}
    if importlib.util.find_spec("mink") is None:
        rows["skeleton"] = "mink is not installed: pip install mink==1.3.0 daqp"
    else:
        rows["skeleton"] = skeleton_rows(model)
    print(json.dumps(rows, indent=1))
    if chosen.write:
        write_between_marks("iterative solves", table(rows))


def table(rows: dict[str, Any]) -> str:
    """The figures as Markdown."""
    body = rows["body"]
    ends = body["objective, ours / scipy, median and worst"]
    lines = [
        "| job | ours | peer | ratio | solves per second | same end |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| 8 targets, learned body, SciPy {scipy.__version__} | {body['ms']['ours']:.2f} ms "
        f"| {body['ms']['scipy']:.1f} ms | {body['times faster']:.0f} x; "
        f"{body['ms']['scipy'] / body['ms']['ours, one call']:.0f} x in one call "
        f"| {body['solves per second']:.0f} in one call "
        f"| objective {ends[0]:.4f} x, at worst {ends[1]:.4f} x |",
    ]
    for name in ("cold", "warm"):
        if isinstance(rows["skeleton"], dict):
            row = rows["skeleton"][name]
            lines.append(
                f"| 8 joints, plain skeleton, {name}, mink 1.3 | {row['ms']['ours']:.2f} ms "
                f"| {row['ms']['mink']:.2f} ms | {row['times faster']:.1f} x; {row['times faster, one call']:.1f} x "
                f"in one call | {1e3 / row['ms']['ours, one call']:.0f} in one call "
                f"| converged {' and '.join(f'{share:.2f}' for share in row['converged, ours and mink'])} |"
            )
    missing = [] if isinstance(rows["skeleton"], dict) else [f"Beside mink: {rows['skeleton']}", ""]
    return "\n".join([*lines, "", *missing, f"Load {rows['load']:.1f}; {rows['machine']}"])


if __name__ == "__main__":
    main()
