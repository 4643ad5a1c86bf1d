"""The interface of a synthesizer that a player needs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core


class Playable(Protocol):
    """A synthesizer: its labels, its rate, and the engine's part of it."""

    labels: list[str]
    fps: float

    @property
    def engine(self) -> _core.Synthesizer: ...
    def poses(self, controls: ArrayLike) -> NDArray[np.float32]: ...
