"""Inverse kinematics: poses that bring points of a character to where they are wanted."""

from rigcast.ik._aim import Look, look_at, move_torso
from rigcast.ik._bake import Baked, bake
from rigcast.ik._face_ik import FaceIk, load
from rigcast.ik._foot_lock import FootLock, foot_lock
from rigcast.ik._landmarks import IBUG_68, MEDIAPIPE_468, STEADY, retarget_landmarks
from rigcast.ik._limb import Limb, LimbControls, LimbPoses
from rigcast.ik._pose_solution import PoseSolution
from rigcast.ik._solve_motion import MotionSolution, solve_motion
from rigcast.ik._solver import Solver, solve
from rigcast.ik._target_files import TargetFile, load_targets
from rigcast.ik._targets import Distance, Orientation, Point, Ray
from rigcast.ik._twist import Twist, spread_twist
from rigcast.ik._two_bone import LimbFlag, TwoBone, two_bone

__all__ = [
    "IBUG_68",
    "MEDIAPIPE_468",
    "STEADY",
    "Baked",
    "Distance",
    "FaceIk",
    "FootLock",
    "Limb",
    "LimbControls",
    "LimbFlag",
    "LimbPoses",
    "Look",
    "MotionSolution",
    "Orientation",
    "Point",
    "PoseSolution",
    "Ray",
    "Solver",
    "TargetFile",
    "Twist",
    "TwoBone",
    "bake",
    "foot_lock",
    "load",
    "load_targets",
    "look_at",
    "move_torso",
    "retarget_landmarks",
    "solve",
    "solve_motion",
    "spread_twist",
    "two_bone",
]
