"""The channels of a file, with the ranges that the file, its user, or its actions give them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import bpy
import numpy as np

from ..control_rigs.reading import by_joint_limits, control_sets
from ..objects import InputError
from .channels import (
    ACTIONS,
    DEGREES,
    LIMITS_FILE,
    Candidate,
    Found,
    bone_candidates,
    property_candidates,
    shape_candidates,
)
from .controls import Control, controls_of, moved_bones, swung_bones
from .curves import channel_curves, curves_of, paths_of
from .influences import posed_elsewhere
from .joints import passed_on, skin_bones
from .meshes import carriers
from .paths import drivers_of, inputs_of, words_of

DEFAULT_ROTATION = 30.0  # degrees, for deforming bones and controls of a file that limits nothing
Limits = dict[str, tuple[float, float]]
STILL = {"rotation": 0.05, "location": 1e-5, "scale": 1e-4}  # an action that moves a channel less does not move it


@dataclass(frozen=True)
class Asked:
    """The user's wishes on the channels.

    Attributes
    ----------
    limits : dict, optional
        Ranges by channel name from the user's file; they replace those found in the .blend, and add channels to it.
    ranges : float, "actions" or "people", optional
        Where bones without limits get a range from: degrees either way, the actions of the file, or joint limits of
        people. Default: of a control rig whose file limits no bone, the actions, else people; of any other such
        file, 30 degrees.
    hold : sequence of str
        Channels that stay as saved, patterns such as ``torso.*`` among them; ``*`` is all that ``limits`` do not name.
    free : sequence of str
        Settings of a control rig that are channels after all, patterns among them.
    """

    limits: Limits | None = None
    ranges: float | str | None = None
    hold: Sequence[str] = ()
    free: Sequence[str] = ()


def find_channels(meshes: list[Any], armature: Any | None, asked: Asked) -> Found:
    """All channels of mesh objects and their armature object."""
    found = Found()
    keys = [mesh.data.shape_keys for mesh in meshes]
    found.carriers = carriers(meshes, armature)
    for _, curve in drivers_of(armature, *keys):
        path = words_of(curve.data_path, curve.array_index)
        found.driven[path] = ", ".join(inputs_of(curve)) or "a driver"
    bones: list[Candidate] = []
    if armature is not None:
        found.controls = controls_of(armature, armature.data, *meshes, *(mesh.data for mesh in meshes), *keys)
        found.moved, found.swung = moved_bones(armature), swung_bones(armature)
        bones = bone_candidates(armature, found)
    candidates = bones + shape_candidates(meshes, found.notes)
    if armature is not None:
        candidates += property_candidates(armature, found.notes)
        found.inner = passed_on(meshes, armature)
        found.sets = control_sets(armature, candidates, found)
        nothing_limited = not asked.limits and all(candidate.low is None for candidate in bones)
        from_actions = _fill(candidates, armature, found, asked.ranges, nothing_limited)
        _hold_settings(candidates, armature, found, asked, from_actions)
        if found.sets is None:
            _hold_carriers(bones, meshes, armature)
    _apply_limits(candidates, asked, found)
    return found


def _fill(
    candidates: list[Candidate], armature: Any, found: Found, ranges: float | str | None, nothing_limited: bool
) -> bool:
    """Ranges for candidates that the file gives none. Returns true if the file's actions gave them."""
    default = ranges is None and nothing_limited
    if ranges == "actions" or (default and found.sets is not None):
        names = by_actions(candidates, armature, found.swung)
        if names or ranges == "actions":
            hold_what_no_action_keys(candidates, armature, found)
            if default:
                found.assumed = f"ranges: as far as the file's own actions go ({', '.join(names)}): it has no limits"
            return True
        ranges = "people"
    if ranges == "people" and found.sets is not None:
        found.assumed = by_joint_limits(candidates, armature, found)
    elif ranges == "people" or isinstance(ranges, (int, float)) or default:
        degrees = ranges if isinstance(ranges, (int, float)) else DEFAULT_ROTATION
        why = "the default where a file limits no bone" if default else "for bones without limits"
        named = set(found.sets.roles) if found.sets is not None else set[str]()
        by_degrees(candidates, armature, found.controls, float(degrees), why, (found.carriers, named))
        if default and any(candidate.channel.kind == "rotation" and candidate.low for candidate in candidates):
            text = f"the file limits no bone: rotations of deforming bones range over +-{degrees:g} degrees"
            found.notes.append(text)
    return False


