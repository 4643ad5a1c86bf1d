"""Results in the formats of other programs."""

from rigwright.exports.rigs import write_rig
from rigwright.exports.weights import write_weights

__all__ = ["write_rig", "write_weights"]
