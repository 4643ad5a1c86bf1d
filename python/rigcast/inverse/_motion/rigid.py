"""Rigid motion of a shot: fitted on vertices that expressions leave alone, and removed from its targets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.inverse._choices.loss import drawn
from rigcast.inverse._gram import Gram, different_vertices
from rigcast.inverse._request import TOGETHER, Request

Float64 = NDArray[np.float64]

ENOUGH = 0.1  # of the vertices, and of their extent: a skull; less of a face shows its turn worse than all of it
ROUNDS = 60  # at most, of reweighting; 10 to 20 do
SETTLED = 1e-7  # of the longest extent: a round that moves no point farther is the last
SPREAD = 1e-6  # of the longest extent: points that spread less along a second direction lie on a line


def resting_vertices(rig: BlendshapeRig) -> NDArray[np.int64]:
    """Vertices that no shape and no combination of a rig moves: (R,) int64, ascending.

    Where a shot shows them, they show the motion of the head alone: ``rigid="rest"`` of
    :func:`rigcast.inverse.solve`.

    Raises
    ------
    ValueError
        If ``rig`` is no blendshape rig.

    Examples
    --------
    >>> import rigcast as rc
    >>> rig = rc.faces.example()
    >>> len(rc.inverse.resting_vertices(rig)), len(rig.rest_vertices)
    (514, 2536)
    """
    check_blendshape_rig("resting_vertices", rig)
    moved = np.zeros(len(rig.rest_vertices), bool)
    for number in range(rig.num_columns):
        moved |= np.asarray(rig.column(number)).any(axis=1)
    return np.flatnonzero(~moved)


def without_rigid_motion(request: Request) -> tuple[Request, Float64 | None]:
    """Remove the motion that some vertices show; ``rigid`` becomes None, or ``"together"`` if the weights must help.

    Returns
    -------
    Request, (T, 3, 4) or None
        With targets in the rig's frame, and the motion of each frame.

    Raises
    ------
    ValueError
        Naming ``targets`` or ``rigid``.
    """
    vertices = _rigid_vertices(request)
    if vertices is None or isinstance(vertices, str):
        return replace(request, rigid=vertices), None
    targets, motion = _fitted(request, vertices)
    return replace(request, targets=targets, rigid=None), motion


def without_motion(request: Request, transforms: Float64 | None) -> Request:
    """Remove a motion (T, 3, 4) that is known, if there is one."""
    if transforms is None:
        return request
    return replace(request, targets=in_rig_frame(request.gram.checked(request.host_targets), transforms), rigid=None)


def _rigid_vertices(request: Request) -> ArrayLike | None:
    """Return the vertices that show the motion of the head, or ``"together"``.

    ``"rest"`` stands for the given vertices that no shape moves; ``"auto"`` for the same if they are a tenth of the
    given ones and reach a tenth as far across the face, else for all of them together with the weights.
    """
    gram, rigid, targets = request.gram, request.rigid, request.host_targets
    if not isinstance(rigid, str):
        return rigid
    if rigid not in ("auto", "rest"):
        raise bad_argument("solve", "rigid", repr(rigid), "'auto', 'rest', vertices or None")
    resting = resting_vertices(gram.rig)
    given = np.arange(gram.num_vertices)
    if np.shape(targets)[-2:-1] != (gram.num_vertices,):
        given = gram.vertices
        resting = np.intersect1d(resting, given)
    if rigid == "auto":
        return resting if _is_enough(gram, resting, given) else TOGETHER
    if len(resting) < 3:
        got = f"'rest' where {len(resting)} of {len(given)} given vertices rest in all shapes"
        raise bad_argument("solve", "rigid", got, "'auto', which finds motion and weights together, or vertices")
    return resting


def _is_enough(gram: Gram, resting: NDArray[np.int64], given: NDArray[np.int64]) -> bool:
    if len(resting) < max(3, ENOUGH * len(given)):
        return False
    rest = np.asarray(gram.rig.rest_vertices, np.float64)
    across = [np.linalg.svd(part - part.mean(axis=0), compute_uv=False) for part in (rest[resting], rest[given])]
    reach = [values[1] / np.sqrt(len(part)) for values, part in zip(across, (resting, given), strict=True)]
    return bool(reach[0] > ENOUGH * reach[1])


def in_rig_frame(targets: ArrayLike, transforms: ArrayLike) -> Float64:
    """Remove the motion of the head from a shot: ``x`` with ``y = M x + t`` for the rows ``[M | t]`` of its frames.

    Parameters
    ----------
    targets : array_like, shape (T, V, 3)
    transforms : array_like, shape (T, 3, 4)
        Rotations, times a scale if there is one, and translations: ``Solution.transforms``.

    Returns
    -------
    (T, V, 3) float64

    Raises
    ------
    ValueError
        If the two have different numbers of frames.
    """
    check = Arguments("in_rig_frame")
    motion = check.numbers("transforms", transforms, "T 3 4")
    shot = Arguments("in_rig_frame", T=len(motion)).numbers("targets", targets, "T V 3", finite=False)
    return removed(shot, motion)


def removed(shot: NDArray[np.float64], motion: Float64) -> Float64:
    """Do what :func:`in_rig_frame` does, for arrays that are checked."""
    still: Float64 = (shot - motion[:, None, :, 3]) @ motion[:, :, :3]
    square = np.square(motion[:, :, :3]).sum(axis=(1, 2)) / 3.0  # of the scale: 1 up to rounding for rotations
    scaled = np.abs(square - 1.0) > 1e-12
    still[scaled] /= square[scaled, None, None]
    return still


def _fitted(request: Request, rigid: ArrayLike) -> tuple[Float64, Float64]:
    """Fit a motion per frame on some vertices, by squares or with a loss by Huber's.

    Returns
    -------
    (T, V, 3) or (T, M, 3), (T, 3, 4)
        Targets in the rig's frame; ``[R | t]``, or ``[s R | t]``: a target is ``R x + t`` of what is returned.
    """
    gram, scale = request.gram, request.rigid_scale
    array = Arguments("solve").numbers("targets", request.host_targets, "T V 3", "V 3", finite=False)
    shot = array[None] if array.ndim == 2 else array
    chosen = different_vertices("rigid", rigid, gram.num_vertices)
    place = chosen
    if shot.shape[1] != gram.num_vertices:
        place, absent = places(gram, chosen)
        if shot.shape[1] != len(gram.vertices) or absent.any():
            raise bad_argument("solve", "rigid", "with vertices that the targets do not give", "among them")
    moved = shot[:, place]
    if not np.isfinite(moved).all():
        raise bad_argument("solve", "targets", "not finite at a vertex of rigid", "finite everywhere")
    rest = np.asarray(gram.rig.rest_vertices, np.float64)[chosen]
    motion = procrustes(rest, moved, scale=scale)
    if request.is_robust:
        motion = _without_outliers(rest, moved, motion, scale)
    return removed(shot, motion), motion


def _without_outliers(source: Float64, targets: Float64, motion: Float64, scale: bool) -> Float64:
    """Return the motion of each frame by Huber's loss, from the one by squares, until it moves no point farther."""
    limit, counted = SETTLED * float(np.ptp(source, axis=0).max()), np.ones(len(source), bool)
    motion, moving = motion.copy(), np.arange(len(motion))
    for _ in range(ROUNDS):
        fit = moved_by(motion[moving], source)
        motion[moving] = procrustes(source, drawn(targets[moving], fit, counted), scale=scale)
        moves = np.abs(moved_by(motion[moving], source) - fit).max(axis=(1, 2))
        moving = moving[moves > limit]
        if not len(moving):
            break
    return motion


