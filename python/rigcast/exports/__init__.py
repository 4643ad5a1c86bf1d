"""Results in the formats of other programs."""

from rigcast.exports._approximation import Approximation, ShapeCount, approximate
from rigcast.exports._character import write_character
from rigcast.exports._crowd import write_crowd
from rigcast.exports._miss import VertexMiss
from rigcast.exports._motion import write_bvh, write_motion
from rigcast.exports._on_stage import write_on_stage
from rigcast.exports._playback import Playback
from rigcast.exports._resampling import resampled_weights
from rigcast.exports._rigs import write_rig
from rigcast.exports._vertices import write_vertices
from rigcast.exports._weights import write_blendshape_weights
from rigcast.exports._write_approximation import write_approximation

__all__ = [
    "Approximation",
    "Playback",
    "ShapeCount",
    "VertexMiss",
    "approximate",
    "resampled_weights",
    "write_approximation",
    "write_blendshape_weights",
    "write_bvh",
    "write_character",
    "write_crowd",
    "write_motion",
    "write_on_stage",
    "write_rig",
    "write_vertices",
]
