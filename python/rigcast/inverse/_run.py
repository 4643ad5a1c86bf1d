"""Methods by name, the call of one, and the one place that measures what they return."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument
from rigcast.errors import NumericalError
from rigcast.inverse import _measures as measures
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._elbow import AUTO, SAMPLE, choose_alpha, training_frames
from rigcast.inverse._gram import Gram
from rigcast.inverse._jitter import jitter_of
from rigcast.inverse._joint_motion import without_joint_motion, without_motion_at_rest
from rigcast.inverse._loss import MEDIANS, SQUARED, Loss, check_loss
from rigcast.inverse._methods.closed_forms import cet, seol
from rigcast.inverse._methods.descent import descent
from rigcast.inverse._methods.localized import cet_loc
from rigcast.inverse._methods.majorize_minimize import mm, mm_cet
from rigcast.inverse._methods.sequential_quadratic import sqp
from rigcast.inverse._options import Options
from rigcast.inverse._problem import Problem, make_problem
from rigcast.inverse._reweighting import (
    inliers,
    objective,
    reweighted,
    scale_beside_smoothness,
    without_outliers,
)
from rigcast.inverse._rigid_motion import Rigid, in_rig_frame, mirrored_note, rigid_vertices, without_rigid_motion
from rigcast.inverse._solution import Solution
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback, silent

Float64 = NDArray[np.float64]
Method = Callable[[Problem, Options], tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]]

#: name -> function(problem, options) -> weights (T, K), iterations (T,), converged (T,)
METHODS: dict[str, Method] = {
    "descent": descent,
    "mm": mm,
    "mm_cet": mm_cet,
    "cet": cet,
    "cet_loc": cet_loc,
    "seol": seol,
    "sqp": sqp,
}

#: methods of one step, which have nothing to report before its end
CLOSED_FORMS = {"cet", "cet_loc", "seol"}

#: methods that solve a shot with a temporal term
TEMPORAL = {"descent"}

# arguments of ``solve`` that make no problem
_HOW = {"method", "joint", "tolerance", "max_iterations", "progress", "loss_scale"}


def solve_problem(
    gram: Gram,
    targets: ArrayLike,
    method: str,
    alpha: float | str,
    *,
    relative_alpha: float | None = None,
    smoothness: float | str = 0.0,
    joint: bool | None = None,
    rigid: Rigid = None,
    rigid_scale: bool = False,
    loss: str = SQUARED,
    loss_scale: float | str = AUTO,
    tolerance: float = 1e-9,
    max_iterations: int | None = None,
    threads: int = 0,
    device: str = "cpu",
    progress: ProgressOption = None,
    **terms: Any,
) -> tuple[Solution, Problem]:
    """What ``solve`` does, without a word about weights that are all at rest: a part of a shot may be.

    ``terms`` are the arguments of ``make_problem`` that ``solve`` has, too.
    """
    started = time.perf_counter()
    if not isinstance(method, str) or method not in METHODS:
        raise bad_argument("solve", "method", repr(method), "one of: " + ", ".join(METHODS))
    options = Options(tolerance, max_iterations, threads, as_callback(progress), device, joint)
    _check_device(method, device)
    _check_fits(method, smoothness)
    check_loss(loss, loss_scale, method, joint)
    if is_auto(smoothness) or (loss != SQUARED and is_auto(loss_scale) and float(smoothness) > 0.0):
        how: dict[str, Any] = {"joint": joint, "rigid": rigid, "rigid_scale": rigid_scale, "tolerance": tolerance}
        how |= {"loss": loss, "loss_scale": loss_scale}
        how |= {"max_iterations": max_iterations, "threads": threads, "device": device, "progress": progress}
        return _smoothed(gram, targets, method, alpha, relative_alpha, smoothness, **how, **terms)
    given = {"threads": threads, "device": device, "smoothness": smoothness, **terms}
    problem, transforms, together = _problem(gram, targets, alpha, rigid, rigid_scale, loss=loss, **given)
    if relative_alpha is not None:
        alpha = _share_of_alpha(relative_alpha, alpha, problem, options, together, rigid_scale)
    if is_auto(alpha) or (loss != SQUARED and is_auto(loss_scale)):
        sample = problem.at(training_frames(problem.num_frames, SAMPLE))
        sample = _still(sample, options, rigid_scale, loss) if together else sample
        alpha, loss_scale = _chosen(sample, options, alpha, loss, loss_scale)
    problem = replace(problem, alpha=float(alpha))
    if together:
        problem, transforms = without_joint_motion(problem, options, scale=rigid_scale, robust=loss != SQUARED)
    if loss == SQUARED:
        weights, iterations, converged = METHODS[method](problem, options)
        if method in CLOSED_FORMS:
            options.progress(Progress("solving", problem.num_frames, problem.num_frames))
        causal = joint is False
        solution = measure(problem, method, weights, iterations, converged, threads, device, causal=causal)
    else:
        solution = _robust(problem, method, options, Loss(loss, float(loss_scale)))
    solution.transforms = transforms
    solution.seconds = time.perf_counter() - started
    return solution, problem


def _robust(problem: Problem, method: str, options: Options, loss: Loss) -> Solution:
    """A solution with a loss: optimality is that of the reweighted targets, all else that of the given ones."""
    threads, device = options.threads, options.device
    pulled, weights, iterations, converged = reweighted(problem, options, loss)
    solution = measure(problem, method, weights, iterations, converged, threads, device)
    solution.optimality = measures.measure(pulled, solution.weights, threads, device).optimality
    solution.objective = objective(problem, solution.weights, loss, threads)
    solution.gap = None
    solution.loss, solution.loss_scale = loss.name, loss.scale
    return solution


def _smoothed(
    gram: Gram,
    targets: ArrayLike,
    method: str,
    alpha: float | str,
    relative_alpha: float | None,
    smoothness: float | str,
    **given: Any,
) -> tuple[Solution, Problem]:
    """A solve without the temporal term tells what the solve with it, which starts there, does not know.

    That is the smoothness that noise and motion ask for, and what the term leaves of the motion, which the scale of a
    loss has to cover.
    """
    first, problem = solve_problem(gram, targets, method, alpha, relative_alpha=relative_alpha, **given)
    if is_auto(smoothness):
        smoothness = jitter_of(seen_by(problem, first), first.weights).smoothness
        if smoothness == 0.0:
            return first, problem
    own = given | {"init": first.weights, "smoothness": smoothness}
    own |= {"loss_scale": smoothed_scale(problem, first, float(smoothness), given["loss_scale"])}
    solution, problem = solve_problem(gram, targets, method, first.alpha, **own)
    solution.seconds += first.seconds
    return solution, problem


def seen_by(problem: Problem, first: Solution) -> Problem:
    """A problem as a solution of it sees its targets: without outliers, if it has a loss that tells them."""
    loss = loss_of(first)
    return problem if loss is None else without_outliers(problem, first.weights, loss)


def smoothed_scale(problem: Problem, first: Solution, smoothness: float, loss_scale: float | str) -> float | str:
    """What the scale of a loss is for a shot with a temporal term, from a solution without: it may be ``"auto"``."""
    loss = loss_of(first)
    if loss is None or not is_auto(loss_scale):
        return loss_scale
    return scale_beside_smoothness(problem, first.weights, loss, smoothness)


def loss_of(solution: Solution) -> Loss | None:
    """The loss of a solution; None for squares."""
    return None if solution.loss is None or solution.loss_scale is None else Loss(solution.loss, solution.loss_scale)


def relative_alpha_of(gram: Gram, targets: ArrayLike, relative_alpha: float, alpha: float | str, **given: Any) -> float:
    """The alpha that ``relative_alpha`` is for a whole shot and other arguments of ``solve``."""
    problem, _, together = _problem(gram, targets, **given | {"alpha": 0.0})
    scale = given.get("rigid_scale", False)
    return _share_of_alpha(relative_alpha, alpha, problem, Options(), together, scale)


def _share_of_alpha(
    share: float, alpha: float | str, problem: Problem, options: Options, together: bool, scale: bool
) -> float:
    if not is_auto(alpha):
        raise bad_argument("solve", "relative_alpha", f"given beside alpha {alpha!r}", "the only one of the two")
    share = Arguments("solve").number("relative_alpha", share, least=0.0, most=1.0)
    at_rest = without_motion_at_rest(problem, options, scale=scale) if together else problem
    return share * measures.resting_alpha(at_rest)


def chosen_of(
    gram: Gram,
    frames: ArrayLike,
    alpha: float | str,
    loss: str,
    loss_scale: float | str,
    *,
    progress: ProgressCallback,
    **given: Any,
) -> tuple[float, float | str]:
    """The alpha and the scale of a loss of a shot, ``"auto"`` chosen from its rows at :func:`training_frames`.

    ``given`` are other arguments of ``solve``.
    """
    names = ("tolerance", "max_iterations", "threads", "device")
    options = Options(progress=progress, **{name: given[name] for name in names if name in given})
    sample, _, together = _problem(gram, frames, alpha, loss=loss, **given)
    sample = _still(sample, options, given.get("rigid_scale", False), loss) if together else sample
    return _chosen(sample, options, alpha, loss, loss_scale)


def _chosen(
    sample: Problem, options: Options, alpha: float | str, loss: str, loss_scale: float | str
) -> tuple[float, float | str]:
    """What is ``"auto"``: alpha at the elbow, and the scale of a loss, by the distances that are usual without alpha.

    Where both are free, noise decides on the scale, and alpha is so small that the scale need not be wider for it.
    """
    if loss == SQUARED:
        return choose_alpha(sample, options), loss_scale
    seen = inliers(sample, options)
    usual = seen.distance if isinstance(loss_scale, str) else loss_scale / MEDIANS[loss]
    most = seen.largest_alpha(usual)
    chosen = choose_alpha(seen.problem, options, most) if isinstance(alpha, str) else float(alpha)
    return chosen, seen.scale(loss, chosen) if isinstance(loss_scale, str) else loss_scale


def _still(sample: Problem, options: Options, scale: bool, loss: str) -> Problem:
    """Frames in the rig's frame, each with the motion that it has by itself without any alpha."""
    quiet, single = replace(options, progress=silent), replace(sample, alpha=0.0, smoothness=0.0)
    return without_joint_motion(single, quiet, scale=scale, robust=loss != SQUARED)[0]


