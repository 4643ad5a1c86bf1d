"""Results in the formats of other programs."""

from rigwright.exports.weights import write_weights

__all__ = ["write_weights"]
