"""The demo character and its walk."""

from rigcast._demo.character import LICENCE, build_character, origin
from rigcast._demo.walk import Walk, walk, walk_channels

__all__ = ["LICENCE", "Walk", "build_character", "origin", "walk", "walk_channels"]
