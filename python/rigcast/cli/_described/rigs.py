"""Facts of a rig, or of meshes with nothing to turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rigcast._formats.blender import BlenderRig
from rigcast._formats.gltf import GltfRig
from rigcast._rigs.dials_only import DialsOnly
from rigcast._rigs.surface import surface_facts, surface_of
from rigcast._shown import counted
from rigcast.cli._described.clips import described_clip
from rigcast.cli._described.motion import size_facts

HELD = "properties held"
MOVED = re.compile(r"\.(rotation|location|scale)_[xyz]$|^shape\.")  # channels that are no properties


def describe_rig(rig: Any) -> dict[str, Any]:
    """Facts of a rig."""
    from rigcast.sampling import check_rig

    facts = check_rig(rig, "info")
    file = rig.rig if isinstance(rig, DialsOnly) else rig
    return {
        "type": "rig",
        "name": facts.name,
        "vertices": len(facts.rest_vertices),
        "faces": len(facts.faces),
        "joints": len(facts.joint_names),
        "dials": len(facts.dial_names),
        "meters_per_unit": facts.meters_per_unit,
        "up_axis": facts.up_axis,
        "licence": facts.licence,
        "origin": facts.origin,
        **surface_facts(facts.surface),
        "topology_hash": facts.topology_hash,
        **size_facts(facts.rest_vertices, facts.meters_per_unit),
        **_actions(rig, file),
        **_of_blender(file),
        **({"range_sources": rig.range_sources} if isinstance(file, BlenderRig) else {}),
        **_of_gltf(file),
        **held_channels(rig),
        "resting": facts.resting,
        "channels": ranges_by_name(facts.channel_names, facts.channel_ranges),
        "channel_rest": facts.channel_rest.tolist(),
    }


def _actions(rig: Any, file: Any) -> dict[str, Any]:
    """The actions of a file with their frames; those of a .glb are its clips."""
    if isinstance(file, GltfRig):
        return {}
    return {"actions": [f"{name} ({frames} frames)" for name, frames in getattr(rig, "actions", {}).items()]}


def describe_meshes(rig: Any) -> dict[str, Any]:
    """Facts of a scene with nothing to turn, such as the .blend of a point cache."""
    return {
        "type": "meshes without channels",
        "name": rig.name,
        "vertices": len(rig.rest_vertices),
        "faces": len(rig.faces),
        "meters_per_unit": rig.meters_per_unit,
        "up_axis": rig.up_axis,
        "licence": rig.licence,
        **surface_facts(surface_of(rig)),
        **size_facts(rig.rest_vertices, rig.meters_per_unit),
        "notes": ["nothing to turn: no bone, shape key or property with a range moves a mesh"],
        **_of_blender(rig),
        "range_sources": [],
        "channels": {},
    }


def _of_blender(rig: Any) -> dict[str, Any]:
    """Facts that only a .blend states."""
    if not isinstance(rig, BlenderRig):
        return {}
    return {
        "left_out": rig.left_out,
        "limits_file": rig.limits_file or "none",
        "could_be_channels": len(rig.without_range),
        "contents": {key: entries for key, entries in rig.contents.items() if key != "actions"},
        "not_reproduced": rig.not_reproduced,
        "range_sources": rig.range_sources,
        **control_facts(rig),
    }


def held_channels(rig: Any) -> dict[str, list[str]]:
    """The channels that ``--dials-only`` holds at rest."""
    return {"held_at_rest": rig.held} if isinstance(rig, DialsOnly) and rig.held else {}


def control_facts(rig: Any) -> dict[str, Any]:
    """Facts about a control rig: what was recognized, what of a .blend is held, and the ranges that were assumed."""
    if not hasattr(rig, "control_sets"):
        return {}
    sets = rig.control_sets
    stated = rig.mechanism.stated if rig.mechanism is not None else {}
    held = dict.fromkeys([*(sets.settings if sets is not None else ()), *rig.held_as_saved, *rig.held_by_limits])
    facts = {
        "switches": rig.switches,
        "held": [name for name in held if name not in rig.channel_names],
        "assumed_ranges": rig.assumed_ranges,
        "mechanism": {name: len(stated.get(name, [])) for name in ("bones", "chains")},
        "mechanism_not_read": {} if rig.mechanism is None else rig.mechanism.unread,
    }
    if sets is None:
        return facts
    limbs = {limb.name: {"fk": list(limb.fk), "ik": list(limb.ik), "switch": limb.switch} for limb in sets.limbs}
    return {"control_rig": sets.habit, "limbs": limbs, **facts}


def control_lines(facts: dict[str, Any]) -> list[str]:
    """:func:`control_facts` in a line or two, for a person."""
    lines = [facts["assumed_ranges"]] if facts.get("assumed_ranges") else []
    if "limbs" not in facts:
        return [*lines, *_mechanism_lines(facts)]
    bones = any(MOVED.search(name) for name in facts["held"])
    counts = (
        counted(len(facts["limbs"]), "limb FK and IK", "limbs FK and IK"),
        counted(len(facts["switches"]), "switch", "switches"),
        counted(len(facts["held"]), *(("channel held", "channels held") if bones else ("property held", HELD))),
    )
    what = ", ".join(filter(None, counts)) or "no limb"
    line = f"{facts['control_rig'] or 'FK and IK'} controls: {what} (names: --json)"
    return [line, *_mechanism_lines(facts), *lines]


def _mechanism_lines(facts: dict[str, Any]) -> list[str]:
    """Lines on whether models keep the controls of a rig whose bones pass motion on."""
    unread = facts.get("mechanism_not_read", {})
    if unread:
        name, why = next(iter(unread.items()))
        cause = why if why.startswith("bone ") else f"bone {name!r}: {why}"
        return [f"mechanism: {len(unread)} bones cannot be read ({cause}): models will take joints instead of controls"]
    if "limbs" not in facts or "mechanism" not in facts:
        return []
    bones, chains = facts["mechanism"]["bones"], facts["mechanism"]["chains"]
    chains_text = counted(chains, "chain of inverse kinematics", "chains of inverse kinematics")
    return [
        f"mechanism: {counted(bones, 'bone', 'bones')} and {chains_text or 'no chain'} read: models keep the controls "
        "where sampling finds no difference"
    ]


def _of_gltf(rig: Any) -> dict[str, Any]:
    """Facts that only a .glb states: the clips, at the rate of their keys."""
    return {"clips": [described_clip(clip, rig) for clip in rig.clips.values()]} if isinstance(rig, GltfRig) else {}


def ranges_by_name(names: Iterable[str], ranges: Iterable[Any]) -> dict[str, tuple[float, float]]:
    """Channels with their ranges."""
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, ranges, strict=True)}
