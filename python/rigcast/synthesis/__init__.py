"""Endless motion in the manner of labelled clips: latent spaces learned from them, and players that wander there.

Bailey 2020, chapter 5. :func:`fit` learns from clips of channels or weights, a space per label; a
:class:`Synthesizer` holds them, and says where one leads to another.
"""

from rigcast.synthesis._clips.clips import Clip
from rigcast.synthesis._clips.read_clips import read_clip_list, read_clips
from rigcast.synthesis._crowd import PlayerCrowd
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._learning.fit import fit
from rigcast.synthesis._learning.recipe import FitSettings
from rigcast.synthesis._load import load
from rigcast.synthesis._parts import Bridge
from rigcast.synthesis._player import Player
from rigcast.synthesis._playing.events import Event
from rigcast.synthesis._playing.layers import Blinks, Gaze, Layer, Sway, load_layers
from rigcast.synthesis._playing.script import Script
from rigcast.synthesis._playing.settings import PlaySettings
from rigcast.synthesis._space import Segment, Space
from rigcast.synthesis._synthesizer import Synthesizer

__all__ = [
    "Blinks",
    "Bridge",
    "Clip",
    "Event",
    "FitSettings",
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
