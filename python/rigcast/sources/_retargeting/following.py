"""The deforming joint that follows each control, and the switches that make it follow: found by turning the controls.

A control acts if a joint turns with it. If the joint at a control's own place does not, the rig's switches are tried,
each at its ends: those that change between IK and FK are found whatever they are called and whichever end is FK.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rotations import Float64, nearest_rotation
from rigcast.sources._retargeting.target import Target

PROBE = 20.0  # degrees
LEAST = 2.0  # degrees that a control must be able to turn to tell anything
FOLLOWS, GAINS = 0.9, 0.2  # of the control's turn: what counts as following, and what a switch must add to it
FOLLOWS_PARTLY = 0.25
AT_ITS_PLACE = 0.01  # of the rig's size


@dataclass(frozen=True)
class Following:
    """The joints that move with the controls.

    Attributes
    ----------
    joints : dict from target index to the name of the deforming joint that shows its motion
    twistless : dict from target index to the control's axis (3,) at rest, in the world
        Of controls whose joint points where they do, but spreads the turn about this axis over several joints.
    switches : dict from channel name to value
        That were set.
    """

    joints: dict[int, str] = field(default_factory=dict)
    twistless: dict[int, Float64] = field(default_factory=dict)
    switches: dict[str, float] = field(default_factory=dict)


def following_of(target: Target, controls: Collection[int], below: Mapping[int, Collection[int]]) -> Following:
    """Set the switches of ``target.channel_rest``, and find the joint that follows each control.

    Parameters
    ----------
    target : Target
    controls : collection of int
        The mapped bones.
    below : mapping
        The mapped bones that hang on each.
    """
    if not target.is_evaluated:
        return Following({control: target.names[control] for control in controls})
    probe = _Probe(target, [c for c in controls if any(group.joint == c for group in target.rotations)])
    switches = probe.set_switches()
    follows = probe.follows()  # (controls, axes, joints)
    strongest = follows.max(axis=1, initial=0.0)
    joints, twistless = {}, {}
    for row, control in enumerate(probe.controls):
        others = [probe.controls.index(other) for other in below[control] if other in probe.controls]
        free = strongest[row] * (strongest[others].max(axis=0, initial=0.0) < FOLLOWS_PARTLY)
        free[np.round(free, 1) < np.round(free.max(initial=0.0), 1)] = 0.0
        if free.max(initial=0.0) < 0.5:
            continue
        chosen = int(np.where(free > 0, probe.distance[row], np.inf).argmin())
        joints[control] = probe.joints[chosen]
        missing = (probe.turned[row] > LEAST) & (follows[row, :, chosen] < FOLLOWS)
        if missing.sum() == 1:
            twistless[control] = target.rotation[control][:, int(missing.argmax())]
    return Following(joints, twistless, switches)


class _Probe:
    """Turns controls one by one and measures what turns with them."""

    def __init__(self, target: Target, controls: list[int]) -> None:
        self.target, self.controls = target, controls
        self.joints: list[str] = list(target.rig.skeleton.names)
        self._names = self.joints + [target.names[control] for control in controls]
        places = target.world[[target.names.index(name) for name in self._names], :, 3]
        gap = places[None, : len(self.joints)] - places[len(self.joints) :, None]
        self.distance = np.linalg.norm(gap, axis=2)
        size = np.linalg.norm(np.ptp(places, axis=0))
        nearest = self.distance.argmin(axis=1) if self.joints else np.zeros(len(controls), int)
        self.own = [int(j) if self.distance[c, j] <= AT_ITS_PLACE * size else -1 for c, j in enumerate(nearest)]
        self.turned = np.zeros((len(controls), 3))  # degrees

    def set_switches(self) -> dict[str, float]:
        """Set switches that make joints follow which do not yet; their channels' names and values."""
        rest = self.target.channel_rest
        before = self._shares([rest])[0]
        quiet = [c for c, share in enumerate(before) if share < FOLLOWS]
        columns = [self.target.channel_names.index(name) for name in getattr(self.target.rig, "switches", [])]
        ends = [(c, float(end)) for c in columns for end in self.target.ranges[c] if end != rest[c]] if quiet else []
        shares = self._shares([np.where(np.arange(len(rest)) == column, end, rest) for column, end in ends])
        found: dict[str, float] = {}
        for c in quiet if ends else []:
            column, end = ends[int(shares[:, c].argmax())]
            if shares[:, c].max() > max(before[c] + GAINS, FOLLOWS - GAINS):
                rest[column] = found[self.target.channel_names[column]] = end
        return found

    def _shares(self, bases: Sequence[Float64]) -> Float64:
        """The share (rows, C) of its turn that the joint at each control's place follows, all controls turned at once;
        1 where no joint lies there."""
        rows = np.repeat(np.array(bases, np.float64).reshape(-1, len(self.target.ranges)), 2, axis=0)
        for control in self.controls:
            channel = self._channel(control, "XZY")
            for row in rows[1::2]:
                row[channel] = self._turned(row, channel)
        shares = np.ones((len(bases), len(self.controls)))
        world = self._world(rows)
        for number, delta in enumerate(world[1::2] @ np.swapaxes(world[::2], -1, -2)):
            for c, joint in enumerate(self.own):
                if joint >= 0:
                    shares[number, c] = _followed(delta[[joint]], delta[len(self.joints) + c])[0]
        return shares

    def follows(self) -> NDArray[np.float64]:
        """The share (C, 3, J) of a control's turn about each of its axes that each joint follows, 0 for what it
        cannot turn about."""
        base, rows, places = self.target.channel_rest, [self.target.channel_rest], []
        for c, control in enumerate(self.controls):
            group = next(group for group in self.target.rotations if group.joint == control)
            for axis, channel in zip(group.order, group.channels, strict=True):
                row = base.copy()
                row[channel] = self._turned(base, channel)
                rows.append(row)
                places.append((c, "XYZ".index(axis)))
        result = np.zeros((len(self.controls), 3, len(self.joints)))
        world = self._world(np.array(rows))
        for delta, place in zip(world[1:] @ np.swapaxes(world[0], -1, -2), places, strict=True):
            own = delta[len(self.joints) + place[0]]
            self.turned[place] = _angle(own)
            result[place] = _followed(delta[: len(self.joints)], own)
        return result

    def _channel(self, control: int, preferred: str) -> int:
        """A rotation channel, about the bone's own length last: what bends it tells more."""
        group = next(group for group in self.target.rotations if group.joint == control)
        places = [preferred.index(axis) for axis in group.order]
        return group.channels[places.index(min(places))]

    def _turned(self, base: Float64, channel: int) -> float:
        low, high = self.target.bounds([channel])[0]
        up, down = min(base[channel] + PROBE, high), max(base[channel] - PROBE, low)
        return float(up if up - base[channel] >= base[channel] - down else down)

    def _world(self, rows: Float64) -> Float64:
        """World rotations (rows, bones, 3, 3)."""
        return nearest_rotation(self.target.transforms(rows, self._names)[..., :3])


def _angle(rotation: Float64) -> Float64:
    """Degrees of rotations (..., 3, 3)."""
    cosine = (np.trace(rotation, axis1=-2, axis2=-1) - 1.0) / 2.0
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _followed(others: Float64, own: Float64) -> Float64:
    """1 for rotations (J, 3, 3) that are ``own``, 0 for those that are none, by the angle that is left between."""
    angle = _angle(own)
    if angle < LEAST:
        return np.zeros(len(others))
    return np.asarray(1.0 - _angle(np.swapaxes(others, -1, -2) @ own) / angle)
