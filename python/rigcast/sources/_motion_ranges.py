"""The ranges that retargeted motion uses of a rig's channels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigcast._rigs.rig import Rig, TranslationChannels
from rigcast._validate import bad_argument
from rigcast.sources._retargeting.result import Retargeted

STILL = 0.05  # degrees, or units of dials: what moves a channel by less does not move it
STILL_SHARE = 1e-5  # the same for shifts, as a share of the rig's size
DIGITS = 4  # of degrees


def motion_ranges(rig: Rig, motions: Sequence[Retargeted]) -> dict[str, tuple[float, float]]:
    """Ranges of the channels that motions use: limits with which the rig learns these motions, and little else.

    Parameters
    ----------
    rig : Rig
        The one that the motions were retargeted onto.
    motions : sequence of Retargeted
        At least one.

    Returns
    -------
    dict from channel name to (low, high)
        Of channels that move, their extremes with the rest value; of switches that retargeting set, twice the value.
        As ``limits`` of :func:`load`; with ``hold="*"`` all other controls of a .blend stay as saved.

    Raises
    ------
    ValueError
        If there is no motion, or one of another rig.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> notes = rc.exports.write_bvh("wave.bvh", arm, [[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]], fps=24)
    >>> motion = rc.sources.load_bvh("wave.bvh").motion()
    >>> made = rc.sources.retarget(motion, arm, {name: name for name in arm.skeleton.names})
    >>> rc.sources.motion_ranges(arm, [made])
    {'elbow.rx': (0.0, 90.0)}
    """
    names = list(rig.channel_names)
    if not motions:
        raise bad_argument("motion_ranges", "motions", "empty", "at least one retargeted motion")
    if any(made.channels.shape[1] != len(names) for made in motions):
        widths = ", ".join(str(made.channels.shape[1]) for made in motions)
        expected = f"motions of this rig, which has {len(names)} channels"
        raise bad_argument("motion_ranges", "motions", f"of rigs with {widths} channels", expected)
    shifted = {channel for group in _shifts(rig) for channel in group.channels}
    size = float(np.ptp(np.asarray(rig.rest_vertices, np.float64), axis=0).max())
    rest = np.asarray(getattr(rig, "channel_rest", np.zeros(len(names))), np.float64)
    rows = np.concatenate([rest[None], *(made.channels for made in motions)])
    still = np.array([STILL_SHARE * size if channel in shifted else STILL for channel in range(len(names))])
    low, high = rows.min(axis=0), rows.max(axis=0)
    moving = np.flatnonzero(high - low > still)
    switches = {name: value for made in motions for name, value in made.switches.items()}
    found = {names[channel]: _rounded(low[channel], high[channel], channel in shifted) for channel in moving}
    return found | {name: (value, value) for name, value in switches.items()}


def _shifts(rig: Rig) -> Sequence[TranslationChannels]:
    bones = getattr(rig, "mechanism", None) or rig
    return list(getattr(bones, "translation_channels", []))


def _rounded(low: float, high: float, exact: bool) -> tuple[float, float]:
    """Outwards, so that the motion stays inside."""
    if exact:
        return float(low), float(high)
    step = 10.0**-DIGITS
    return (
        round(float(np.floor(low / step) * step), DIGITS),
        round(float(np.ceil(high / step) * step), DIGITS),
    )
