"""Robust losses by iterative reweighting, with one Gram matrix for all frames and rounds.

With a loss rho, a frame's fidelity is ``sum_v omega_v rho(|r_v|^2)``, ``r_v = f_v(w) - b_v``. Around weights w0, with
``u_v = rho'(|r_v(w0)|^2)``,

    rho(|r_v|^2) <= rho(|r_v(w0)|^2) + |f_v(w) - b'_v|^2 - |f_v(w0) - b'_v|^2,   b'_v = f_v(w0) + u_v (b_v - f_v(w0)),

with equal gradients at w0: rho(|r|^2) - |r|^2 is concave in r, as rho is in s with a slope of at most 1. So the targets
are reweighted in place of the vertices: a vertex of weight u is drawn towards it by the share u of its distance only,
and the squared problem of targets b' has the robust objective's gradient (the additive form of half-quadratic
minimization, Nikolova and Ng 2005). No round raises the objective, and every second one is taken further where that
lowers it more. A round costs a pose, a projection and a warm solve.
Weighted vertices (Holland and Welsch 1977) would need fewer rounds, but a Gram matrix for every frame of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._choices.loss import (
    COVERED,
    FINEST,
    HUBER,
    MEDIANS,
    TUKEY,
    RobustLoss,
    moved_by_alpha,
    moved_by_priors,
)
from rigcast.inverse._distances import cuts, posed
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.descent import FRAMES_PER_RUN, descent
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.inverse._solution import Solution, measured
from rigcast.progress import Progress

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

ROUNDS = 200  # at most
FALL = 1e-6  # of the reweighted objective, which outliers do not dominate: a round that lowers it by less is the last
WIDER = (32, 16, 8, 4, 2)  # scales of the first rounds: a start that outliers have drawn away comes back in few rounds
PERIOD, FARTHEST = 3, 1e3  # iterates that an extrapolation needs, and the most that it goes beyond them
BEGUN = 1e-4  # the same as FALL where Huber's loss is the start of Tukey's, which has minima of its own


def reweighted(problem: ShotProblem, request: Request, loss: RobustLoss) -> tuple[ShotProblem, Float64, Whole, Flags]:
    """Minimize with a loss: the squared problem that has the same gradient, weights, iterations, and what converged.

    Parameters
    ----------
    problem : ShotProblem
    request : Request
    loss : RobustLoss

    Returns
    -------
    ShotProblem, (T, K), (T,), (T,)
    """
    count = problem.num_frames
    # Without a temporal term frames are independent, and parts as long as the solver's own give the bytes of the whole.
    length = count if problem.smoothness > 0 else FRAMES_PER_RUN
    quiet, parts = replace(request, progress=None), []
    for begin in range(0, count, length):
        parts.append(_shot(problem.at(slice(begin, begin + length)), quiet, loss))
        request.show(Progress("solving", min(begin + length, count), count))
    targets, weights, iterations, converged = (np.concatenate(own) for own in zip(*parts, strict=True))
    return problem.with_targets(targets, request), weights, iterations, converged


def robust_solution(problem: ShotProblem, request: Request) -> Solution:
    """Solve with a loss: optimality is that of the reweighted targets, all else that of the given ones."""
    loss = RobustLoss(request.loss, float(request.loss_scale))
    pulled, weights, iterations, converged = reweighted(problem, request, loss)
    solution = measured(problem, request, weights, iterations, converged)
    solution.optimality = pulled.measure(solution.weights, request.threads, request.device).optimality
    solution.objective = objective(problem, solution.weights, loss, request.threads)
    solution.gap = None
    solution.loss, solution.loss_scale = loss.name, loss.scale
    return solution


def objective(problem: ShotProblem, weights: Float64, loss: RobustLoss, threads: int = 0) -> Float64:
    """Return (T,): a frame's own terms, with the loss of the distances to the problem's targets."""
    return _pulled(problem, weights, loss, threads).fidelity + problem.core.weight_terms(weights)


@dataclass(frozen=True)
class Inliers:
    """Frames of a shot as Huber's loss sees them, each solved by itself, without alpha and without priors.

    Attributes
    ----------
    problem : ShotProblem
        With outliers drawn to the fit, ``alpha`` and ``smoothness`` 0; its priors are those of the shot.
    weights : (T, K)
    distance : float
        The median distance over vertices that shapes move and that count; those that rest are often exact.
    """

    problem: ShotProblem
    weights: Float64
    distance: float

    def largest_alpha(self, usual: float) -> float:
        """The largest alpha that keeps the motion of these frames within a distance that is usual anyway.

        A shape is held back by ``alpha / (2 |b_k|^2)``, at most to rest. ``COVERED`` times what that moves a vertex
        must not exceed the distance, for shapes that move a vertex farther than this.
        """
        gram = self.problem.gram
        usual = max(usual, _finest(gram)) / COVERED
        energy = np.diag(gram.matrix)[: len(gram.idle)]
        seen = (energy > 0) & (gram.reach * np.abs(self.weights).max(axis=0) > usual)
        return float((2.0 * energy[seen] * usual / gram.reach[seen]).min(initial=np.inf))

    def scale(self, name: str, alpha: float) -> float:
        """Return the scale of a loss with an alpha: by the motion that it and priors take, and the distance."""
        problem = self.problem
        left = moved_by_alpha(problem.gram, alpha, problem.upper)
        left += moved_by_priors(problem.gram, self.weights, problem.prior_target, problem.prior_strength)
        return max(MEDIANS[name] * (self.distance + COVERED * left), _finest(self.problem.gram))


def inliers(sample: ShotProblem, request: Request) -> Inliers:
    """Tell outliers from noise by Huber's loss with a scale by squares; outliers double what these leave everywhere."""
    alone = sample.with_alpha(0.0).with_smoothness(0.0).starting_at(None)
    single = alone.without_priors()
    quiet = replace(request, progress=None, joint=None)
    weights = np.clip(descent(single, quiet)[0], single.lower, single.upper)
    first = RobustLoss(HUBER, max(MEDIANS[HUBER] * _median(single, weights, quiet.threads), _finest(single.gram)))
    targets, weights, _, _ = _rounds(single, weights, quiet, first, BEGUN)
    seen = alone.with_targets(targets, request)
    return Inliers(seen, weights, _median(single, weights, quiet.threads))


