"""The demo character and its walk."""

from rigwright.demo.character import LICENCE, build_character, origin

__all__ = ["LICENCE", "build_character", "origin"]
