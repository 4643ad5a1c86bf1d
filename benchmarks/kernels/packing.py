"""Packing of shapes into expressions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.differential.anchored import shield
from tests.support.near_copies import local_shapes

import rigcast as rc
from benchmarks.kernels.register import Setup, kernel
from rigcast import _core

ITEMS, VERTICES, SHARE = 120, 300, 0.04
NODES = 2000
HALF, ROWS, SHAPES = 30, 60, 40


def graph(setup: Setup) -> tuple[_core.PackingGraph, list[int]]:
    """The conflicts of random items, which are hard, and all items."""
    active = np.random.default_rng(3).random((setup.size(ITEMS), VERTICES)) < SHARE
    return _core.PackingGraph(active.view(np.uint8)), list(range(len(active)))


@kernel
def packing_heaviest(setup: Setup) -> Callable[[], object]:
    made, items = graph(setup)
    weights = np.random.default_rng(0).random(len(items))
    return lambda: made.heaviest(weights, items, NODES)


@kernel
def packing_fewest(setup: Setup) -> Callable[[], object]:
    made, items = graph(setup)
    return lambda: made.fewest(items, NODES)


@kernel
def packing_expressions(setup: Setup) -> Callable[[], object]:
    points, faces = shield(setup.size(HALF), ROWS)
    shapes = points + local_shapes(points, SHAPES, np.random.default_rng(0))
    return lambda: rc.transfer.pack_expressions(points, shapes, faces)
