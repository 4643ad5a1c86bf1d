"""Control points of a character from the tracked landmarks of an actor."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._similarity import is_mirrored
from rigcast._validate import Arguments
from rigcast.errors import MirroredWarning

_GROUPS = {
    "jaw": 17, "right_brow": 5, "left_brow": 5, "nose_bridge": 4, "nose_base": 5, "right_eye": 6, "left_eye": 6,
    "outer_lip": 12, "inner_lip": 8,
}  # fmt: skip

#: Names of the 68 landmarks of iBUG 300-W (Sagonas et al. 2013) and their indices, from 0. Sides are the actor's.
IBUG_68: dict[str, int] = {
    name: index for index, name in enumerate(f"{group}_{i}" for group, count in _GROUPS.items() for i in range(count))
}

#: The same names and their indices among MediaPipe's 468 landmarks (Kartynnik et al. 2019): the points that correspond
#: to them on its canonical face, symmetric, and compared with the 68 landmarks of ICT FaceKit.
MEDIAPIPE_468: dict[str, int] = dict(
    zip(
        IBUG_68,
        [
            *(162, 234, 93, 58, 172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 389),
            *(71, 63, 105, 66, 107),
            *(336, 296, 334, 293, 301),
            *(168, 197, 5, 4),
            *(98, 97, 2, 326, 327),
            *(33, 160, 158, 133, 153, 144),
            *(362, 385, 387, 263, 373, 380),
            *(61, 39, 37, 0, 267, 269, 291, 405, 314, 17, 84, 181),
            *(78, 82, 13, 312, 308, 317, 14, 87),
        ],
        strict=True,
    )
)

#: Names of landmarks that expressions hardly move: they show the motion of the head.
STEADY = (*(f"nose_bridge_{i}" for i in range(4)), "right_eye_0", "right_eye_3", "left_eye_0", "left_eye_3")

COLLINEAR = 1e-6  # of the largest extent of the steady landmarks
Float64 = NDArray[np.float64]


def retarget_landmarks(
    landmarks: ArrayLike,
    neutral: ArrayLike,
    points: ArrayLike,
    *,
    steady: ArrayLike | None = None,
    head: bool = True,
    scale: float | None = None,
    rotate: bool = True,
) -> Float64:
    """Control points ``c = c0 + s Q (l - l0)`` of tracked landmarks l, after Bailey 2020, section 4.4.

    The source prints ``c = c0 + (l - l0)``, without rotation, scale or removal of head motion: ``head=False, scale=1,
    rotate=False``, for an actor whose landmarks are in the character's frame and unit.

    The motion of the head is removed first: per frame, the similarity (Umeyama 1991) that takes the steady landmarks
    of the actor's neutral to those of the frame is undone, so that l is in the actor's neutral frame. Rotation Q and
    scale s are those of the similarity from the actor's neutral to the character's.

    Parameters
    ----------
    landmarks : (T, M, 3) or (T, M, 2)
        Tracked landmarks in any unit; (x, y) of an image with y upwards, seen along z.
    neutral : (M, 3) or (M, 2)
        Those of the actor's neutral face, l0.
    points : (M, 3) or (M, 2)
        The character's control points at rest, c0, in the same order.
    steady : (n,) integers, optional
        Landmarks that expressions hardly move, at least three (in 2-D two) that are not on a line; ``STEADY`` by name.
        By default all, which takes a part of expressions for motion of the head.
    head : bool
        Whether the motion of the head is removed.
    scale : float, optional
        s; by default that of the two neutrals.
    rotate : bool
        Whether Q is that of the similarity; else it is the identity, and s, if it is not given, still the similarity's.

    Returns
    -------
    (T, M, 3) or (T, M, 2) float64
        Targets for :func:`rigcast.ik.solve` or :meth:`rigcast.ik.FaceIk.solve`. A warning
        :class:`rigcast.errors.MirroredWarning` says if landmarks are mirror images of the actor's neutral, or this one
        of the character: no rotation brings those together.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, a landmark is out of range, or steady landmarks lie on a line.

    Examples
    --------
    >>> names = list(rc.ik.IBUG_68)
    >>> tracked = np.random.default_rng(0).random((5, 468, 3))
    >>> chosen = tracked[:, [rc.ik.MEDIAPIPE_468[name] for name in names]]
    >>> steady = [names.index(name) for name in rc.ik.STEADY]
    >>> character = 20.0 * chosen[0]
    >>> rc.ik.retarget_landmarks(chosen, chosen[0], character, steady=steady).shape
    (5, 68, 3)
    """
    check = Arguments("retarget_landmarks")
    tracked = check.numbers("landmarks", landmarks, "T M+ 3", "T M+ 2")
    axes = f"M {tracked.shape[2]}"
    actor = check.numbers("neutral", neutral, axes)
    character = check.numbers("points", points, axes)
    chosen = np.arange(len(actor))
    if steady is not None:
        chosen = check.integers("steady", steady, "n", below=len(actor))
    if head:
        _check_spread(check, "neutral", actor[chosen])
        _warn_mirrored("landmarks", is_mirrored(actor[chosen], tracked[:, chosen]), "neutral")
        tracked = _without_head(tracked, actor, chosen)
    _check_spread(check, "points", character)
    _check_spread(check, "neutral", actor)
    _warn_mirrored("neutral", is_mirrored(actor, character[None]), "points")
    size, rotation, _ = _similarity(actor, character)
    size = size if scale is None else check.number("scale", scale, above=0.0)
    turned = rotation if rotate else np.eye(len(rotation))
    moved: Float64 = character + size * (tracked - actor) @ turned.T
    return moved


def _warn_mirrored(argument: str, mirrored: bool, other: str) -> None:
    if mirrored:
        text = f"retarget_landmarks: {argument} looks mirrored beside {other}: a reflection fits far better than any "
        text += "rotation; change the sign of one axis (selfie video, left-handed program), or exchange left and right"
        warnings.warn(text, MirroredWarning, stacklevel=3)


def _without_head(tracked: Float64, actor: Float64, steady: NDArray[np.int64]) -> Float64:
    """Landmarks in the frame of the actor's neutral."""
    result = np.empty_like(tracked)
    for t, frame in enumerate(tracked):
        size, rotation, shift = _similarity(actor[steady], frame[steady])
        result[t] = (frame - shift) @ rotation / size
    return result


def _similarity(source: Float64, target: Float64) -> tuple[float, Float64, Float64]:
    """Scale s, rotation R and shift t of the least squared s R x + t - y over points (M, D) (Umeyama 1991)."""
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    left, values, right = np.linalg.svd(b.T @ a)
    signs = np.ones(len(values))
    signs[-1] = np.sign(np.linalg.det(left) * np.linalg.det(right)) or 1.0
    rotation: Float64 = (left * signs) @ right
    size = max(float((values * signs).sum() / np.square(a).sum()), 1e-12)
    return size, rotation, target.mean(axis=0) - size * rotation @ source.mean(axis=0)


def _check_spread(check: Arguments, argument: str, points: Float64) -> None:
    """Refuse points whose similarity is not determined."""
    needed = points.shape[1] - 1
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) if len(points) > needed else np.zeros(1)
    if len(extents) < needed or extents[needed - 1] <= COLLINEAR * max(extents[0], 1e-300):
        what = "on a line" if needed == 2 else "at one place"
        raise check.wrong(argument, f"of steady landmarks {what}", f"at least {needed + 1} that are not {what}")
