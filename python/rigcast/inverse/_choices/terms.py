"""The steps of a solve that choose the open terms of a request: alpha, the scale of a loss, smoothness."""

from __future__ import annotations

from dataclasses import replace

from rigcast._validate import Arguments, bad_argument
from rigcast.inverse._choices.elbow import SAMPLE, choose_alpha, training_frames
from rigcast.inverse._choices.jitter import jitter_of
from rigcast.inverse._choices.loss import MEDIANS, RobustLoss
from rigcast.inverse._choices.reweighting import inliers, scale_with_smoothness, without_outliers
from rigcast.inverse._motion.with_weights import without_motion_at_rest, without_motion_found_with_weights
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import TOGETHER, Request, is_auto
from rigcast.inverse._solution import Solution


def with_relative_alpha(request: Request, problem: ShotProblem) -> Request:
    """Replace ``relative_alpha`` by the alpha that it is for the problem of a whole shot.

    Raises
    ------
    ValueError
        If both are given, or for a share outside 0 to 1.
    """
    if request.relative_alpha is None:
        return request
    if not is_auto(request.alpha):
        got = f"given with alpha {request.alpha!r}"
        raise bad_argument("solve", "relative_alpha", got, "the only one of the two")
    share = Arguments("solve").number("relative_alpha", request.relative_alpha, least=0.0, most=1.0)
    at_rest = without_motion_at_rest(problem, request) if request.rigid == TOGETHER else problem
    return replace(request, alpha=share * at_rest.core.resting_alpha(at_rest.gram.core), relative_alpha=None)


def with_terms(request: Request, problem: ShotProblem) -> Request:
    """Replace ``relative_alpha``, or ``"auto"`` by an alpha and a scale of the loss, from the problem of a whole shot.

    ``"auto"`` is chosen from frames that are spread evenly over the shot.
    """
    request = with_relative_alpha(request, problem)
    if not request.needs_training_frames:
        return request
    return with_terms_of_sample(request, problem.at(training_frames(problem.num_frames, SAMPLE)))


def with_terms_of_sample(request: Request, sample: ShotProblem) -> Request:
    """Choose alpha and the scale of a loss from the problem of the training frames.

    With a loss noise decides on the scale, and alpha is so small that the scale need not be wider for it.
    """
    if request.rigid == TOGETHER:  # the motion that each frame has by itself without any alpha
        quiet, single = replace(request, progress=None), sample.with_alpha(0.0).with_smoothness(0.0)
        sample = without_motion_found_with_weights(single, quiet)[0]
    if not request.is_robust:
        return replace(request, alpha=choose_alpha(sample, request))
    seen, scale = inliers(sample, request), request.loss_scale
    usual = seen.distance if isinstance(scale, str) else scale / MEDIANS[request.loss]
    most = seen.largest_alpha(usual)
    alpha = choose_alpha(seen.problem, request, most) if isinstance(request.alpha, str) else float(request.alpha)
    return replace(request, alpha=alpha, loss_scale=seen.scale(request.loss, alpha) if is_auto(scale) else scale)


def with_smoothness(request: Request, problem: ShotProblem, first: Solution) -> Request:
    """Return the request of the solve with a temporal term, from a solution without it, where it starts."""
    smoothness, scale, loss = request.smoothness, request.loss_scale, loss_of(first)
    if is_auto(smoothness):
        smoothness = jitter_of(without_its_outliers(problem, first), first.weights).smoothness
    if loss is not None and is_auto(scale):
        scale = scale_with_smoothness(problem, first.weights, loss, float(smoothness))
    request = replace(request, alpha=first.alpha, relative_alpha=None)
    return replace(request, init=first.weights, smoothness=smoothness, loss_scale=scale)


def without_its_outliers(problem: ShotProblem, solution: Solution) -> ShotProblem:
    """Return a problem with the outliers of its solution drawn to the fit, if the solution has a loss."""
    loss = loss_of(solution)
    return problem if loss is None else without_outliers(problem, solution.weights, loss)


def loss_of(solution: Solution) -> RobustLoss | None:
    """Return the loss of a solution; None for squares."""
    return (
        None if solution.loss is None or solution.loss_scale is None else RobustLoss(solution.loss, solution.loss_scale)
    )
