"""Results in the formats of other programs."""

from rigwright.exports._motion import write_bvh
from rigwright.exports._playback import Playback
from rigwright.exports._resampling import resampled_weights
from rigwright.exports._rigs import write_rig
from rigwright.exports._vertices import write_vertices
from rigwright.exports._weights import write_blendshape_weights

__all__ = ["Playback", "resampled_weights", "write_blendshape_weights", "write_bvh", "write_rig", "write_vertices"]
