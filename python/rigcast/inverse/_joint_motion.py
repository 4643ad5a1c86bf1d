"""Rigid motion and weights of a shot together, for rigs that move every vertex.

For a motion ``[s R | t]`` of each frame the objective of ``solve`` is minimized over weights and motion,

    min over w, s, R, t of   sum_v omega_v |f_v(w) - R^T (b_v - t) / s|^2 + the terms in w,

by variable projection (Golub and Pereyra 1973): small motions move the neutral's vertices along six directions, seven
with a scale, and what lies along them is projected out of columns and targets, so that a solve of the projected rig
finds the weights that are best together with the best small motion. The motion then is the exact one of the posed rig
(Procrustes), and the targets are brought into the rig's frame anew. The directions are the neutral's, not those of the
posed rig, so that a round leaves about a tenth of the error; alternating without them would leave nearly all of it
where shapes resemble a motion, as those of a jaw do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument
from rigcast.inverse._gram import Gram
from rigcast.inverse._loss import COVERED, drawn, moved_by_alpha
from rigcast.inverse._methods.descent import FRAMES_PER_RUN, descent
from rigcast.inverse._options import Options
from rigcast.inverse._problem import Problem
from rigcast.inverse._projection import project
from rigcast.inverse._rigid_motion import moved_by, procrustes, removed
from rigcast.progress import Progress, silent

Float64 = NDArray[np.float64]

ROUNDS = 40  # at most; 5 to 10 do for faces
STILL = 1e-6  # of the neutral's extent: motions that move no vertex farther between two rounds have converged
INNER = 1e-6  # relative optimality of a round's weights
OWN = 1e-4  # of a column: what a motion leaves of it is rounding if it is less


def without_joint_motion(
    problem: Problem, options: Options, *, scale: bool = False, robust: bool = False
) -> tuple[Problem, Float64]:
    """The problem in the rig's frame, and the motion of each frame.

    Parameters
    ----------
    problem : Problem
        With targets as they are.
    options : Options
    scale : bool
        Find a scale per frame, too.
    robust : bool
        By Huber's loss instead of squares, each frame by itself: without the temporal term, whose pull would make
        moving vertices outliers.

    Returns
    -------
    Problem, (T, 3, 4)
        ``[R | t]`` or ``[s R | t]``: target = transform of the posed rig.

    Raises
    ------
    ValueError
        If the chosen vertices lie on a line.
    """
    free = _projected_problem(problem, scale)
    motion, unsettled = _motion(problem, replace(free, smoothness=0.0) if robust else free, options, scale, robust)
    placed = removed(problem.targets.astype(np.float64), motion).astype(np.float32)
    warnings = problem.warnings + _warnings(problem, free.gram, unsettled)
    found = _at(problem, placed, options)
    return replace(found, lower=free.lower, upper=free.upper, init=free.init, warnings=warnings), motion


def without_motion_at_rest(problem: Problem, options: Options, *, scale: bool = False) -> Problem:
    """The problem in the rig's frame, for the motion that is best while all weights rest."""
    gram = problem.gram
    shot = gram.chosen(problem.targets).astype(np.float64)
    motion = procrustes(gram.neutral.astype(np.float64), shot, gram.vertex_weights, scale=scale)
    return _at(problem, removed(problem.targets.astype(np.float64), motion).astype(np.float32), options)


def _motion(problem: Problem, free: Problem, options: Options, scale: bool, robust: bool) -> tuple[Float64, int]:
    """The motion (T, 3, 4), and the number of frames whose motion has not converged."""
    gram = problem.gram
    shot = gram.chosen(problem.targets).astype(np.float64)
    if 3 * int((gram.vertex_weights > 0).sum()) <= 7:
        raise bad_argument("solve", "rigid", "'auto' with fewer than three vertices", "vertices, or None")
    start = gram.neutral if problem.init is None else _posed(free.gram, problem.init, options)
    motion = procrustes(start.astype(np.float64), shot, gram.vertex_weights, scale=scale)
    # Without a temporal term frames are independent, and parts as long as the solver's own give the bytes of the whole.
    length = len(shot) if free.smoothness > 0 else FRAMES_PER_RUN
    unsettled = 0
    for begin in range(0, len(shot), length):
        cut = slice(begin, begin + length)
        own = free.frames(begin, begin + length)
        motion[cut], moving = _rounds(own, shot[cut], motion[cut], replace(options, progress=silent), scale, robust)
        unsettled += moving
        options.progress(Progress("finding head motion", min(begin + length, len(shot)), len(shot)))
    return motion, unsettled


