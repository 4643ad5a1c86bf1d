"""Ranges of channels that the file does not limit: a number of degrees, shares of a chain, or its actions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .channels import Candidate
from .controls import Control
from .curves import channel_curves, curves_of

STILL = {"rotation": 0.05, "location": 1e-5, "scale": 1e-4}  # an action that moves a channel less does not move it


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
    for action in bpy.data.actions:
        curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(action)}
        first, last = (round(value) for value in action.frame_range)
        frames = range(first, last + 1)
        for place, candidate in enumerate(candidates):
            if candidate.low is not None or candidate.withheld:
                continue
            value = channel_curves(candidate.channel, armature, curves)
            if value is not None:
                _widen(spans, place, [value(frame) for frame in frames], action.name)
    for place, (low, high, names) in spans.items():
        channel = candidates[place].channel
        low, high = min(low, channel.rest), max(high, channel.rest)
        if high - low > STILL.get(channel.kind, 1e-4):
            candidates[place].give(round(low, 4), round(high, 4), f"action {', '.join(map(repr, names))}")


def _widen(spans: dict[int, tuple[float, float, list[str]]], place: int, values: Iterable[float], action: str) -> None:
    found = np.array(list(values))
    low, high, names = spans.get(place, (math.inf, -math.inf, []))
    spans[place] = (min(low, float(found.min())), max(high, float(found.max())), [*names, action])