def _hold_settings(candidates: list[Candidate], armature: Any, found: Found, asked: Asked, from_actions: bool) -> None:
    """Hold what sets a control rig up, unless it is asked for or an action that gave ranges keys it."""
    settings = set(found.sets.settings) if found.sets is not None else set[str]()
    keyed = _keyed() if from_actions else set[tuple[str, int]]()
    limited = set(asked.limits or ())
    _refuse_unknown("free", asked.free, [c.channel.name for c in candidates if c.low is not None])
    for candidate in candidates:
        channel = candidate.channel
        if _matches(channel.name, asked.free):
            if candidate.file_range is not None:
                candidate.give(*candidate.file_range, "the property's range: asked for")
        elif (
            channel.name in settings - limited
            and candidate.low is not None
            and not keyed & set(paths_of(channel, armature))
        ):
            candidate.hold("it sets the rig up")


def _hold_carriers(bones: list[Candidate], meshes: list[Any], armature: Any) -> None:
    """Keep locations and rotations of the bones that carry a body as channels, held if nothing gives them a range."""
    carrying = _carrying_bones(meshes, armature)
    for candidate in bones:
        channel = candidate.channel
        if channel.target in carrying and channel.kind != "scale" and not candidate.withheld:
            candidate.carries = True
            if candidate.low is None:
                candidate.hold("motion of another skeleton moves it")


def _carrying_bones(meshes: list[Any], armature: Any) -> set[str]:
    """The bones that carry a body: below each root the first one that moves vertices, or that branches into such, and
    if it is connected to its parent, which keeps it from moving, the nearest one above that is not.

    A skeleton without branches carries no body, and bones that constraints pose are moved by their controls.
    """
    elsewhere, found = posed_elsewhere(armature), set[str]()
    moving = skin_bones(meshes, armature) - elsewhere.keys()
    bones = [armature.data.bones[name] for name in moving]
    reaching = {above for bone in bones for above in (bone, *bone.parent_recursive)}
    for root in [bone for bone in armature.data.bones if bone.parent is None and bone in reaching]:
        chain, below = [root], [child for child in root.children if child in reaching]
        while len(below) == 1:
            chain.append(below[0])
            below = [child for child in below[0].children if child in reaching]
        first = next((bone for bone in chain if bone.name in moving), chain[-1])
        mover = next(bone for bone in (first, *first.parent_recursive) if not bone.use_connect or bone.parent is None)
        if below and not {first.name, mover.name} & elsewhere.keys():
            found |= {first.name, mover.name}
    return found


def _apply_limits(candidates: list[Candidate], asked: Asked, found: Found) -> None:
    limits = asked.limits or {}
    names = [candidate.channel.name for candidate in candidates]
    for name in limits:
        if name not in names:
            raise InputError("limits", *_refused(name, names, found.driven))
    _refuse_unknown("hold", asked.hold, names)
    for candidate in candidates:
        channel = candidate.channel
        if channel.name in limits:
            candidate.give(*limits[channel.name], "the limits file", LIMITS_FILE)
            candidate.carries = candidate.carries and candidate.low != candidate.high
            if candidate.withheld and channel.target not in found.swung:
                found.notes.append(
                    f"{channel.name} has limits, but {candidate.withheld} decides it: turning it may do nothing"
                )
        hold = [pattern for pattern in asked.hold if pattern != "*" or channel.name not in limits]
        if candidate.low is not None and _matches(channel.name, hold):
            candidate.hold("asked for")
            candidate.carries = candidate.carries and hold == ["*"]
        if candidate.low is None or candidate.high is None:
            found.without_range.append(candidate)
            continue
        channel.low, channel.high = float(candidate.low), float(candidate.high)
        channel.rest = min(max(channel.rest, channel.low), channel.high)
        (found.channels if channel.low < channel.high or candidate.carries else found.held).append(channel)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _refuse_unknown(argument: str, patterns: Sequence[str], names: list[str]) -> None:
    """Patterns that match no channel are mistakes."""
    for pattern in patterns:
        if not any(_matches(name, [pattern]) for name in names):
            near = difflib.get_close_matches(pattern, names, n=3, cutoff=0.5)
            meant = f"did you mean {' or '.join(map(repr, near))}?" if near else "rigcast limits lists them"
            what = "a channel" if argument == "hold" else "a channel with a range of its own"
            raise InputError(argument, repr(pattern), f"the name of {what}, or a pattern such as 'torso.*' ({meant})")


