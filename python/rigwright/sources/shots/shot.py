"""What a shot is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigwright.errors import bad_argument


@dataclass(frozen=True)
class Shot:
    """Vertices of a mesh, frame by frame.

    Attributes
    ----------
    vertices : (T, V, 3) float32 array, in the unit of the file
    fps : float
        Frames a second.
    faces : (F, 4) int32 array or None
        -1 pads triangles; None where the file says nothing about faces.
    """

    vertices: NDArray[np.float32]
    fps: float
    faces: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        shape = self.vertices.shape
        if len(shape) != 3 or shape[2] != 3 or 0 in shape:
            raise bad_argument("load_shot", "path", f"a shot of shape {shape}", "(T, V, 3), of a frame or more")
        if not np.isfinite(self.vertices).all():
            frame = int(np.flatnonzero(~np.isfinite(self.vertices).all(axis=(1, 2)))[0])
            raise bad_argument("load_shot", "path", f"a shot whose frame {frame} is not finite", "finite everywhere")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise bad_argument("load_shot", "fps", repr(self.fps), "a positive number")
