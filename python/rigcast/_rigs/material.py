"""What a material looks like: its base color and image."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Material:
    """The base color of a material, as its file states it.

    Attributes
    ----------
    color : tuple of 4 floats
        Red, green, blue in linear light, and opacity, 0 to 1; multiplied with the image.
    image : bytes
        A PNG, JPEG or WebP file; empty without one.
    image_type : str
        Its media type.
    """

    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    image: bytes = b""
    image_type: str = ""
