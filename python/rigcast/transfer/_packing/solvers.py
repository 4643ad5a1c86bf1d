"""The solvers of the packing program: exact, with HiGHS where the own search gives up, and as published."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._packing.program import Program

Floats = NDArray[Any]

NODES = 1000  # of its tree: half a minute on the hardest programs that were tried


@dataclass(frozen=True)
class Expression:
    """Items chosen for one expression, and whether none is provably better."""

    items: list[int]
    proven: bool


# (program, importance of the shapes (K,), largest importance, items to choose from) -> the expression.
Solver = Callable[[Program, Floats, float, list[int]], Expression]


def optimal(program: Program, importance: Floats, largest: float, allowed: list[int]) -> Expression:
    """The expression of largest importance (Carrigan 2020, equation 3.3): own branch and bound.

    If that runs out of nodes, HiGHS goes on where it is installed, with nodes of its own; the better one stands.
    """
    weights = program.weights(importance)
    items, proven, _ = program.graph.heaviest(weights, allowed, program.node_limit, program.report)
    if proven:
        return Expression(list(items), True)
    other = heaviest(program, weights, allowed)
    if other is None or (not other[1] and weights[other[0]].sum() <= weights[items].sum()):
        return Expression(list(items), False)
    return Expression(*other)


def greedy(program: Program, importance: Floats, largest: float, allowed: list[int]) -> Expression:
    """Algorithm 1 of the thesis: the smallest ``(1 + lambda_max - lambda_k) n_k`` first, as long as it fits.

    With lambda_max = 1 that is (2 - lambda_k) n_k. A shape brings its partners along, and the overlap counts for all
    of them.
    """
    key = (1.0 + largest - importance) * program.active.sum(axis=1)
    first = [float(key[shapes].min()) for shapes in program.members]
    count = program.area.sum(axis=1)
    conflicts = np.asarray(program.graph.conflicts)
    area = np.zeros(program.area.shape[1], bool)
    chosen: list[int] = []
    for item in sorted(allowed, key=lambda entry: (first[entry], entry)):
        if program.refuses(set(chosen), item):
            continue
        if program.overlap == 0.0:
            fits = not conflicts[item, chosen].any()
        else:
            fits = bool((program.area[item] & area).sum() <= program.overlap * count[item])
        if fits:
            chosen.append(item)
            area |= program.area[item]
    return Expression(sorted(chosen), False)


SOLVERS: dict[str, Solver] = {"optimal": optimal, "greedy": greedy}


def vertex_rows(active: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(R, M): the distinct, inclusion-maximal sets of items that are active at one vertex, two items or more.

    The other rows of the program follow from these: repeated ones, and those within another.
    """
    _, which = np.unique(np.packbits(active, axis=0), axis=1, return_index=True)
    rows = active[:, which].T
    rows = rows[rows.sum(axis=1) >= 2]
    size = rows.sum(axis=1)
    inside = rows.astype(np.float32) @ rows.T.astype(np.float32) >= size[:, None]
    np.fill_diagonal(inside, False)
    return np.asarray(rows[~inside.any(axis=1)])


def heaviest(program: Program, weights: Floats, allowed: list[int]) -> tuple[list[int], bool] | None:
    """The items of the heaviest expression that HiGHS finds, and whether it is proven; None without highspy."""
    if importlib.util.find_spec("highspy") is None:
        return None
    highspy: Any = importlib.import_module("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.0)
    solver.setOptionValue("mip_max_nodes", NODES)
    within = set(allowed)
    for item in range(len(program.members)):
        solver.addVar(0.0, 1.0 if item in within else 0.0)
        solver.changeColCost(item, float(weights[item]))
        solver.changeColIntegrality(item, highspy.HighsVarType.kInteger)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    for row in vertex_rows(program.area):
        items = np.flatnonzero(row).astype(np.int32)
        solver.addRow(-highspy.kHighsInf, 1.0, len(items), items, np.ones(len(items)))
    for refused in program.apart:
        items = np.array(sorted(refused), np.int32)
        solver.addRow(-highspy.kHighsInf, len(items) - 1.0, len(items), items, np.ones(len(items)))
    _run(solver)
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
    return [int(item) for item in chosen], solver.getModelStatus() == highspy.HighsModelStatus.kOptimal


def _run(solver: Any) -> None:
    """``solver.run()``, but Ctrl-C does not wait for its end."""
    if hasattr(solver, "HandleUserInterrupt"):
        solver.HandleUserInterrupt = True
    thread = threading.Thread(target=solver.run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        if hasattr(solver, "cancelSolve"):
            solver.cancelSolve()
        raise
