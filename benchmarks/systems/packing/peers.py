"""The packing program in general solvers: as published, one row per vertex and pair of shapes, and reduced."""

from __future__ import annotations

import math
import re
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import highspy
import numpy as np
import pulp

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Outcome:
    """The objective of every expression; for a solver that was stopped, its incumbent and its bound then."""

    values: list[float]
    stopped: bool = False
    incumbent: float = math.nan
    bound: float = math.nan

    def ending(self) -> str:
        """The limit at which it was stopped, in words."""
        had = f"incumbent {self.incumbent:.4f}" if math.isfinite(self.incumbent) else "no incumbent"
        bound = f"bound {self.bound:.4f}" if math.isfinite(self.bound) else "no bound"
        return f"at expression {len(self.values) + 1}, {had}, {bound}"


def processor_seconds() -> float:
    """Of this process and of the solvers that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def rows_of(active: np.ndarray) -> list[np.ndarray]:
    """The shapes of each vertex that any shape moves. Rows without a shape say nothing and only cost time."""
    return [np.flatnonzero(row) for row in active.T if row.any()]


def maximal_rows(active: np.ndarray) -> list[np.ndarray]:
    """The distinct rows that lie in no other: all that the program depends on."""
    packed = np.ascontiguousarray(np.packbits(active.T, axis=1))
    _, first = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True)
    rows = active.T[first].astype(np.float32)
    shared, size = rows @ rows.T, rows.sum(axis=1)
    inside = (shared == size[:, None]) & (size[:, None] < size)  # row i in the larger row j
    return [np.flatnonzero(row) for row in rows[(size > 0) & ~inside.any(axis=1)]]


def published(active: np.ndarray, weights: np.ndarray, pairs: Pairs, limit: float) -> Outcome:
    """The first expression by PuLP and CBC, formulated as in the thesis (Carrigan 2020, equation 3.3)."""
    problem = pulp.LpProblem("packing", pulp.LpMaximize)
    w = [pulp.LpVariable(f"w{k}", cat="Binary") for k in range(len(weights))]
    problem += pulp.LpAffineExpression(list(zip(w, weights.tolist(), strict=True)))
    for row in rows_of(active):
        terms = pulp.LpAffineExpression([(w[k], 1) for k in row])
        problem += pulp.LpConstraint(terms, pulp.LpConstraintLE, rhs=1)
    for left, right in pairs:
        problem += w[left] - w[right] == 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        # Without "threads" CBC is serial; with 1 it starts a thread beside the one that waits.
        cbc = pulp.PULP_CBC_CMD(msg=False, presolve=True, timeLimit=limit, timeMode="cpu", logPath=str(log))
        begin = time.perf_counter()
        try:
            problem.solve(cbc)
        except pulp.PulpSolverError:  # CBC may end in an error when its limit comes while it begins
            if time.perf_counter() - begin < limit:
                raise
        if problem.sol_status == pulp.LpSolutionOptimal:
            return Outcome([float(pulp.value(problem.objective))])
        said = log.read_text(encoding="utf-8") if log.exists() else ""
    found = [re.search(rf"{words}:\s+(\S+)", said) for words in ("Objective value", "Upper bound")]
    incumbent, bound = (float(entry[1]) if entry else math.nan for entry in found)
    return Outcome([], True, incumbent, bound)


def sequence(
    active: np.ndarray,
    weights: np.ndarray,
    pairs: Pairs,
    limit: float,
    rows_of: Callable[[np.ndarray], list[np.ndarray]] = rows_of,
    count: int | None = None,
) -> Outcome:
    """All expressions, or the first, by HiGHS with its defaults. The model is built once, columns are closed."""
    begin = time.perf_counter()
    highspy.Highs.resetGlobalScheduler(True)  # one per process: with that of other threads a run ends in an error
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    for k, weight in enumerate(weights):
        solver.addVar(0.0, 1.0)
        solver.changeColCost(k, float(weight))
        solver.changeColIntegrality(k, highspy.HighsVarType.kInteger)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    rows = rows_of(active)
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    infinite, shapes = np.full(len(rows), -highspy.kHighsInf), np.concatenate(rows).astype(np.int32)
    solver.addRows(len(rows), infinite, np.ones(len(rows)), len(shapes), start[:-1], shapes, np.ones(len(shapes)))
    for left, right in pairs:
        solver.addRow(0.0, 0.0, 2, np.array([left, right], np.int32), np.array([1.0, -1.0]))
    values: list[float] = []
    left_over = int(active.any(axis=1).sum())
    while left_over and len(values) != count:
        solver.setOptionValue("time_limit", solver.getRunTime() + max(limit - (time.perf_counter() - begin), 0.0))
        solver.run()
        status = solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            if status != highspy.HighsModelStatus.kTimeLimit:
                raise RuntimeError(f"HiGHS ended with {status.name}: neither an optimum nor the end of its time")
            known = solver.getInfo()
            return Outcome(values, True, known.objective_function_value, known.mip_dual_bound)
        chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
        values.append(float(weights[chosen].sum()))
        for k in chosen:
            solver.changeColBounds(int(k), 0.0, 0.0)
        left_over -= len(chosen)
    return Outcome(values)
