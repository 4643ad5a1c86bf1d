"""An action of a character's file as channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line


def distinct_actions(rig: Any) -> list[str]:
    """The actions of a rig's file, those that are played together once: by the first of their names."""
    names, together = list(getattr(rig, "actions", {})), list(getattr(rig, "played_together", []))
    first = next((name for name in together if name in names), None)
    return [name for name in names if name == first or name not in together]


@one_line
@dataclass(frozen=True)
class Action:
    """Frames of an action.

    Attributes
    ----------
    name : str
    channels : (T, N) float64 array
        As keyed: values may lie outside the ranges of the rig.
    fps : float
        Frames per second.
    missed : list of str
        What the action moves that is no channel of the rig, by name.
    """

    name: str
    channels: NDArray[np.float64]
    fps: float
    missed: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.channels)
