"""The channels as a rig states them, compared with the poses that the rig returned.

A manifest's ``kinematics`` is what the rig states, known before sampling: plain kinematics, and the mechanism of
constraints, drivers and inverse kinematics where it is known. Its ``deviations`` name the channels and joints for which
the sampled poses differ. Both become the entry ``channels`` of model files.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.stated_channels import channel_records

KEYS = {"kind", "joint", "place", "whole"}
# Poses differ by less than this share of a joint's rest scale, or of the character's size, if plain kinematics decides.
# Hosts compute chains of bones in float32; a constraint that matters moves a joint by far more.
AGREEMENT = 1e-4
# A joint that a mechanism poses may differ by this much, for the host rounds every bone of long chains to float32, and
# by more in this share of the poses: where a bone points backwards, its twist is hardly decided, and iterations may
# stop a step apart. Models state what all differences amount to on the skin.
CLOSE, DOUBTFUL = 1e-3, 0.05


def channel_entry(manifest: dict[str, Any], deviations: dict[str, dict[str, str]]) -> dict[str, object]:
    """The entry ``channels`` of a model file (its format stands in ``cpp/rigcast/rig/channels/channels.h``)."""
    return channel_records(
        manifest["channel_names"],
        manifest["channel_ranges"],
        manifest["channel_rest"],
        manifest["kinematics"],
        deviations,
    )


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
    return _core.Channels(json.dumps(entry), skeleton, manifest["dial_names"])


class Deviations:
    """Compares the poses of a rig with plain kinematics.

    Parameters
    ----------
    manifest : dict
        At least its opening.
    skeleton_rest : (J, 3, 4) array
    rest_vertices : (V, 3) array
        Their largest extent is the character's size.
    """

    def __init__(
        self, manifest: dict[str, Any], skeleton_rest: NDArray[np.float32], rest_vertices: NDArray[np.float32]
    ) -> None:
        self._manifest = manifest
        self._channels = channels_of(manifest, skeleton_rest)
        self._joints: list[str] = manifest["joint_names"]
        self._stated: dict[str, str] = manifest["kinematics"]["joints"]
        size = float(np.ptp(rest_vertices, axis=0).max())
        scale = np.empty((len(self._joints), 3, 4))
        scale[..., :3] = np.abs(skeleton_rest[..., :3]).max(axis=(1, 2), initial=0.0)[:, None, None]
        scale[..., 3] = np.maximum(size, np.abs(skeleton_rest[..., 3]).max(axis=1, initial=0.0))[:, None]
        self._scale = scale
        posed = {bone["name"] for bone in manifest["kinematics"].get("mechanism", {}).get("bones", [])}
        self._by_mechanism = np.array([name in posed for name in self._joints], bool)

    def find(
        self, rows: NDArray[Any], poses: NDArray[Any], probes: NDArray[Any], probe_poses: NDArray[Any]
    ) -> dict[str, dict[str, str]]:
        """The manifest's ``deviations`` from channel rows and the probe's, with their poses.

        The probe tells which channel moves a joint otherwise than plain kinematics says; a joint that deviates although
        no channel of the probe is to blame puts the blame on its own channels.
        """
        joint_gap, dials = self._gaps(rows, poses)
        wrong = self._differ(joint_gap)
        named: dict[str, str] = {}
        if len(probes):
            probe_gap, probe_dials = self._gaps(probes, probe_poses)
            wrong |= self._differ(probe_gap)
            dials |= probe_dials
            named = self._blamed(probe_gap[:, wrong], np.flatnonzero(wrong))
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
        dials = self._manifest["dial_names"]
        return joints, {dials[k] for k in np.flatnonzero(wrong.any(axis=0))} & set(self._manifest["channel_names"])

    def _differ(self, gap: NDArray[np.float64]) -> NDArray[np.bool_]:
        """The joints (J,) whose scaled differences (T, J, 12) are too large."""
        differs = np.abs(gap).max(axis=2, initial=0.0) > np.where(self._by_mechanism, CLOSE, AGREEMENT)
        return np.asarray(differs.mean(axis=0) > np.where(self._by_mechanism, DOUBTFUL, 0.0))

    def _blamed(self, gap: NDArray[np.float64], joints_of_gap: NDArray[np.intp]) -> dict[str, str]:
        """Channels of the probe that change the differences (T, j, 12) of the given joints (j,)."""
        names = self._manifest["channel_names"]
        bases = gap.reshape(len(gap) // (1 + len(names)), 1 + len(names), *gap.shape[1:])
        changes = np.abs(bases[:, 1:] - bases[:, :1]) > 2 * AGREEMENT
        moved: NDArray[np.bool_] = np.asarray(changes.any(axis=(0, 3)))  # (N, J)
        blamed = {}
        for channel in np.flatnonzero(moved.any(axis=1)).tolist():
            record = self._manifest["kinematics"]["channels"][channel]
            joints = joints_of_gap[moved[channel]].tolist()
            own = [joint for joint in joints if self._joints[joint] == record["joint"]]
            other = f"it also moves joint {self._joints[joints[0]]!r}: {self._why(joints[0], bare=True)}"
            blamed[names[channel]] = self._why(own[0]) if own else other
        return blamed

    def _why(self, joint: int, bare: bool = False) -> str:
        name = self._joints[joint]
        why = self._stated.get(name, "its channels do not decide its pose")
        return why if bare else f"joint {name!r}: {why}"