def placed(gram: Gram, targets: ArrayLike, transforms: Float64 | None = None, **given: Any) -> Problem:
    """The problem in the rig's frame of a shot, the motion that was found, and other arguments of ``solve``."""
    if transforms is not None:
        targets, given = in_rig_frame(gram.checked(targets), transforms), given | {"rigid": None}
    return _problem(gram, targets, **given)[0]


def _problem(
    gram: Gram,
    targets: ArrayLike,
    alpha: float | str,
    rigid: Rigid = None,
    rigid_scale: bool = False,
    loss: str = SQUARED,
    **given: Any,
) -> tuple[Problem, Float64 | None, bool]:
    """The problem, the rigid motion that was removed from its targets, and whether one is still to be found.

    That is found together with the weights. ``alpha`` is 0 until it is chosen.
    """
    if not isinstance(rigid_scale, (bool, np.bool_)):
        raise bad_argument("solve", "rigid_scale", repr(rigid_scale), "True or False")
    transforms, seen = None, rigid_vertices(gram, rigid, targets)
    together = isinstance(seen, str)
    if seen is not None and not together:
        targets, transforms = without_rigid_motion(gram, targets, seen, rigid_scale, robust=loss != SQUARED)
    terms: dict[str, Any] = {name: value for name, value in given.items() if name not in _HOW}
    terms["alpha"] = 0.0 if is_auto(alpha) else alpha
    problem = make_problem(gram, targets, **terms)
    notes = mirrored_note(gram, problem.targets)
    return replace(problem, warnings=problem.warnings + notes), transforms, together


