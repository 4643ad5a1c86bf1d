"""The settings of particles and players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument, shown
from rigcast.synthesis._playing.layers import Layer

TRANSITIONS = ("inertialize", "blend")


@one_line
@dataclass(frozen=True, kw_only=True)
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
        check = Arguments("PlaySettings")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("blend", "settle"):
                check.whole(field.name, value, most=MOST_FRAMES)
            elif field.name == "transitions":
                if value not in TRANSITIONS:
                    raise bad_argument("PlaySettings", "transitions", shown(value), f"one of {', '.join(TRANSITIONS)}")
            elif field.name == "threads":
                check.threads(value)
            elif field.name == "layers":  # a player checks them against its controls
                object.__setattr__(self, "layers", tuple(value) if isinstance(value, list) else value)
            else:
                check.number(field.name, value)
        self.engine()

    def engine(self) -> _core.PlaySettings:
        """The same for the engine, which checks the ranges."""
        others = ("layers", "transitions")
        numbers: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in others}
        return _core.PlaySettings(blends=self.transitions == "blend", **numbers)
