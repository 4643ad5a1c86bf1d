"""Inverse kinematics: poses that bring a character's points to where they are wanted."""

from rigwright.ik._two_bone import LimbFlag, TwoBone, two_bone

__all__ = ["LimbFlag", "TwoBone", "two_bone"]
