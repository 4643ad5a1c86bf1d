"""What the view shows: a model, a rig, or the recorded poses of a data set, all with sliders and vertices."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import _core
from rigwright._hashing import padded_faces
from rigwright._validate import bad_argument
from rigwright.sampling._kinematics import channel_entry
from rigwright.viewer._placing import Placed, needs_place
from rigwright.viewer._posing import Posing, Row, Vector, posing_of
from rigwright.viewer._sliders import Slider, body_part

Vertices = NDArray[np.float32]
FITTED_POSES = 200  # that skinning is fitted to, where a rig has no skin weights of its own
FITTED_INFLUENCES = 4
THROUGH = "drags are solved on the learned model of the rig that was given"


@dataclass(frozen=True)
class State:
    """Where a figure stands: channels (N,), and the pose (C,) that was found or recorded, which channels may miss."""

    row: Row
    pose: Row | None = None


class Figure(Protocol):
    """One character of the view.

    Attributes
    ----------
    name, kind : str
    rest_vertices : (V, 3) float32 array
    faces : (F, 4) int32 array
    up_axis : str
    meters_per_unit : float
    sliders : list of Slider
    skeleton : Skeleton or None
    """

    name: str
    kind: str
    rest_vertices: Vertices
    faces: NDArray[np.int32]
    up_axis: str
    meters_per_unit: float
    sliders: list[Slider]

    @property
    def skeleton(self) -> _core.Skeleton | None: ...

    @property
    def moves_whole(self) -> bool:
        """Whether :meth:`offset` can be anything but zero."""

    @property
    def translated_joints(self) -> set[str]:
        """Names of joints that channels move."""

    def vertices(self, state: State) -> Vertices:
        """(V, 3)."""

    def pose(self, state: State) -> Row:
        """The pose row (C,) of :meth:`drag_model` for a state."""

    def offset(self, state: State) -> Vector:
        """How far the whole character has been moved (3,): :meth:`home` is the pose without it."""

    def home(self, pose: Row, offset: Vector) -> Row:
        """A pose where the character was modeled, which is where :meth:`drag_model`'s own channels leave it."""

    def state_of(self, home: Row, channels: NDArray[np.float64] | None, offset: Vector) -> State:
        """The state of a pose at home, whose channels (1, N) are known where the model has any, moved by an offset."""

    def drag_model(self) -> tuple[_core.Deformer, str]:
        """The model that drags are solved on, and a line that says what it is if it is not the figure itself.

        Raises
        ------
        ValueError
            If nothing can solve them.
        """


class ModelFigure:
    """A model: poses are evaluated as they are."""

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

    @property
    def skeleton(self) -> _core.Skeleton | None:
        """The model's joints, if it has any."""
        return self.model.skeleton

    @property
    def moves_whole(self) -> bool:
        """Whether sliders of the view move the model as a whole."""
        return isinstance(self._posing, Placed)

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

    def home(self, pose: Row, offset: Vector) -> Row:
        return self._posing.moved(pose, -offset)

    def state_of(self, home: Row, channels: NDArray[np.float64] | None, offset: Vector) -> State:
        pose = self._posing.moved(home, offset)
        if channels is None:
            return State(self._posing.rows(pose[None])[0], pose)
        return State(self._posing.placed(channels[0].astype(np.float32), offset), pose)

    def drag_model(self) -> tuple[_core.Deformer, str]:
        return self.model, ""

    def rows(self, poses: Row) -> Row:
        """The channels (T, N) that come nearest to poses (T, C)."""
        return self._posing.rows(poses)


