"""Projections of a shot on a rig's columns: all that a search needs of the targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.inverse._gram import LARGEST_ENTRY, Gram

if TYPE_CHECKING:
    from rigcast._cuda import Projection

Float64 = NDArray[np.float64]


def project(gram: Gram, targets: NDArray[np.float32], threads: int = 0, device: str = "cpu") -> tuple[Float64, Float64]:
    """Checked targets to ``Phi^T Omega b`` (T, N) and ``b^T Omega b`` (T,), b being their offsets.

    Raises
    ------
    ValueError
        If a chosen vertex is not finite in some frame.
    """
    if device == "cuda":
        projections, energies = projector(gram).project(targets)
    else:
        projections, energies = gram.core.project(targets, threads)
    # a weight of 0 hides infinity from no sum: 0 times it is NaN
    bad = np.flatnonzero(~(energies <= LARGEST_ENTRY))
    if len(bad):
        t, missing = int(bad[0]), np.argwhere(~np.isfinite(gram.chosen(targets[bad[0] : bad[0] + 1])))
        if len(missing) == 0:
            raise bad_argument("solve", "targets", f"so large at frame {t} that the objective overflows", "smaller")
        got = f"not finite at frame {t}, vertex {gram.vertices[missing[0, 1]]}"
        raise bad_argument("solve", "targets", got, "finite everywhere")
    return projections, energies


def projector(gram: Gram) -> Projection:
    """The rig's columns on the CUDA device: copied once."""
    if "projector on cuda" not in gram.prepared:
        from rigcast._cuda import Projection

        columns, neutral, weights = gram.columns, gram.neutral, gram.vertex_weights
        gram.prepared["projector on cuda"] = Projection(columns, neutral, weights, gram.vertices, gram.num_vertices)
    made: Projection = gram.prepared["projector on cuda"]
    return made
