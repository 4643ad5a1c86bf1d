"""The settings of particles and players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from rigcast._validate import Arguments, bad_argument, shown
from rigcast.synthesis._playing.layers import SHORTEST_TIMESCALE, Layer

TRANSITIONS = ("inertialize", "blend")
FASTEST_RATE = 1e3  # 1 / s: stable with a thousand integration steps per frame, from one frame per second on
HIGHEST_POWER = 64.0


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
        check = Arguments("PlaySettings")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("blend", "settle"):
                check.whole(field.name, value, least=1, most=1000)
            elif field.name in ("slow", "least"):
                check.number(field.name, value, least=0.0, most=1.0)
            elif field.name == "transitions":
                if value not in TRANSITIONS:
                    raise bad_argument("PlaySettings", "transitions", shown(value), f"one of {', '.join(TRANSITIONS)}")
            elif field.name == "threads":
                check.threads(value)
            elif field.name == "layers":  # a player checks them against its controls
                object.__setattr__(self, "layers", tuple(value) if isinstance(value, list) else value)
            elif field.name == "timescale":
                check.number(field.name, value, least=SHORTEST_TIMESCALE, most=1e6)
            elif field.name in ("drag", "stiffness"):
                check.number(field.name, value, above=0.0, most=FASTEST_RATE)
            elif field.name == "power":
                check.number(field.name, value, above=0.0, most=HIGHEST_POWER)
            elif field.name in ("wander", "likelihood", "hold"):
                check.number(field.name, value, least=0.0, most=1e6)
            else:
                check.number(field.name, value, above=0.0, most=1e6)
