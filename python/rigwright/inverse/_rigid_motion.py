"""Head motion: the rigid motion of a shot, found on given vertices and taken off its targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._validate import Arguments, bad_argument
from rigwright.inverse._gram import Gram, different_vertices

Float64 = NDArray[np.float64]


def without_rigid_motion(gram: Gram, targets: ArrayLike, rigid: ArrayLike) -> tuple[Float64, Float64]:
    """Targets in the rig's frame, and the motion of each frame.

    Parameters
    ----------
    gram : Gram
    targets : (T, V, 3), (T, M, 3), or one frame of these
    rigid : (R,) int
        Vertices of the rig that the targets give and that expressions leave alone (the skull): three or more, not on
        one line.

    Returns
    -------
    (T, V, 3) or (T, M, 3), (T, 3, 4)
        ``[R | t]``: what was given is ``R x + t`` of what is returned.

    Raises
    ------
    ValueError
        Naming ``targets`` or ``rigid``.
    """
    array = Arguments("solve").numbers("targets", targets, "T V 3", "V 3", finite=False)
    shot = array[None] if array.ndim == 2 else array
    chosen = different_vertices("rigid", rigid, gram.num_vertices)
    place = chosen
    if shot.shape[1] != gram.num_vertices:
        order = np.argsort(gram.vertices)
        place = order[np.minimum(np.searchsorted(gram.vertices[order], chosen), len(order) - 1)]
        absent = gram.vertices[place] != chosen
        if shot.shape[1] != len(gram.vertices) or absent.any():
            raise bad_argument("solve", "rigid", "with vertices that the targets do not give", "among them")
    moved = shot[:, place]
    if not np.isfinite(moved).all():
        raise bad_argument("solve", "targets", "not finite at a vertex of rigid", "finite everywhere")
    rest = np.asarray(gram.rig.rest_vertices, np.float64)[chosen]
    motion = procrustes(rest, moved)
    return (shot - motion[:, None, :, 3]) @ motion[:, :, :3], motion


def procrustes(source: Float64, targets: Float64) -> Float64:
    """(T, 3, 4): the rotation and translation of each frame with the least ``sum_v |R x_v + t - y_v|^2``.

    From the singular value decomposition of the covariance, its last direction turned where this would mirror (Kabsch
    1976; Umeyama 1991, without scale).

    Parameters
    ----------
    source : (R, 3)
    targets : (T, R, 3)

    Raises
    ------
    ValueError
        If the source lies on a line: any rotation about it would do.
    """
    middle, middles = source.mean(axis=0), targets.mean(axis=1, keepdims=True)
    spread = np.linalg.svd(source - middle, compute_uv=False)
    if len(source) < 3 or spread[1] <= 1e-6 * spread[0]:
        raise bad_argument("solve", "rigid", "fewer than three vertices, or all on a line", "three that span a plane")
    covariance = np.einsum("tri,rj->tij", targets - middles, source - middle)
    u, _, vt = np.linalg.svd(covariance)
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    rotation = u @ vt
    return np.concatenate([rotation, middles.transpose(0, 2, 1) - (rotation @ middle)[..., None]], axis=2)
