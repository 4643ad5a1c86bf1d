"""Results in the formats of other programs."""

from rigwright.exports._rigs import write_rig
from rigwright.exports._weights import write_blendshape_weights

__all__ = ["write_blendshape_weights", "write_rig"]
