"""Results in the formats of other programs."""

from rigwright.exports._resampling import resampled_weights
from rigwright.exports._rigs import write_rig
from rigwright.exports._weights import write_weights

__all__ = ["resampled_weights", "write_rig", "write_weights"]
