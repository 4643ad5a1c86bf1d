"""What a rig states about its channels, and whether plain kinematics agrees with the poses that the rig returned.

A manifest's ``kinematics`` is what the rig states, known before sampling; its ``deviations`` name the channels and
joints for which the sampled poses differ from plain kinematics. Both become the entry ``channels`` of model files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright._validate import bad_argument
from rigwright.sampling._versions import dial_names as dials_of

KEYS = {"kind", "joint", "place", "whole"}
UNSTATED = "the rig does not state what it turns"
# Poses differ by less than this share of a joint's rest scale, or of the character's size, if plain kinematics decides.
# Hosts compute chains of bones in float32; a constraint that matters moves a joint by far more.
AGREEMENT = 1e-4


def stated_kinematics(
    rig: Any, channel_names: Sequence[str], joint_names: Sequence[str], dial_names: Sequence[str], function: str
) -> dict[str, Any]:
    """The manifest's ``kinematics``: one object per channel, joints that turn with channels of others, and joints that
    the rig says something else poses.

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
    return {"channels": statement.records, "followers": statement.followers, "joints": elsewhere}


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


def channel_entry(manifest: dict[str, Any], deviations: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The entry ``channels`` of a model file (its format stands in ``cpp/rigwright/rig/channels.h``)."""
    entries = []
    for name, (low, high), rest, record in zip(
        manifest["channel_names"],
        manifest["channel_ranges"],
        manifest["channel_rest"],
        manifest["kinematics"]["channels"],
        strict=True,
    ):
        kind = record["kind"]
        unit = {"rotate": "degrees", "translate": "rig"}.get(kind.partition("_")[0], "")
        reason = deviations["channels"].get(name, UNSTATED if kind == "other" else "")
        entries.append({"name": name, "low": low, "high": high, "rest": rest, "unit": unit, "reason": reason, **record})
    return {"list": entries, "followers": manifest["kinematics"]["followers"], "joints": deviations["joints"]}


def channels_of(manifest: dict[str, Any], skeleton_rest: NDArray[Any] | None) -> _core.Channels:
    """The engine's channels as stated; without ``skeleton_rest`` (J, 3, 4) all joints rest at the origin.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError
        If the manifest's ``kinematics`` is malformed.
    """
    names = manifest["joint_names"]
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (len(names), 1, 1)) if skeleton_rest is None else skeleton_rest
    parents = np.array(manifest["joint_parents"], np.int32)
    skeleton = _core.Skeleton(names, parents, rest) if names else None
    entry = channel_entry(manifest, {"channels": {}, "joints": {}})
    return _core.Channels(json.dumps(entry), skeleton, dials_of(manifest))


class Deviations:
    """Compares the poses of a rig with plain kinematics.

    Parameters
    ----------
    manifest : dict
        At least its opening.
    skeleton_rest : (J, 3, 4) array
    size : float
        The character's largest extent.
    """

    def __init__(self, manifest: dict[str, Any], skeleton_rest: NDArray[np.float32], size: float) -> None:
        self._manifest = manifest
        self._channels = channels_of(manifest, skeleton_rest)
        self._joints: list[str] = manifest["joint_names"]
        self._stated: dict[str, str] = manifest["kinematics"]["joints"]
        scale = np.empty((len(self._joints), 3, 4))
        scale[..., :3] = np.abs(skeleton_rest[..., :3]).max(axis=(1, 2), initial=0.0)[:, None, None]
        scale[..., 3] = np.maximum(size, np.abs(skeleton_rest[..., 3]).max(axis=1, initial=0.0))[:, None]
        self._scale = scale

    def find(
        self, rows: NDArray[Any], poses: NDArray[Any], probes: NDArray[Any], probe_poses: NDArray[Any]
    ) -> dict[str, dict[str, str]]:
        """The manifest's ``deviations`` from channel rows and the probe's, with their poses.

        The probe tells which channel moves a joint otherwise than plain kinematics says; a joint that deviates although
        no channel of the probe is to blame puts the blame on its own channels.
        """
        joint_gap, dials = self._gaps(rows, poses)
        wrong = (np.abs(joint_gap) > AGREEMENT).any(axis=(0, 2))
        named: dict[str, str] = {}
        if len(probes):
            probe_gap, probe_dials = self._gaps(probes, probe_poses)
            wrong |= (np.abs(probe_gap) > AGREEMENT).any(axis=(0, 2))
            dials |= probe_dials
            named = self._blamed(probe_gap)
        records = list(zip(self._manifest["channel_names"], self._manifest["kinematics"]["channels"], strict=True))
        for joint in np.flatnonzero(wrong).tolist():
            own = {name: record for name, record in records if record["joint"] == self._joints[joint]}
            if not any(name in named for name in own):
                named |= {name: self._why(joint) for name in own}
        named |= dict.fromkeys(dials, "its control is not its value")
        ordered = {name: named[name] for name, record in records if name in named and record["kind"] != "other"}
        joints = {self._joints[joint]: self._why(joint, bare=True) for joint in np.flatnonzero(wrong).tolist()}
        return {"channels": ordered, "joints": joints}

    def _gaps(self, rows: NDArray[Any], poses: NDArray[Any]) -> tuple[NDArray[np.float64], set[str]]:
        """Scaled differences (T, J, 12) of the joints' entries, and the dials whose control is not their value."""
        plain = self._channels.poses(rows, ignore_undecided=True).astype(np.float64)
        width = 12 * len(self._joints)
        gap = poses - plain
        joints = (gap[:, :width].reshape(len(rows), *self._scale.shape) / self._scale).reshape(
            len(rows), len(self._joints), 12
        )
        wrong = np.abs(gap[:, width:]) > AGREEMENT * np.maximum(1.0, np.abs(plain[:, width:]))
        dials = dials_of(self._manifest)
        return joints, {dials[k] for k in np.flatnonzero(wrong.any(axis=0))} & set(self._manifest["channel_names"])

    def _blamed(self, gap: NDArray[np.float64]) -> dict[str, str]:
        """Channels of the probe that change a joint's difference from plain kinematics."""
        names = self._manifest["channel_names"]
        bases = gap.reshape(len(gap) // (1 + len(names)), 1 + len(names), *gap.shape[1:])
        changes = np.abs(bases[:, 1:] - bases[:, :1]) > 2 * AGREEMENT
        moved: NDArray[np.bool_] = np.asarray(changes.any(axis=(0, 3)))  # (N, J)
        blamed = {}
        for channel in np.flatnonzero(moved.any(axis=1)).tolist():
            record = self._manifest["kinematics"]["channels"][channel]
            joints = np.flatnonzero(moved[channel]).tolist()
            own = [joint for joint in joints if self._joints[joint] == record["joint"]]
            other = f"it also moves joint {self._joints[joints[0]]!r}: {self._why(joints[0], bare=True)}"
            blamed[names[channel]] = self._why(own[0]) if own else other
        return blamed

    def _why(self, joint: int, bare: bool = False) -> str:
        name = self._joints[joint]
        why = self._stated.get(name, "its channels do not decide its pose")
        return why if bare else f"joint {name!r}: {why}"
