"""Shapes that a solution keeps at rest: all of them because alpha is too large, or some that the shot shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._choices.loss import drawn
from rigcast.inverse._distances import cuts, posed
from rigcast.inverse._motion.head import FRAMES, head_motion
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._shot import DeviceTargets
from rigcast.inverse._solution import Solution

Float64 = NDArray[np.float64]

STILL = 0.01  # of the strongest frame's pull: frames below it do not move
ON = 0.1  # a weight above counts as on
SHOWN = 0.2  # the weight that a shape must reach alone before it is missed
NOISE = 6.0  # standard deviations of a frame's residual that its motion must exceed
NORMAL_DEVIATION = 1.4826  # of normal numbers, in median distances from their median
CORE = 0.1  # of the farthest displacement: vertices that move less show little of a shape


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


def lost_shapes(problem: ShotProblem, solution: Solution) -> list[str]:
    """Return one sentence if shapes rest in every frame although the residual shows them, else nothing.

    The weight that shape b alone would take of a frame's residual r is ``b . r / |b|^2``. With a loss that ignores
    outliers it is the median of ``b_v . r_v / |b_v|^2`` over the vertices, which outliers do not move: to such a loss
    the motion of a lost shape is an outlier, too. Nothing is said of solutions with pins or equal weights, of shapes
    whose prior is stronger than the shot's own pull on them, with squares of any that have priors, and of shots
    whose head moves.

    Parameters
    ----------
    problem : ShotProblem
        In the rig's frame.
    solution : Solution
    """
    squared = solution.loss is None
    free = (
        solution.fixed is None and solution.symmetric is None and not (squared and solution.prior_strength is not None)
    )
    if not free or (squared and (solution.alpha == 0.0 or not solution.weights.any())):
        return []
    weak = problem.prior_strength.max(axis=0, initial=0.0) < np.diag(problem.gram.matrix)[: problem.num_shapes]
    idle = np.flatnonzero((np.abs(solution.weights).max(axis=0) <= ON) & weak)  # and move a vertex: their square is > 0
    if not len(idle):
        return []
    shown = (_shown if squared else _shown_robustly)(problem, solution, idle)
    missed = [index for index in np.argsort(-shown, kind="stable") if shown[index] > SHOWN]
    if not missed or (solution.transforms is None and _head_moves(problem, solution)):
        return []
    names = problem.gram.rig.shape_names
    named = ", ".join(f"{names[idle[index]]} (up to {shown[index]:.1g})" for index in missed[:6])
    more = f" and {len(missed) - 6} more" if len(missed) > 6 else ""
    cause, advice = _cause(solution)
    return [f"shapes that seem to move in the shot rest in every frame, because {cause}: {named}{more}; {advice}"]


def _shown(problem: ShotProblem, solution: Solution, idle: NDArray[np.int64]) -> Float64:
    """Return (I,): the largest weight that each shape alone takes of the residual of a frame."""
    gram = problem.gram
    along = problem.core.projections[:, idle] - gram.activations(solution.weights) @ gram.matrix[:, idle]
    square = np.diag(gram.matrix)[idle]
    clear = along > NOISE * (solution.rmse / np.sqrt(3.0))[:, None] * np.sqrt(square)
    alone = np.divide(along, square, out=np.zeros_like(along), where=clear & (square > 0))
    return np.asarray(alone.max(axis=0, initial=0.0))


def _shown_robustly(problem: ShotProblem, solution: Solution, idle: NDArray[np.int64]) -> Float64:
    """Return the same by medians over vertices that exceed their own deviation and make distances fall in sum."""
    gram, omega = problem.gram, problem.gram.vertex_weights
    shown = np.zeros(len(idle))
    size = np.linalg.norm(gram.columns[idle].astype(np.float64), axis=2)
    for cut in cuts(problem.num_frames):
        left = gram.chosen(problem.targets[cut]).astype(np.float64) - posed(gram, solution.weights[cut])
        for index, shape in enumerate(idle):
            core = np.flatnonzero((size[index] > CORE * gram.reach[shape]) & (omega > 0))
            column, square = gram.columns[shape, core].astype(np.float64), np.square(size[index, core])
            own, shares = np.einsum("tvi,vi->tv", left[:, core], column) / square, square * omega[core]
            weight = _median(own, shares)
            deviation = NORMAL_DEVIATION * _median(np.abs(own - weight[:, None]), shares)
            deviation *= np.sqrt(np.square(shares).sum()) / shares.sum()
            before = np.linalg.norm(left[:, core], axis=2) @ omega[core]
            after = np.linalg.norm(left[:, core] - weight[:, None, None] * column, axis=2) @ omega[core]
            clear = (weight > NOISE * deviation) & (after < before)
            shown[index] = max(shown[index], weight[clear].max(initial=0.0))
    return shown


def _median(rows: Float64, shares: Float64) -> Float64:
    """Return (T,): weighted medians of rows (T, M)."""
    order = np.argsort(rows, axis=1, kind="stable")
    place = (np.cumsum(shares[order], axis=1) < 0.5 * shares.sum()).sum(axis=1)
    return np.asarray(np.take_along_axis(rows, order, axis=1)[np.arange(len(rows)), np.minimum(place, len(shares) - 1)])


def _head_moves(problem: ShotProblem, solution: Solution) -> bool:
    """Return True if a rigid motion explains the residual.

    With a loss that ignores outliers a lost shape keeps few vertices far away: these are drawn to the fit, for the head
    moves all of them.
    """
    gram, weights = problem.gram, solution.weights
    if solution.loss is not None:
        some = np.unique(np.linspace(0, problem.num_frames - 1, FRAMES).round().astype(np.int64))
        fit = posed(gram, weights[some]).astype(np.float64)
        points = drawn(gram.chosen(problem.targets[some]).astype(np.float64), fit, gram.vertex_weights > 0)
        return head_motion(problem.gram.rig, points, weights[some], vertices=gram.vertices).moves
    whole = problem.targets.shape[1] == gram.num_vertices
    vertices = None if whole and len(gram.vertices) == gram.num_vertices else gram.vertices
    if isinstance(problem.targets, DeviceTargets):
        some = np.unique(np.linspace(0, problem.num_frames - 1, FRAMES).round().astype(np.int64))
        return head_motion(problem.gram.rig, problem.targets[some], weights[some], vertices=vertices).moves
    return head_motion(problem.gram.rig, problem.targets, weights, vertices=vertices).moves


def _cause(solution: Solution) -> tuple[str, str]:
    """Return the reason why shapes rest, and the advice that turns them on."""
    if solution.loss is None:
        return f"alpha {solution.alpha:.3g} is too large", "a smaller alpha or relative alpha turns them on"
    terms = {"alpha": solution.alpha, "smoothness": solution.smoothness}
    strong = [name for name, value in terms.items() if value > 0.0]
    loss = f"loss {solution.loss} of scale {solution.loss_scale:.3g}"
    if solution.prior_strength is not None:
        return f"priors are too strong for {loss}", "weaker priors or a larger loss scale turn them on"
    if not strong:
        return f"{loss} takes them for outliers", "a larger loss scale turns them on"
    named = " and ".join(f"{name} {terms[name]:.3g}" for name in strong)
    verb = "is" if len(strong) == 1 else "are"
    return (
        f"{named} {verb} too large for {loss}",
        f"a smaller {' or '.join(strong)} or a larger loss scale turns them on",
    )
