"""Learning models from samples of a rig; the only part of the package that uses PyTorch."""

from rigwright.training._face_maps._pipeline import face_maps
from rigwright.training._face_maps._settings import FaceMapsSettings
from rigwright.training._pipeline import body
from rigwright.training._settings import BodySettings

__all__ = ["BodySettings", "FaceMapsSettings", "body", "face_maps"]
