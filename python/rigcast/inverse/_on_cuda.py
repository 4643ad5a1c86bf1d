"""The inverse rig on an NVIDIA GPU: projections, descent and measures, in the engine's CUDA extension."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import bad_argument
from rigcast.inverse._gram import Gram
from rigcast.inverse._shot import DeviceTargets

if TYPE_CHECKING:
    from rigcast._cuda import InverseSolver, Projection

Ties = NDArray[np.int32]


def targets_on_device(targets: ArrayLike | DeviceTargets) -> DeviceTargets | None:
    """The targets of an object whose numbers are on the device; None for all others."""
    if isinstance(targets, (np.ndarray, DeviceTargets)):
        return targets if isinstance(targets, DeviceTargets) else None
    from rigcast._cuda import DeviceShot

    shot = DeviceShot.of(targets)
    return None if shot is None else DeviceTargets(shot)


def project(gram: Gram, targets: NDArray[np.float32] | DeviceTargets) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return projections (T, N) and energies (T,) of targets, which stay where they are."""
    return projector(gram).project(targets.shot if isinstance(targets, DeviceTargets) else targets)


def check_problem(gram: Gram, ties: Ties, smoothness: float) -> None:
    """Refuse a problem that the device cannot solve."""
    if smoothness > 0:
        raise bad_argument("solve", "smoothness", f"{smoothness:g} with device 'cuda'", "0, or device 'cpu'")
    offset, variable, _, _ = factors(gram, ties)
    for n, (first, last) in enumerate(itertools.pairwise(offset)):
        if len(np.unique(variable[first:last])) < last - first:
            got = f"a pair that combination {n - len(ties)} multiplies, with device 'cuda'"
            raise bad_argument("solve", "symmetric", got, "pairs that no combination multiplies, or device 'cpu'")


def projector(gram: Gram) -> Projection:
    """Return the rig's columns on the device: copied once."""
    if "projector on cuda" not in gram.prepared:
        from rigcast._cuda import Projection

        columns, neutral, weights = gram.columns, gram.neutral, gram.vertex_weights
        gram.prepared["projector on cuda"] = Projection(columns, neutral, weights, gram.vertices, gram.num_vertices)
    made: Projection = gram.prepared["projector on cuda"]
    return made


def solver(gram: Gram, ties: Ties) -> InverseSolver:
    """Return the rig's Gram matrix on the device, with shapes (K,) tied as in a problem: copied once."""
    key = ("solver on cuda", ties.tobytes())
    if key not in gram.prepared:
        from rigcast._cuda import InverseSolver

        gram.prepared[key] = InverseSolver(len(ties), *factors(gram, ties), gram.matrix)
    made: InverseSolver = gram.prepared[key]
    return made


def factors(gram: Gram, ties: Ties) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return offsets (N + 1,), variables, 1 for tents, and knots (F, 3) of the columns' factors; shapes come first."""
    activations, count = gram.activations, len(ties)
    offset = np.concatenate([np.arange(count), count + np.asarray(activations.offset)])
    variable = np.concatenate([ties, ties[activations.shape]])
    is_tent = np.concatenate([np.zeros(count, bool), activations.is_tent])
    knots = np.concatenate([np.zeros((count, 3)), activations.knots])
    return offset, variable, is_tent.astype(np.int32), knots
