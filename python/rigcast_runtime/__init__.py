"""rigcast for hosts: models, sessions, crowds, inverse rigs and drags in Blender, Houdini and farms.

    >>> import rigcast_runtime as rr
    >>> model = rr.load("hero.safetensors")
    >>> session = model.session()
    >>> vertices = session.evaluate(model.rest_pose)  # (V, 3)

A ctypes module over the C library of rigcast with the host's own NumPy (1.22 or later): no compiled extension, and so
one package for every Python from 3.9 on. Names, arguments and shapes are those of the package rigcast, which learns and
writes the models.
"""

from rigcast_runtime._blendshapes import BlendshapeRig, Tent
from rigcast_runtime._crowd import Crowd, Instances
from rigcast_runtime._description import Channel, Skeleton
from rigcast_runtime._inverse import InverseRig, Solution, solve
from rigcast_runtime._library import ArgumentError, FileError, NumericalError, instruction_set, version
from rigcast_runtime._load import load, parse
from rigcast_runtime._models import Deformer, Session
from rigcast_runtime._solver import PoseSolution, Solver

__version__ = version()

__all__ = [
    "ArgumentError",
    "BlendshapeRig",
    "Channel",
    "Crowd",
    "Deformer",
    "FileError",
    "Instances",
    "InverseRig",
    "NumericalError",
    "PoseSolution",
    "Session",
    "Skeleton",
    "Solution",
    "Solver",
    "Tent",
    "instruction_set",
    "load",
    "parse",
    "solve",
]
