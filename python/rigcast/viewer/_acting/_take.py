"""The timeline of what plays without end: the last minute, and the player that goes on from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.synthesis import Player, Synthesizer
from rigcast.viewer._figures._posing import Row
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._protocol import Refused

KEPT = 60.0  # seconds
MOST_AT_ONCE = 0.5  # seconds that are played at once; of a longer delay the rest is left out


class Take(Timeline):
    """Frames that a player made: the last :data:`KEPT` seconds. Playing goes on at their end.

    Parameters
    ----------
    synth : Synthesizer
    columns : (K,) int array
        Of the channels, for each control.
    rest : (N,) float32 array
        Channels that no control moves.
    seed : int
    """

    def __init__(self, synth: Synthesizer, columns: NDArray[np.intp], rest: Row, seed: int = 0) -> None:
        super().__init__(rest, fps=synth.fps)
        self.layer = np.zeros_like(rest)  # what sliders and drags add
        self.synth, self._columns = synth, columns
        self._made: deque[Row] = deque(maxlen=max(round(KEPT * synth.fps), 2))
        self.restart(seed, synth.labels[0])

    def restart(self, seed: int, label: str) -> None:
        """Begin again at a label; what was played is gone."""
        self.seed, self.requested = seed, label
        self._player: Player = self.synth.player(seed, label=label)
        self._player.idle(label)
        self._made.clear()
        self._due = 0.0  # frames that time has passed and that are not yet made
        self._make(1)

    def request(self, label: str) -> None:
        """Idle at a label, through the bridges of the synthesizer.

        Raises
        ------
        ValueError
            If there is no such label.
        """
        self._player.idle(label)
        self.requested = label

    @property
    def label(self) -> str:
        """The label at which the character is; ``requested`` is the one to which it goes."""
        return self._player.label

    @property
    def is_empty(self) -> bool:
        """False: there is a frame at least."""
        return False

    def base(self, frame: int) -> Row:
        """The rows that the player made."""
        return self._made[min(frame, len(self._made) - 1)]

    def row(self, frame: int) -> Row:
        """The row that the player made, with the layer."""
        return np.asarray(self.base(frame) + self.layer)

    def pose(self, frame: int) -> Row | None:
        """None: channels decide."""
        return None

    def set_key(self, row: Row) -> None:
        """Refused."""
        raise Refused("a synthesizer plays without end and has no keys: sliders add to what it does")

    def remove_key(self) -> None:
        """There is none."""

    def resize(self, frames: int) -> None:
        """Refused."""
        raise Refused("a synthesizer plays without end: its timeline keeps the last minute")

    def play(self, playing: bool, now: float) -> None:
        """Go on at the end, or stop."""
        super().play(playing, now)
        if playing:
            self.at = self.frames - 1.0

    def advance(self, now: float) -> bool:
        """Make the frames that time has passed."""
        passed = max(now - self._since, 0.0) * self.speed
        self._since = now
        self._due += min(passed, MOST_AT_ONCE) * self.fps
        count = int(self._due)
        if count == 0:
            return False
        self._due -= count
        self._make(count)
        return True

    def _make(self, count: int) -> None:
        rows = np.tile(self._rest, (count, 1))
        rows[:, self._columns] = self._player.step(count)
        self._made.extend(rows)
        self.frames, self.at = len(self._made), len(self._made) - 1.0

    def until_next(self) -> float:
        """Seconds until another frame is shown while playing."""
        return float((1.0 - self._due) / (self.fps * self.speed))

    def facts(self) -> dict[str, Any]:
        """The values that the page shows."""
        return {**super().facts(), "clip": True}


def columns_of(controls: Sequence[str], channels: Sequence[str]) -> NDArray[np.intp] | None:
    """The channel of each control by its name; None if there is a control that no channel has the name of."""
    place = {name: index for index, name in enumerate(channels)}
    return np.array([place[name] for name in controls], np.intp) if set(controls) <= place.keys() else None
