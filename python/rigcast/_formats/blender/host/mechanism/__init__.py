"""The mechanism of a rig as data: how channels, constraints, drivers and inverse kinematics pose its bones."""

from .bones import mechanism_of

__all__ = ["mechanism_of"]
