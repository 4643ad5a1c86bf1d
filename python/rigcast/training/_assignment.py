"""Which joint moves a vertex: least squares over example poses, then fewer sets (Bailey et al. 2018, 3.1.1, 3.3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import moving_joints


def candidate_joints(poses: NDArray[np.float32], parents: NDArray[np.int32], extent: float) -> NDArray[np.intp]:
    """The joints that move relative to their parent, and the roots.

    A joint that never moves relative to its parent explains every vertex exactly as well as the parent does; of such
    a family only the topmost joint is a candidate, so that rounding decides nothing.
    """
    moving = moving_joints(poses, len(parents), extent)
    return np.flatnonzero(moving | (parents < 0))


def assign(errors: NDArray[np.floating[Any]], candidates: NDArray[np.intp], tau: float) -> NDArray[np.intp]:
    """Assign every vertex to a joint.

    Starts from the best candidate of every vertex, total error e_0. Then removes the joint with the fewest vertices
    (the last one on a tie) as long as the error of the new assignment is at most ``tau`` e_0 (equation 7).

    Parameters
    ----------
    errors : (V, J) array
        Squared error of vertex v when it moves rigidly with joint j.
    candidates : array of int
        Joints that may be used, at least one.
    tau : float
        At least 1.

    Returns
    -------
    (V,) array of int
        Joint of each vertex.
    """
    cost = np.asarray(errors, np.float64)[:, candidates]
    active = np.arange(len(candidates))
    best = cost.argmin(axis=1)
    limit = tau * cost.min(axis=1).sum()
    while len(active) > 1:
        counts = np.bincount(best, minlength=len(candidates))[active]
        smallest = len(active) - 1 - int(counts[::-1].argmin())
        rest = np.delete(active, smallest)
        reduced = cost[:, rest]
        if counts[smallest] > 0 and reduced.min(axis=1).sum() > limit:
            break
        active, best = rest, rest[reduced.argmin(axis=1)]
    return np.asarray(candidates[best])