class RigFigure:
    """A rig, evaluated by its own program. Drags are solved on a learned model of it, or on skinning fitted to it.

    Raises
    ------
    ValueError
        If ``through`` has other vertices, joints or channels than the rig.
    """

    def __init__(self, rig: Any, name: str = "", through: _core.Deformer | None = None) -> None:
        self.rig = rig
        self.name = name or str(getattr(rig, "name", "")) or "Rig"
        self.kind = "rig"
        self.rest_vertices = np.asarray(rig.rest_vertices, np.float32)
        self.faces = padded_faces(rig.faces, "view", len(self.rest_vertices))
        self.up_axis = str(getattr(rig, "up_axis", "Y"))
        self.meters_per_unit = float(getattr(rig, "meters_per_unit", 1.0))
        ranges = np.asarray(rig.channel_ranges, np.float64)
        self._limits = ranges.T
        rest = np.asarray(getattr(rig, "channel_rest", np.clip(0.0, ranges[:, 0], ranges[:, 1])))
        self.sliders = [
            Slider(n, body_part(n), float(low), float(high), float(value), "")
            for n, (low, high), value in zip(rig.channel_names, ranges, rest, strict=True)
        ]
        self._drag = None if through is None else (_model_of(rig, through), THROUGH)
        self._last: tuple[Row, tuple[Row, Vertices]] | None = None

    @property
    def skeleton(self) -> _core.Skeleton | None:
        """The rig's joints, if it has any."""
        return getattr(self.rig, "skeleton", None)

    @property
    def moves_whole(self) -> bool:
        """A rig is moved by its own channels only."""
        return False

    @property
    def translated_joints(self) -> set[str]:
        """Names of joints that channels move, as far as the rig states it."""
        stated = getattr(self.rig, "translation_channels", None) or []
        return {self.rig.skeleton.names[entry.joint] for entry in stated}

    def vertices(self, state: State) -> Vertices:
        return self._sample(state.row)[1]

    def pose(self, state: State) -> Row:
        return self._sample(state.row)[0]

    def _sample(self, row: Row) -> tuple[Row, Vertices]:
        """Pose and vertices that the rig's program gives, kept until another row is asked for."""
        if self._last is None or not np.array_equal(self._last[0], row):
            poses, vertices = self.rig.sample(row[None])
            self._last = row.copy(), (np.asarray(poses[0], np.float32), np.asarray(vertices[0], np.float32))
        return self._last[1]

    def offset(self, _: State) -> Vector:
        return np.zeros(3)

    def home(self, pose: Row, _: Vector) -> Row:
        return pose

    def state_of(self, home: Row, channels: NDArray[np.float64] | None, _: Vector) -> State:
        if channels is None:
            channels = self.drag_model()[0].channels_from_poses(home[None])[0]
        return State(np.clip(channels[0], *self._limits).astype(np.float32))

    @property
    def has_drag_model(self) -> bool:
        """Whether :meth:`drag_model` answers at once: otherwise the first call samples the rig, which takes seconds."""
        return self._drag is not None or bool(getattr(self.rig, "posed_elsewhere", None))

    def drag_model(self) -> tuple[_core.Deformer, str]:
        elsewhere = dict(getattr(self.rig, "posed_elsewhere", None) or {})
        if elsewhere:  # no solver knows which channels lead to a pose
            joint, reason = next(iter(elsewhere.items()))
            raise ValueError(f"{joint} is posed by {reason}: use the sliders, or view a learned model of the rig")
        if self._drag is None:
            self._drag = _fitted_skinning(self.rig)
        return self._drag


class RecordedFigure:
    """The vertices of a data set: it stands in recorded poses only, between them in the one that was last asked for."""

    def __init__(self, dataset: Any, name: str = "") -> None:
        self.dataset = dataset
        self.name = name or f"{dataset.name or 'data set'}, recorded"
        self.kind = "data set"
        self.rest_vertices = np.asarray(dataset.rest_vertices)
        self.faces = padded_faces(dataset.faces, "view", len(self.rest_vertices))
        self.up_axis, self.meters_per_unit = dataset.up_axis, dataset.meters_per_unit

    def frame(self, index: int) -> Vertices:
        """Vertices (V, 3) of a recorded pose."""
        return np.asarray(self.dataset.vertices[index], np.float32)


