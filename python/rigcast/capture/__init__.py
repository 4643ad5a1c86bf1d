"""Performance capture: from points that a face detector found in a video to the weights of a character; synthetic
actors, whose every label is exact.

There is no footage of a face in this project: every actor is rendered, and every albedo constructed.
"""

from rigcast.capture._actors.cast import Actor, ActorVariation, Cast, example_cast, ict_cast
from rigcast.capture._actors.folder import make_actor_set
from rigcast.capture._actors.makehuman import makehuman_cast
from rigcast.capture._actors.shot import ActorShot, ShotPlan, film
from rigcast.capture._again import solve_again
from rigcast.capture._eyes import EyeMotion, turn_eyes
from rigcast.capture._fit_places import fit_places
from rigcast.capture._network.network import CaptureNetwork, FaceReading, load_network
from rigcast.capture._network.solve_read import ReadCapture, ReadingUse, solve_read
from rigcast.capture._own_rig.corrections import load_corrections
from rigcast.capture._own_rig.identity import ActorFit, fit_actor
from rigcast.capture._own_rig.personal import PersonalRig, frames_to_correct, personalize
from rigcast.capture._pictures import Pictures
from rigcast.capture._places import Places, load_places
from rigcast.capture._read_tracks import load_tracks
from rigcast.capture._refine import refine
from rigcast.capture._refine_request import RefineSettings
from rigcast.capture._solution import Capture, PictureFit
from rigcast.capture._solver import solve
from rigcast.capture._tracks import CaptureSettings, Tracks
from rigcast.capture._video.detect import detect
from rigcast.capture._video.preview import write_preview
from rigcast.capture._write import load_capture, write

__all__ = [
    "Actor",
    "ActorFit",
    "ActorShot",
    "ActorVariation",
    "Capture",
    "CaptureNetwork",
    "CaptureSettings",
    "Cast",
    "EyeMotion",
    "FaceReading",
    "PersonalRig",
    "PictureFit",
    "Pictures",
    "Places",
    "ReadCapture",
    "ReadingUse",
    "RefineSettings",
    "ShotPlan",
    "Tracks",
    "detect",
    "example_cast",
    "film",
    "fit_actor",
    "fit_places",
    "frames_to_correct",
    "ict_cast",
    "load_capture",
    "load_corrections",
    "load_network",
    "load_places",
    "load_tracks",
    "make_actor_set",
    "makehuman_cast",
    "personalize",
    "refine",
    "solve",
    "solve_again",
    "solve_read",
    "turn_eyes",
    "write",
    "write_preview",
]
