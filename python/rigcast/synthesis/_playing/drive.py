"""Characters with schedules, stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.synthesis._playing.character import LatentCharacter
from rigcast.synthesis._playing.commands import PlayCommand
from rigcast.synthesis._playing.simulate import SimulationBatch

Float32 = NDArray[np.float32]


@dataclass(eq=False)
class PlayingCharacter:
    """A character, and the commands that wait for their time."""

    character: LatentCharacter
    schedule: list[tuple[int, PlayCommand]]
    given: int = 0

    def obey(self) -> None:
        """Tell the character what is due."""
        while self.given < len(self.schedule) and self.schedule[self.given][0] <= self.character.frame:
            self.character.tell(self.schedule[self.given][1])
            self.given += 1

    def until_next(self) -> int:
        """Frames until the next command of the schedule."""
        return self.schedule[self.given][0] - self.character.frame if self.given < len(self.schedule) else 2**60


def play_frames(batch: SimulationBatch, characters: Sequence[PlayingCharacter], frames: int) -> Float32:
    """(H, frames, N) controls of the next frames of H characters, without layers."""
    result = np.empty((len(characters), frames, len(batch.synth.control_names)), np.float32)
    done = [0] * len(characters)
    while active := [h for h in range(len(characters)) if done[h] < frames]:
        for h in active:
            characters[h].obey()
        batch.simulate([characters[h].character.next_item() for h in active if characters[h].character.item is None])
        for h in active:
            character = characters[h].character
            count = min(character.left, frames - done[h], characters[h].until_next())
            result[h, done[h] : done[h] + count] = character.take(count)
            done[h] += count
    return result
