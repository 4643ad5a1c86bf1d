"""Learning models from samples of a rig; the only part of the package that uses PyTorch."""

from rigwright.training._differential._pipeline import differential
from rigwright.training._differential._settings import DifferentialSettings
from rigwright.training._pipeline import body
from rigwright.training._settings import BodySettings

__all__ = ["BodySettings", "DifferentialSettings", "body", "differential"]
