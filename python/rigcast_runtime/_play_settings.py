"""The settings of particles and players."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._arrays import number, threads_of, whole
from ._layers import KINDS, Layer
from ._library import bad_argument
from ._structures import PLAY_NUMBERS, CLayer, CPlayerSettings

TRANSITIONS = ("inertialize", "blend")


@dataclass(frozen=True)
class PlaySettings:
    """The settings of a player. Latent lengths are counted in *steps*: the median distance between frames of a label.

    Attributes
    ----------
    speed : float
        Steps per frame along a path: 1 is as fast as the clips.
    radius : float
        Steps that a particle may be away from its path; never more than .3 length scales of the latent space.
    wander : float
        Strength of the random force: 1 lets particles move about as fast as the clips.
    likelihood : float
        Strength of the force towards training points, relative to the random force.
    timescale : float
        Seconds in which the random force changes, at least a millisecond.
    drag : float
        Share of the velocity relative to the path that is lost per second, at most 1,000.
    stiffness : float
        Rate (1 / s) at which the constraint works: alpha and beta of Baumgarte's stabilization. At most 1,000.
    hold : float
        Seconds that idling rests at each pose; 0 passes through without a rest.
    blend : int
        Frames of a transition, and of a join to a clip.
    settle : int
        Frames of idling before a transition.
    power : float
        Of distances in the graph of shortest paths (Bailey 2020: 4), at most 64.
    layers : sequence of Layer
        Added to what the clips do: blinks, gaze, sway.
    transitions : {"inertialize", "blend"}
        How labels, and clips, are joined: the difference decays over ``blend`` frames, or both sides are blended over
        as many, as published.
    threads : int
        Number of threads; 0 means all processors that this process may use. The bytes are the same for any.
    slow, least : float
        Quantiles of the predictive density one step from the training points: paths slow down, and the ball shrinks,
        below that of ``slow``, and turn back below that of ``least``.
    """

    speed: float = 1.0
    radius: float = 4.0
    wander: float = 0.7
    likelihood: float = 4.0
    timescale: float = 0.35
    drag: float = 2.0
    stiffness: float = 12.0
    hold: float = 0.0
    blend: int = 12
    settle: int = 6
    power: float = 4.0
    slow: float = 0.05
    least: float = 0.0
    layers: Sequence[Layer] = ()
    transitions: str = "inertialize"
    threads: int = 0

    def __post_init__(self) -> None:
        for name in (*PLAY_NUMBERS, "least"):
            number("PlaySettings", name, getattr(self, name))
        for name in ("blend", "settle"):
            whole("PlaySettings", name, getattr(self, name), 1)
        threads_of("PlaySettings", self.threads)
        if self.transitions not in TRANSITIONS:
            expected = f"one of {', '.join(TRANSITIONS)}"
            raise bad_argument("PlaySettings", "transitions", repr(self.transitions), expected)

    def _structure(self, function: str, kept_seconds: int) -> Any:
        """The same for the library."""
        if not isinstance(self.layers, Sequence):
            raise bad_argument(function, "layers", f"a {type(self.layers).__name__}", "a list of layers")
        for layer in self.layers:
            if type(layer) not in KINDS.values():
                expected = "a list of layers: Blinks, Gaze or Sway"
                raise bad_argument(function, "layers", f"a list with a {type(layer).__name__}", expected)
        kept = [layer._structure() for layer in self.layers]
        made = CPlayerSettings(
            size=ctypes.sizeof(CPlayerSettings),
            blends=self.transitions == "blend",
            layer_count=len(kept),
            kept_seconds=kept_seconds,
            **{name: getattr(self, name) for name in (*PLAY_NUMBERS, "least", "blend", "settle", "threads")},
        )
        made.layers, made.kept = (CLayer * len(kept))(*kept), kept
        return made
