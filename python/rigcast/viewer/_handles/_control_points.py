"""Handles of learned inverse kinematics: control points of a face that are dragged, and networks that answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.ik import FaceIk, Solver
from rigcast.viewer._figures._figure import State
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._handles import Handle, Vector


class ControlPoints:
    """The control points of learned inverse kinematics on the model that it was trained for.

    A pulled point changes rig parameters by the difference between the networks' answers to its target and to where it
    was: nothing jumps when a point is gripped, and parameters of other regions keep their values.

    Raises
    ------
    ValueError
        If the networks are of another model.
    """

    def __init__(self, figure: ModelFigure | RigFigure, networks: FaceIk) -> None:
        if not isinstance(networks, FaceIk):
            raise bad_argument("view", "face_ik", f"a {type(networks).__name__}", "what rigcast.ik.load gives")
        if not isinstance(figure, ModelFigure):
            raise bad_argument("view", "face_ik", "given for a rig", "None, or of the model that is shown")
        self._figure, self._networks = figure, networks
        self._solver = Solver(figure.model)
        if self._solver.names != networks.names or networks.vertices.max() >= len(figure.rest_vertices):
            got = f"for a model with {len(networks.names)} rig parameters, {', '.join(networks.names[:3])} ..."
            raise bad_argument("view", "face_ik", got, "for the model that is shown")
        self._points = figure.model.restricted(networks.vertices)

    def handles(self, state: State) -> list[Handle]:
        return [Handle(f"control point {k}", "point", at) for k, at in enumerate(self._places(state))]

    def moved(self, number: int, begin: State, target: Vector, firm: bool) -> State:
        """As of any handle; ``firm`` polishes the networks' answer by iterative steps over all control points."""
        offset = self._figure.offset(begin)
        before = self._places(begin) - offset
        targets = before.copy()
        targets[number] = target - offset
        pose = self._figure.without_offset(self._figure.pose(begin), offset)
        unknowns = self._solver.engine.from_poses(pose[None], pose[None])
        answers = self._networks.solve(np.stack([before, targets]), threads=1).unknowns
        low, high = self._solver.bounds.T
        wanted = np.clip(unknowns + (answers[1] - answers[0]), low, high)
        if firm:
            wanted = self._polished(targets, wanted, pose)
        poses = self._solver.engine.poses(wanted, pose[None])
        channels: NDArray[np.float64] | None = wanted if self._solver.engine.are_channels else None
        return self._figure.state_of(begin, poses[0], channels, offset)

    def _polished(self, targets: Vector, wanted: NDArray[np.float64], pose: NDArray[np.float32]) -> NDArray[np.float64]:
        solver = Solver(self._figure.model, self._networks.vertices)
        start = wanted if solver.engine.are_channels else solver.engine.poses(wanted, pose[None])
        return solver.solve(targets[None], start[0], max_iterations=5, threads=1).unknowns

    def _places(self, state: State) -> Vector:
        return np.asarray(self._points.evaluate(self._figure.pose(state)[None])[0], np.float64)
