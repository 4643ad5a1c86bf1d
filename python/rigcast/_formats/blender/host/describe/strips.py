"""The strips of the file's NLA tracks: all strips that are not muted."""

from __future__ import annotations

from typing import Any

import bpy

NLA = "NLA"  # the name of what they play together, as one clip


def is_nla(name: str) -> bool:
    """Return True if a name means the tracks, not an action of that name."""
    return name == NLA and NLA not in bpy.data.actions


def plays_nla(owners: list[Any]) -> list[Any]:
    """The data blocks with tracks that the file plays."""
    return [item for item in owners if item.animation_data and item.animation_data.use_nla and strips_of(item)]


def nla_frames(owners: list[Any]) -> range:
    """From the start of the first strip to the end of the last one."""
    strips = [strip for owner in owners for strip in strips_of(owner)]
    first, last = (round(end(strips)) for end in (_start, _end))
    return range(first, last + 1)


def strips_of(owner: Any) -> list[Any]:
    """Strips of the tracks that are not muted, those inside meta strips too."""
    return [s for track in owner.animation_data.nla_tracks if not track.mute for s in _inner(track.strips)]


def _inner(strips: Any) -> list[Any]:
    found = []
    for strip in strips:
        if not strip.mute:
            found += [strip, *_inner(strip.strips)] if strip.type == "META" else [strip]
    return found


def _start(strips: list[Any]) -> float:
    return min(float(strip.frame_start) for strip in strips)


def _end(strips: list[Any]) -> float:
    return max(float(strip.frame_end) for strip in strips)
