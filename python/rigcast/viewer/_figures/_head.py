"""The motion of a head that a clip holds: what the page shows moves, sliders and drags stay in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.head import checked_transforms
from rigcast.viewer._figures._figure import Vertices

Vector = NDArray[np.float64]
PLACES = ("at", "target", "tie")  # of pins and handles, as the page draws them


class PlayedHead:
    """One transform per frame of a clip; beyond its end the last one holds.

    Parameters
    ----------
    transforms : array_like, shape (T, 3, 4)
        Rotations, times a scale, next to translations, as ``Capture.motion``.
    frames : int
        T, as the clip has it.

    Raises
    ------
    ValueError
        If they are anything else.
    """

    def __init__(self, transforms: ArrayLike, frames: int) -> None:
        self._transforms = checked_transforms("view", transforms, frames)

    def __len__(self) -> int:
        return len(self._transforms)

    def at(self, frame: int) -> NDArray[np.float64]:
        """(3, 4)."""
        return np.asarray(self._transforms[min(frame, len(self) - 1)])

    def moved(self, vertices: Vertices, frame: int) -> Vertices:
        """Vertices (V, 3) where the head carries them."""
        transform = self.at(frame)
        return np.asarray(vertices @ transform[:, :3].T + transform[:, 3], np.float32)

    def back(self, frame: int, origin: Vector, *directions: Vector) -> list[Vector]:
        """A point of the page, and directions there, from where the head is to where it stands still."""
        transform = self.at(frame)
        away = np.linalg.inv(transform[:, :3])
        return [away @ (origin - transform[:, 3]), *(away @ direction for direction in directions)]

    def placed(self, facts: Sequence[dict[str, Any]], frame: int) -> list[dict[str, Any]]:
        """Pins or handles with their places where the head carries them."""
        transform = self.at(frame)

        def carried(place: list[float]) -> list[float]:
            return [round(float(x), 6) for x in transform[:, :3] @ place + transform[:, 3]]

        return [{key: carried(v) if key in PLACES else v for key, v in fact.items()} for fact in facts]
