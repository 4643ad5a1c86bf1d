"""Errors of gaps that people watch: lips that close, lids that open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments

Float64 = NDArray[np.float64]
# Pairs of the 68 Multi-PIE points, the upper one first: inner lips, and both eyes' lids.
LIPS = ((61, 67), (62, 66), (63, 65))
LIDS = ((37, 41), (38, 40), (43, 47), (44, 46))
REGIONS = {"lips": LIPS, "lids": LIDS}


@one_line
@dataclass(frozen=True)
class ApertureError:
    """Error of the gaps between pairs of vertices, in the vertices' unit.

    Attributes
    ----------
    mean, max : float
        Of ``|gap - gap of the truth|`` over pairs and frames.
    per_frame : (T,) float64
        Mean over the pairs.
    closed : int
        Frames in which the truth is closed: the mean gap of the pairs is at most ``closed_below``.
    missed : int
        Those of them in which the approximation is open.
    false : int
        Frames in which the approximation is closed and the truth is open.
    """

    mean: float
    max: float
    per_frame: Float64
    closed: int
    missed: int
    false: int

    def __repr__(self) -> str:
        missed = f"missed={self.missed} of {self.closed} closed frames, false={self.false}"
        return f"ApertureError(mean={self.mean:.3g}, max={self.max:.3g}, {missed})"


def aperture_pairs(region: str, landmarks: ArrayLike) -> NDArray[np.int64]:
    """Pairs of vertices across the lips or the lids, from the 68 landmarks of a face.

    Parameters
    ----------
    region : str
        "lips" (3 pairs of the inner lips) or "lids" (2 pairs for each eye).
    landmarks : (68,) integers
        Vertices in Multi-PIE order.

    Returns
    -------
    (P, 2) int64
        Upper and lower vertices.

    Raises
    ------
    ValueError
        If the region is another, or there are not 68 vertices.

    Examples
    --------
    >>> rc.perception.aperture_pairs("lips", np.arange(68)).tolist()
    [[61, 67], [62, 66], [63, 65]]
    """
    check = Arguments("aperture_pairs")
    if region not in REGIONS:
        raise check.wrong("region", repr(region), "one of: " + ", ".join(REGIONS))
    vertices = check.integers("landmarks", landmarks, "68")
    return np.asarray(vertices[np.array(REGIONS[region])])


def aperture_error(
    truth: ArrayLike, approximation: ArrayLike, pairs: ArrayLike, *, closed_below: float
) -> ApertureError:
    """Errors of gaps: of the lips for speech, of the lids for blinks.

    Small distances of vertices hide lips that never meet; this does not.

    Parameters
    ----------
    truth, approximation : (V, 3) or (T, V, 3) array
    pairs : (P, 2) integers
        Vertices on both sides of the gap (:func:`aperture_pairs`).
    closed_below : float
        Mean gap of the pairs at which the region counts as closed, in the vertices' unit. Vertices of lips that touch
        lie a little apart: take what the rig's own closed pose has, and some tenths of a millimeter.

    Returns
    -------
    ApertureError

    Raises
    ------
    ValueError
        If shapes do not fit, a pair is no vertex, or there is no frame or no pair.

    Examples
    --------
    >>> truth = np.array([[0, 1.0, 0], [0, 0, 0]])
    >>> rc.perception.aperture_error(truth, 2.0 * truth, [[0, 1]], closed_below=0.1).max
    1.0
    """
    check = Arguments("aperture_error")
    exact = check.numbers("truth", truth, "V 3", "T+ V 3")
    guess = check.numbers("approximation", approximation, "V 3", "T+ V 3")
    if exact.shape != guess.shape:
        raise check.wrong("approximation", f"of shape {guess.shape}", f"of shape {exact.shape}, as truth is")
    chosen = check.integers("pairs", pairs, "P+ 2", below=exact.shape[-2])
    limit = check.number("closed_below", closed_below, least=0.0)
    gaps = [_gaps(mesh.reshape(-1, *mesh.shape[-2:]), chosen) for mesh in (exact, guess)]
    error = np.abs(gaps[1] - gaps[0])
    shut = [gap.mean(axis=1) <= limit for gap in gaps]
    return ApertureError(
        mean=float(error.mean()),
        max=float(error.max()),
        per_frame=error.mean(axis=1),
        closed=int(shut[0].sum()),
        missed=int((shut[0] & ~shut[1]).sum()),
        false=int((shut[1] & ~shut[0]).sum()),
    )


def _gaps(vertices: Float64, pairs: NDArray[np.int64]) -> Float64:
    """(T, P) lengths."""
    return np.asarray(np.linalg.norm(vertices[:, pairs[:, 0]] - vertices[:, pairs[:, 1]], axis=2))
