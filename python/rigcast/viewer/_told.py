"""What only the stage of a synthesizer does, as every other stage answers it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Untold:
    """A stage that shows no synthesizer."""

    rest: NDArray[np.float32]

    def resting(self) -> NDArray[np.float32]:
        """Channels (N,) without what was done by hand."""
        return self.rest

    def tell(self, label: str) -> None:
        """Refused: only a synthesizer has labels."""
        raise ValueError("this view shows no synthesizer, which could be told a label")

    def restart(self, seed: int) -> None:
        """Refused: only a synthesizer has a seed."""
        raise ValueError("this view shows no synthesizer, which could begin again")

    def acting(self) -> dict[str, Any] | None:
        """What a synthesizer does; None of anything else."""
        return None

    def scene_facts(self) -> dict[str, Any]:
        """Labels for buttons, and labels of moods: none."""
        return {"labels": [], "moods": {}}
