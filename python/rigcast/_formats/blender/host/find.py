"""The channels of a file, with the ranges that the file, its user, or its actions give them."""

from __future__ import annotations

import difflib
from typing import Any

from .channels import Candidate, Found, bone_candidates, property_candidates, shape_candidates
from .controls import controls_of, moved_bones
from .meshes import carriers
from .objects import InputError
from .paths import drivers_of, inputs_of, words_of
from .ranges import by_actions, by_degrees

DEFAULT_ROTATION = 30.0  # degrees, for deforming bones and controls of a file that limits nothing
Limits = dict[str, tuple[float, float]]


def find_channels(
    meshes: list[Any], armature: Any | None, limits: Limits | None, ranges: float | str | None = None
) -> Found:
    """All channels of mesh objects and their armature object.

    Parameters
    ----------
    limits : dict, optional
        Ranges by channel name from the user's file; they replace those found in the .blend, and add channels to it.
    ranges : float or "actions", optional
        Where bones without limits get a range from: degrees either way, or the actions of the file.
    """
    found = Found()
    keys = [mesh.data.shape_keys for mesh in meshes]
    found.carriers = carriers(meshes, armature)
    for _, curve in drivers_of(armature, *keys):
        path = words_of(curve.data_path, curve.array_index)
        found.driven[path] = ", ".join(inputs_of(curve)) or "a driver"
    bones: list[Candidate] = []
    if armature is not None:
        found.controls = controls_of(armature, armature.data, *meshes, *(mesh.data for mesh in meshes), *keys)
        found.moved = moved_bones(armature)
        bones = bone_candidates(armature, found)
    candidates = bones + shape_candidates(meshes, found.notes)
    if armature is not None:
        candidates += property_candidates(armature, found.notes)
        nothing_limited = not limits and all(candidate.low is None for candidate in bones)
        _fill(candidates, armature, found, DEFAULT_ROTATION if ranges is None and nothing_limited else ranges, ranges)
    _apply_limits(candidates, limits or {}, found)
    return found


def _fill(
    candidates: list[Candidate], armature: Any, found: Found, ranges: float | str | None, asked: float | str | None
) -> None:
    """Ranges for candidates that the file gives none."""
    if ranges == "actions":
        by_actions(candidates, armature)
    elif isinstance(ranges, (int, float)):
        why = "the default where a file limits no bone" if asked is None else "for bones without limits"
        by_degrees(candidates, armature, found.controls, float(ranges), why, found.carriers)
        if asked is None and any(candidate.channel.kind == "rotation" and candidate.low for candidate in candidates):
            text = f"the file limits no bone: rotations of deforming bones range over +-{ranges:g} degrees"
            found.notes.append(text)


def _apply_limits(candidates: list[Candidate], limits: Limits, found: Found) -> None:
    names = [candidate.channel.name for candidate in candidates]
    for name in limits:
        if name not in names:
            raise InputError("limits", *_refused(name, names, found.driven))
    for candidate in candidates:
        channel = candidate.channel
        if channel.name in limits:
            candidate.give(*limits[channel.name], "the limits file")
            if candidate.withheld:
                found.notes.append(
                    f"{channel.name} has limits, but {candidate.withheld} decides it: turning it may do nothing"
                )
        if candidate.low is None or candidate.high is None:
            found.without_range.append(candidate)
            continue
        channel.low, channel.high = float(candidate.low), float(candidate.high)
        channel.rest = min(max(channel.rest, channel.low), channel.high)
        (found.channels if channel.low < channel.high else found.held).append(channel)


def _refused(name: str, names: list[str], driven: dict[str, str]) -> tuple[str, str]:
    """What was given instead of a channel, and what it must be: the nearest names, or what drives it."""
    if name in driven:
        return f"a file with the channel {name!r}, which is driven by {driven[name]}", "made of channels"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(map(repr, near))}?" if near else "rigcast info lists them"
    return f"a file with the channel {name!r}", f"made of the rig's channels ({meant})"
