"""Rotations of the eyes from the pupils of a detector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import BlendshapeRig
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._shown import one_line
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.capture._neutral import upright
from rigcast.capture._solution import Capture

Float64 = NDArray[np.float64]

MISSED, UNREACHABLE, COPIED, UNSEEN = 1, 2, 4, 8  # bits of the engine's status


@one_line
@dataclass(frozen=True)
class EyeMotion:
    """Rotations of both eyes; right and left, in the order that the eyes were given in.

    Attributes
    ----------
    angles : (T, 2, 2) float64
        Radians about x (a side), then about y (up), of each eye at rest, in axes with y up and the face toward z.
    missed : (T, 2) bool
        The ray through the pupil does not meet the eye: turned to the nearest point of it.
    unreachable : (T, 2) bool
        No rotation about x, then y ends there: turned to the nearest height that has one.
    copied : (T, 2) bool
        The eye has the rotation of the other one: its own failed, or both disagreed.
    unseen : (T, 2) bool
        The detector has no pupil there.
    """

    angles: Float64
    missed: NDArray[np.bool_]
    unreachable: NDArray[np.bool_]
    copied: NDArray[np.bool_]
    unseen: NDArray[np.bool_]


def turn_eyes(
    rig: BlendshapeRig,
    found: Capture,
    pupils: ArrayLike,
    *,
    centers: ArrayLike,
    pupils_at_rest: ArrayLike,
    disagreement: float = 0.35,
) -> EyeMotion:
    """Turn the eyes to the pupils of a detector (Bailey 2020, section 6.5). Pupils serve the eyes alone.

    The ray through a pupil meets the eye's sphere; of both points the nearer one is where the pupil goes, by a rotation
    about x and then one about y.

    Parameters
    ----------
    rig : BlendshapeRig
        Whose axes the centers are in.
    found : Capture
        Head poses and camera.
    pupils : (T, 2, 2) array
        Pixels; NaN where there is none.
    centers, pupils_at_rest : (2, 3) array
        Of both eyes, in the rig's axes; the pupil lies on the eye's sphere.
    disagreement : float
        Radians beyond which both eyes take one rotation: that which is nearer to its own of the frame before.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> shown = rig.evaluate(np.zeros((2, rig.num_shapes)))[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), focal=800, neutral=0)
    >>> centers = np.array([[-3.0, 3.0, 5.0], [3.0, 3.0, 5.0]])
    >>> pupils = np.array([320, 240]) + 800 * (centers + [0.2, 0, 1.2])[:, :2] / (60 - 6.2) * [1, -1]
    >>> still = centers + [0, 0, 1.2]
    >>> eyes = rc.capture.turn_eyes(rig, found, np.array([pupils] * 2), centers=centers, pupils_at_rest=still)
    >>> bool((eyes.angles[:, :, 1] > 0.1).all()), bool(eyes.missed.any())
    (True, False)
    """
    check_blendshape_rig("turn_eyes", rig)
    check = Arguments("turn_eyes", T=len(found.head))
    seen = check.numbers("pupils", pupils, "T 2 2", finite=False)
    to_y_up = np.asarray(TO_Y_UP[str(rig.up_axis)], np.float64)
    middle = check.numbers("centers", centers, "2 3") @ to_y_up.T
    rest = check.numbers("pupils_at_rest", pupils_at_rest, "2 3") @ to_y_up.T
    check.number("disagreement", disagreement, least=0.0)
    pose = upright(rig) @ found.head
    turn = pose[:, :, :3] @ to_y_up.T
    origins = -np.einsum("tji,tj->ti", turn, pose[:, :, 3])
    plane = (seen - np.array(found.center)) / found.focal
    rays = np.concatenate([plane, np.ones((*plane.shape[:2], 1))], axis=2)
    directions = np.einsum("tji,tej->tei", turn, rays)
    angles, status = _core.turn_eyes(middle, rest, origins, directions, disagreement)
    return EyeMotion(angles, *((status & bit) > 0 for bit in (MISSED, UNREACHABLE, COPIED, UNSEEN)))
