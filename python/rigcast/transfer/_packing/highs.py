"""The packing program in HiGHS: where the own search runs out of nodes, and to check it."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._packing.program import Program

Floats = NDArray[Any]

NODES = 1000  # of its tree: half a minute on the hardest programs that were tried


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