def _rounds(
    problem: Problem, shot: Float64, motion: Float64, options: Options, scale: bool, robust: bool
) -> tuple[Float64, int]:
    """Solve and fit in turns until the motion of no frame changes; if robust, what is far is drawn to the last fit."""
    gram, quick = problem.gram, replace(options, tolerance=max(options.tolerance, INNER))
    neutral = gram.neutral.astype(np.float64)
    limit = STILL * float(np.ptp(neutral, axis=0).max())
    moves, counted = np.full(len(shot), np.inf), gram.vertex_weights > 0
    left = COVERED * moved_by_alpha(gram, problem.alpha, problem.upper) if robust else 0.0
    seen = shot
    for _ in range(ROUNDS):
        still = removed(seen, motion)
        offsets = _projected(gram, (still - neutral).reshape(len(shot), -1)).reshape(shot.shape)
        problem = _at(problem, (neutral + offsets).astype(np.float32), options)
        weights = np.clip(descent(problem, quick)[0], problem.lower, problem.upper)
        problem = replace(problem, init=weights)
        posed = _posed(gram, weights, options).astype(np.float64)
        if robust:
            seen = drawn(shot, moved_by(motion, posed), counted, left)
        before, motion = motion, procrustes(posed, seen, gram.vertex_weights, scale=scale)
        change = motion - before
        moves = np.abs(neutral @ change[:, :, :3].transpose(0, 2, 1) + change[:, None, :, 3]).max(axis=(1, 2))
        if moves.max() <= limit:
            return motion, 0
    return motion, int((moves > limit).sum())


def _posed(gram: Gram, weights: Float64, options: Options) -> NDArray[np.float32]:
    """The chosen vertices (T, M, 3) of the rig that was projected."""
    whole: BlendshapeRig = gram.prepared["whole rig"]
    return np.asarray(whole.evaluate(weights.astype(np.float32), threads=options.threads))


def _at(problem: Problem, targets: NDArray[np.float32], options: Options) -> Problem:
    """The same problem for other targets."""
    projections, energies = project(problem.gram, targets, options.threads, options.device)
    return replace(problem, targets=targets, projections=projections, energies=energies)


def _projected_problem(problem: Problem, scale: bool) -> Problem:
    """The problem of the projected rig; shapes that a motion makes up rest."""
    gram = _projected_gram(problem.gram, scale)
    own = gram.idle & ~problem.gram.idle
    rest = np.clip(0.0, problem.lower, problem.upper)
    lower, upper = np.where(own, rest, problem.lower), np.where(own, rest, problem.upper)
    start = None if problem.init is None else np.clip(problem.init, lower, upper)
    return replace(problem, gram=gram, lower=lower, upper=upper, init=start)


def _projected_gram(gram: Gram, scale: bool) -> Gram:
    """The rig on the chosen vertices without what a small motion makes up; ``prepared`` holds it with that part."""
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
    """A rig of the chosen vertices with these columns."""
    rig, count = gram.rig, gram.rig.num_shapes
    mixed = list(zip(rig.combinations, columns[count:], strict=True))
    return BlendshapeRig(gram.neutral, columns[:count], mixed, bounds=rig.bounds, names=rig.shape_names)


def _directions(gram: Gram, scale: bool) -> Float64:
    """(3 M, 6 or 7): what turns, shifts and scales the neutral, orthonormal in the product that omega weights."""
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
    """(3 M,): the weight of every coordinate."""
    return np.repeat(gram.vertex_weights, 3)


def _projected(gram: Gram, rows: Float64) -> Float64:
    """Rows (T, 3 M) without what lies along the directions."""
    directions: Float64 = gram.prepared["directions"]
    along: Float64 = ((rows * _omega(gram)) @ directions) @ directions.T
    return rows - along


def _warnings(problem: Problem, free: Gram, unsettled: int) -> list[str]:
    names = list(problem.rig.shape_names)
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
