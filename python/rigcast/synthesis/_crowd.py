"""Many players, stepped together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import PlayCommand
from rigcast._shown import no_pickle, one_line
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument
from rigcast.synthesis._playing import commands
from rigcast.synthesis._playing.commands import Pose, checked_label
from rigcast.synthesis._playing.events import Event
from rigcast.synthesis._playing.layers import MASK
from rigcast.synthesis._playing.playable import Playable
from rigcast.synthesis._playing.script import Script
from rigcast.synthesis._playing.settings import PlaySettings
from rigcast.synthesis._playing.start import begun, layer_names

Float32 = NDArray[np.float32]
SPREAD = 0x9E3779B97F4A7C15  # between seeds of neighbors
KEPT_SECONDS = 60  # of each character, for events


@no_pickle("it has places in its motions; pickle its Synthesizer and its seed")
@one_line
class PlayerCrowd:
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

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> clip = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> size = {"dimensions": 3, "components": 6, "iterations": 20, "held_out": False}
    >>> synth = rc.synthesis.fit({"happy": [clip]}, rig=face, **size)
    >>> crowd = synth.crowd(10, seed=1)
    >>> crowd.idle("happy")
    >>> crowd.step(24).shape
    (10, 24, 22)
    """

    def __init__(
        self,
        synth: Playable,
        count: int,
        seed: int = 0,
        *,
        scripts: Sequence[Script | None] | None = None,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> None:
        check = Arguments("PlayerCrowd")
        number, base = check.whole("count", count, least=1, most=MOST_FRAMES), check.whole("seed", seed, most=MASK)
        self._seeds = np.array([(base * SPREAD + h) & MASK for h in range(number)], np.uint64)
        labels = synth.labels if label is None else [checked_label("PlayerCrowd", synth, label)]
        if scripts is not None and (not isinstance(scripts, Sequence) or not len(scripts)):
            raise bad_argument("PlayerCrowd", "scripts", "no list of scripts", "a list of at least one, or None")
        self._synth, seeds = synth, self._seeds.tolist()
        self._players = begun("PlayerCrowd", synth, seeds, labels, scripts or [None], settings, KEPT_SECONDS)

    def __len__(self) -> int:
        return len(self._players)

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """(H,) seeds of the characters; a copy."""
        return np.asarray(self._seeds.copy())

    @property
    def labels(self) -> list[str]:
        """The label at which each character is."""
        return [self._players.label(h) for h in range(len(self))]

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
        self._tell(commands.idle(self._synth, label, poses, hold, along), who, later)

    def transition(self, label: str, *, who: ArrayLike | None = None, later: bool = False) -> None:
        """As :meth:`Player.transition`, for all characters, or those with the indices ``who``."""
        self._tell(commands.transition(self._synth, label), who, later)

    def play(self, label: str, segment: str | int = 0, *, who: ArrayLike | None = None, later: bool = False) -> None:
        """As :meth:`Player.play`, for all characters, or those with the indices ``who``."""
        self._tell(commands.play(self._synth, label, segment, 0, None), who, later)

    def step(self, frames: int, *, without: Sequence[str] = ()) -> Float32:
        """(H, frames, N) controls of the next frames; arguments are those of :meth:`Player.step`."""
        count = Arguments("PlayerCrowd.step").whole("frames", frames, most=MOST_FRAMES)
        return self._players.step("PlayerCrowd.step", count, layer_names("PlayerCrowd.step", without))

    def poses(self, *, without: Sequence[str] = ()) -> Float32:
        """(H, C) pose rows of the next frame: one batch for a model's ``evaluate``."""
        return self._synth.poses(self.step(1, without=without)[:, 0])

    def events(self, character: int) -> list[Event]:
        """Events of one character, as :attr:`Player.events`, with the seconds of the last minute."""
        index = Arguments("PlayerCrowd.events").whole("character", character, most=len(self) - 1)
        return [Event(*event) for event in self._players.events(index)]

    def _tell(self, command: PlayCommand, who: ArrayLike | None, later: bool = False) -> None:
        chosen: list[int] = []
        if who is not None:
            chosen = Arguments("PlayerCrowd").integers("who", who, "n", below=len(self)).tolist()
            if not chosen:
                return
        self._players.tell(command, chosen, bool(later))

    def __repr__(self) -> str:
        return f"<rigcast.synthesis.PlayerCrowd: {len(self):,} characters>"