def is_auto(term: object) -> bool:
    """Whether alpha or smoothness is to be chosen."""
    return isinstance(term, str) and term == AUTO


def measure(
    problem: Problem,
    method: str,
    weights: Float64,
    iterations: NDArray[np.int64],
    converged: NDArray[np.bool_],
    threads: int = 0,
    device: str = "cpu",
    *,
    causal: bool = False,
) -> Solution:
    """What every method reports, from its weights alone."""
    weights = np.clip(weights, problem.lower, problem.upper)
    found = measures.measure(problem, weights, threads, device, causal=causal)
    if not all(np.isfinite(part).all() for part in (weights, found.objective, found.optimality, found.rmse)):
        raise NumericalError(f"solve: method {method!r} overflowed; bring targets, bounds and terms to a common scale")
    return Solution(
        weights=weights,
        objective=found.objective,
        iterations=np.asarray(iterations, np.int64),
        converged=np.asarray(converged, bool),
        optimality=found.optimality,
        gap=found.gap,
        rmse=found.rmse,
        method=method,
        alpha=problem.alpha,
        smoothness=problem.smoothness,
        warnings=problem.warnings,
        vertices=problem.gram.vertices,
        vertex_weights=problem.gram.vertex_weights,
        **problem.given,
    )


def _check_device(method: str, device: str) -> None:
    if device != "cpu" and method != "descent":
        raise bad_argument("solve", "device", f"{device!r} with method {method!r}", "'cpu'")
    on_cuda.check_device(device)


def _check_fits(method: str, smoothness: float | str) -> None:
    number = isinstance(smoothness, (int, float, np.number))
    if method not in TEMPORAL and (is_auto(smoothness) or (number and float(smoothness) > 0)):
        got = f"{smoothness:g}" if number else repr(smoothness)
        raise bad_argument("solve", "smoothness", f"{got} with method {method!r}", "0")
