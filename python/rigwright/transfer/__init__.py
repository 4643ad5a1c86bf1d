"""From one rig to other faces."""

from rigwright.packing import Plan, pack_expressions

__all__ = ["Plan", "pack_expressions"]
