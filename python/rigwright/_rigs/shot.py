"""What a shot is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigwright._rigs.described import Described, counted
from rigwright._validate import Arguments, bad_argument

# Rotations that turn each up axis to y, as rigwright._formats.gltf.write places a rig.
TO_Y_UP = {
    "X": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "Y": np.eye(3),
    "Z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
}


@dataclass(frozen=True, repr=False)
class Shot(Described):
    """Vertices of a mesh, frame by frame.

    Attributes
    ----------
    vertices : (T, V, 3) float32 array, in the unit and the axes of the file
    fps : float
        Frames a second.
    faces : (F, 4) int32 array or None
        -1 pads triangles; None where the file says nothing about faces.
    meters_per_unit : float or None
    up_axis : "X", "Y", "Z" or None
        None where the file says nothing about them, as OBJ and NumPy files do.
    """

    vertices: NDArray[np.float32]
    fps: float
    faces: NDArray[np.int32] | None = None
    meters_per_unit: float | None = None
    up_axis: str | None = None

    def __post_init__(self) -> None:
        shape = self.vertices.shape
        if len(shape) != 3 or shape[2] != 3 or 0 in shape:
            raise bad_argument("load_shot", "path", f"a shot of shape {shape}", "(T, V, 3), of a frame or more")
        if not np.isfinite(self.vertices).all():
            frame = int(np.flatnonzero(~np.isfinite(self.vertices).all(axis=(1, 2)))[0])
            raise bad_argument("load_shot", "path", f"a shot whose frame {frame} is not finite", "finite everywhere")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise bad_argument("load_shot", "fps", repr(self.fps), "a positive number")

    def placed(self, meters_per_unit: float, up_axis: str) -> Shot:
        """The same motion in another unit and other axes; what the file does not state stays as it is.

        A glTF shot of a rig in centimeters: ``shot.placed(rig.meters_per_unit, rig.up_axis)``.

        Parameters
        ----------
        meters_per_unit : float
        up_axis : "X", "Y" or "Z"

        Raises
        ------
        ValueError
            If the unit is not above 0, or there is no such axis.
        """
        meters_per_unit = Arguments("placed").unit("meters_per_unit", meters_per_unit)
        if up_axis not in TO_Y_UP:
            raise bad_argument("placed", "up_axis", repr(up_axis), "one of X, Y, Z")
        scale = 1.0 if self.meters_per_unit is None else self.meters_per_unit / meters_per_unit
        turn = np.eye(3) if self.up_axis is None else TO_Y_UP[up_axis].T @ TO_Y_UP[self.up_axis]
        return replace(
            self,
            vertices=(self.vertices @ (scale * turn.T)).astype(np.float32),
            meters_per_unit=None if self.meters_per_unit is None else meters_per_unit,
            up_axis=None if self.up_axis is None else up_axis,
        )

    def _facts(self) -> list[str]:
        frames, vertices, _ = self.vertices.shape
        faces = 0 if self.faces is None else len(self.faces)
        return [
            f"{counted(frames, 'frame', 'frames')} at {self.fps:g} per second",
            counted(vertices, "vertex", "vertices"),
            counted(faces, "face", "faces"),
        ]