def moved_by(motion: Float64, points: Float64) -> Float64:
    """Return points (R, 3), or (T, R, 3), moved by the motion (T, 3, 4) of each frame."""
    return np.asarray(points @ motion[:, :, :3].transpose(0, 2, 1) + motion[:, None, :, 3])


def places(gram: Gram, vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the places of vertices among the chosen ones of a solve, and True for vertices that are not among them."""
    order = np.argsort(gram.vertices)
    place = order[np.minimum(np.searchsorted(gram.vertices[order], vertices), len(order) - 1)]
    return place, gram.vertices[place] != vertices


def procrustes(source: Float64, targets: Float64, weights: Float64 | None = None, *, scale: bool = False) -> Float64:
    """Return (T, 3, 4): the motion of each frame with the least ``sum_v omega_v |s R x_v + t - y_v|^2``.

    From the singular value decomposition of the covariance, its last direction turned where this would mirror (Kabsch
    1976); the scale is 1 unless it is asked for (Umeyama 1991, equations 40 to 42).

    Parameters
    ----------
    source : array_like, shape (R, 3) or (T, R, 3)
        The points of all frames, or of each.
    targets : array_like, shape (T, R, 3)
    weights : array_like, shape (R,), optional
        omega; 1 by default.
    scale : bool

    Raises
    ------
    ValueError
        If the source lies on a line: any rotation about it would do.
    """
    share = None if weights is None else (weights / weights.sum())[:, None]
    middle, middles = _middle(source, share), _middle(targets, share)
    about = source - middle[..., None, :]
    spread = np.atleast_2d(np.linalg.svd(about if share is None else about * np.sqrt(share), compute_uv=False))
    if source.shape[-2] < 3 or (spread[:, 1] <= SPREAD * spread[:, 0]).any():
        raise bad_argument("solve", "rigid", "fewer than three vertices, or all on a line", "three that span a plane")
    moved = targets - middles[:, None]
    if share is not None:
        moved *= share
    covariance = np.einsum("tri,rj->tij" if source.ndim == 2 else "tri,trj->tij", moved, about)
    u, values, vt = np.linalg.svd(covariance)
    mirrored = np.sign(np.linalg.det(u @ vt))
    u[:, :, 2] *= mirrored[:, None]
    rotation = u @ vt
    if scale:
        values[:, 2] *= mirrored
        size = np.square(about if share is None else about * np.sqrt(share)).sum(axis=(-2, -1))
        rotation *= (values.sum(axis=1) / size)[:, None, None]
    shift = middles - (rotation @ middle[..., None])[..., 0]
    return np.concatenate([rotation, shift[..., None]], axis=2)


def _middle(points: Float64, share: Float64 | None) -> Float64:
    return np.asarray(points.mean(axis=-2) if share is None else (points * share).sum(axis=-2))
