"""Writing the report of a solved shot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from rigcast._atomic_files import atomic_write
from rigcast._core import BlendshapeRig
from rigcast._pages.template import check_extra
from rigcast._validate import FPS, bad_argument
from rigcast.inverse import Solution
from rigcast.inverse._request import METHODS
from rigcast.inverse._solver import Solver
from rigcast.progress import ProgressOption, as_callback
from rigcast.report._shot.rivals import compare
from rigcast.report._shot.solved import SolvedShot, solved_shot


def write_shot(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    targets: ArrayLike,
    *,
    solution: Solution,
    vertices: ArrayLike | None = None,
    fps: float = FPS,
    truth: ArrayLike | None = None,
    methods: Sequence[str] | None = None,
    name: str | None = None,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Show a solved shot in one HTML file that opens offline.

    Parameters
    ----------
    path : path-like
        The HTML file.
    rig : BlendshapeRig
        With faces.
    targets : (T, V, 3), or (T, M, 3) where ``vertices`` are given
        What was solved.
    solution : Solution
    vertices : array_like of int, shape (M,), optional
        The markers, where only they counted and the solution does not say so itself. What else the solve was given
        (weights of vertices, bounds, pins, priors, equal weights) is the solution's, for every method alike.
    fps : float
        Frames per second; 30 unless stated.
    truth : array_like, shape (T, K), optional
        Weights that made the shot, where they are known.
    methods : sequence of str, optional
        Compared with the solution's own on a few frames: methods of :func:`rigcast.inverse.solve`; default none.
    name : str, optional
        Heading; default the rig's name.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If rig, shot and solution do not fit together, the rig has no faces, or a method is unknown.
    MissingExtra
        Without the ``report`` extra.
    """
    check_extra()
    if not len(rig.faces):
        raise bad_argument("report", "rig", "without faces", "a rig with faces, to be drawn")
    compared = [] if methods is None else list(methods)
    for method in compared:
        if method not in METHODS:
            raise bad_argument("report", "methods", repr(method), "some of: " + ", ".join(METHODS))
    from rigcast.report._shot.gallery import shot_gallery
    from rigcast.report._shot.page import render_shot

    show = as_callback(progress)
    shot = solved_shot(rig, targets, solution, vertices, fps, truth)
    comparison = None
    if compared:
        own = [solution.method] if solution.method in METHODS else []
        order = own + [method for method in compared if method not in own]
        solver = Solver(rig, vertices=shot.vertices, vertex_weights=solution.vertex_weights)
        comparison = compare(solver, shot.targets, order, solution.alpha, shot.millimeters, show, solution)
    text = render_shot(shot, comparison, shot_gallery(shot, show), name or rig.metadata.get("name") or Path(path).stem)
    atomic_write(path, text.encode("utf-8"))
    return _figures(shot) | ({} if comparison is None else {"methods": comparison.figures()})


def _figures(shot: SolvedShot) -> dict[str, object]:
    return {
        "frames": len(shot.rmse),
        "rmse_mm": float(shot.rmse.mean()),
        "worst_frame_rmse_mm": float(shot.rmse.max()),
        "largest_mm": float(shot.largest.max()),
        "cardinality": float(shot.cardinality.mean()),
        "converged": int(shot.solution.converged.sum()),
        "weight_error": shot.weight_error,
        "worst_weight": shot.worst_weight,
        "noise_mm": shot.millimeters * shot.noise.noise,
        "jitter": shot.noise.jitter,
        "constructed": list(shot.rig.constructed),
        "warnings": list(shot.solution.warnings),
    }
