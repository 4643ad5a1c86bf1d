"""Rigid motion and weights of a shot together, for rigs that move every vertex.

For a motion ``[s R | t]`` of each frame the objective of ``solve`` is minimized over weights and motion,

    min over w, s, R, t of   sum_v omega_v |f_v(w) - R^T (b_v - t) / s|^2 + the terms in w,

by variable projection (Golub and Pereyra 1973): small motions move the neutral's vertices along six directions, seven
with a scale, and what lies along them is projected out of columns and targets, so that a solve of the projected rig
finds the weights that are best together with the best small motion. The motion then is the exact one of the posed rig
(Procrustes), and the targets are brought into the rig's frame anew. The directions are the neutral's, not those of the
posed rig, so that a round reduces the error to about a tenth; alternating without them would keep nearly all of it
where shapes resemble a motion, as those of a jaw do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument
from rigcast.inverse._choices.loss import COVERED, drawn, moved_by_alpha
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.descent import FRAMES_PER_RUN, descent
from rigcast.inverse._motion.rigid import moved_by, procrustes, removed
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]

ROUNDS = 40  # at most; 5 to 10 do for faces
STILL = 1e-6  # of the neutral's extent: motions that move no vertex farther between two rounds have converged
INNER = 1e-6  # relative optimality of a round's weights
OWN = 1e-4  # of a column: a smaller part that a motion does not make up is rounding


def without_motion_found_with_weights(problem: ShotProblem, request: Request) -> tuple[ShotProblem, Float64]:
    """Find the motion of each frame, and return the problem in the rig's frame.

    With a loss it is found by Huber's loss instead of squares, each frame by itself: without the temporal term, whose
    pull would make moving vertices outliers.

    Parameters
    ----------
    problem : ShotProblem
        With targets as they are.
    request : Request

    Returns
    -------
    ShotProblem, (T, 3, 4)
        ``[R | t]`` or ``[s R | t]``: target = transform of the posed rig.

    Raises
    ------
    ValueError
        If the chosen vertices lie on a line.
    """
    free = _problem_without_motions(problem, request.rigid_scale)
    motion, unsettled = _motion(problem, free.with_smoothness(0.0) if request.is_robust else free, request)
    placed = removed(problem.host_targets.astype(np.float64), motion).astype(np.float32)
    warnings = problem.warnings + _warnings(problem, free.gram, unsettled)
    found = problem.with_targets(placed, request).resting(free.gram.idle & ~problem.gram.idle)
    return replace(found, warnings=warnings), motion


def without_motion_at_rest(problem: ShotProblem, request: Request) -> ShotProblem:
    """Return the problem in the rig's frame, for the motion that is best while all weights rest."""
    gram = problem.gram
    shot = gram.chosen(problem.host_targets).astype(np.float64)
    motion = procrustes(gram.neutral.astype(np.float64), shot, gram.vertex_weights, scale=request.rigid_scale)
    return problem.with_targets(removed(problem.host_targets.astype(np.float64), motion).astype(np.float32), request)


def _motion(problem: ShotProblem, free: ShotProblem, request: Request) -> tuple[Float64, int]:
    """Return the motion (T, 3, 4), and the number of frames whose motion has not converged."""
    gram = problem.gram
    shot = gram.chosen(problem.host_targets).astype(np.float64)
    if 3 * int((gram.vertex_weights > 0).sum()) <= 7:
        raise bad_argument("solve", "rigid", "'auto' with fewer than three vertices", "vertices, or None")
    start = gram.neutral if problem.init is None else _posed(free.gram, problem.init, request)
    motion = procrustes(start.astype(np.float64), shot, gram.vertex_weights, scale=request.rigid_scale)
    # Without a temporal term frames are independent, and parts as long as the solver's own give the bytes of the whole.
    length = len(shot) if free.smoothness > 0 else FRAMES_PER_RUN
    quiet, unsettled = replace(request, progress=None), 0
    for begin in range(0, len(shot), length):
        cut = slice(begin, begin + length)
        motion[cut], moving = _rounds(free.at(cut), shot[cut], motion[cut], quiet)
        unsettled += moving
        request.show(Progress("finding head motion", min(begin + length, len(shot)), len(shot)))
    return motion, unsettled


