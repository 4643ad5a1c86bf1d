"""General minimizers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.kernels.register import Setup, kernel
from rigcast import _core

COLUMNS, ROWS = 60, 400
UNKNOWNS = 200


@kernel
def optimize_simplex_least_squares(setup: Setup) -> Callable[[], object]:
    columns = np.random.default_rng(0).standard_normal((ROWS, setup.size(COLUMNS)))
    target = columns.mean(axis=1) + 0.1
    gram = (columns - target[:, None]).T @ (columns - target[:, None])
    return lambda: _core.simplex_least_squares(gram)


@kernel
def optimize_lbfgs(setup: Setup) -> Callable[[], object]:
    """A quadratic with a condition of 100, which NumPy evaluates."""
    scales = np.linspace(1.0, 100.0, setup.size(UNKNOWNS))
    return lambda: _core.minimize_smooth(lambda x: (float(scales @ (x * x)), 2.0 * scales * x), np.ones(len(scales)))
