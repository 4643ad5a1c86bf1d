"""Times the inverse rig at a constructed rig of the paper's size: ``python benchmarks/inverse_rig.py``.

Every row gives the difference of its objective from ours. Seconds are processor time of one thread, so that other work
on the machine counts little; peers stop once they are within 1e-6 of ours, or at ``--limit``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import published_smooth
import scipy
import scipy.optimize
from published_mm import PublishedMM

import rigwright as rw


def constructed_rig(vertices: int, shapes: int, pairs: int, seed: int) -> rw.BlendshapeRig:
    """Local smooth shapes on a sphere of 18 cm, and corrections of pairs that lie near each other."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(vertices, 3))
    neutral = 9 * directions / np.linalg.norm(directions, axis=1, keepdims=True)

    def bump(center: np.ndarray, radius: float) -> np.ndarray:
        mask = np.exp(-0.5 * np.square(np.linalg.norm(neutral - center, axis=1) / radius))
        return np.where(mask < 0.02, 0.0, mask)[:, None]

    centers = neutral[rng.choice(vertices, shapes)]
    deltas = [
        bump(c, rng.uniform(1.5, 4)) * (rng.normal(size=3) + 0.3 * np.sin(neutral @ rng.normal(size=(3, 3))))
        for c in centers
    ]
    rows, cols = np.triu_indices(shapes, 1)
    near = np.argsort(np.linalg.norm(centers[rows] - centers[cols], axis=1))[: 3 * pairs]
    combinations = []
    for n in rng.choice(near, pairs, replace=False):
        i, j = int(rows[n]), int(cols[n])
        combinations.append(((i, j), bump(0.5 * (centers[i] + centers[j]), 1.5) * rng.normal(size=3) * 0.4))
    return rw.BlendshapeRig(neutral, np.array(deltas), combinations=combinations)


