"""One table of minimizers: those that converging solvers share, and the distance of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.papers.inverse.mismatched.kept import Kept, Row, digits
from benchmarks.papers.inverse.mismatched.methods import OURS, Bench
from benchmarks.systems.inverse.peers import GramSpace, VertexSpace, scipy_frame
from benchmarks.systems.inverse.trace import Trace

STEPS = (10, 100, 1000, 10000)
HEAD = [
    "pairs model, one alpha",
    "objective above the lowest, relative: median, largest",
    "weights > 0",
    "> 0.001",
    "largest distance of a weight from ours",
    "95th percentile, cm",
]


def rows(bench: Bench, kept: Kept, alpha: float, count: int) -> list[Row]:
    """Solvers of the same objective on the same frames, spread over the judged ones."""
    frames = np.linspace(0, len(bench.scene.judged) - 1, count).round().astype(int)
    solver, targets = bench.solver("pairs"), bench.scene.targets[frames]
    space = VertexSpace(solver.gram.rig)
    offsets = targets.reshape(count, -1).astype(np.float64) - space.neutral

    def lbfgs() -> np.ndarray:
        small = GramSpace(space)
        zero = np.zeros(space.num_shapes)
        return np.array([scipy_frame(small, small.projected(b), alpha, Trace(), zero, "L-BFGS-B") for b in offsets])

    def mm(method: str, steps: int) -> np.ndarray:
        how = {"threads": 1, "tolerance": 0.0, "max_iterations": steps}
        return np.asarray(solver.solve(targets, method, alpha=alpha, **how).weights)

    jobs: dict[str, Callable[[], np.ndarray]] = {
        "ours": lambda: bench.solve("pairs", OURS, targets, alpha),
        "L-BFGS-B from zero, to rounding": lbfgs,
        "interior point, exact Hessian, to the end": lambda: bench.solve("pairs", "sqp", targets, alpha),
        "interior point as SciPy leaves it": lambda: bench.solve("pairs", "SciPy's defaults", targets, alpha),
    }
    for steps in STEPS:
        jobs[f"MM from Cet, {steps:,} steps"] = lambda n=steps: mm("mm_cet", n)
    jobs[f"MM from zero, {STEPS[-1]:,} steps"] = lambda: mm("mm", STEPS[-1])

    def row(name: str, job: Callable[[], np.ndarray]) -> Row:
        weights = job()
        objective = [space.value(w, b, alpha) for w, b in zip(weights, offsets, strict=True)]
        error = bench.error(weights, bench.scene.judged[frames])
        return {"name": name, "weights": weights.tolist(), "objective": objective, "p95": float(error.mean())}

    return [kept.row(name, lambda n=name, j=job: row(n, j)) for name, job in jobs.items()]


def cells(found: list[Row]) -> list[list[str]]:
    """Lines of the table; the first row is ours."""
    lowest = np.min([row["objective"] for row in found], axis=0)
    ours = np.array(found[0]["weights"])
    return [_cells(row, lowest, ours) for row in found]


def _cells(row: Row, lowest: np.ndarray, ours: np.ndarray) -> list[str]:
    weights: Any = np.array(row["weights"])
    above = np.array(row["objective"]) / lowest - 1
    return [
        row["name"],
        f"{np.median(above):.0e}, {above.max():.0e}",
        *(f"{(weights > least).sum(axis=1).mean():.1f}" for least in (0.0, 1e-3)),
        digits(float(np.abs(weights - ours).max()), 2),
        digits(row["p95"]),
    ]
