"""``solve`` and ``Solver``: poses from targets, by damped least squares."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_threads
from rigcast.ik._pose_solution import PoseSolution
from rigcast.ik._targets import Goals, Target, pack_targets, point_goals, point_values
from rigcast.progress import Progress, ProgressOption, as_callback

FRAMES_PER_CALL = 64  # between two reports: Ctrl-C and progress wait no longer
MOST_CARRY = 0.999
MOST_CACHED = 16  # restricted models that a solver keeps
Targets = ArrayLike | Sequence[Target]


@one_line
class Solver:
    """Inverse kinematics of one model, kept warm: what depends on the model and the vertices alone is made once.

    Parameters
    ----------
    model : Deformer or Skeleton
        Any forward model. A skeleton is posed by its joints: vertex j is the origin of joint j.
    vertices : (M,) integers, optional
        What an array of targets refers to; targets of a list name their own, whose models are kept too.

    Attributes
    ----------
    names : list of str
        The N unknowns: the model's channels if plain kinematics decides its poses. Otherwise ``JOINT.rotation_x``,
        ``_y`` and ``_z`` (a rotation vector in radians relative to the start, in the coordinates of the parent; joints
        that never turn in the training data are left out), ``JOINT.translation_x``... (values of the pose, where they
        vary in the training data), and the numeric controls.
    bounds, scales : (N, 2) and (N,) float64
        Lowest and highest values; typical ranges.
    size : float
        Diagonal of the bounding box of the model's rest vertices.
    rest : (1, C) float32 and (1, N) float64
        The rest pose and its unknowns.
    model, engine, vertices
        The model, the engine's solver for ``vertices``, and these, (M,) int32 or None.

    Raises
    ------
    ValueError
        If the model is no model, or a vertex is out of range.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> solver = rc.ik.Solver(rig, [0, 40, 80])
    >>> targets = rig.evaluate(np.full((1, rig.num_shapes), 0.3))[:, [0, 40, 80]]
    >>> bool(solver.solve(targets).error.max() < 1e-3)
    True
    """

    def __init__(self, model: _core.Deformer | _core.Skeleton, vertices: ArrayLike | None = None) -> None:
        self.model = _as_deformer(model)
        rest = self.model.rest_vertices
        count = len(rest)
        self._num_vertices, self._width = count, len(self.model.control_names)  # lists and arrays that are made anew
        self._joint_names = list(self.model.joint_names)  # at every access
        self._cached: dict[bytes, _core.PoseSolver] = {}
        self.vertices: NDArray[np.int32] | None = None
        x, y, z = np.ptp(rest.astype(np.float64), axis=0).tolist() if count else (0.0, 0.0, 0.0)
        self.size = math.sqrt(x * x + y * y + z * z) or 1.0  # to the last digit that of the engine's character_size
        if vertices is not None:
            self.vertices = Arguments("solve").integers("vertices", vertices, "M+", below=count, dtype=np.int32)
        engine = self._engine(np.zeros(0, np.int32) if self.vertices is None else np.unique(self.vertices))
        self._goals = None if self.vertices is None else point_goals(self.vertices, np.ones(len(self.vertices)))
        self.names: list[str] = engine.names
        self.bounds: NDArray[np.float64] = engine.bounds
        self.scales: NDArray[np.float64] = engine.scales
        self.engine = engine

    def solve(
        self,
        targets: Targets,
        start: ArrayLike | None = None,
        bounds: ArrayLike | None = None,
        *,
        preferred: ArrayLike | None = None,
        preference: float = 1e-3,
        weights: ArrayLike | None = None,
        carry: float = 0.0,
        tolerance: float = 1e-6,
        max_iterations: int = 100,
        threads: int = 0,
        progress: ProgressOption = None,
    ) -> PoseSolution:
        """Find the poses of some frames; see :func:`solve`.

        Parameters
        ----------
        targets
            As in :func:`solve`, and so are all other arguments, results and errors.
        threads : int
            Number of threads; 0 means all processors that this process may use.
        """
        check = Arguments("solve", N=len(self.names), C=self._width)
        check_threads("solve", threads)
        report = as_callback(progress)
        engine, goals, values = self._task(check, targets, weights)
        frames = len(values)
        references, starts = self._start(check, start, frames)
        limits = np.zeros((0, 2)) if bounds is None else check.numbers("bounds", bounds, "N 2", finite=False)
        prior = starts if preferred is None else self._preferred(check, preferred, references, frames)
        ridge = check.number("preference", preference, least=0.0)
        accuracy = check.number("tolerance", tolerance, above=0.0)
        most = check.whole("max_iterations", max_iterations, least=1)
        share = check.number("carry", carry, least=0.0, most=MOST_CARRY)
        if share and len(starts) > 1:
            raise check.wrong("carry", f"{share} beside a start per frame", "0, or beside one start")
        box = self.bounds if bounds is None else limits
        parts: list[tuple[NDArray[Any], ...]] = []
        for first in range(0, max(frames, 1), 1 if share else FRAMES_PER_CALL):
            rows = slice(first, first + (1 if share else FRAMES_PER_CALL))
            near = _rows(prior, rows)
            if share and first:
                before = _rows(prior, slice(first - 1, first))
                near, starts = near + share * (starts - before), np.clip(starts + near - before, *box.T)
            parts.append(
                engine.solve(
                    goals,
                    values[rows],
                    _rows(references, rows),
                    _rows(starts, rows),
                    near,
                    limits,
                    ridge,
                    accuracy,
                    most,
                    threads,
                )
            )
            if len(starts) == 1 and frames:
                starts = parts[-1][1][-1:]
            report(Progress("inverse kinematics", min(rows.stop, frames), frames))
        columns = parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts, strict=True)]
        poses, unknowns, *others = columns
        channels = unknowns if engine.are_channels else None
        return PoseSolution(poses, unknowns, list(self.names), channels, *others)

    def _engine(self, vertices: NDArray[np.int32]) -> _core.PoseSolver:
        """The engine's solver for the model of some vertices (ascending); of none, for that of vertex 0."""
        key = vertices.tobytes()
        found = self._cached.get(key)
        if found is None:
            found = _core.PoseSolver(self.model.restricted(vertices if len(vertices) else [0]), self.size)
            while len(self._cached) >= MOST_CACHED:
                self._cached.pop(next(iter(self._cached)))
            self._cached[key] = found
        return found

    def _task(
        self, check: Arguments, targets: Targets, weights: ArrayLike | None
    ) -> tuple[_core.PoseSolver, Goals, NDArray[np.float64]]:
        """The engine's solver for the targets' vertices, the goals, and their numbers (T, M, VALUES)."""
        if isinstance(targets, Sequence) and any(isinstance(target, Target) for target in targets):
            if weights is not None:
                raise check.wrong("weights", "given beside a list of targets", "None: targets have their own")
            packed = pack_targets("solve", targets, self._num_vertices, self._joint_names)
            vertices = packed.vertices()
            return self._engine(vertices), packed.goals(vertices), packed.values
        if self.vertices is None or self._goals is None:
            raise check.wrong("vertices", "None", "given where targets are an array (T, M, 3)")
        count = check.sizes["M"] = len(self.vertices)
        positions = check.numbers("targets", targets, "T M 3", "M 3")  # type: ignore[arg-type]
        values = point_values(positions.reshape(-1, count, 3))
        if weights is None:
            return self.engine, self._goals, values
        given = check.numbers("weights", weights, "M")
        if (given < 0).any() or not given.any():
            got = "negative somewhere" if (given < 0).any() else "all zero"
            raise check.wrong("weights", got, "0 or more, and above 0 somewhere")
        return self.engine, point_goals(self.vertices, given), values

    def _start(
        self, check: Arguments, start: ArrayLike | None, frames: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Reference poses and unknowns, one row or one per frame."""
        if start is None:
            return self.rest
        rows = self._matrix(check, "start", start, frames)
        if self.engine.are_channels and rows.shape[1] == len(self.names):
            return self.rest[0], rows
        poses = rows.astype(np.float32)
        return poses, self.engine.from_poses(poses, poses)

    def _preferred(
        self, check: Arguments, preferred: ArrayLike, references: NDArray[np.float32], frames: int
    ) -> NDArray[np.float64]:
        rows = self._matrix(check, "preferred", preferred, frames)
        if self.engine.are_channels and rows.shape[1] == len(self.names):
            return rows
        if len(references) > len(rows):
            rows = np.repeat(rows, len(references), axis=0)
        return self.engine.from_poses(rows.astype(np.float32), references)

    def _matrix(self, check: Arguments, argument: str, value: ArrayLike, frames: int) -> NDArray[np.float64]:
        """A pose or channels, or one per frame, as rows."""
        check.sizes["T"] = frames
        shapes = ["C", "1 C", "T C"] + (["N", "1 N", "T N"] if self.engine.are_channels else [])
        rows: NDArray[np.float64] = np.atleast_2d(check.numbers(argument, value, *shapes, narrow=True))
        return rows

    @functools.cached_property
    def rest(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """The rest pose, and its unknowns."""
        return self.engine.rest

    def __reduce__(self) -> tuple[type[Solver], tuple[_core.Deformer, NDArray[np.int32] | None]]:
        return Solver, (self.model, self.vertices)

    def _facts(self) -> list[str]:
        return [f"{len(self.names)} unknowns", f"of {type(self.model).__name__}"]


def solve(
    model: _core.Deformer | _core.Skeleton,
    targets: Targets,
    vertices: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    preferred: ArrayLike | None = None,
    preference: float = 1e-3,
    weights: ArrayLike | None = None,
    carry: float = 0.0,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    threads: int = 0,
    progress: ProgressOption = None,
) -> PoseSolution:
    """Find poses of a model whose skin and joints reach targets.

    Minimizes in each frame, over the unknowns x (:class:`Solver` says which)::

        sum_i weight_i |c_i(x)|^2 + (preference size)^2 sum_k ((x_k - preferred_k) / scale_k)^2,  low <= x <= high

    where ``c_i`` is the error of target i as a vector, ``size`` the diagonal of the model's bounding box, and
    ``scale_k`` the typical range of an unknown; ``c_i(x) = 0`` for hard targets.

    Method: damped least squares (Wampler 1986) in the form of Levenberg and Marquardt on the model's own Jacobian,
    with bounds by an active set, and hard targets by augmented Lagrangians (Nocedal and Wright 2006, section 17.3).
    Where a model has corners (tents of in-betweens), it may stop at one.

    Parameters
    ----------
    model : Deformer or Skeleton
        Any forward model: learned, skinned or blendshapes. Of a skeleton, vertex j is the origin of joint j.
    targets : (T, M, 3), (M, 3), or a list of Point, Ray, Orientation and Distance
        Positions for ``vertices`` in the rig's unit, or targets of any kind.
    vertices : (M,) integers
        With targets as an array only.
    start : (C,) or (T, C), optional
        Pose to start from; for models with channels also channels (N,) or (T, N). Default: the rest pose. With one
        start, each frame starts from the solution of the frame before; otherwise frames are independent.
    bounds : (N, 2), optional
        Of the unknowns; -inf and inf: none. Default: the model's own, widened up to the start. Channels that the rig
        rounds to whole numbers keep their value.
    preferred : as start, optional
        Pose near which the solution stays where targets leave freedom. Default: the start.
    preference : float
        How strongly: an unknown that moves over its whole range costs as much as a target missed by ``preference``
        times the size.
    weights : (M,), optional
        Of targets given as an array. Default: 1.
    carry : float
        For smooth clips, with one start: the share, from 0 to below 1, of a frame's difference from its preferred pose
        that the next frame's preferred pose has, too. Changes of the preferred poses are followed at once; what the
        solution adds to them fades in and out.
    tolerance : float
        A frame has converged when its model predicts that the objective falls by less than ``(tolerance size)^2``, or
        by less than the rounding of single precision, and when hard targets are met within ``10 tolerance size``.
    max_iterations : int
        Per frame.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result does not depend on it.
    progress : True, callable or None
        See :func:`rigcast.progress.as_callback`.

    Returns
    -------
    PoseSolution

    Raises
    ------
    ValueError
        If the model is no model, a target, weight or start is not finite or of another shape, a vertex or joint is out
        of range, all weights are 0, or bounds exclude the start.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)
    >>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)
    >>> skinning = rc.LinearBlendSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)
    >>> tip = int(arm.rest_vertices[:, 1].argmax())
    >>> found = rc.ik.solve(skinning, arm.rest_vertices[None, [tip]] + [0.1, -0.1, 0.0], [tip])
    >>> bool(found.error[0, 0] < 1e-4)
    True
    """
    return Solver(model, vertices).solve(
        targets,
        start,
        bounds,
        preferred=preferred,
        preference=preference,
        weights=weights,
        carry=carry,
        tolerance=tolerance,
        max_iterations=max_iterations,
        threads=threads,
        progress=progress,
    )


def _rows(array: NDArray[Any], rows: slice) -> NDArray[Any]:
    return array if len(array) == 1 else array[rows]


def _as_deformer(model: object) -> _core.Deformer:
    """The model; of a skeleton, skinning of its joints' origins."""
    if isinstance(model, _core.Deformer):
        return model
    if isinstance(model, _core.Skeleton):
        origins = np.ascontiguousarray(model.rest_globals[:, :, 3])
        joints = np.arange(model.num_joints, dtype=np.int32)[:, None]
        faces = np.zeros((0, 3), np.int32)
        return _core.LinearBlendSkinning(model, origins, faces, (joints, np.ones(joints.shape, np.float32)))
    raise bad_argument("solve", "model", f"a {type(model).__name__}", "a model (rigcast.load(path)) or a Skeleton")
