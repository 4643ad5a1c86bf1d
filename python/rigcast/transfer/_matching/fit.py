"""A source that is fitted to a target, and matches between the two: what all steps of the matching share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._matching.components import Closest, ComponentMesh

Bool = NDArray[np.bool_]
Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class SourceFit:
    """A source fitted to a target.

    Attributes
    ----------
    source, target : ComponentMesh
        The source as fitted.
    tied : (S, T)
        Which components landmarks tie.
    met : (T, S)
        To which components of the source those of the target are matched.
    given : (L,)
        Vertices of the target that landmarks match.
    edge, near : float
        Mean edge of the source, and how far away a match is at most.
    threads : int
    """

    source: ComponentMesh
    target: ComponentMesh
    tied: Bool
    met: Bool
    given: Int64
    edge: float
    near: float
    threads: int


@dataclass(frozen=True)
class Matches:
    """Per target vertex the corners (V, 3) of a triangle of the source, weights (V, 3), distance, and if it counts."""

    corners: Int32
    weights: Float32
    distance: Float32
    matched: Bool

    def but(self, rows: Int64 | Bool, found: Closest, matched: Bool | bool) -> Matches:
        """With others at some vertices."""
        made = Matches(self.corners.copy(), self.weights.copy(), self.distance.copy(), self.matched.copy())
        made.corners[rows], made.weights[rows], made.distance[rows] = found
        made.matched[rows] = matched
        return made

    def only(self, matched: Bool) -> Matches:
        """The same, of which those count."""
        return replace(self, matched=matched)
