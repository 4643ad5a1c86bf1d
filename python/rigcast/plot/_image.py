"""A picture as an array that notebooks show."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rigcast._atomic_files import atomic_write
from rigcast._shown.picture import png
from rigcast._validate import as_array, bad_argument

Pixels = NDArray[np.uint8]


class Image:
    """Pixels that a notebook shows when they are the value of a cell.

    Parameters
    ----------
    pixels : (height, width, 3) uint8 array

    Raises
    ------
    ValueError
        If the pixels are anything else.

    Examples
    --------
    >>> import numpy as np, rigcast as rc
    >>> image = rc.plot.Image(np.zeros((2, 3, 3), np.uint8))
    >>> image
    <Image 3 x 2>
    >>> np.asarray(image).shape
    (2, 3, 3)
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        expected = "a uint8 array (height, width, 3)"
        array = as_array("Image", "pixels", pixels, expected)
        if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or 0 in array.shape:
            raise bad_argument("Image", "pixels", f"{array.dtype} {array.shape}", expected)
        self.pixels: Pixels = array

    @property
    def width(self) -> int:
        """Pixels across."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Pixels down."""
        return int(self.pixels.shape[0])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a PNG file, in one step.

        Raises
        ------
        ValueError
            If the name does not end in ``.png``.
        """
        file = Path(path)
        if file.suffix.lower() != ".png":
            raise bad_argument("Image.save", "path", repr(os.fspath(path)), "a file that ends in .png", path)
        atomic_write(file, self._repr_png_())
        return file

    def __repr__(self) -> str:
        return f"<Image {self.width} x {self.height}>"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.generic]:
        converted = np.asarray(self.pixels, dtype)
        return converted.copy() if copy else converted

    def _repr_png_(self) -> bytes:
        return png(self.pixels)
