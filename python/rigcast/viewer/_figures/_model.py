"""A model, placed where it stands, and the recorded vertices of a data set."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._hashing import padded_faces
from rigcast.viewer._drawing._looks import FigureLook
from rigcast.viewer._figures._figure import State, Vertices
from rigcast.viewer._figures._posing import AXES, Posing, Row, Vector, poses_of_each, posing_of
from rigcast.viewer._sliders import Slider, body_part

REACH = 2.0  # of the character's size, each way
NOWHERE = np.zeros(3)
SAME_POSE = 1e-4  # of entries of poses that are one: channels of a recorded pose lead back to it so far


class Placed:
    """Another posing with the translation of the joints without a parent behind its channels."""

    def __init__(self, inner: Posing, model: _core.Deformer) -> None:
        self._inner, self.kind = inner, inner.kind
        names = list(model.joint_names)
        self.roots = [joint for joint, parent in enumerate(model.skeleton.parents) if parent < 0]
        reach = REACH * (float(np.linalg.norm(np.ptp(np.asarray(model.rest_vertices), axis=0))) or 1.0)
        root = names[self.roots[0]]
        self.sliders = [
            *inner.sliders,
            *(Slider(f"{root}.translation_{a.lower()}", body_part("root"), -reach, reach, 0.0, "rig") for a in AXES),
        ]

    def pose(self, row: Row) -> Row:
        return self.moved(self._inner.pose(row[:-3]), row[-3:].astype(np.float64))

    def rows(self, poses: Row) -> Row:
        rows = self._inner.rows(poses)
        without_offset = np.array([self._inner.pose(row) for row in rows])
        first = 12 * self.roots[0] + np.array([3, 7, 11])
        moved = poses[:, first] - without_offset[:, first]
        return np.asarray(np.concatenate([rows, moved], axis=1), np.float32)

    def moved(self, pose: Row, offset: Vector) -> Row:
        result = np.array(pose, np.float32)
        for joint in self.roots:
            result[12 * joint + np.array([3, 7, 11])] += offset.astype(np.float32)
        return result

    def offset(self, row: Row) -> Vector:
        return row[-3:].astype(np.float64)

    def placed(self, row: Row, offset: Vector) -> Row:
        return np.asarray(np.concatenate([row, offset]), np.float32)


def needs_place(model: _core.Deformer) -> bool:
    """True if a model has joints, and no channel that moves those without a parent."""
    if model.skeleton is None or not model.joint_names:
        return False
    joints = [joint for joint, parent in enumerate(model.skeleton.parents) if parent < 0]
    roots = {model.joint_names[joint] for joint in joints}
    channels = model.channels
    if any(c.kind.startswith("translate") and c.joint in roots for c in channels):
        return False
    shifts = [c for c in channels if c.kind == "control" and c.unit == "rig"]
    if not shifts or not all(c.follows_kinematics for c in channels):
        return True
    poses = poses_of_each(model, shifts)
    columns = [12 * joint + entry for joint in joints for entry in (3, 7, 11)]
    moved = np.abs(poses[1:, columns] - poses[0, columns]).reshape(len(shifts), len(joints), 3).max(axis=2)
    return not bool((moved > 0.0).all(axis=1).any())


class ModelFigure:
    """A model: poses are evaluated as they are."""

    look: FigureLook | None = None  # of its materials

    def __init__(self, model: _core.Deformer, name: str = "") -> None:
        self.model = model
        self.name = name or str(model.metadata.get("name", "")) or "Model"
        self.kind = model.kind
        self.rest_vertices = np.asarray(model.rest_vertices)
        self.faces = padded_faces(model.faces, "view", len(self.rest_vertices))
        self.up_axis, self.meters_per_unit = model.up_axis, model.meters_per_unit
        self._posing: Posing = posing_of(model)
        if needs_place(model):
            self._posing = Placed(self._posing, model)
        self.sliders = self._posing.sliders
        self._session = model.session()

    @functools.cached_property
    def has_error_bound(self) -> bool:
        """True if the model's file states a bound of its error."""
        try:
            self.error_bound(State(np.array([slider.rest for slider in self.sliders], np.float32)))
        except (AttributeError, ValueError):  # models of an engine without bounds, files that state none
            return False
        return True

    def error_bound(self, state: State) -> Vertices:
        """(V,) what the error of each vertex stays below in 95 of 100 held-out poses, in the model's unit."""
        model: Any = self.model
        return np.asarray(model.error_bound(self.pose(state)[None])[0], np.float32)

    @property
    def skeleton(self) -> _core.Skeleton | None:
        """The model's joints, if it has any."""
        return self.model.skeleton

    @property
    def is_solved_as_it_is(self) -> bool:
        """True."""
        return True

    @property
    def moves_whole(self) -> bool:
        """True if sliders of the view move the model as a whole."""
        return isinstance(self._posing, Placed)

    @property
    def posing(self) -> dict[str, Any]:
        """Kind and roots of the posing, for a page that makes poses of sliders itself."""
        return {"kind": self._posing.kind, "roots": self._posing.roots}

    @property
    def translated_joints(self) -> set[str]:
        """Names of joints that channels move."""
        return {c.joint for c in self.model.channels if c.joint and c.kind.startswith("translate")}

    def vertices(self, state: State) -> Vertices:
        return np.asarray(self._session.evaluate(self.pose(state)))

    def pose(self, state: State) -> Row:
        return self._posing.pose(state.row) if state.pose is None else state.pose

    def offset(self, state: State) -> Vector:
        return self._posing.offset(state.row)

    def without_offset(self, pose: Row, offset: Vector) -> Row:
        return self._posing.moved(pose, -offset)

    def state_of(self, _: State, in_place: Row, channels: NDArray[np.float64] | None, offset: Vector) -> State:
        pose = self._posing.moved(in_place, offset)
        if channels is None:
            return State(self._posing.rows(pose[None])[0], pose)
        return State(self._posing.placed(channels[0].astype(np.float32), offset), pose)

    def drag_model(self) -> tuple[_core.Deformer, str]:
        return self.model, ""

    def rows(self, poses: Row) -> Row:
        """The channels (T, N) that come nearest to poses (T, C)."""
        return self._posing.rows(poses)


class RecordedFigure:
    """The vertices of a data set: it stands in recorded poses only, between them in the one that was last asked for."""

    look: FigureLook | None = None  # of its materials

    def __init__(self, dataset: Any, name: str = "") -> None:
        self.dataset = dataset
        self.name = name or f"{dataset.name or 'data set'}, recorded"
        self.kind = "data set"
        self.rest_vertices = np.asarray(dataset.rest_vertices)
        self.faces = padded_faces(dataset.faces, "view", len(self.rest_vertices))
        self.up_axis, self.meters_per_unit = dataset.up_axis, dataset.meters_per_unit

    def stands_as(self, pose: Row, index: int) -> bool:
        """True if a pose (C,) is the one that was recorded in a frame, up to rounding."""
        recorded = self.dataset.poses[min(index, len(self.dataset) - 1)]
        return len(pose) == len(recorded) and bool(np.allclose(pose, recorded, rtol=SAME_POSE, atol=SAME_POSE))

    def frame(self, index: int) -> Vertices:
        """Vertices (V, 3) of a recorded pose."""
        return np.asarray(self.dataset.vertices[index], np.float32)