def figure_of(subject: Any, name: str = "", through: _core.Deformer | None = None) -> ModelFigure | RigFigure:
    """The figure of a model, a rig or a data set; of a data set it is skinning fitted to its samples.

    Parameters
    ----------
    subject : Deformer, Rig or Dataset
    name : str
    through : Deformer, optional
        A model of the rig on which drags are solved.

    Raises
    ------
    ValueError
        If it is none of them, a data set without joints, or ``through`` is no model of a rig that needs one.
    """
    if through is not None and not isinstance(through, _core.Deformer):
        raise bad_argument("view", "through", f"a {type(through).__name__}", "a model")
    if through is not None and not _needs_model(subject):
        raise bad_argument("view", "through", "given for what is dragged as it is", "None: a rig takes it")
    if isinstance(subject, _core.Deformer):
        return ModelFigure(subject, name)
    if isinstance(subject, rw.Dataset):
        fitted = rw.baselines.linear_blend(subject, influences=FITTED_INFLUENCES)
        return ModelFigure(fitted, name or f"{subject.name or 'data set'}, fitted skinning")
    if isinstance(subject, rw.sources.Rig):
        skinned = _skinning_of(subject)
        return RigFigure(subject, name, through) if skinned is None else ModelFigure(skinned, name)
    raise bad_argument("view", "model", f"a {type(subject).__name__}", "a model, a rig or a data set")


def _needs_model(subject: Any) -> bool:
    """Whether it is a rig that its own program evaluates."""
    is_model = isinstance(subject, _core.Deformer | rw.Dataset)
    return not is_model and isinstance(subject, rw.sources.Rig) and _skinning_of(subject) is None


def _model_of(rig: Any, model: _core.Deformer) -> _core.Deformer:
    """The model, if vertices, joints and channels are those of the rig."""
    joints = [] if rig.skeleton is None else list(rig.skeleton.names)
    same = {
        "vertices": (len(model.rest_vertices), len(rig.rest_vertices)),
        "joints": (list(model.joint_names), joints),
        "controls": (list(model.control_names[12 * len(joints) :]), list(rig.dial_names)),
        "channels": ([channel.name for channel in model.channels], list(rig.channel_names)),
    }
    wrong = next((what for what, (own, wanted) in same.items() if own != wanted), None)
    if wrong is not None:
        raise bad_argument("view", "through", f"a model of other {wrong} than the rig's", "a model of this rig")
    return model


def _skinning_of(rig: Any) -> _core.Deformer | None:
    """The model that a rig of linear skinning is; None if it is more than that."""
    skin, skeleton = getattr(rig, "skin", None), getattr(rig, "skeleton", None)
    if skin is None or skeleton is None or getattr(rig, "morphs", None):
        return None
    facts = rw.sampling.check_rig(rig, "view")
    manifest = {
        "channel_names": facts.channel_names,
        "channel_ranges": facts.channel_ranges.tolist(),
        "channel_rest": np.asarray(rig.channel_rest).tolist(),
        "kinematics": facts.kinematics,
    }
    about = {key: getattr(facts, key) for key in ("name", "licence", "origin", "meters_per_unit", "up_axis")}
    return rw.LinearBlendSkinning(
        skeleton,
        rig.rest_vertices,
        rig.faces,
        (skin.joint, np.asarray(skin.weight, np.float32)),
        metadata={**about, "channels": channel_entry(manifest, {"channels": {}, "joints": {}})},
    )


def _fitted_skinning(rig: Any) -> tuple[_core.Deformer, str]:
    """Linear skinning fitted to sampled poses."""
    if getattr(rig, "skeleton", None) is None:
        raise bad_argument("view", "model", "a rig without joints", "a rig with joints, or a model, to be dragged")
    with tempfile.TemporaryDirectory(prefix="rigwright-view-") as folder:
        data = rw.sampling.sample(rig, Path(folder) / "poses.rwdata", count=FITTED_POSES, seed=0)
        model = rw.baselines.linear_blend(data, influences=FITTED_INFLUENCES)
    return model, f"drags are solved on linear skinning that was fitted to {FITTED_POSES} poses of the rig"
