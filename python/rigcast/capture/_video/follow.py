"""One face, followed from frame to frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.capture._video.crops import Square
from rigcast.capture._video.networks import COUNT, SURE, FaceBox, FaceNetworks, square_of

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Picture = NDArray[np.uint8]

LOOK = 10  # frames from one search for other faces to the next
NEARER = 1.0  # widths of the face within which a face that was lost is the same one


@dataclass(frozen=True)
class FrameFace:
    """Points (468, 2) of a frame, NaN without a face, how sure they are, and how many faces a search saw; else -1."""

    points: Float32
    certainty: float
    faces: int


class FaceFollower:
    """Finds the largest face, then stays with it; a lost face is sought near its last place, then anywhere.

    The first face may lie on its side, as in a video that lost its rotation.

    Parameters
    ----------
    networks : FaceNetworks
    last : (468, 2) array, optional
        Points of the last frame that showed the face, if frames before were followed by another run.
    seen : bool
        Whether the frame before showed it.
    """

    def __init__(self, networks: FaceNetworks, last: Float32 | None = None, seen: bool = False) -> None:
        self._networks, self._last, self._seen = networks, last, seen

    def step(self, picture: Picture, number: int) -> FrameFace:
        """The face in the next frame."""
        found, faces = None, -1
        if self._seen and self._last is not None:
            found = self._at(picture, square_of(self._last.astype(np.float64)))
        if found is None or number % LOOK == 0:
            boxes = self._networks.boxes(picture, turned=self._last is None)
            faces = len(boxes)
            if found is None and boxes:
                found = self._first(picture, self._chosen(boxes))
        self._seen = found is not None
        if found is None:
            return FrameFace(np.full((COUNT, 2), np.nan, np.float32), 0.0, faces)
        self._last = found[0]
        return FrameFace(*found, faces)

    def _at(self, picture: Picture, square: Square) -> tuple[Float32, float] | None:
        if square.side < 2.0:
            return None
        points, sure = self._networks.points(picture, square)
        return (points.astype(np.float32), sure) if sure >= SURE else None

    def _first(self, picture: Picture, box: FaceBox) -> tuple[Float32, float] | None:
        """Points by a box, then by themselves, as in the frames that follow."""
        found = self._at(picture, box.square)
        return found and (self._at(picture, square_of(found[0].astype(np.float64))) or found)

    def _chosen(self, boxes: list[FaceBox]) -> FaceBox:
        if self._last is not None:
            middle, width = self._last.mean(axis=0), float(np.ptp(self._last[:, 0]))
            away = [float(np.linalg.norm(box.corners.mean(axis=0) - middle)) for box in boxes]
            if min(away) <= NEARER * width:
                return boxes[int(np.argmin(away))]
        return max(boxes, key=lambda box: box.area)
