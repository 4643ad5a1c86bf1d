"""Calls that kernels of all forward models time.

Each takes a model, its inputs (T, C) and an array of the size of its vertices (T, V, 3), as the modules make them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.kernels.register import Setup

Given = tuple[Any, np.ndarray, np.ndarray]


def evaluated(setup: Setup, given: Given, **how: object) -> Callable[[], object]:
    """Vertices, into the array."""
    model, poses, out = given
    return lambda: model.evaluate(poses, threads=setup.threads, out=out, **how)


def pulled_back(setup: Setup, given: Given) -> Callable[[], object]:
    """The array as cotangents of the vertices."""
    model, poses, cotangents = given
    return lambda: model.vjp(poses, cotangents, threads=setup.threads)


def pushed_forward(setup: Setup, given: Given) -> Callable[[], object]:
    """Tangents of 1."""
    model, poses, _ = given
    tangents = np.ones_like(poses)
    return lambda: model.jvp(poses, tangents, threads=setup.threads)
