"""rigcast for hosts: models, sessions, crowds, inverse rigs, drags and players in Blender, Houdini and farms.

    >>> import rigcast_runtime as rr
    >>> model = rr.load("hero.safetensors")
    >>> session = model.session()
    >>> vertices = session.evaluate(model.rest_pose)  # (V, 3)

A ctypes module over the C library of rigcast with the host's own NumPy (1.22 or later): no compiled extension, and so
one package for every Python from 3.9 on. Names, arguments and shapes are those of the package rigcast, which learns and
writes the models.
"""

from ._blendshapes import BlendshapeRig, Tent
from ._characters import Event
from ._crowd import Crowd, Instances
from ._description import Channel, Skeleton
from ._inverse import InverseRig, Solution, solve
from ._layers import Blinks, Gaze, Layer, Sway
from ._library import ArgumentError, FileError, NumericalError, instruction_set, version
from ._load import load, parse
from ._models import Deformer, Session
from ._play_settings import PlaySettings
from ._player import Player
from ._player_crowd import PlayerCrowd
from ._script import Script
from ._solver import PoseSolution, Solver
from ._synthesizer import Synthesizer

__version__ = version()

__all__ = [
    "ArgumentError",
    "BlendshapeRig",
    "Blinks",
    "Channel",
    "Crowd",
    "Deformer",
    "Event",
    "FileError",
    "Gaze",
    "Instances",
    "InverseRig",
    "Layer",
    "NumericalError",
    "PlaySettings",
    "Player",
    "PlayerCrowd",
    "PoseSolution",
    "Script",
    "Session",
    "Skeleton",
    "Solution",
    "Solver",
    "Sway",
    "Synthesizer",
    "Tent",
    "instruction_set",
    "load",
    "parse",
    "solve",
]
