"""The channels as a rig states them: what each of them turns, moves or sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigcast._validate import bad_argument

UNSTATED = "the rig does not state what it turns"


def stated_kinematics(
    rig: Any, channel_names: Sequence[str], joint_names: Sequence[str], dial_names: Sequence[str], function: str
) -> dict[str, Any]:
    """The manifest's ``kinematics``: one object per channel, joints that turn with channels of others, joints that
    the rig says something else poses, channels whose motion reaches the joints through something else, and the
    mechanism that passes it on, if the rig states one.

    Raises
    ------
    ValueError
        If ``rotation_channels``, ``follower_rotations``, ``translation_channels`` or ``scale_channels`` name a joint or
        channel that does not exist, or a channel twice.
    """
    statement = _Statement(channel_names, joint_names, function)
    products = {group.joint: group for group in getattr(rig, "follower_rotations", [])}
    for group in getattr(rig, "rotation_channels", []):
        for letter, channel in zip(group.order, group.channels, strict=True):
            statement.assign("rotation_channels", f"rotate_{letter.lower()}", group.joint, channel)
    for group in [*products.values(), *(g for g in getattr(rig, "rotation_channels", []) if g.joint not in products)]:
        statement.place(group)
    for attribute, verb in (("translation_channels", "translate"), ("scale_channels", "scale")):
        for group in getattr(rig, attribute, []):
            for letter, channel in zip("xyz", group.channels, strict=True):
                if channel != -1:
                    statement.assign(attribute, f"{verb}_{letter}", group.joint, channel)
    whole = set(getattr(rig, "whole_channels", []))
    for name, record in zip(channel_names, statement.records, strict=True):
        if record["kind"] == "other" and name in dial_names:
            record |= {"kind": "dial", "whole": name in whole}
    elsewhere = dict(getattr(rig, "posed_elsewhere", {}))
    unknown = [joint for joint in elsewhere if joint not in joint_names]
    if unknown or not all(isinstance(why, str) and why for why in elsewhere.values()):
        got = f"a mapping that names {unknown[0]!r}" if unknown else "a mapping without a reason for each joint"
        raise bad_argument(function, "rig.posed_elsewhere", got, "a mapping of joint names to reasons")
    passed_on = {name: str(why) for name, why in dict(getattr(rig, "passed_on", {})).items() if name in channel_names}
    mechanism = _stated_mechanism(rig, channel_names) if passed_on or elsewhere else {}  # else plain kinematics decides
    return {
        "channels": statement.records,
        "followers": statement.followers,
        "joints": elsewhere,
        "passed_on": passed_on,
        **({"mechanism": mechanism} if mechanism else {}),
    }


def _stated_mechanism(rig: Any, channel_names: Sequence[str]) -> dict[str, Any]:
    """The rig's mechanism with the units of the channels that turn and shift its bones; empty if it states none."""
    mechanism = getattr(rig, "mechanism", None)
    stated = getattr(mechanism, "stated", {})
    if not stated or mechanism is None:
        return {}
    units = {"degrees": mechanism.rotation_channels, "rig": mechanism.translation_channels}
    named = {channel_names[channel]: unit for unit, groups in units.items()
             for group in groups for channel in group.channels if channel >= 0}  # fmt: skip
    return {**stated, "units": named}


class _Statement:
    """Collects what channels turn, and refuses what does not exist or is there twice."""

    def __init__(self, channel_names: Sequence[str], joint_names: Sequence[str], function: str) -> None:
        self._channel_names, self._joint_names, self._function = channel_names, joint_names, function
        self.records: list[dict[str, Any]] = [
            {"kind": "other", "joint": None, "place": 0, "whole": False} for _ in channel_names
        ]
        self.followers: list[dict[str, Any]] = []
        self._turns = [0] * len(joint_names)

    def assign(self, attribute: str, kind: str, joint: int, channel: int) -> None:
        """One channel of one joint."""
        self._check(attribute, kind[-1], joint, channel)
        if self.records[channel]["kind"] != "other":
            raise self._refused(attribute, kind[-1], joint, channel)
        self.records[channel] |= {"kind": kind, "joint": self._joint_names[joint]}

    def place(self, group: Any) -> None:
        """The places of a joint's rotations in its product, and those that another joint's channel drives."""
        factors = getattr(group, "factors", (1.0,) * len(group.channels))
        for letter, channel, factor in zip(group.order, group.channels, factors, strict=True):
            axis = letter.lower()
            self._check("follower_rotations", axis, group.joint, channel)
            record, name = self.records[channel], self._joint_names[group.joint]
            place = self._turns[group.joint]
            self._turns[group.joint] += 1
            if (record["joint"], record["kind"], factor) == (name, f"rotate_{axis}", 1.0):
                record["place"] = place
            else:
                leader = self._channel_names[channel]
                entry = {"joint": name, "channel": leader, "axis": axis, "place": place, "factor": float(factor)}
                self.followers.append(entry)

    def _check(self, attribute: str, axis: str, joint: int, channel: int) -> None:
        known = 0 <= joint < len(self._joint_names) and 0 <= channel < len(self.records) and axis in "xyz"
        if not known:
            raise self._refused(attribute, axis, joint, channel)

    def _refused(self, attribute: str, axis: str, joint: int, channel: int) -> ValueError:
        got = f"a list with axis {axis.upper()!r} of joint {joint} on channel {channel}"
        expected = "of joints and channels of the rig, each channel once"
        return bad_argument(self._function, f"rig.{attribute}", got, expected)


def channel_records(
    names: Sequence[str],
    ranges: ArrayLike,
    rest: ArrayLike,
    kinematics: Mapping[str, Any],
    deviations: Mapping[str, Mapping[str, str]],
) -> dict[str, object]:
    """The entry ``channels`` of a model file (its format stands in ``cpp/rigcast/rig/channels/channels.h``).

    Parameters
    ----------
    names, ranges, rest
        Of N channels: names, lowest and highest values (N, 2), and rest values (N,).
    kinematics : mapping
        As :func:`stated_kinematics` returns it.
    deviations : mapping
        ``channels`` and ``joints`` that neither plain kinematics nor the mechanism decides, with reasons. Without any,
        channels that the mechanism passes on are of kind ``control``.
    """
    entries = []
    mechanism = kinematics.get("mechanism", {})
    poses_all = bool(mechanism) and not deviations["joints"]
    bounds = np.asarray(ranges, np.float64).tolist()
    for name, (low, high), value, record in zip(
        names, bounds, np.asarray(rest, np.float64).tolist(), kinematics["channels"], strict=True
    ):
        kind = record["kind"]
        if kind == "other" and poses_all and name in kinematics["passed_on"]:
            kind = "control"
        unit = {"rotate": "degrees", "translate": "rig"}.get(kind.partition("_")[0], "")
        if kind == "control":
            unit = mechanism["units"].get(name, "")
        unstated = kinematics.get("passed_on", {}).get(name, UNSTATED) if kind == "other" else ""
        reason = deviations["channels"].get(name, unstated)
        entries.append(
            {"name": name, "low": low, "high": high, "rest": value, "unit": unit, "reason": reason, **record}
            | {"kind": kind}
        )
    entry = {"list": entries, "followers": kinematics["followers"], "joints": dict(deviations["joints"])}
    return entry | ({"mechanism": mechanism} if mechanism else {})
