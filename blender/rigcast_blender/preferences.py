# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences: threads, the cache folder, and the program that learns."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import bpy

PACKAGE = __package__ or "rigcast_blender"


class RigcastPreferences(bpy.types.AddonPreferences):
    """Settings of the add-on."""

    bl_idname = PACKAGE

    threads: bpy.props.IntProperty(
        name="Threads", description="For solves and bakes; 0: all processors", min=0, max=256, default=0
    )
    cache: bpy.props.StringProperty(
        name="Cache Folder",
        description="Where samples and models are kept while they are learned; empty: the cache folder of this user",
        subtype="DIR_PATH",
    )
    trainer: bpy.props.StringProperty(
        name="Trainer",
        description="The program rigcast, or a Python that has it; empty: the one on the PATH",
        subtype="FILE_PATH",
    )

    def draw(self, _context: Any) -> None:
        """Show the settings."""
        for name in ("threads", "cache", "trainer"):
            self.layout.prop(self, name)


def _settings() -> Any | None:
    """The preferences; None if the add-on is registered without being enabled, as in scripts."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return None if addon is None else addon.preferences


def threads() -> int:
    """Number of threads of solves and bakes, 0: all processors."""
    settings = _settings()
    return 0 if settings is None else int(settings.threads)


def cache_folder() -> str:
    """The folder for what is being learned; RIGCAST_CACHE names another default."""
    settings = _settings()
    chosen = "" if settings is None else bpy.path.abspath(settings.cache)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return chosen or os.environ.get("RIGCAST_CACHE") or str(Path(base) / "rigcast-blender")


def trainer_path() -> str:
    """The program that learns, empty: ``rigcast`` on the PATH; RIGCAST_TRAINER names another default."""
    settings = _settings()
    chosen = "" if settings is None else str(settings.trainer)
    return chosen or os.environ.get("RIGCAST_TRAINER", "")


CLASSES = (RigcastPreferences,)