def scale_with_smoothness(problem: ShotProblem, weights: Float64, loss: RobustLoss, smoothness: float) -> float:
    """Return a loss's scale, wider by what a temporal term takes from weights (T, K) that were found without it.

    It takes the weight v of a shape b alone to ``(1 + smoothness / |b|^2 D^T D)^-1 v``, here by the frequencies of the
    shot run back and forth.
    """
    gram, energy = problem.gram, np.diag(problem.gram.matrix)[: problem.num_shapes]
    waves = np.fft.rfft(np.concatenate([weights, weights[::-1]]), axis=0)
    bends = np.square(2.0 - 2.0 * np.cos(np.pi * np.arange(len(waves)) / len(weights)))[:, None]
    lost = waves * (smoothness * bends / (np.maximum(energy, np.finfo(np.float64).tiny) + smoothness * bends))
    moved = np.abs(np.fft.irfft(lost, n=2 * len(weights), axis=0)).max(axis=0)
    return float(loss.scale + MEDIANS[loss.name] * COVERED * (moved * gram.reach).max(initial=0.0))


def without_outliers(problem: ShotProblem, weights: Float64, loss: RobustLoss, threads: int = 0) -> ShotProblem:
    """Return the problem of targets that are reweighted around weights; its projections are those of the given ones."""
    return replace(problem, targets=_pulled(problem, weights, loss, threads).targets)


def _median(problem: ShotProblem, weights: Float64, threads: int) -> float:
    gram = problem.gram
    seen = (gram.vertex_weights > 0) & np.any(gram.columns != 0, axis=(0, 2))
    apart = posed(gram, weights, threads)[:, seen] - gram.chosen(problem.host_targets)[:, seen]
    return float(np.median(np.linalg.norm(apart, axis=2))) if seen.any() else 0.0


def _finest(gram: Gram) -> float:
    return FINEST * float(np.ptp(gram.neutral, axis=0).max())


def _shot(problem: ShotProblem, request: Request, loss: RobustLoss) -> tuple[Float32, Float64, Whole, Flags]:
    """Do what ``reweighted`` does for one part; return the reweighted targets in place of the problem."""
    weights, total, _ = descent(problem, request)
    weights = np.clip(weights, problem.lower, problem.upper)
    for times in WIDER:
        wide = RobustLoss(HUBER, times * loss.scale)
        _, weights, iterations, _ = _rounds(problem, weights, request, wide, BEGUN, rounds=1)
        total = total + iterations
    if loss.name == TUKEY:
        _, weights, iterations, _ = _rounds(problem, weights, request, RobustLoss(HUBER, loss.scale), BEGUN)
        total = total + iterations
    weights = _lower(problem, weights, loss, request.threads)
    targets, weights, iterations, settled = _rounds(problem, weights, request, loss, FALL)
    return targets, weights, total + iterations, settled


