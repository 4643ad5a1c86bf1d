"""Learned inverse kinematics of a face: control points to rig parameters, by a network per region."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._safe_reading import errors_naming
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_threads, missing_file
from rigcast.errors import NumericalError
from rigcast.ik._pose_solution import PoseSolution, measured_later
from rigcast.ik._solver import Solver
from rigcast.ik._targets import Ray

MODEL = "model."  # prefix of the tensors of the model of the control points
DEPTH = np.array([0.0, 0.0, 1.0])  # 2-D points are seen along z


@one_line
class FaceIk:
    """Rig parameters from M control points (Bailey 2020, chapter 4). Immutable.

    Made by :func:`rigcast.training.face_ik`, read by :func:`rigcast.ik.load`. It holds the model of its control
    points, which says where they are and which polishes answers.

    Attributes
    ----------
    names : list of str
        The N rig parameters: the unknowns of :class:`rigcast.ik.Solver`.
    vertices : (M,) int32
        The control points in the character.
    regions : list of (points, parameters)
        Indices of each network's control points and rig parameters.
    agreement : str
        "average" of parameters that regions share, or a "joint" solve over regions.
    dimensions : int
        3; or 2: control points are (x, y), seen along z.
    metadata : dict

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> ik = rc.training.face_ik(rig, np.arange(0, 700, 35), steps=5)  # minutes=10 for a model worth having
    >>> ik.solve(rig.rest_vertices[ik.vertices]).channels.shape
    (1, 22)
    """

    def __init__(self, tensors: Mapping[str, NDArray[np.generic]], metadata: Mapping[str, object]) -> None:
        own: dict[str, NDArray[Any]] = {name: value for name, value in tensors.items() if not name.startswith(MODEL)}
        part = {name[len(MODEL) :]: value for name, value in tensors.items() if name.startswith(MODEL)}
        self._tensors = dict(tensors)
        self._engine = _core.FaceIkNetworks(self._tensors, json.dumps(metadata))
        if not isinstance(metadata.get("model"), dict):
            raise bad_argument("load", "metadata.model", "missing", "the metadata of the model of the control points")
        self._model = _core.model_from_tensors(part, json.dumps(metadata["model"]))
        self._solver = Solver(self._model, np.arange(self._engine.num_points))
        self.metadata: dict[str, Any] = dict(metadata)
        self.names: list[str] = list(self._solver.names)
        if len(self.names) != self._engine.num_parameters:
            got = f"{self._engine.num_parameters} parameters for a model with {len(self.names)}"
            raise bad_argument("load", "parameters.rest", got, "one per parameter of the model")
        self.vertices: NDArray[np.int32] = own["points.vertex"]
        self.dimensions: int = self._engine.dimensions
        self.agreement: str = str(metadata.get("agreement", "average"))
        self._reference = self._solver.rest[0]
        begins = own["regions.point_offset"], own["regions.parameter_offset"]
        self.regions = [
            (own["regions.point"][a:b], own["regions.parameter"][c:d])
            for a, b, c, d in zip(begins[0], begins[0][1:], begins[1], begins[1][1:], strict=False)
        ]

    def solve(self, targets: ArrayLike, *, polish: int = 0, threads: int = 0) -> PoseSolution:
        """Rig parameters of control points.

        Parameters
        ----------
        targets : (T, M, 3) or (M, 3); (T, M, 2) or (M, 2) for 2-D points
            Where control points shall be, in the rig's unit. Networks for 2-D points ignore z.
        polish : int
            Iterative steps (:func:`rigcast.ik.solve`) from the networks' answer, over all regions together: they
            replace what regions agreed on by what is best for all control points.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        PoseSolution
            ``error`` is the distance of the control points on the model that was trained with (in 2-D, in the image);
            without ``polish``, it is measured when it is first asked for, ``iterations`` is 0 and ``converged`` False.

        Raises
        ------
        ValueError
            If a shape is wrong or a number is not finite.
        """
        check = Arguments("solve", M=self._engine.num_points)
        check_threads("solve", threads)
        steps = check.whole("polish", polish)
        shapes = ["T M 3", "M 3"] + (["T M 2", "M 2"] if self.dimensions == 2 else [])
        points = check.numbers("targets", targets, *shapes, dtype=np.float32)
        points = points.reshape(-1, *points.shape[-2:])[..., : self.dimensions]
        found = self._engine.solve(np.ascontiguousarray(points), threads).astype(np.float64)
        if not np.isfinite(found).all():
            raise NumericalError("solve: the networks' numbers overflow for these targets: the model is damaged")
        if steps:
            return self._polished(points, found, steps, threads)
        engine = self._solver.engine
        poses = engine.poses(found, self._reference)
        sides = np.where(found <= self._solver.bounds[:, 0], -1, np.where(found >= self._solver.bounds[:, 1], 1, 0))
        return measured_later(
            partial(self._measured, poses.copy(), points.copy(), threads),  # the caller may change its arrays
            poses=poses,
            unknowns=found,
            names=list(self.names),
            channels=found if engine.are_channels else None,
            iterations=np.zeros(len(found), np.int64),
            converged=np.zeros(len(found), np.bool_),
            at_bound=sides.astype(np.int8),
        )

    def _measured(
        self, poses: NDArray[np.float32], points: NDArray[np.float32], threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distances (T, M) of the model's control points from targets, and the sums (T,) of their squares."""
        apart = self._model.evaluate(poses, threads=threads)[..., : self.dimensions].astype(np.float64) - points
        squares = np.einsum("tmi,tmi->tm", apart, apart)
        return np.sqrt(squares), squares.sum(axis=1)

    def _polished(
        self, points: NDArray[np.float32], found: NDArray[np.float64], steps: int, threads: int
    ) -> PoseSolution:
        start: NDArray[Any] = found
        if not self._solver.engine.are_channels:
            start = self._solver.engine.poses(found, self._solver.rest[0])
        if self.dimensions == 3:
            return self._solver.solve(points, start, max_iterations=steps, threads=threads)
        origins = np.concatenate([points, np.zeros((*points.shape[:2], 1), np.float32)], axis=2)
        rays = [Ray(i, origins[:, i], DEPTH) for i in range(points.shape[1])]
        return self._solver.solve(rays, start, max_iterations=steps, threads=threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (kind ``face_ik``), atomically."""
        self._engine.save(os.fspath(path))

    def __reduce__(self) -> tuple[type[FaceIk], tuple[dict[str, NDArray[np.generic]], dict[str, Any]]]:
        """For pickle and copy: the tensors and metadata of the model's file."""
        return FaceIk, (self._tensors, self.metadata)

    def __repr__(self) -> str:
        counts = f"{len(self.vertices)} control points, {len(self.regions)} regions, {len(self.names)} rig parameters"
        joint = ", joint solve" if self.agreement == "joint" else ""
        return f"<rigcast.ik.FaceIk {self.metadata.get('name', '')!r}: {counts}, {self.dimensions}-D{joint}>"


def load(path: str | os.PathLike[str]) -> FaceIk:
    """Open learned inverse kinematics, as :meth:`FaceIk.save` writes it.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it is a model of another kind, or no such file.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument("load", "path", f"a {type(path).__name__}", "a path")
    if not os.path.exists(path):
        raise missing_file("load", "path", path, "learned inverse kinematics")
    file = _core.TensorFile.read(path)
    metadata = json.loads(file.metadata or "{}")
    if not isinstance(metadata, dict) or metadata.get("kind") != "face_ik":
        kind = metadata.get("kind") if isinstance(metadata, dict) else None
        got = f"{os.fspath(path)!r}, of kind {kind!r}"
        raise bad_argument("load", "path", got, "learned inverse kinematics: models are opened by rigcast.load", path)
    with errors_naming(path):
        return FaceIk(file.arrays(), metadata)
