"""Poses from places for vertices."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float32, Float64, integers, number, numbers, whole
from ._library import Handle, bad_argument, call
from ._long import ProgressCallback, call_long, check_progress
from ._models import Deformer
from ._structures import CDragResult, CDragTask, filled
from ._structures import numbers as pair


@dataclass(frozen=True, eq=False)
class PoseSolution:
    """Poses that reach targets, and how well.

    Attributes
    ----------
    poses : (T, C) float32
    channels : (T, N) float64 or None
        The model's channels if they decide its poses.
    error : (T, M) float64
        Per target: a distance in the rig's unit.
    iterations : (T,) int64
        Steps that lowered the objective.
    converged : (T,) bool
    """

    poses: Float32
    channels: Float64 | None
    error: Float64
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]


class Solver:
    """Inverse kinematics of one model, kept warm: what depends on the model and the vertices alone is made once.

    Parameters
    ----------
    model : Deformer
        Any forward model.
    vertices : (M,) integers
        What targets refer to.

    Raises
    ------
    ValueError
        If the model is no model, or a vertex is out of range.
    """

    def __init__(self, model: Deformer, vertices: ArrayLike) -> None:
        if not isinstance(model, Deformer):
            raise bad_argument("solve", "model", f"a {type(model).__name__}", "a model (rigcast_runtime.load(path))")
        self.model = model
        self.vertices = integers("solve", "vertices", vertices, ("M",))
        self._handle = Handle("drag_free", "drag_new", model._handle.pointer, *pair(self.vertices))
        self._num_channels = int(model._facts.channels) if model._facts.channels_decide else 0

    def solve(
        self,
        targets: ArrayLike,
        start: ArrayLike | None = None,
        *,
        preferred: ArrayLike | None = None,
        preference: float = 1e-3,
        weights: ArrayLike | None = None,
        tolerance: float = 1e-6,
        max_iterations: int = 100,
        progress: ProgressCallback = None,
    ) -> PoseSolution:
        """Find the poses of some frames, by damped least squares.

        Parameters
        ----------
        targets : (T, M, 3) or (M, 3)
            Positions for the vertices in the rig's unit.
        start : (C,) or (T, C), optional
            Pose to start from. Default: the rest pose. With one start, each frame starts from the solution of the frame
            before; otherwise frames are independent.
        preferred : (C,) or (T, C), optional
            Pose near which the solution stays where targets leave freedom. Default: the start.
        preference : float, above 0
            How strongly: an unknown that moves over its whole range costs as much as a target missed by ``preference``
            times the size of the character.
        weights : (M,), optional
            Of the targets. Default: 1.
        tolerance : float, above 0
            A frame has converged when its model predicts that the objective falls by less than ``(tolerance size)^2``,
            or by less than the rounding of single precision.
        max_iterations : int
            Per frame.
        progress : callable, optional
            Called about 20 times per second with how many frames of how many are done. What it raises ends the solve,
            as Ctrl-C does.

        Returns
        -------
        PoseSolution

        Raises
        ------
        ValueError
            If a target, weight or start is not finite or of another shape.
        """
        count, width = len(self.vertices), self.model._width
        places = numbers("solve", "targets", targets, ("T", count, 3), (count, 3), dtype=np.float64)
        places = places.reshape(-1, count, 3)
        frames = len(places)
        shapes = (width,), (1, width), (frames, width)
        given = {
            "targets": places,
            "weights": None if weights is None else numbers("solve", "weights", weights, (count,), dtype=np.float64),
            "start": None if start is None else numbers("solve", "start", start, *shapes),
            "preferred": None if preferred is None else numbers("solve", "preferred", preferred, *shapes),
        }
        settings = {
            "preference": number("solve", "preference", preference, above=0.0),
            "tolerance": number("solve", "tolerance", tolerance, above=0.0),
            "max_iterations": whole("solve", "max_iterations", max_iterations, 1),
        }
        check_progress("solve", progress)
        return self._solved(filled(CDragTask, given, frames=frames, **settings), frames, progress)

    def _solved(self, task: CDragTask, frames: int, progress: ProgressCallback) -> PoseSolution:
        poses = np.empty((frames, self.model._width), np.float32)
        channels = np.empty((frames, self._num_channels)) if self._num_channels else None
        errors = np.empty((frames, len(self.vertices)))
        iterations, converged = np.empty(frames, np.int32), np.empty(frames, np.int32)
        found = {"pose": poses, "channels": channels, "errors": errors}
        result = filled(CDragResult, {**found, "frame_iterations": iterations, "frame_converged": converged})
        arguments = (self._handle.pointer, ctypes.byref(task), ctypes.byref(result))
        if frames == 1 and progress is None:
            call("drag_solve", *arguments)  # short: without a thread
        elif frames:
            call_long("drag_solve", task, progress, *arguments)
        return PoseSolution(poses, channels, errors, iterations.astype(np.int64), converged.astype(bool))
