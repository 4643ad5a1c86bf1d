"""Performance capture: synthetic actors, whose every label is exact.

There is no footage of a face in this project: every actor is rendered, and every albedo constructed.
"""

from rigcast.capture._actors import Actor, ActorVariation, Cast, example_cast, ict_cast
from rigcast.capture._actors_set import make_actor_set
from rigcast.capture._actors_shot import ActorShot, ShotPlan, film

__all__ = [
    "Actor",
    "ActorShot",
    "ActorVariation",
    "Cast",
    "ShotPlan",
    "example_cast",
    "film",
    "ict_cast",
    "make_actor_set",
]
