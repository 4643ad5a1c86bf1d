"""The channels of a file, with the ranges that the file, its user, or its actions give them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .channels import Candidate, Found, bone_candidates, property_candidates, shape_candidates
from .controls import Control, controls_of, moved_bones, swung_bones
from .curves import channel_curves, curves_of, paths_of
from .joints import passed_on
from .meshes import carriers
from .objects import InputError
from .paths import drivers_of, inputs_of, words_of

HELD_AS_SAVED = "held as saved: no action keys it"
DEFAULT_ROTATION = 30.0  # degrees, for deforming bones and controls of a file that limits nothing
Limits = dict[str, tuple[float, float]]
STILL = {"rotation": 0.05, "location": 1e-5, "scale": 1e-4}  # an action that moves a channel less does not move it


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
        found.inner = passed_on(meshes, armature)
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
        hold_what_no_action_keys(candidates, armature, found)
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


def by_degrees(
    candidates: list[Candidate],
    armature: Any,
    controls: dict[str, Control],
    degrees: float,
    why: str,
    carriers: set[str],
) -> None:
    """Give rotations of deforming bones, of those that carry meshes, and of controls, a range either way; controls'
    locations a share of the length that they lead.

    Candidates that have a range, or that a constraint moves, stay as they are.
    """
    for candidate in candidates:
        channel = candidate.channel
        if candidate.low is not None or candidate.withheld or channel.kind not in ("rotation", "location"):
            continue
        deforms = armature.data.bones[channel.target].use_deform or channel.target in carriers
        control = controls.get(channel.target)
        acts = control is not None and (channel.kind, channel.axis) in control.axes
        if channel.kind == "rotation" and (deforms or acts):
            candidate.give(-degrees, degrees, f"+-{degrees:g} degrees, {why}")
        elif channel.kind == "location" and acts and not deforms and control is not None:
            span = round(control.span, 4)
            candidate.give(-span, span, f"{control.role}: a share of the length that it leads")


def by_actions(candidates: list[Candidate], armature: Any) -> None:
    """Give every channel that an action of the file moves the extremes of the actions, with the rest value."""
    spans: dict[int, tuple[float, float, list[str]]] = {}
    swung = swung_bones(armature)
    for action in bpy.data.actions:
        curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(action)}
        first, last = (round(value) for value in action.frame_range)
        frames = range(first, last + 1)
        for place, candidate in enumerate(candidates):
            decided = candidate.withheld and candidate.channel.target not in swung
            if candidate.low is not None or decided:
                continue
            value = channel_curves(candidate.channel, armature, curves)
            if value is not None:
                _widen(spans, place, [value(frame) for frame in frames], action.name)
    for place, (low, high, names) in spans.items():
        channel = candidates[place].channel
        low, high = min(low, channel.rest, channel.saved), max(high, channel.rest, channel.saved)
        if high - low > STILL.get(channel.kind, 1e-4):
            candidates[place].give(round(low, 4), round(high, 4), f"action {', '.join(map(repr, names))}")


def hold_what_no_action_keys(candidates: list[Candidate], armature: Any, found: Found) -> None:
    """Hold switches and settings of a rig that no action keys at the value that they were saved with."""
    keyed = {(curve.data_path, curve.array_index) for action in bpy.data.actions for curve in curves_of(action)}
    held = []
    for candidate in candidates:
        channel = candidate.channel
        acts = channel.kind == "property" and channel.name in found.inner and candidate.low is not None
        if acts and not keyed & set(paths_of(channel, armature)):
            candidate.give(channel.saved, channel.saved, HELD_AS_SAVED)
            held.append(channel.name)
    if held:
        shown = ", ".join(held[:3]) + (" ..." if len(held) > 3 else "")
        found.notes.append(
            f"{len(held)} properties that act on bones are held as saved, for no action keys them: {shown}"
        )


def _widen(spans: dict[int, tuple[float, float, list[str]]], place: int, values: Iterable[float], action: str) -> None:
    found = np.array(list(values))
    low, high, names = spans.get(place, (math.inf, -math.inf, []))
    spans[place] = (min(low, float(found.min())), max(high, float(found.max())), [*names, action])
