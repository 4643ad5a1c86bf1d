"""Many characters, stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float32, seed_of, whole
from ._characters import MOST_FRAMES, Characters, Event, Pose
from ._library import bad_argument
from ._play_settings import PlaySettings
from ._script import Script

MASK = 2**64 - 1
SPREAD = 0x9E3779B97F4A7C15  # between seeds of neighbors


class PlayerCrowd(Characters):
    """Characters of one synthesizer, each with a seed, a script and commands of its own.

    Particles of one label are stepped in one call, and their poses are one product. The same seed, count, commands and
    calls give the same bytes for any number of threads, and a character alone (:class:`Player` with its seed) gives the
    same, too.

    Parameters
    ----------
    synth : Synthesizer
    count : int
        H characters.
    seed : int
        Character h has the seed ``seeds[h]``.
    scripts : sequence of Script or None, optional
        One for each character, in turn if there are fewer.
    label, settings
        As for :class:`Player`; characters begin at labels in turn if none is given.

    Raises
    ------
    ValueError
    """

    def __init__(
        self,
        synth: Any,
        count: int,
        seed: int = 0,
        *,
        scripts: Sequence[Script | None] | None = None,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> None:
        many, base = whole("PlayerCrowd", "count", count, 1), seed_of("PlayerCrowd", seed)
        if many > MOST_FRAMES:
            raise bad_argument("PlayerCrowd", "count", many, f"at most {MOST_FRAMES}")
        if scripts is not None and (not isinstance(scripts, Sequence) or not len(scripts)):
            raise bad_argument("PlayerCrowd", "scripts", "no list of scripts", "a list of at least one, or None")
        self._seeds = np.array([(base * SPREAD + h) & MASK for h in range(many)], np.uint64)
        super().__init__("PlayerCrowd", synth, self._seeds, label, scripts or [None], settings)

    def __len__(self) -> int:
        return len(self._seeds)

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """(H,) seeds of the characters; a copy."""
        return np.array(self._seeds)

    @property
    def labels(self) -> list[str]:
        """The label at which each character is."""
        return [self._where(h)[1] for h in range(len(self))]

    def idle(
        self,
        label: str,
        poses: Sequence[Pose] | None = None,
        *,
        hold: float | None = None,
        along: str = "data",
        who: ArrayLike | None = None,
        later: bool = False,
    ) -> None:
        """As :meth:`Player.idle`, for all characters, or those with the indices ``who``."""
        self._tell("idle", label, {"poses": poses, "hold": hold, "along": along}, later, who)

    def transition(self, label: str, *, who: ArrayLike | None = None, later: bool = False) -> None:
        """As :meth:`Player.transition`, for all characters, or those with the indices ``who``."""
        self._tell("transition", label, {}, later, who)

    def play(self, label: str, segment: str | int = 0, *, who: ArrayLike | None = None, later: bool = False) -> None:
        """As :meth:`Player.play`, for all characters, or those with the indices ``who``."""
        self._tell("play", label, {"segment": segment}, later, who)

    def step(self, frames: int, *, without: Sequence[str] = ()) -> Float32:
        """(H, frames, N) controls of the next frames; arguments are those of :meth:`Player.step`."""
        return self._step(frames, without, len(self))

    def events(self, character: int) -> list[Event]:
        """Events of one character, as :attr:`Player.events`, with the seconds of the last minute."""
        return self._events(whole("PlayerCrowd.events", "character", character, 0))

    def __repr__(self) -> str:
        return f"<rigcast_runtime.PlayerCrowd: {len(self):,} characters>"
