"""The engine: ``rigcast_runtime``, and the code that makes poses of matrices, in ``lib`` of a zip or in the sources."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
PACKED = HERE / "lib" / "transforms.py"
SHARED = HERE.parent / "rigcast" / "_formats" / "blender" / "host" / "describe" / "transforms.py"  # NumPy alone


def _transforms() -> ModuleType:
    """The file with which rigcast makes poses of the matrices that it samples."""
    path = PACKED if PACKED.is_file() else SHARED
    spec = importlib.util.spec_from_file_location(f"{__package__}.transforms", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


transforms = _transforms()
