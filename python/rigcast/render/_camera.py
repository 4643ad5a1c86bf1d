"""Perspective cameras."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, eq=False)
class Camera:
    """Perspective cameras of T pictures, without distortion.

    A point ``x`` of the world has the camera coordinates ``R x + t``, with x to the right, y down and z forward, and
    the image position ``focal * (x, y) / z + center``. The upper left corner of the picture is (0, 0).

    Parameters
    ----------
    width, height : int
        Of the picture in pixels, 1 to 8192.
    focal : number or (T,) array
        Focal length in pixels.
    rotation : (3, 3) or (T, 3, 3) array
        R. The default turns a figure that stands along y and faces z toward the camera.
    translation : (3,) or (T, 3) array
        t, in the mesh's unit.
    center : (2,) or (T, 2) array, optional
        Of the projection, in pixels; default the middle of the picture.
    near : number
        What is nearer than this along z is clipped.

    Examples
    --------
    >>> camera = rc.render.Camera(128, 128, focal=280.0, translation=[0.0, 0.0, 50.0])
    >>> camera.project([[0.0, 5.0, 0.0]]).tolist()
    [[[64.0, 36.0]]]
    """

    width: int
    height: int
    focal: ArrayLike
    rotation: ArrayLike = field(default_factory=lambda: np.diag([1.0, -1.0, -1.0]))
    translation: ArrayLike = (0.0, 0.0, 0.0)
    center: ArrayLike | None = None
    near: float = 1e-3

    def __post_init__(self) -> None:
        check = Arguments("Camera")
        check.whole("width", self.width, least=1, most=8192)
        check.whole("height", self.height, least=1, most=8192)
        check.number("near", self.near, least=1e-9)
        center = (0.5 * self.width, 0.5 * self.height) if self.center is None else self.center
        object.__setattr__(self, "focal", check.numbers("focal", self.focal, "", "T"))
        object.__setattr__(self, "rotation", check.numbers("rotation", self.rotation, "3 3", "T 3 3"))
        object.__setattr__(self, "translation", check.numbers("translation", self.translation, "3", "T 3"))
        object.__setattr__(self, "center", check.numbers("center", center, "2", "T 2"))
        object.__setattr__(self, "_count", check.sizes.get("T"))

    def numbers(self, count: int | None = None) -> Float64:
        """The cameras (T, 17) as the engine takes them; one camera for all is repeated ``count`` times."""
        own: int | None = self._count  # type: ignore[attr-defined]
        rows = own if own is not None else count or 1
        result = np.empty((rows, 17))
        result[:, :9] = np.broadcast_to(np.asarray(self.rotation), (rows, 3, 3)).reshape(rows, 9)
        result[:, 9:12] = self.translation
        result[:, 12:14] = np.asarray(self.focal).reshape(-1, 1)
        result[:, 14:16] = self.center
        result[:, 16] = self.near
        return result

    def project(self, points: ArrayLike) -> Float64:
        """Image positions (T, P, 2) of points (P, 3) or (T, P, 3) in pixels; NaN for points behind the camera."""
        places = Arguments("Camera.project").numbers("points", points, "P 3", "T P 3")
        rows = self.numbers(len(places) if places.ndim == 3 else None)
        seen = places @ rows[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1) + rows[:, None, 9:12]
        depth = np.where(seen[..., 2:] > 0.0, seen[..., 2:], np.nan)
        return np.asarray(rows[:, None, 12:14] * seen[..., :2] / depth + rows[:, None, 14:16])
