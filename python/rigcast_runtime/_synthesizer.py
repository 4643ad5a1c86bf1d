"""Synthesizers: latent spaces of labelled clips, as players play them."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ._arrays import Float32
from ._library import LIBRARY, Handle, bad_argument
from ._play_settings import PlaySettings
from ._player import Player
from ._player_crowd import PlayerCrowd
from ._script import Script
from ._structures import CSynthesis, copied, filled, texts


class Synthesizer:
    """Endless motion in the manner of labelled clips (Bailey 2020, chapter 5). Immutable.

    Read by ``load``; the package rigcast fits and writes them.

    Attributes
    ----------
    labels : list of str
    fps : float
        Frames per second of all that is played.
    control_names : list of N str
    limits : (N, 2) float32
        No control ever leaves them.
    metadata : dict
        All that the file says in words: clips by label, rotations, units.
    """

    def __init__(self, handle: Handle, facts: Any) -> None:
        self._handle = handle
        self.labels = texts(facts.label_names, facts.labels)
        self.control_names = texts(facts.control_names, facts.controls)
        self.fps = float(facts.fps)
        self.limits: Float32 = copied(facts.limits, np.float32, facts.controls, 2)
        self.metadata: dict[str, Any] = json.loads(facts.metadata)

    def player(
        self,
        seed: int = 0,
        script: Script | None = None,
        *,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> Player:
        """One character that idles, moves, makes transitions and plays segments: see :class:`Player`."""
        return Player(self, seed, script, label=label, settings=settings)

    def crowd(
        self,
        count: int,
        seed: int = 0,
        *,
        scripts: Sequence[Script | None] | None = None,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> PlayerCrowd:
        """Many characters, stepped together: see :class:`PlayerCrowd`."""
        return PlayerCrowd(self, count, seed, scripts=scripts, label=label, settings=settings)

    def _label(self, function: str, label: object) -> str:
        if label not in self.labels:
            raise bad_argument(function, "label", repr(label), f"one of {', '.join(self.labels)}")
        return str(label)

    def __reduce__(self) -> NoReturn:
        raise TypeError("objects of rigcast_runtime cannot be copied or pickled; load the file again")

    def __repr__(self) -> str:
        size = f"{len(self.labels)} labels, {self.fps:g} frames per second"
        return f"<rigcast_runtime.Synthesizer: {size}, {len(self.control_names)} controls>"


def synthesizer_of(handle: Handle) -> Synthesizer | None:
    """An opened file as a synthesizer; None if it is a model of vertices."""
    facts = filled(CSynthesis, {})
    if LIBRARY.rigcast_describe_synthesis(handle.pointer, ctypes.byref(facts)):
        return None
    return Synthesizer(handle, facts)
