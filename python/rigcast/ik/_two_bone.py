"""Two-bone limbs in closed form."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import bad_argument, check_threads


class LimbFlag(enum.IntFlag):
    """Reasons why a limb is not the plain solution; bits of the flags of :func:`two_bone`.

    Attributes
    ----------
    TOO_FAR
        The target is farther than both bones together: the limb is straight.
    TOO_NEAR
        The target is nearer than the difference of the bones: the limb is folded.
    NO_HINGE
        The hinge axis is zero or parallel to the direction to the target; a coordinate axis takes its place.
    AT_BASE
        The target is at the base, so that no direction is known; one perpendicular to the hinge axis takes its place.

    Examples
    --------
    >>> limb = rc.ik.two_bone([0, 0, 0], [5, 0, 0], 1, 1, [1, 0, 0])
    >>> rc.ik.LimbFlag(int(limb.flags[0])).name
    'TOO_FAR|NO_HINGE'
    """

    TOO_FAR = 1
    TOO_NEAR = 2
    NO_HINGE = 4
    AT_BASE = 8


@one_line
@dataclass(frozen=True, repr=False)
class TwoBone:
    """Limbs that :func:`two_bone` placed.

    Attributes
    ----------
    elbow, end : (N, 3) float64 array
    flags : (N,) uint8 array
        Bits of :class:`LimbFlag`; 0 for the plain solution.

    Examples
    --------
    >>> rc.ik.two_bone([0, 0, 0], [[1, 1, 0], [3, 0, 0]], 1, 1, [0, 0, 1])
    <TwoBone: 2 limbs, 1 reached>
    """

    elbow: NDArray[np.float64]
    end: NDArray[np.float64]
    flags: NDArray[np.uint8]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """True for each limb whose end is at its target, (N,) bool."""
        return np.asarray((self.flags & (LimbFlag.TOO_FAR | LimbFlag.TOO_NEAR)) == 0)

    def __repr__(self) -> str:
        return f"<TwoBone: {len(self.flags):,} limbs, {int(self.reached.sum()):,} reached>"


def two_bone(
    base: ArrayLike,
    target: ArrayLike,
    upper: ArrayLike,
    lower: ArrayLike,
    axis: ArrayLike,
    *,
    threads: int = 0,
    out: TwoBone | None = None,
) -> TwoBone:
    """Place elbow and end of two-bone limbs (Bailey 2020, section 4.2).

    With ``o`` the base, ``t`` the target, ``L = |t - o|`` and ``r`` the hinge axis::

        n = normalize((t - o) x r),  a = (upper^2 - lower^2 + L^2) / (2 L),  h = sqrt(upper^2 - a^2)
        elbow = o + a (t - o) / L + h n

    The elbow bends to the side of ``n``, perpendicular to the hinge axis. ``a`` is signed: the elbow may lie behind the
    base. Results are finite for all inputs; each departure from the formula has a flag (:class:`LimbFlag`):

    - Out of reach, the limb is straight or folded along the line to the target, its end as near to the target as the
      bones allow. Elbow and end are continuous there.
    - A hinge axis that is zero, or less than 1e-8 radians from the direction to the target, is replaced by the
      coordinate axis least aligned with that direction.
    - For a target at the base, the direction is perpendicular to the hinge axis (x if the axis is zero).

    Parameters
    ----------
    base, target : array_like, shape (N, 3) or (3,)
        In any unit; one row stands for all limbs. Computed in float64.
    upper, lower : array_like, shape (N,), or float
        Lengths of the bones, 0 or more.
    axis : array_like, shape (N, 3) or (3,)
        Hinge axis, of any length.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    out : TwoBone, optional
        An earlier result of as many limbs, which is overwritten: large new arrays cost more than the limbs.

    Returns
    -------
    TwoBone

    Raises
    ------
    ValueError
        If shapes differ, a number is not finite or exceeds 1e300, a length is negative, or ``out`` has another size or
        shares memory with an argument.

    Examples
    --------
    >>> limb = rc.ik.two_bone([0, 0, 0], [1, 1, 0], upper=1, lower=1, axis=[0, 0, 1])
    >>> limb.elbow.round(6).tolist(), limb.end.tolist(), limb.reached.tolist()
    ([[1.0, 0.0, 0.0]], [[1.0, 1.0, 0.0]], [True])
    """
    workers = check_threads("two_bone", threads)
    if out is not None and not isinstance(out, TwoBone):
        raise bad_argument("two_bone", "out", f"a {type(out).__name__}", "a TwoBone or None")
    arrays = (None, None, None) if out is None else (out.elbow, out.end, out.flags)
    return TwoBone(*_core.two_bone(base, target, upper, lower, axis, workers, arrays))
