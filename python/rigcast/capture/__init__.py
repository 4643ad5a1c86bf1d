"""Performance capture: from points that a face detector found in a video to the weights of a character.

There is no footage of a face in this project: every actor that it was measured on is rendered.
"""

from rigcast.capture._fit_places import fit_places
from rigcast.capture._places import Places, load_places
from rigcast.capture._read_tracks import load_tracks
from rigcast.capture._solution import Capture
from rigcast.capture._solver import solve
from rigcast.capture._tracks import CaptureSettings, Tracks
from rigcast.capture._write import write

__all__ = [
    "Capture",
    "CaptureSettings",
    "Places",
    "Tracks",
    "fit_places",
    "load_places",
    "load_tracks",
    "solve",
    "write",
]
