"""Learning models from samples of a rig; the only part of the package that uses PyTorch."""

from rigcast.training._body.pipeline import body, body_until
from rigcast.training._body.settings import BodySettings
from rigcast.training._capture.pipeline import capture_network
from rigcast.training._capture.settings import CaptureNetworkSettings
from rigcast.training._differential._pipeline import differential
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._face_ik._pipeline import face_ik
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._face_maps._layout.segments import Floors, Layout, MapSegment, RigidPart
from rigcast.training._face_maps._layout_of_data import face_layout
from rigcast.training._face_maps._layout_of_model import model_layout
from rigcast.training._face_maps._pipeline import face_maps
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._motion_loss import MotionLoss
from rigcast.training._style.model import StyledPictures, StyleTransfer
from rigcast.training._style.pipeline import style_transfer
from rigcast.training._style.recordings import StyleRecording
from rigcast.training._style.settings import StyleSettings

__all__ = [
    "BodySettings",
    "CaptureNetworkSettings",
    "DifferentialSettings",
    "FaceIkSettings",
    "FaceMapsSettings",
    "Floors",
    "Layout",
    "MapSegment",
    "MotionLoss",
    "RigidPart",
    "StyleRecording",
    "StyleSettings",
    "StyleTransfer",
    "StyledPictures",
    "body",
    "body_until",
    "capture_network",
    "differential",
    "face_ik",
    "face_layout",
    "face_maps",
    "model_layout",
    "style_transfer",
]
