"""Recordings of faces: pictures with black background, and the regions of the face in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.training._style.settings import REGIONS

# Of 68 landmarks in the order of iBUG 300-W; left and right are the face's own.
LANDMARKS = {
    "face": np.arange(68),
    "mouth": np.arange(48, 68),
    "left_eye": np.r_[22:27, 42:48],
    "right_eye": np.r_[17:22, 36:42],
}


@one_line
@dataclass(frozen=True, eq=False)
class StyleRecording:
    """Pictures of one face under one light, cropped around it and black elsewhere.

    Attributes
    ----------
    pictures : (T, H, H, 3) uint8 array
    masks : (T, 4, H, H) bool array
        Regions in each picture: face, mouth, left eye with its brow, right eye with its brow.

    Raises
    ------
    ValueError
        If shapes or types do not fit.

    Examples
    --------
    >>> pictures = np.zeros((2, 64, 64, 3), np.uint8)
    >>> points = np.random.default_rng(0).uniform(8, 56, (2, 68, 2))
    >>> rc.training.StyleRecording.of_landmarks(pictures, points).masks.shape
    (2, 4, 64, 64)
    """

    pictures: NDArray[np.uint8]
    masks: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = np.shape(self.pictures)
        if getattr(self.pictures, "dtype", None) != np.uint8 or len(shape) != 4 or shape[3] != 3 or 0 in shape:
            got = f"of shape {shape} and type {getattr(self.pictures, 'dtype', type(self.pictures).__name__)}"
            raise bad_argument("StyleRecording", "pictures", got, "uint8 (T, H, H, 3)")
        wanted = (shape[0], len(REGIONS), *shape[1:3])
        if getattr(self.masks, "dtype", None) != np.bool_ or self.masks.shape != wanted or shape[1] != shape[2]:
            got = f"of shape {np.shape(self.masks)} and type {getattr(self.masks, 'dtype', type(self.masks).__name__)}"
            raise bad_argument("StyleRecording", "masks", got, f"bool {wanted}, with square pictures")

    @staticmethod
    def of_landmarks(pictures: NDArray[np.uint8], landmarks: ArrayLike, *, margin: float = 0.05) -> StyleRecording:
        """Regions by convex hulls of landmarks; pictures are made black outside of the whole face's (Bailey 2020, 6.4).

        Parameters
        ----------
        pictures : (T, H, H, 3) uint8 array
            Cropped and scaled already: square, with the face in the middle.
        landmarks : (T, 68, 2) array
            In pixels, x right and y down, (0, 0) the picture's corner; in the order of iBUG 300-W.
        margin : float
            By which the hulls of the mouth and the eyes grow, as a share of the picture's width.

        Raises
        ------
        ValueError
            If shapes or types do not fit.
        """
        check = Arguments("StyleRecording.of_landmarks")
        if getattr(pictures, "dtype", None) != np.uint8 or np.ndim(pictures) != 4:
            got = f"of shape {np.shape(pictures)} and type {getattr(pictures, 'dtype', type(pictures).__name__)}"
            raise check.wrong("pictures", got, "uint8 (T, H, H, 3)")
        points = check.numbers("landmarks", landmarks, f"{len(pictures)} 68 2")
        check.number("margin", margin, least=0.0, most=1.0)
        masks = region_masks(points, pictures.shape[1], margin)
        return StyleRecording(pictures * masks[:, 0, :, :, None].astype(np.uint8), masks)


def region_masks(landmarks: NDArray[np.float64], size: int, margin: float) -> NDArray[np.bool_]:
    """(T, 4, H, H) regions of landmarks (T, 68, 2): their hulls, all but the face's grown by the margin."""
    grown = {name: 0.0 if name == "face" else margin * size for name in REGIONS}
    rows = [[hull_mask(points[LANDMARKS[name]], size, grown[name]) for name in REGIONS] for points in landmarks]
    return np.array(rows, np.bool_)


def hull_mask(points: NDArray[np.floating[Any]], size: int, margin: float) -> NDArray[np.bool_]:
    """(H, H) pixels whose centers lie within the convex hull, each of whose edges is moved out by the margin."""
    corners = convex_hull(np.asarray(points, np.float64))
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    middles = np.arange(size) + 0.5
    centers = np.stack(np.meshgrid(middles, middles), axis=-1)
    away = centers @ normals.T - (normals * corners).sum(axis=1)
    return np.asarray((away <= margin).all(axis=2))


def convex_hull(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners of a convex hull, counterclockwise with y up (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    halves = []
    for some in (ordered, ordered[::-1]):
        half: list[NDArray[np.float64]] = []
        for point in some:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 0.0:
                half.pop()
            half.append(point)
        halves += half[:-1]
    return np.array(halves)


def _turn(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
