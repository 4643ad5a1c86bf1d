"""A shot in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import padded_faces
from rigcast._shown import Described, counted
from rigcast._validate import Arguments, bad_argument

# Rotations that turn each up axis to y, as rigcast._formats.gltf.write places a rig.
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
        Frames per second.
    faces : (F, 4) int32 array or None
        -1 pads triangles; None if the file says nothing about faces. (F, 3) is accepted.
    meters_per_unit : float or None
    up_axis : "X", "Y", "Z" or None
        None if the file says nothing about them, as in OBJ and NumPy files.
    notes : tuple of str
        What of the file was left out or found, a sentence per kind.

    Raises
    ------
    ValueError
        If the vertices are not numbers (T, V, 3), finite everywhere, faces name other vertices, ``fps`` or the unit is
        not above 0, or there is no such axis.

    Examples
    --------
    >>> import numpy as np
    >>> from rigcast.sources import Shot
    >>> Shot(np.zeros((48, 100, 3)), fps=24.0)
    <Shot: 48 frames at 24 per second, 100 vertices>
    """

    vertices: NDArray[np.float32]
    fps: float
    faces: NDArray[np.int32] | None = None
    meters_per_unit: float | None = None
    up_axis: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check = Arguments("Shot")
        vertices = check.numbers("vertices", self.vertices, "T+ V+ 3", dtype=np.float32)
        check.rate("fps", self.fps)
        if self.faces is not None:
            object.__setattr__(self, "faces", padded_faces(self.faces, "Shot", vertices.shape[1]))
        if self.meters_per_unit is not None:
            check.unit("meters_per_unit", self.meters_per_unit)
        if self.up_axis is not None and self.up_axis not in TO_Y_UP:
            raise check.wrong("up_axis", repr(self.up_axis), "one of X, Y, Z, or None")
        object.__setattr__(self, "vertices", vertices)

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
