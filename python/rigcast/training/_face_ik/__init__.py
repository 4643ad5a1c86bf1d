"""Learned inverse kinematics of faces."""
