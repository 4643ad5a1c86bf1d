"""The solvers of the packing program: exact, and as published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._packing import highs
from rigcast.transfer._packing.program import Program

Floats = NDArray[Any]


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
    other = highs.heaviest(program, weights, allowed)
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
