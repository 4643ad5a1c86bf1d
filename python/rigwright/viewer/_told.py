"""What only the stage of a synthesizer does, as every other stage answers it."""

from __future__ import annotations

from typing import Any


class Untold:
    """A stage that shows no synthesizer."""

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
