"""Inverse kinematics: limbs."""
