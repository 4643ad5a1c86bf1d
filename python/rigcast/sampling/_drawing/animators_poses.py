"""The poses that an animator makes of a rig: near its actions, and at random with limbs posed by FK or IK."""

from __future__ import annotations

from typing import Any

from rigcast._rigs.motions.action import distinct_actions
from rigcast._rigs.rig import Rig
from rigcast.sampling._drawing.animation import Animation
from rigcast.sampling._drawing.limbs import posed_limbs
from rigcast.sampling._drawing.samplers import Mixture, Sampler, Sparse, Switched, named_sampler

NEAR = 0.4  # part of the poses that lie near the rig's actions
SPARSE = 0.1  # part in which some channels rest: single controls, and poses near rest
SPARSE_PEOPLE = 0.4  # the same where ranges are joint limits of people: nobody turns all joints to their ends at once
NOISE = 0.5  # of each channel near an action, as a share of its distance from rest


def animators_poses(rig: Rig, sampler: str | Sampler = "normal") -> Sampler:
    """Draw from a rig as an animator poses it.

    Switches (``rig.switches``) are on or off in nine poses of ten. Each limb of a control rig is then posed by its FK
    or by its IK controls, while the others rest. If actions of the rig's file or joint limits of people gave its
    channels their ranges, some poses lie near the file's actions, each channel at a random multiple of its value in a
    random frame, and some turn few controls, near rest.

    Parameters
    ----------
    rig : Rig
        Only its ``switches``, ``control_sets``, ``reaches``, ``actions`` and ``range_origins`` are looked at; without
        them ``sampler`` is returned.
    sampler : str or Sampler
        What the other poses come from.

    Returns
    -------
    Sampler

    Examples
    --------
    >>> rc.sampling.animators_poses(rc.sources.example_body())
    Normal()
    """
    switches = [rig.channel_names.index(name) for name in getattr(rig, "switches", []) if name in rig.channel_names]
    drawn, few = (
        posed_limbs(rig, Switched(base, switches) if switches else base) for base in (named_sampler(sampler), Sparse())
    )
    origins = set(getattr(rig, "range_origins", []))
    if not origins & {"actions", "motion", "people"}:
        return drawn
    sparse = SPARSE_PEOPLE if "people" in origins else SPARSE
    host: Any = rig
    actions = [action for action in map(host.action, distinct_actions(rig)) if len(action)]
    if actions:
        return Mixture([(1.0 - NEAR - sparse, drawn), (NEAR, Animation.of(actions, NOISE)), (sparse, few)])
    return Mixture([(1.0 - sparse, drawn), (sparse, few)])