def _refused(name: str, names: list[str], driven: dict[str, str]) -> tuple[str, str]:
    """The error of a name that is no channel: the nearest names, or what drives it."""
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
    turning: tuple[set[str], set[str]],
) -> None:
    """Give rotations of deforming bones and of controls a range either way; controls' locations a share of the length
    that they lead.

    ``turning`` are bones that carry meshes, and controls of joints of people, which may act through their children
    alone. Candidates that have a range, or that a constraint moves, stay as they are.
    """
    carriers, named = turning
    for candidate in candidates:
        channel = candidate.channel
        if candidate.low is not None or candidate.withheld or channel.kind not in ("rotation", "location"):
            continue
        deforms = armature.data.bones[channel.target].use_deform or channel.target in carriers
        control = controls.get(channel.target)
        acts = control is not None and (channel.kind, channel.axis) in control.axes
        if channel.kind == "rotation" and (deforms or acts or channel.target in named):
            candidate.give(-degrees, degrees, f"+-{degrees:g} degrees, {why}", DEGREES)
        elif channel.kind == "location" and acts and not deforms and control is not None:
            span = round(control.span, 4)
            candidate.give(-span, span, f"{control.role}: a share of the length that it leads", DEGREES)


def by_actions(candidates: list[Candidate], armature: Any, swung: set[str]) -> list[str]:
    """Give every channel that an action of the file moves the extremes of the actions, with the rest value.

    Returns the actions that gave ranges.
    """
    spans: dict[int, tuple[float, float, list[str]]] = {}
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
    gave: dict[str, None] = {}
    for place, (low, high, names) in spans.items():
        channel = candidates[place].channel
        low, high = min(low, channel.rest, channel.saved), max(high, channel.rest, channel.saved)
        if high - low > STILL.get(channel.kind, 1e-4):
            candidates[place].give(round(low, 4), round(high, 4), f"action {', '.join(map(repr, names))}", ACTIONS)
            gave |= dict.fromkeys(names)
    return list(gave)


def hold_what_no_action_keys(candidates: list[Candidate], armature: Any, found: Found) -> None:
    """Hold switches and settings of a rig that no action keys at the value that they were saved with."""
    keyed, held = _keyed(), []
    for candidate in candidates:
        channel = candidate.channel
        acts = channel.kind == "property" and channel.name in found.inner and candidate.low is not None
        if acts and not keyed & set(paths_of(channel, armature)):
            candidate.hold("no action keys it")
            held.append(channel.name)
    if held and found.sets is None:  # else they are stated with the controls
        shown = ", ".join(held[:3]) + (" ..." if len(held) > 3 else "")
        found.notes.append(
            f"{len(held)} properties that act on bones are held as saved, for no action keys them: {shown}"
        )


def _keyed() -> set[tuple[str, int]]:
    """The properties that the actions of the file key, as data paths with array indices."""
    return {(curve.data_path, curve.array_index) for action in bpy.data.actions for curve in curves_of(action)}


def _widen(spans: dict[int, tuple[float, float, list[str]]], place: int, values: Iterable[float], action: str) -> None:
    found = np.array(list(values))
    low, high, names = spans.get(place, (math.inf, -math.inf, []))
    spans[place] = (min(low, float(found.min())), max(high, float(found.max())), [*names, action])
