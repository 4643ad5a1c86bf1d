# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine: ``rigcast_runtime`` and the code that reads bones, in ``lib`` of the zip or in the sources of rigcast."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "python"
SHARED = SOURCES / "rigcast" / "_formats" / "blender" / "host" / "describe" / "transforms.py"  # NumPy alone


def _engine() -> ModuleType:
    if (HERE / "lib" / "rigcast_runtime").is_dir():
        from .lib import rigcast_runtime as found
    else:
        sys.path.append(str(SOURCES))
        import rigcast_runtime as found
    return found


def _transforms() -> ModuleType:
    """The file with which rigcast samples a .blend, so that both read the same bytes."""
    packed = HERE / "lib" / SHARED.name
    spec = importlib.util.spec_from_file_location(f"{__package__}_transforms", packed if packed.is_file() else SHARED)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rr = _engine()
transforms = _transforms()
