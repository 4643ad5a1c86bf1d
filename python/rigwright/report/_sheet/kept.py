"""Pictures that stay in a folder until the page they are for is written, so that an interruption loses one at most."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigwright import __version__
from rigwright._files import atomic_write
from rigwright.plot._image import Pixels
from rigwright.report._kit.jpeg import jpeg


class KeptPictures:
    """JPEG files by a hash of what they show; without a folder nothing is kept."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, draw: Callable[[], Pixels], *shows: ArrayLike) -> bytes:
        """The JPEG file of everything that decides ``draw()``'s picture: kept, or drawn now."""
        if self._folder is None:
            return jpeg(draw())
        path = self._folder / f"{_fingerprint(shows)}.jpg"
        if path.is_file():
            return path.read_bytes()
        content = jpeg(draw())
        atomic_write(path, content)
        return content


def _fingerprint(shows: tuple[ArrayLike, ...]) -> str:
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    for entry in shows:
        array: Any = np.ascontiguousarray(entry)
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
