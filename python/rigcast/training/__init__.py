"""Learning models from samples of a rig; the only part of the package that uses PyTorch."""

from rigcast.training._differential._pipeline import differential
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._face_ik._pipeline import face_ik
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._face_maps._face_layout import face_layout
from rigcast.training._face_maps._layout import Floors, Layout, MapSegment, RigidPart
from rigcast.training._face_maps._model_layout import model_layout
from rigcast.training._face_maps._pipeline import face_maps
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._pipeline import body, body_until
from rigcast.training._settings import BodySettings

__all__ = [
    "BodySettings",
    "DifferentialSettings",
    "FaceIkSettings",
    "FaceMapsSettings",
    "Floors",
    "Layout",
    "MapSegment",
    "RigidPart",
    "body",
    "body_until",
    "differential",
    "face_ik",
    "face_layout",
    "face_maps",
    "model_layout",
]
