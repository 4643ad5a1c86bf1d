"""The poses that an animator makes of a rig: near its actions, and at random with switches on or off."""

from __future__ import annotations

from typing import Any

from rigcast._rigs.action import distinct_actions
from rigcast._rigs.rig import Rig
from rigcast.sampling._animation import Animation
from rigcast.sampling._samplers import Mixture, Sampler, Sparse, Switched, named_sampler

NEAR = 0.4  # part of the poses that lie near the rig's actions
SPARSE = 0.1  # part in which some channels rest: single controls, and poses near rest
NOISE = 0.5  # of each channel there, as a share of its distance from rest
OF_LIMITS_FILE = "the limits file: "
FROM_ACTIONS = "action "  # how the source of a range begins that an action gave


def animators_poses(rig: Rig, sampler: str | Sampler = "normal") -> Sampler:
    """Draw from a rig as an animator poses it.

    Switches (``rig.switches``) are on or off in most poses. If actions of the rig's file gave its channels their
    ranges, some poses lie near these actions, each channel at a random multiple of its value in a random frame, and a
    few turn few controls, near rest.

    Parameters
    ----------
    rig : Rig
        Only its ``switches``, ``actions`` and ``range_sources`` are looked at; without them ``sampler`` is returned.
    sampler : str or Sampler
        What the other poses come from.

    Returns
    -------
    Sampler

    Examples
    --------
    >>> rc.sampling.animators_poses(rc.sources.example_body())
    Normal(spread=0.3333333333333333)
    """
    drawn = named_sampler(sampler)
    switches = [rig.channel_names.index(name) for name in getattr(rig, "switches", [])]
    if switches:
        drawn = Switched(drawn, switches)
    sources = getattr(rig, "range_sources", [])
    if not any(source.removeprefix(OF_LIMITS_FILE).startswith(FROM_ACTIONS) for source in sources):
        return drawn
    host: Any = rig
    actions = [action for action in map(host.action, distinct_actions(rig)) if len(action)]
    if not actions:
        return drawn
    return Mixture([(1.0 - NEAR - SPARSE, drawn), (NEAR, Animation.of(actions, NOISE)), (SPARSE, Sparse())])
