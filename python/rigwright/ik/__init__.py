"""Inverse kinematics: poses that bring a character's points to where they are wanted."""

from rigwright.ik._aim import Look, look_at, move_torso
from rigwright.ik._foot_lock import FootLock, foot_lock
from rigwright.ik._limb import Limb, LimbControls, LimbPoses
from rigwright.ik._twist import Twist, spread_twist
from rigwright.ik._two_bone import LimbFlag, TwoBone, two_bone

__all__ = [
    "FootLock",
    "Limb",
    "LimbControls",
    "LimbFlag",
    "LimbPoses",
    "Look",
    "Twist",
    "TwoBone",
    "foot_lock",
    "look_at",
    "move_torso",
    "spread_twist",
    "two_bone",
]
