"""The parts of a synthesizer, which its file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._space import Space

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, eq=False)
class Bridge:
    """Pairs of latent points of two labels whose meshes match, the closest pair first.

    Attributes
    ----------
    from_points, to_points : (K, D_from), (K, D_to) float64
    distances : (K,) float64
        Root mean square over the vertices, in millimeters.
    within : bool
        Whether the distances are below the threshold. Otherwise it is the one pair that joins labels which no chain of
        bridges within the threshold joins.
    """

    from_points: Float64
    to_points: Float64
    distances: Float64
    within: bool = True

    def __len__(self) -> int:
        return len(self.distances)


@dataclass(frozen=True, eq=False)
class SynthesisParts:
    """The parts of a synthesizer, which its file holds."""

    fps: float
    control_names: list[str]
    around: Coordinates
    weights: Float64  # (N,) of all labels; a label's own scale is in its embedding
    effects: Float64  # (N, R)
    dropped: dict[str, str]  # name to reason
    spaces: dict[str, Space]
    bridges: dict[tuple[str, str], Bridge]
    threshold: float  # millimeters
    millimeters: float  # of one unit of the rig
    has_joints: bool
    metadata: dict[str, Any] = field(default_factory=dict)
    engine: _core.Synthesizer | None = None  # of a file that was read
