"""Endless motion in the manner of labelled clips: latent spaces learned from them, and players that wander there.

Bailey 2020, chapter 5. :func:`fit` learns from clips of channels or weights, a space per label; a
:class:`Synthesizer` holds them, and says where one leads to another.
"""

from rigwright.synthesis._clips import Clip
from rigwright.synthesis._crowd import PlayerCrowd
from rigwright.synthesis._figures import HeldOut
from rigwright.synthesis._fit import fit
from rigwright.synthesis._load import load
from rigwright.synthesis._parts import Bridge
from rigwright.synthesis._player import Player
from rigwright.synthesis._playing.events import Event
from rigwright.synthesis._playing.layers import Blinks, Gaze, Layer, Sway, load_layers
from rigwright.synthesis._playing.script import Script
from rigwright.synthesis._playing.settings import PlaySettings
from rigwright.synthesis._read_clips import read_clip_list, read_clips
from rigwright.synthesis._space import Segment, Space
from rigwright.synthesis._synthesizer import Synthesizer

__all__ = [
    "Blinks",
    "Bridge",
    "Clip",
    "Event",
    "Gaze",
    "HeldOut",
    "Layer",
    "PlaySettings",
    "Player",
    "PlayerCrowd",
    "Script",
    "Segment",
    "Space",
    "Sway",
    "Synthesizer",
    "fit",
    "load",
    "load_layers",
    "read_clip_list",
    "read_clips",
]
