"""A mesh in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import padded_faces
from rigcast._rigs.motions.shot import Shot
from rigcast._shown import Described, counted
from rigcast._validate import as_array, bad_argument, check_finite


def _no_faces() -> NDArray[np.int32]:
    return np.zeros((0, 4), np.int32)


@dataclass(frozen=True, repr=False)
class Mesh(Described):
    """One mesh: a scan, or a character at rest.

    Attributes
    ----------
    vertices : (V, 3) float32 array, in the unit and the axes of the file
    faces : (F, 4) int32 array
        -1 pads triangles; (0, 4) if nothing is known about faces. (F, 3) is accepted.
    name : str
    meters_per_unit : float or None
    up_axis : "X", "Y", "Z" or None
        None if nothing is known about them, as in OBJ, PLY and NumPy files.
    notes : tuple of str
        What of the file was left out or found, a sentence per kind.

    Raises
    ------
    ValueError
        If the vertices are not numbers (V, 3), finite everywhere, or faces name other vertices.

    Examples
    --------
    >>> rc.sources.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="triangle")
    <Mesh 'triangle': 3 vertices, 1 face>
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32] = field(default_factory=_no_faces)
    name: str = ""
    meters_per_unit: float | None = None
    up_axis: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        expected = "numbers (V, 3), of a vertex or more"
        vertices = as_array("Mesh", "vertices", self.vertices, expected)
        if vertices.dtype.kind not in "fiu" or vertices.ndim != 2 or vertices.shape[1] != 3 or not len(vertices):
            raise bad_argument("Mesh", "vertices", f"{vertices.dtype} {vertices.shape}", expected)
        check_finite("Mesh", "vertices", vertices)
        faces = padded_faces(np.asarray(self.faces), "Mesh") if len(self.faces) else _no_faces()
        if len(faces) and (faces.min() < -1 or faces[:, :3].min() < 0 or faces.max() >= len(vertices)):
            raise bad_argument("Mesh", "faces", "out of range somewhere", f"vertex indices below {len(vertices)}")
        object.__setattr__(self, "vertices", np.asarray(vertices, np.float32))
        object.__setattr__(self, "faces", faces)

    def placed(self, meters_per_unit: float, up_axis: str) -> Mesh:
        """The same mesh in another unit and other axes; what the file does not state stays as it is.

        Raises
        ------
        ValueError
            If the unit is not above 0, or there is no such axis.
        """
        shot = Shot(self.vertices[None], 1.0, None, self.meters_per_unit, self.up_axis)
        moved = shot.placed(meters_per_unit, up_axis)
        return replace(self, vertices=moved.vertices[0], meters_per_unit=moved.meters_per_unit, up_axis=moved.up_axis)

    def _facts(self) -> list[str]:
        return [counted(len(self.vertices), "vertex", "vertices"), counted(len(self.faces), "face", "faces")]
