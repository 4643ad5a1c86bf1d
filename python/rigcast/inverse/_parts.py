"""Solving a shot in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._interrupts import SOON, held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder, opened
from rigcast._validate import bad_argument
from rigcast.inverse._constraints import box, prior_terms
from rigcast.inverse._elbow import SAMPLE, training_frames
from rigcast.inverse._jitter import jitter_of
from rigcast.inverse._loss import AUTO, SQUARED
from rigcast.inverse._lost_shapes import lost_shapes
from rigcast.inverse._measures import all_at_rest
from rigcast.inverse._methods.descent import FRAMES_PER_RUN
from rigcast.inverse._run import chosen_of, is_auto, placed, relative_alpha_of, seen_by, smoothed_scale, solve_problem
from rigcast.inverse._solution import Solution, content_of, from_content
from rigcast.inverse._solve import Solver
from rigcast.progress import Progress, ProgressOption, as_callback

SLOW = {"mm": 16, "mm_cet": 16, "sqp": 1}  # frames of a part where a frame takes long


def solve_in_parts(
    solver: Solver,
    targets: ArrayLike,
    folder: str | os.PathLike[str] | PartsFolder,
    *,
    method: str = "descent",
    alpha: float | str = "auto",
    relative_alpha: float | None = None,
    smoothness: float | str = 0.0,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    frames: int | None = None,
    resume: bool = False,
    progress: ProgressOption = None,
    **options: Any,
) -> Solution:
    """Solve a shot part by part; parts that ``folder`` holds of the same solve are not solved again.

    The parts do not depend on when a run was interrupted, so that any number of runs gives the same solution. With a
    temporal term the parts are solved without it and are the start of one joint solve. The caller removes the folder
    when the solution is in safety.

    Parameters
    ----------
    solver : Solver
    targets : (T, V, 3), or (T, M, 3) where the solver has ``vertices``
    folder : path-like or PartsFolder
        Takes one file per part; made if it is missing. Parts that are open already stay so, and keep other runs out
        until their block ends.
    method, alpha, relative_alpha, smoothness, **options
        As in :func:`rigcast.inverse.solve`, without ``init``.
    fixed : array_like, shape (K,) or (T, K), optional
        Values of pinned weights, NaN where free.
    priors : pair (c, s), optional
        Each a number, (K,) or (T, K).
    frames : int, optional
        Of a part; by default what takes about a second.
    resume : bool
        Refuse to start over where the folder holds parts of another solve.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Solution
        ``seconds`` is the time that solving took, over all runs.

    Raises
    ------
    ValueError
        As ``solve`` does; with ``resume`` for a folder of another solve; for a folder that another run writes or that
        holds other files.
    KeyboardInterrupt
        After the part in work, half a second after Ctrl-C, or at once if it is pressed again; the message says what is
        kept.
    """
    show = as_callback(progress)
    shot = solver.gram.checked(targets)
    _check_finite(solver, shot)
    whole_shot = _PerFrame(solver, len(shot), fixed, priors, options.get("bounds"))
    settings: dict[str, Any] = {
        "method": method,
        "alpha": 0.0 if is_auto(alpha) else alpha,
        "loss": SQUARED,
        "loss_scale": AUTO,
    }
    settings |= options
    first = settings | {"max_iterations": 1} | whole_shot.rows(slice(1))
    solve_problem(solver.gram, shot[:1], smoothness=smoothness, **first)  # what is refused is refused before work
    if relative_alpha is not None:
        given = options | {"smoothness": 0.0} | whole_shot.rows(slice(None))
        settings["alpha"] = alpha = relative_alpha_of(solver.gram, shot, relative_alpha, alpha, **given)
    scale = settings["loss_scale"]
    if is_auto(alpha) or (settings["loss"] != SQUARED and is_auto(scale)):
        sample = training_frames(len(shot), SAMPLE)
        own = settings | {"alpha": alpha, "progress": show} | whole_shot.rows(sample)
        settings["alpha"], settings["loss_scale"] = chosen_of(solver.gram, shot[sample], **own)
    length = frames or SLOW.get(method, FRAMES_PER_RUN)
    parts, solved, began = list[Solution](), 0, time.monotonic()

    def told(place: Path) -> str:
        done = sum(len(part.weights) for part in parts)
        return (
            f"interrupted with {done:,} of {len(shot):,} frames solved and kept in {place}; "
            "run the same command again to continue"
        )

    with opened(folder, "solve") as kept, held_back(SOON, lambda: told(kept.folder)) as pressed:
        kept.begin(_fingerprint(solver, [shot, *whole_shot.arrays], length, settings), resume)
        for number, begin in enumerate(range(0, len(shot), length)):
            if pressed():
                raise KeyboardInterrupt(told(kept.folder))
            known = kept.get(f"{number:06d}")
            if known is not None:
                part = from_content(known)
            else:
                end = begin + length
                part, _ = solve_problem(solver.gram, shot[begin:end], **settings, **whole_shot.rows(slice(begin, end)))
                kept.put(f"{number:06d}", content_of(part))
                solved += len(part.weights)
            parts.append(part)
            done = begin + len(part.weights)
            show(Progress("solving", done, len(shot), _rate(solved, time.monotonic() - began)))
        if pressed() and smoothness != 0:
            raise KeyboardInterrupt(told(kept.folder))
    whole = Solution.joined(parts)
    own = settings | whole_shot.rows(slice(None))
    problem = placed(solver.gram, shot, whole.transforms, **own)
    if is_auto(smoothness):
        smoothness = jitter_of(seen_by(problem, whole), whole.weights).smoothness
    if smoothness != 0:
        show(Progress("smoothing", 0, 1, "the whole shot"))
        own |= {"smoothness": smoothness, "loss_scale": smoothed_scale(problem, whole, float(smoothness), scale)}
        joint, problem = solve_problem(solver.gram, shot, progress=show, **own | {"init": whole.weights})
        joint.seconds += whole.seconds
        whole = joint
    if not is_auto(alpha) and 2 * int(whole.weights.any(axis=1).sum()) <= len(shot):
        note = all_at_rest(placed(solver.gram, shot, whole.transforms, **own))
        whole.warnings += [] if note is None else [note]
    whole.warnings += lost_shapes(problem, whole)
    return whole


def _check_finite(solver: Solver, shot: NDArray[Any]) -> None:
    """What is wrong with a frame is said with its number in the shot, not in its part."""
    wrong = np.argwhere(~np.isfinite(solver.gram.chosen(shot)).all(axis=2))
    if len(wrong):
        frame, vertex = wrong[0]
        got = f"not finite at frame {frame}, vertex {solver.gram.vertices[vertex]}"
        raise bad_argument("solve", "targets", got, "finite everywhere")


class _PerFrame:
    """Pins and priors, checked for the whole shot before its first part, so that frames are named as the shot's own.

    Attributes
    ----------
    arrays : list of arrays
        What was given, for the fingerprint.
    """

    def __init__(self, solver: Solver, frames: int, fixed: Any, priors: Any, bounds: Any) -> None:
        shape = (frames, solver.gram.activations.num_shapes)
        box(solver.gram.rig, bounds, fixed, shape)
        prior_terms(priors, shape)
        self._fixed = None if fixed is None else np.asarray(fixed, np.float64)
        self._priors = None if priors is None else tuple(np.asarray(part, np.float64) for part in priors)
        self.arrays = [self._fixed, *(self._priors or ())]

    def rows(self, frames: slice | NDArray[np.int64]) -> dict[str, Any]:
        """Arguments of ``solve`` for these frames."""

        def cut(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values[frames] if values.ndim == 2 else values

        own: dict[str, Any] = {} if self._fixed is None else {"fixed": cut(self._fixed)}
        return own if self._priors is None else own | {"priors": tuple(map(cut, self._priors))}


def _rate(frames: int, seconds: float) -> str:
    return f"{frames / seconds:,.0f} frames/s" if frames and seconds > 0 else ""


def _fingerprint(solver: Solver, per_frame: list[Any], length: int, settings: dict[str, Any]) -> str:
    """Hash of everything that decides the parts."""
    gram, structure = solver.gram, solver.gram.activations
    arrays = [gram.columns, gram.neutral, gram.vertices, gram.vertex_weights]
    arrays += [structure.shape, structure.offset, structure.is_tent, structure.knots, gram.rig.bounds]
    decides = {name: value for name, value in settings.items() if name != "threads"}
    return fingerprint(arrays, per_frame, length, decides)
