"""The viewer of a face: so far away, with a picture so high."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.render import Camera

Float64 = NDArray[np.float64]
MARGIN = 0.15  # of the mesh's width and height, left and right, above and below: room for what moves
LEAST_PIXELS, MOST_PIXELS = 16, 2048  # of a side


@one_line
@dataclass(frozen=True)
class Viewing:
    """A viewer in front of a figure; the default is a head on the far side of a table.

    Parameters
    ----------
    distance : float
        From the camera to the nearest point of the mesh, in meters.
    image_height : float
        Of the whole picture, in pixels; the head takes a part of it.
    field_of_view : float
        Of the whole picture, vertical, in degrees.

    Raises
    ------
    ValueError
        If one of them is out of range.

    Examples
    --------
    >>> round(rc.perception.Viewing(distance=2.0).pixel_size() * 1e3, 2)  # millimeters
    1.35
    """

    distance: float = 2.0
    image_height: float = 1080.0
    field_of_view: float = 40.0

    def __post_init__(self) -> None:
        check = Arguments("Viewing")
        check.number("distance", self.distance, above=0.0)
        check.number("image_height", self.image_height, above=0.0)
        check.number("field_of_view", self.field_of_view, above=0.0, below=180.0)

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return float(self.image_height / (2.0 * math.tan(math.radians(self.field_of_view) / 2.0)))

    @property
    def pixels_per_degree(self) -> float:
        """Pixels of the picture's middle per degree of the camera's field of view."""
        return self.focal * math.radians(1.0)

    def pixel_size(self) -> float:
        """Meters that a pixel covers at the distance, face on."""
        return self.distance / self.focal

    def camera(self, rest: ArrayLike, meters_per_unit: float = 1.0, up_axis: str = "Y") -> Camera:
        """The camera of a mesh, cut out of the whole picture around it.

        Parameters
        ----------
        rest : (V, 3) array
            The mesh that the camera looks at: the middle of its box.
        meters_per_unit : float
        up_axis : str
            X, Y or Z. A figure with y up faces z, one with z up faces -y.

        Returns
        -------
        rigcast.render.Camera
            Pixels are those of the whole picture; the cut leaves 15 % of the mesh's size around it, and is at most
            2,048 pixels wide and high.

        Raises
        ------
        ValueError
            If the mesh is no finite (V, 3), or a setting is out of range.
        """
        check = Arguments("Viewing.camera")
        points = check.numbers("rest", rest, "V+ 3")
        unit = check.unit("meters_per_unit", meters_per_unit)
        if up_axis not in TO_Y_UP:
            raise check.wrong("up_axis", repr(up_axis), "one of X, Y, Z")
        rotation = np.diag([1.0, -1.0, -1.0]) @ TO_Y_UP[up_axis]
        seen = points @ rotation.T
        middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
        away = self.distance / unit
        translation = np.array([-middle[0], -middle[1], away - seen[:, 2].min()])
        placed = seen + translation
        places = self.focal * placed[:, :2] / placed[:, 2:]
        half = np.abs(places).max(axis=0) * (1.0 + 2.0 * MARGIN)
        size = np.clip(np.ceil(2.0 * half), LEAST_PIXELS, MOST_PIXELS).astype(int)
        near = max(1e-9, 0.01 * away)
        return Camera(int(size[0]), int(size[1]), self.focal, rotation, translation, near=near)
