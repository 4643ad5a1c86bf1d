"""Which Blender the tests may start: the wheel, or an executable on the PATH."""

from __future__ import annotations

import importlib.util
import os
import shutil


def blender_program() -> str | None:
    """The executable; None without one, and where TESTS_WITHOUT_BLENDER is set (``./run test``, the NumPy 2 stage)."""
    return None if os.environ.get("TESTS_WITHOUT_BLENDER") else shutil.which("blender")


def has_wheel() -> bool:
    """Whether the bpy wheel is installed."""
    return importlib.util.find_spec("bpy") is not None


def has_blender() -> bool:
    """Whether any Blender may be started."""
    return has_wheel() or blender_program() is not None
