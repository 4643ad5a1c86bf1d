"""Learned rigs in Houdini's Python: geometry cooked by a model, shots solved, shapes transferred. Not run in Houdini.

    >>> import hou, rigcast_houdini
    >>> rigcast_houdini.cook(hou.pwd(), "$HIP/hero.safetensors")  # the code of a Python SOP

It runs models by ``rigcast_runtime`` and needs Houdini's own NumPy. It was checked against type stubs of Houdini 21.0
and runs in tests against a stand-in of ``hou``.
"""

from .cooking import cook
from .keying import key_weights
from .solving import solve, solve_shot
from .spaces import HOUDINI, Space
from .transferring import transfer

__all__ = ["HOUDINI", "Space", "cook", "key_weights", "solve", "solve_shot", "transfer"]
