"""Shots whose weights all rest because alpha is too large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._problem import ShotProblem

STILL = 0.01  # of the strongest frame's pull: frames below it do not move


def all_at_rest(problem: ShotProblem) -> str | None:
    """Return a sentence if alpha keeps all weights at rest in most frames whose targets pull, else None.

    Frames that pull less than a hundredth of what the strongest does are left out: they rest but for noise.
    """
    if problem.alpha <= 0.0 or 2 * int((_strongest(problem) <= problem.alpha).sum()) < problem.num_frames:
        return None  # most frames turn something on; combinations and pins are measured below
    rest = np.clip(0.0, problem.lower, problem.upper)
    held = problem.measure(rest).optimality <= 0.0
    pull = problem.with_alpha(0.0).measure(rest).optimality
    moved = pull > max(STILL * pull.max(), problem.core.least_pull)
    if not moved.any() or 2 * int((held & moved).sum()) < int(moved.sum()):
        return None
    factor, advice = problem.alpha / pull.max(), 'give a smaller alpha, or none ("auto")'
    if held.all():
        most = f"{factor:.3g} times the largest pull of the targets ({pull.max():.3g})"
        return f"alpha is {problem.alpha:g}, {most}: no shape is turned on in any frame; {advice}"
    where = f"larger than every pull of the targets in {(held & moved).sum()} of {moved.sum()} frames that move"
    median = float(np.median(pull[moved]))
    typical = f"the median of their largest pulls is {median:.3g}, a factor of {problem.alpha / median:.3g} less"
    return f"alpha is {problem.alpha:g}, {where} ({typical}): no shape is turned on there; {advice}"


def _strongest(problem: ShotProblem) -> NDArray[np.float64]:
    """Return (T,): the largest pull on a shape at the neutral pose."""
    return np.asarray(2.0 * problem.core.projections[:, : problem.num_shapes].max(axis=1, initial=0.0))
