"""Solving a shot in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import os
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from rigcast._interrupts import SOON, held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder, opened
from rigcast._validate import bad_argument
from rigcast.inverse._choices.elbow import SAMPLE, training_frames
from rigcast.inverse._choices.terms import with_relative_alpha, with_smoothness, with_terms_of_sample
from rigcast.inverse._findings.resting_shapes import all_at_rest, lost_shapes
from rigcast.inverse._methods.descent import FRAMES_PER_RUN
from rigcast.inverse._motion.rigid import without_motion, without_rigid_motion
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request, at, checked, is_auto
from rigcast.inverse._shot import check_on_host
from rigcast.inverse._solution import Solution, content_of, from_content
from rigcast.inverse._steps import solve_request
from rigcast.progress import Progress

SLOW = {"mm": 16, "mm_cet": 16, "sqp": 1}  # frames of a part where a frame takes long


def solve_in_parts(
    request: Request,
    folder: str | os.PathLike[str] | PartsFolder,
    *,
    frames: int | None = None,
    resume: bool = False,
) -> Solution:
    """Solve a shot part by part; parts that ``folder`` holds of the same solve are not solved again.

    The parts do not depend on when a run was interrupted, so that any number of runs gives the same solution. With a
    temporal term the parts are solved without it and are the start of one joint solve. The caller removes the folder
    when the solution is in safety.

    Parameters
    ----------
    request : Request
        Of a shot (T, V, 3), or (T, M, 3) of the Gram matrix's vertices, without ``init``.
    folder : path-like or PartsFolder
        Takes one file per part; made if it is missing. A folder that is open already stays so, and keeps other runs out
        until its block ends.
    frames : int, optional
        Of a part; by default what takes about a second.
    resume : bool
        Refuse to start over where the folder holds parts of another solve.

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
    request = _whole_shot(request)
    settled = _settled(request)
    whole = _solved_parts(settled, folder, frames or SLOW.get(request.method, FRAMES_PER_RUN), resume, request)
    problem = make_problem(without_motion(settled, whole.transforms))
    if request.smoothness != 0:
        joint = with_smoothness(replace(request, progress=None), problem, whole)
        if joint.smoothness != 0:
            request.show(Progress("smoothing", 0, 1, "the whole shot"))
            settled = replace(joint, progress=request.show)
            solution, problem = solve_request(settled)
            solution.seconds += whole.seconds
            whole = solution
    if request.has_given_alpha and 2 * int(whole.weights.any(axis=1).sum()) <= len(whole.weights):
        note = all_at_rest(make_problem(without_motion(settled, whole.transforms)))
        whole.warnings += [] if note is None else [note]
    whole.warnings += lost_shapes(problem, whole)
    return whole


def _whole_shot(request: Request) -> Request:
    """Check a shot before its first part, so that frames are named as the shot's own."""
    request, gram = checked(request), request.gram
    check_on_host("solve", request.targets, "in host memory, as parts are kept in files")
    shot = gram.checked(request.host_targets)
    wrong = np.argwhere(~np.isfinite(gram.chosen(shot)).all(axis=2))
    if len(wrong):
        frame, vertex = wrong[0]
        got = f"not finite at frame {frame}, vertex {gram.vertices[vertex]}"
        raise bad_argument("solve", "targets", got, "finite everywhere")
    unprojected = np.zeros((len(shot), len(gram.matrix))), np.zeros(len(shot))
    make_problem(replace(request, targets=shot), unprojected)
    fixed, priors = request.fixed, request.priors
    request = replace(
        request,
        targets=shot,
        fixed=None if fixed is None else np.asarray(fixed, np.float64),
        priors=None if priors is None else (np.asarray(priors[0], np.float64), np.asarray(priors[1], np.float64)),
    )
    first = replace(at(request, slice(1)), max_iterations=1, progress=None, relative_alpha=None)
    solve_request(replace(first, alpha=0.0 if is_auto(first.alpha) else first.alpha))  # refused before any work
    return request


def _settled(request: Request) -> Request:
    """Return the request of the parts: without a temporal term, alpha and the scale of a loss found for the shot."""
    settled = replace(request, smoothness=0.0, progress=None)
    if settled.relative_alpha is not None:
        moved, _ = without_rigid_motion(settled)
        settled = replace(settled, alpha=with_relative_alpha(moved, make_problem(moved)).alpha, relative_alpha=None)
    if settled.needs_training_frames:
        sample = at(settled, training_frames(len(np.asarray(settled.targets)), SAMPLE))
        moved, _ = without_rigid_motion(replace(sample, progress=request.show))
        chosen = with_terms_of_sample(moved, make_problem(moved))
        settled = replace(settled, alpha=chosen.alpha, loss_scale=chosen.loss_scale)
    return settled


def _solved_parts(
    settled: Request, folder: str | os.PathLike[str] | PartsFolder, length: int, resume: bool, request: Request
) -> Solution:
    """Solve the parts that the folder lacks, and join all."""
    shot, parts, solved, began = np.asarray(settled.targets), list[Solution](), 0, time.monotonic()

    def interrupted(place: Path) -> str:
        done = sum(len(part.weights) for part in parts)
        return (
            f"interrupted with {done:,} of {len(shot):,} frames solved and kept in {place}; "
            "run the same command again to continue"
        )

    with opened(folder, "solve") as kept, held_back(SOON, lambda: interrupted(kept.folder)) as pressed:
        kept.begin(_fingerprint(settled, length), resume)
        for number, begin in enumerate(range(0, len(shot), length)):
            if pressed():
                raise KeyboardInterrupt(interrupted(kept.folder))
            known = kept.get(f"{number:06d}")
            if known is not None:
                part = from_content(known)
            else:
                part, _ = solve_request(at(settled, slice(begin, begin + length)))
                kept.put(f"{number:06d}", content_of(part))
                solved += len(part.weights)
            parts.append(part)
            done = begin + len(part.weights)
            request.show(Progress("solving", done, len(shot), _rate(solved, time.monotonic() - began)))
        if pressed() and request.smoothness != 0:
            raise KeyboardInterrupt(interrupted(kept.folder))
    return Solution.joined(parts)


def _rate(frames: int, seconds: float) -> str:
    return f"{frames / seconds:,.0f} frames/s" if frames and seconds > 0 else ""


def _fingerprint(settled: Request, length: int) -> str:
    """Return a hash of everything that decides the parts."""
    gram, structure = settled.gram, settled.gram.activations
    arrays = [gram.columns, gram.neutral, gram.vertices, gram.vertex_weights]
    arrays += [structure.shape, structure.offset, structure.is_tent, structure.knots, gram.rig.bounds]
    arguments = {f.name: getattr(settled, f.name) for f in fields(settled)}
    decides = {name: value for name, value in arguments.items() if name not in ("gram", "threads", "progress")}
    return fingerprint(arrays, length, decides)
