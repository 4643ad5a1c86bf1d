"""Inverse kinematics: speed and ends beside other solvers."""
