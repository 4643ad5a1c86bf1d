# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigcast in Blender: a learned rig lives in the scene, and the work on one starts from it."""

bl_info = {
    "name": "Rigcast",
    "author": "The rigcast maintainers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Rigcast",
    "description": "Learned character rigs that follow their armature in viewport and render",
    "category": "Animation",
}


def register() -> None:
    """Enable the add-on."""
    from . import registering

    registering.register()


def unregister() -> None:
    """Disable it."""
    from . import registering

    registering.unregister()
