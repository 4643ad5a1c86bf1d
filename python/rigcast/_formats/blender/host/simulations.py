"""Simulations that are switched off while a rig is driven."""

from __future__ import annotations

from typing import Any

# Those that move vertices and leave the mesh its vertices and faces.
SWITCHED_OFF = ("CLOTH", "SOFT_BODY")


def switch_off(meshes: list[Any]) -> list[Any]:
    """Hide cloth and soft bodies in the viewport; returns the modifiers that were shown.

    They depend on the frames before, so that no pose decides them. Sampling would freeze them in the state of the
    file's frame, and an action that is played would run them, and then a model would be judged by what it never saw.
    """
    shown = [m for mesh in meshes for m in mesh.modifiers if m.type in SWITCHED_OFF and m.show_viewport]
    for modifier in shown:
        modifier.show_viewport = False
    return shown
