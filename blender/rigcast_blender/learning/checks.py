# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check of a character found, in lines for the panel: what is learned, what rests, what cannot be reproduced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

MOST = 4  # lines of a kind
SHAPES = "the shape of a bone"  # meshes with which bones are drawn: nobody expects them to be learned
Line = tuple[str, str]  # icon, text


def lines_of(info: Mapping[str, Any]) -> list[Line]:
    """Lines about the result of ``rigcast info`` on a .blend."""
    channels = info.get("channels", {})
    lines = [
        ("MESH_DATA", f"{info['vertices']:,} vertices, {info.get('joints', 0)} joints, {info.get('size', '')}"),
        ("DRIVER_TRANSFORM", f"{_count(len(channels), 'control')} that will be learned"),
    ]
    if info.get("control_rig"):
        switches = _count(len(info["switches"]), "switch", "switches")
        lines.append(("ARMATURE_DATA", f"{info['control_rig']}: {_count(len(info['limbs']), 'limb')}, {switches}"))
    if info.get("assumed_ranges"):
        lines.append(("INFO", info["assumed_ranges"]))
    lines += [*_mechanism(info), *_contents(info.get("contents", {}))]
    lines += _some("ERROR", [f"not reproduced: {text}" for text in info.get("not_reproduced", [])])
    lines += _resting(info.get("resting", {}))
    notes = [text for text in info.get("notes", []) if SHAPES not in text]
    lines += _some("INFO", [text.partition(": ")[2] or text for text in notes])
    return lines


def verdict_of(train: Mapping[str, Any]) -> list[Line]:
    """Lines about the result of ``rigcast train``: first whether the model beats linear skinning."""
    own, skinning = train["held_out_error_mm"], train.get("linear_skinning_mm")
    lines = []
    if skinning is not None and own["mean"] >= skinning["mean"]:
        lines.append(("ERROR", "does not beat linear skinning of the same samples: give it more poses or minutes"))
    elif skinning is not None and own["mean"] > 0.0:
        times = skinning["mean"] / own["mean"]
        lines.append(("CHECKMARK", f"{times:.{0 if times > 9.5 else 1}f} times nearer than linear skinning"))
    lines.append(("POSE_HLT", f"on poses it has not seen: mean {_mm(own['mean'])}, max {_mm(own['max'])}"))
    if skinning is not None:
        lines.append(("MOD_ARMATURE", f"linear skinning: mean {_mm(skinning['mean'])}, max {_mm(skinning['max'])}"))
    if train.get("too_few_steps"):
        lines.append(("ERROR", train["too_few_steps"]["text"]))
    return lines


def _mechanism(info: Mapping[str, Any]) -> list[Line]:
    unread = info.get("mechanism_not_read", {})
    if unread:
        name, why = next(iter(unread.items()))
        return [("ERROR", f"{len(unread)} bones cannot be read ({name}: {why}): the model will take joints")]
    chains = info.get("mechanism", {}).get("chains", 0)
    return [("CON_KINEMATIC", f"{_count(chains, 'chain')} of inverse kinematics")] if chains else []


def _contents(contents: Mapping[str, Any]) -> list[Line]:
    counts = [(len(contents.get(key, ())), key[:-1]) for key in ("modifiers", "constraints", "drivers")]
    text = ", ".join(_count(count, name) for count, name in counts if count)
    return [("MODIFIER", text)] if text else []


def _resting(resting: Mapping[str, str]) -> list[Line]:
    """What never moves, by reason."""
    if not resting:
        return []
    reasons = Counter(_reason(why) for why in resting.values())
    first = {_reason(why): name for name, why in reversed(resting.items())}
    lines = [("PAUSE", f"{_count(len(resting), 'bone or control', 'bones and controls')} will rest:")]
    common = [
        ("BLANK1", f"{count} {why} ({first[why]}{', ...' * (count > 1)})") for why, count in reasons.most_common()
    ]
    return lines + common[:MOST]


def _reason(why: str) -> str:
    """A reason without the names in it."""
    if why.startswith("moved by"):
        return "moved by a constraint whose controls have no range"
    return "targets of constraints without a range" if "target of" in why else why


def _some(icon: str, texts: list[str]) -> list[Line]:
    more = len(texts) - MOST
    shown = texts if more <= 1 else [*texts[:MOST], f"and {more} more"]
    return [(icon, text) for text in shown]


def _count(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _mm(value: float) -> str:
    return f"{value:.3g} mm"
