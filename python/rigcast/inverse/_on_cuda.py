"""The inverse rig on an NVIDIA GPU: descent and measures, in the engine's CUDA extension."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.inverse._problem import InverseProblem

if TYPE_CHECKING:
    from rigcast._cuda import InverseSolver


def check_problem(problem: InverseProblem) -> None:
    """Refuse what the device cannot solve."""
    if problem.smoothness > 0:
        raise bad_argument("solve", "smoothness", f"{problem.smoothness:g} with device 'cuda'", "0, or device 'cpu'")
    offset, variable, _, _ = factors(problem)
    for n, (first, last) in enumerate(itertools.pairwise(offset)):
        if len(np.unique(variable[first:last])) < last - first:
            got = f"a pair that combination {n - problem.num_shapes} multiplies, with device 'cuda'"
            raise bad_argument("solve", "symmetric", got, "pairs that no combination multiplies, or device 'cpu'")


def solver(problem: InverseProblem) -> InverseSolver:
    """The rig's Gram matrix on the device, with shapes tied as the problem says: copied once."""
    key = ("solver on cuda", problem.ties.tobytes())
    if key not in problem.gram.prepared:
        from rigcast._cuda import InverseSolver

        problem.gram.prepared[key] = InverseSolver(problem.num_shapes, *factors(problem), problem.gram.matrix)
    made: InverseSolver = problem.gram.prepared[key]
    return made


def factors(problem: InverseProblem) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Offsets (N + 1,), variables, whether a tent, and knots (F, 3) of every column's factors; shapes come first."""
    activations, count = problem.gram.activations, problem.num_shapes
    offset = np.concatenate([np.arange(count), count + np.asarray(activations.offset)])
    variable = np.concatenate([problem.ties, problem.ties[activations.shape]])
    is_tent = np.concatenate([np.zeros(count, bool), activations.is_tent])
    knots = np.concatenate([np.zeros((count, 3)), activations.knots])
    return offset, variable, is_tent.astype(np.int32), knots