def _rounds(problem: ShotProblem, shot: Float64, motion: Float64, request: Request) -> tuple[Float64, int]:
    """Solve and fit in turns until the motion of no frame changes; with a loss, far points go to the last fit."""
    gram, quick = problem.gram, replace(request, tolerance=max(request.tolerance, INNER))
    robust = request.is_robust
    neutral = gram.neutral.astype(np.float64)
    limit = STILL * float(np.ptp(neutral, axis=0).max())
    moves, counted = np.full(len(shot), np.inf), gram.vertex_weights > 0
    left = COVERED * moved_by_alpha(gram, problem.alpha, problem.upper) if robust else 0.0
    seen = shot
    for _ in range(ROUNDS):
        still = removed(seen, motion)
        offsets = _without_motions(gram, (still - neutral).reshape(len(shot), -1)).reshape(shot.shape)
        problem = problem.with_targets((neutral + offsets).astype(np.float32), request)
        weights = np.clip(descent(problem, quick)[0], problem.lower, problem.upper)
        problem = problem.starting_at(weights)
        posed = _posed(gram, weights, request).astype(np.float64)
        if robust:
            seen = drawn(shot, moved_by(motion, posed), counted, left)
        before, motion = motion, procrustes(posed, seen, gram.vertex_weights, scale=request.rigid_scale)
        change = motion - before
        moves = np.abs(neutral @ change[:, :, :3].transpose(0, 2, 1) + change[:, None, :, 3]).max(axis=(1, 2))
        if moves.max() <= limit:
            return motion, 0
    return motion, int((moves > limit).sum())


def _posed(gram: Gram, weights: Float64, request: Request) -> NDArray[np.float32]:
    """Pose the rig as it was before small motions were projected out: its chosen vertices (T, M, 3)."""
    whole: BlendshapeRig = gram.prepared["whole rig"]
    return np.asarray(whole.evaluate(weights.astype(np.float32), threads=request.threads))


def _problem_without_motions(problem: ShotProblem, scale: bool) -> ShotProblem:
    """Return the problem of the rig without small motions; shapes that a motion makes up rest."""
    gram = _gram_without_motions(problem.gram, scale)
    return replace(problem.resting(gram.idle & ~problem.gram.idle), gram=gram)


def _gram_without_motions(gram: Gram, scale: bool) -> Gram:
    """Return the rig on the chosen vertices without small motions; ``prepared`` holds the rig with them."""
    key = ("without small motions", scale)
    if key not in gram.prepared:
        columns = np.asarray(gram.columns, np.float64).reshape(len(gram.columns), -1)
        directions = _directions(gram, scale)
        left = columns - ((columns * _omega(gram)) @ directions) @ directions.T
        size = np.sqrt(np.square(columns) @ _omega(gram))
        left[np.sqrt(np.square(left) @ _omega(gram)) <= OWN * size] = 0.0
        free = Gram(_rig(gram, left.reshape(gram.columns.shape)), vertex_weights=gram.vertex_weights)
        free.prepared |= {"directions": directions, "whole rig": _rig(gram, gram.columns)}
        gram.prepared[key] = free
    made: Gram = gram.prepared[key]
    return made


def _rig(gram: Gram, columns: NDArray[np.generic]) -> BlendshapeRig:
    """Make a rig of the chosen vertices with these columns."""
    rig, count = gram.rig, gram.rig.num_shapes
    mixed = list(zip(rig.combinations, columns[count:], strict=True))
    return BlendshapeRig(gram.neutral, columns[:count], mixed, bounds=rig.bounds, names=rig.shape_names)


def _directions(gram: Gram, scale: bool) -> Float64:
    """Return (3 M, 6 or 7): turns, shifts and scales of the neutral, orthonormal in the product that omega weights."""
    arms = gram.neutral.astype(np.float64)
    arms = arms - np.average(arms, axis=0, weights=gram.vertex_weights)
    turns = [np.cross(axis, arms) for axis in np.eye(3)]
    shifts = [np.broadcast_to(axis, arms.shape) for axis in np.eye(3)]
    moves = np.stack([*turns, *shifts, *([arms] if scale else [])], axis=-1).reshape(arms.size, -1)
    square_root = np.sqrt(_omega(gram))[:, None]
    basis = np.linalg.qr(square_root * moves)[0]
    directions: Float64 = np.zeros_like(basis)
    np.divide(basis, square_root, out=directions, where=square_root > 0)
    return directions


def _omega(gram: Gram) -> Float64:
    """Return (3 M,): the weight of every coordinate."""
    return np.repeat(gram.vertex_weights, 3)


def _without_motions(gram: Gram, rows: Float64) -> Float64:
    """Return rows (T, 3 M) without their part along the directions of small motions."""
    directions: Float64 = gram.prepared["directions"]
    along: Float64 = ((rows * _omega(gram)) @ directions) @ directions.T
    return rows - along


def _warnings(problem: ShotProblem, free: Gram, unsettled: int) -> list[str]:
    names = list(problem.gram.rig.shape_names)
    made = np.flatnonzero(free.idle & ~problem.gram.idle)
    result = []
    if len(made):
        result.append(
            "shapes that move the whole head rigidly rest, what they do counts as head motion: "
            + ", ".join(names[k] for k in made)
        )
    if unsettled:
        result.append(f"the head motion of {unsettled} of {problem.num_frames} frames has not converged")
    return result
