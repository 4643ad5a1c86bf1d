"""Inverse kinematics: from points that should be reached to the poses of any model."""

from rigwright.ik._face_ik import FaceIk, load
from rigwright.ik._landmarks import IBUG_68, MEDIAPIPE_468, STEADY, retarget_landmarks
from rigwright.ik._pose_solution import PoseSolution
from rigwright.ik._solver import Solver, solve
from rigwright.ik._target_files import load_targets
from rigwright.ik._targets import Distance, Orientation, Point, Ray

__all__ = [
    "IBUG_68",
    "MEDIAPIPE_468",
    "STEADY",
    "Distance",
    "FaceIk",
    "Orientation",
    "Point",
    "PoseSolution",
    "Ray",
    "Solver",
    "load",
    "load_targets",
    "retarget_landmarks",
    "solve",
]
