"""Learned rigs in Houdini's Python: geometry cooked by a model, shots solved, shapes transferred. Not run in Houdini.

    >>> import hou, rigcast_houdini
    >>> rigcast_houdini.cook(hou.pwd(), "$HIP/hero.safetensors")  # the code of a Python SOP

It runs models by ``rigcast_runtime`` and needs Houdini's own NumPy. It was checked against type stubs of Houdini 21.0
and runs in tests against a stand-in of ``hou``.
"""

import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("rigcast_host") is None:
    sys.path.append(str(Path(__file__).resolve().parents[4] / "python"))  # of a checkout

from rigcast_host.spaces import Space

from .cooking import cook
from .keying import key_weights
from .nodes import HOUDINI
from .solving import solve, solve_shot
from .transferring import transfer

__all__ = ["HOUDINI", "Space", "cook", "key_weights", "solve", "solve_shot", "transfer"]
