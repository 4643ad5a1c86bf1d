"""Point layouts of face detectors: which point is where on a face.

Left and right are the person's own. iBUG 68 is the order of Multi-PIE and of OpenFace; of MediaPipe's 468 points (478
with the irises) those are listed whose place is known by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Detector:
    """Points of a layout that have a name.

    Attributes
    ----------
    name : str
    counts : tuple of int
        Numbers of points P by which it is known.
    right_eye, left_eye : (n,) int
        Rims of the lids.
    upper_lids, lower_lids, upper_lip, lower_lip : (n,) int
        Points that must lie on what a blink or the jaw moves, or on what it leaves alone.
    right_brow, left_brow : (n,) int
        From the temple to the nose.
    right_corner, left_corner : int
        Of the mouth.
    inner_upper, inner_lower : int
        Middle of the inner lips.
    inner_corners : (int, int)
        Right and left end of the inner lips.
    inner_upper_lip, inner_lower_lip : (n,) int
        Between these ends, from the right to the left.
    nose, chin : int
        Tip of the nose, middle of the chin.
    unused : (n,) int
        Points without a place of their own on the skin: the outline, which slides as the head turns, and irises.
    """

    name: str
    counts: tuple[int, ...]
    right_eye: Indices
    left_eye: Indices
    upper_lids: Indices
    lower_lids: Indices
    upper_lip: Indices
    lower_lip: Indices
    right_brow: Indices
    left_brow: Indices
    right_corner: int
    left_corner: int
    inner_upper: int
    inner_lower: int
    inner_corners: tuple[int, int]
    inner_upper_lip: Indices
    inner_lower_lip: Indices
    nose: int
    chin: int
    unused: Indices

    @property
    def eyes(self) -> Indices:
        """Rims of both eyes."""
        return np.concatenate([self.right_eye, self.left_eye])


def _ints(*values: int) -> Indices:
    return np.array(values, np.int64)


IBUG68 = Detector(
    "ibug68",
    (68,),
    right_eye=np.arange(36, 42),
    left_eye=np.arange(42, 48),
    upper_lids=_ints(37, 38, 43, 44),
    lower_lids=_ints(40, 41, 46, 47),
    upper_lip=_ints(49, 50, 51, 52, 53, 61, 62, 63),
    lower_lip=_ints(55, 56, 57, 58, 59, 65, 66, 67),
    right_brow=np.arange(17, 22),
    left_brow=np.arange(26, 21, -1),
    right_corner=48,
    left_corner=54,
    inner_upper=62,
    inner_lower=66,
    inner_corners=(60, 64),
    inner_upper_lip=_ints(61, 62, 63),
    inner_lower_lip=_ints(67, 66, 65),
    nose=30,
    chin=8,
    unused=_ints(0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16),
)
OVAL = _ints(
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365,
    379, 378, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)  # fmt: skip
MEDIAPIPE = Detector(
    "mediapipe",
    (468, 478),
    right_eye=_ints(33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7),
    left_eye=_ints(263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249),
    upper_lids=_ints(161, 160, 159, 158, 157, 388, 387, 386, 385, 384),
    lower_lids=_ints(154, 153, 145, 144, 163, 381, 380, 374, 373, 390),
    upper_lip=_ints(40, 39, 37, 0, 267, 269, 270, 80, 81, 82, 13, 312, 311, 310, 72, 11, 302, 38, 12, 268),
    lower_lip=_ints(91, 181, 84, 17, 314, 405, 321, 88, 178, 87, 14, 317, 402, 318, 85, 16, 315, 86, 15, 316),
    right_brow=_ints(70, 63, 105, 66, 107),
    left_brow=_ints(300, 293, 334, 296, 336),
    right_corner=61,
    left_corner=291,
    inner_upper=13,
    inner_lower=14,
    inner_corners=(78, 308),
    inner_upper_lip=_ints(191, 80, 81, 82, 13, 312, 311, 310, 415),
    inner_lower_lip=_ints(95, 88, 178, 87, 14, 317, 402, 318, 324),
    nose=4,
    chin=152,
    unused=np.concatenate([OVAL, np.arange(468, 478)]),
)
OPENFACE = Detector("openface", *(getattr(IBUG68, name) for name in list(Detector.__dataclass_fields__)[1:]))
DETECTORS = {detector.name: detector for detector in (MEDIAPIPE, IBUG68, OPENFACE)}


def of_count(count: int) -> Detector | None:
    """The detector whose layout has so many points, if one is known."""
    return next((detector for detector in DETECTORS.values() if count in detector.counts), None)