def _lower(problem: ShotProblem, weights: Float64, loss: RobustLoss, threads: int) -> Float64:
    """Return the weights or the caller's start, the lower in objective, per frame or for a coupled shot."""
    if problem.init is None:
        return weights
    here, there = (_total(problem, at, _pulled(problem, at, loss, threads).fidelity) for at in (weights, problem.init))
    return np.where((there < here)[:, None], problem.init, weights)


def _rounds(
    problem: ShotProblem, weights: Float64, request: Request, loss: RobustLoss, fall: float, rounds: int = ROUNDS
) -> tuple[Float32, Float64, Whole, Flags]:
    """Reweight and solve in turns until no frame's objective falls further, or that of the shot where frames couple."""
    iterations, trail = np.zeros(len(weights), np.int64), [weights]
    pulled = _pulled(problem, weights, loss, request.threads)
    value = _total(problem, weights, pulled.fidelity)
    for _ in range(rounds):
        around = problem.with_targets(pulled.targets, request).starting_at(weights)
        found, steps, converged = descent(around, request)
        weights, iterations = np.clip(found, problem.lower, problem.upper), iterations + steps
        pulled = _pulled(problem, weights, loss, request.threads)
        before, value = value, _total(problem, weights, pulled.fidelity)
        settled = before - value <= fall * _total(problem, weights, pulled.left)
        trail.append(weights)
        if settled.all():
            break
        if len(trail) == PERIOD:
            weights, pulled, value = _leap(problem, trail, pulled, value, loss, request.threads)
            trail = [weights]
    return pulled.targets, weights, iterations, np.asarray(converged & settled)


def _leap(
    problem: ShotProblem, trail: list[Float64], pulled: _Pulled, value: Float64, loss: RobustLoss, threads: int
) -> tuple[Float64, _Pulled, Float64]:
    """Take two rounds further where the objective falls by it; return the weights, pulls and objective there.

    Varadhan and Roland 2008, scheme S3: with r and v the first and second differences of three iterates, the first one
    less 2 s r and more s^2 v, s = -|r| / |v|, of each frame, or of the shot where a temporal term couples them. With
    few points many rounds go the same way, as an outlier is let go of by a share of its distance at a time.
    """
    first, second, third = trail
    along, bend = second - first, third - 2.0 * second + first
    axis = 1 if problem.smoothness == 0.0 else None
    lengths = [np.sqrt(np.square(rows).sum(axis=axis, keepdims=True)) for rows in (along, bend)]
    step = np.maximum(lengths[0] / np.maximum(lengths[1], np.finfo(np.float64).tiny), 1.0)
    step = np.where(lengths[1] > 0.0, np.minimum(step, FARTHEST), 1.0)
    ahead = np.clip(first + 2.0 * step * along + step * step * bend, problem.lower, problem.upper)
    found = _pulled(problem, ahead, loss, threads)
    reached = _total(problem, ahead, found.fidelity)
    lower = reached < value
    frames = np.broadcast_to(lower, (len(ahead),))
    taken = _Pulled(
        np.where(frames[:, None, None], found.targets, pulled.targets),
        np.where(frames, found.fidelity, pulled.fidelity),
        np.where(frames, found.left, pulled.left),
    )
    return np.where(frames[:, None], ahead, third), taken, np.where(lower, reached, value)


class _Pulled(NamedTuple):
    """Reweighted targets b' (T, M, 3), the fidelity (T,) of the given ones, and the squared one of b'."""

    targets: Float32
    fidelity: Float64
    left: Float64


def _pulled(problem: ShotProblem, weights: Float64, loss: RobustLoss, threads: int) -> _Pulled:
    gram, omega = problem.gram, problem.gram.vertex_weights
    targets = np.empty((len(weights), len(gram.vertices), 3), np.float32)
    fidelity, left = np.empty((2, len(weights)))
    for cut in cuts(len(weights)):
        found = posed(gram, weights[cut], threads).astype(np.float64)
        apart = found - gram.chosen(problem.targets[cut])
        square = np.square(apart).sum(axis=2)
        pull = loss.slope(square)
        fidelity[cut], left[cut] = loss.value(square) @ omega, (np.square(pull) * square) @ omega
        targets[cut] = found - pull[..., None] * apart
    return _Pulled(targets, fidelity, left)


def _total(problem: ShotProblem, weights: Float64, fidelity: Float64) -> Float64:
    """Return the numbers that rounds lower: (T,) objectives of frames, or (1,) of a shot with a temporal term."""
    frames = fidelity + problem.core.weight_terms(weights)
    if problem.smoothness == 0.0:
        return frames
    bends = np.square(np.diff(weights, n=2, axis=0)).sum()
    return np.array([frames.sum() + problem.smoothness * bends])