def smooth_curves(frames: int, shapes: int, seed: int) -> np.ndarray:
    """Weights (T, K) at 24 frames a second, about a third of them active in a frame."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(frames)[:, None] / 24
    waves = np.sin(2 * np.pi * rng.uniform(0.1, 0.6, shapes) * seconds + rng.uniform(0, 6.3, shapes))
    return np.clip(1.2 * waves - rng.uniform(0.2, 0.9, shapes), 0, 1)


def spent(work: Callable[[], object], runs: int = 1) -> tuple[float, object]:
    """Median processor seconds, and the last result."""
    times = []
    for _ in range(runs):
        started = time.process_time()
        result = work()
        times.append(time.process_time() - started)
    return statistics.median(times), result


class VertexSpace:
    """The objective of one frame on the vertices, with its analytic gradient."""

    def __init__(self, rig: rw.BlendshapeRig) -> None:
        flat = np.asarray(rig.columns(), np.float64).reshape(rig.num_columns, -1).T
        self.shapes = np.ascontiguousarray(flat[:, : rig.num_shapes])
        self.columns = np.ascontiguousarray(flat[:, rig.num_shapes :])
        self.pairs = [(int(i), int(j)) for i, j in rig.combinations]
        self.left, self.right = np.array(self.pairs).T

    def value(self, w: np.ndarray, target: np.ndarray, alpha: float) -> tuple[float, np.ndarray]:
        error = self.shapes @ w + self.columns @ (w[self.left] * w[self.right]) - target
        pull = 2.0 * (error @ self.columns)
        gradient = 2.0 * (error @ self.shapes) + alpha
        np.add.at(gradient, self.left, pull * w[self.right])
        np.add.at(gradient, self.right, pull * w[self.left])
        return float(error @ error + alpha * w.sum()), gradient


class Reached(Exception):
    """A peer is within the goal, or out of time."""


def peer(space: VertexSpace, target: np.ndarray, alpha: float, goal: float, limit: float, method: str) -> float:
    """Best objective of a SciPy method before the goal or the limit."""
    best, started = [np.inf], time.process_time()

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        f, g = space.value(w, target, alpha)
        if w.min() >= -1e-9 and w.max() <= 1 + 1e-9:
            best[0] = min(best[0], f)
        if best[0] <= goal or time.process_time() - started > limit:
            raise Reached
        return f, g

    shapes = space.shapes.shape[1]
    bounds = scipy.optimize.Bounds(np.zeros(shapes), np.ones(shapes))
    settings = {"maxiter": 100000} | ({"gtol": 1e-12} if method == "trust-constr" else {"ftol": 1e-16, "gtol": 1e-12})
    with contextlib.suppress(Reached):
        scipy.optimize.minimize(value, np.full(shapes, 0.1), jac=True, method=method, bounds=bounds, options=settings)
    return best[0]


def row(job: str, seconds: float, ratio: float | None, difference: float | None) -> None:
    times = "" if ratio is None else f"{ratio:12,.0f} x"
    away = "" if difference is None else f"{difference:+.1e}"
    print(f"{job:52s} {1e3 * seconds:12.3f} ms {times:>14s} {away:>10s}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vertices", type=int, default=4000)
    parser.add_argument("--shapes", type=int, default=130)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--noise", type=float, default=0.01, help="of the targets, in cm")
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--smoothness", type=float, default=100.0)
    parser.add_argument("--smooth-frames", type=int, default=1000, help="frames of the joint solve")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a peer may take")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rig = constructed_rig(arguments.vertices, arguments.shapes, arguments.pairs, arguments.seed)
    truth = smooth_curves(arguments.frames, arguments.shapes, arguments.seed + 1)
    clean = rig.evaluate(truth)
    noise = np.random.default_rng(arguments.seed + 2).normal(size=clean.shape)
    targets = (clean + arguments.noise * noise).astype(np.float32)
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}, {rw._core.instruction_set()}, one thread")
    print(f"{arguments.vertices} vertices, {arguments.shapes} shapes, {arguments.pairs} pairs, alpha {arguments.alpha}")
    print(f"{'job':52s} {'time':>15s} {'ours faster':>14s} {'objective':>10s}")

    seconds, solver = spent(lambda: rw.inverse.Solver(rig))
    row("Gram matrix, once a rig", seconds, None, None)
    seconds, _ = spent(lambda: solver.gram.project(targets, 1), arguments.runs)
    row("projection, a frame", seconds / arguments.frames, None, None)
    seconds, shot = spent(lambda: solver.solve(targets, alpha=arguments.alpha, threads=1), arguments.runs)
    frame = seconds / arguments.frames
    row(f"ours in a shot, a frame ({1 / frame:,.0f} frames a second)", frame, 1.0, 0.0)
    recovered = solver.solve(clean, alpha=1e-6, threads=1)
    print(f"noise-free shot, alpha 1e-6: mean absolute error of weights {np.abs(recovered.weights - truth).mean():.1e}")

    space, middle = VertexSpace(rig), arguments.frames // 2
    target = (targets[middle].astype(np.float64) - rig.rest_vertices).ravel()
    ours = space.value(shot.weights[middle], target, arguments.alpha)[0]
    goal = ours * (1 + 1e-6)
    for name, method in (("trust-constr", "trust-constr"), ("L-BFGS-B", "L-BFGS-B")):
        taken, value = spent(lambda m=method: peer(space, target, arguments.alpha, goal, arguments.limit, m))
        row(f"{name} on the vertices, one frame", taken, taken / frame, value / ours - 1)
    published = PublishedMM(space.shapes, space.pairs, space.columns)
    taken, (w, steps) = spent(lambda: published.solve(target, arguments.alpha, goal=goal, limit=arguments.limit))
    value = published.objective(w, target, arguments.alpha)
    row(f"published MM, one frame, {steps} steps", taken, taken / frame, value / ours - 1)

    few = targets[: arguments.smooth_frames]
    options = {"alpha": arguments.alpha, "smoothness": arguments.smoothness}
    seconds, joint = spent(lambda: solver.solve(few, threads=1, tolerance=1e-7, **options), min(arguments.runs, 3))
    row(f"ours, {len(few)} frames jointly, smoothness {arguments.smoothness:g}", seconds, 1.0, 0.0)
    flat = few.reshape(len(few), -1).astype(np.float64) - np.asarray(rig.rest_vertices, np.float64).ravel()
    taken, (w, sweeps) = spent(
        lambda: published_smooth.solve(
            space.shapes,
            space.pairs,
            space.columns,
            flat,
            start=np.zeros((len(few), arguments.shapes)),
            goal=joint.shot_objective * (1 + 1e-6),
            limit=arguments.limit,
            **options,
        )
    )
    error = w @ space.shapes.T + (w[:, space.left] * w[:, space.right]) @ space.columns.T - flat
    value = np.square(error).sum() + arguments.alpha * w.sum()
    value += arguments.smoothness * np.square(np.diff(w, n=2, axis=0)).sum()
    row(f"published joint formulation, {sweeps} sweeps", taken, taken / seconds, value / joint.shot_objective - 1)


if __name__ == "__main__":
    main()
