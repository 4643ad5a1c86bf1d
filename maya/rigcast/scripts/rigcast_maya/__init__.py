"""Learned rigs in Maya: a deformer that moves a mesh as a model does. Not run in Maya.

    >>> import rigcast_maya
    >>> rigcast_maya.bind("body", "hero.safetensors", root="hips")  # at rest, with the plug-in loaded

It runs models by ``rigcast_runtime`` and needs NumPy in Maya's Python. It was checked against type stubs of Maya and
runs in tests against a stand-in of its modules.
"""

import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("rigcast_host") is None:
    sys.path.append(str(Path(__file__).resolve().parents[4] / "python"))  # of a checkout

from .binding import bind

__all__ = ["bind"]
