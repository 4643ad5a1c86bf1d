"""Actions stored in the file: by name, their frames, and what plays them."""

from __future__ import annotations

from typing import Any

import bpy

from ..objects import InputError, one_of


def find_action(name: str) -> Any:
    """The action of that name."""
    action = bpy.data.actions.get(name)
    if action is None:
        raise InputError("name", repr(name), one_of([item.name for item in bpy.data.actions], "the name of an action"))
    return action


def frames_of(action: Any) -> range:
    """Its whole frames."""
    first, last = (round(value) for value in action.frame_range)
    return range(first, last + 1)


def assign(owner: Any, action: Any) -> None:
    """Let a data block play an action."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if getattr(data, "action_slot", True) is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]
