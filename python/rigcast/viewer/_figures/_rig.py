"""A rig that its own program evaluates."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, baselines, sampling
from rigcast._hashing import padded_faces
from rigcast._validate import bad_argument
from rigcast.viewer._drawing._looks import FigureLook
from rigcast.viewer._figures._figure import State, Vertices
from rigcast.viewer._figures._posing import Row, Vector
from rigcast.viewer._protocol import Refused
from rigcast.viewer._sliders import Slider, body_part

FITTED_POSES = 200  # that skinning is fitted to, where a rig has no skin weights of its own
FITTED_INFLUENCES = 4
THROUGH = "drags are solved on the learned model of the rig that was given"


class RigFigure:
    """A rig, evaluated by its own program. Drags are solved on a learned model of it, or on skinning fitted to it.

    Raises
    ------
    ValueError
        If ``through`` has other vertices, joints or channels than the rig.
    """

    look: FigureLook | None = None  # of its materials

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
        angles = {channel for turned in getattr(rig, "rotation_channels", ()) for channel in turned.channels}
        self.sliders = [
            Slider(n, body_part(n), float(low), float(high), float(value), "degrees" if i in angles else "")
            for i, (n, (low, high), value) in enumerate(zip(rig.channel_names, ranges, rest, strict=True))
        ]
        self._through = None if through is None else _model_of(rig, through)
        self._drag = None if through is None else (through, THROUGH)
        self._last: tuple[Row, tuple[Row, Vertices]] | None = None

    @property
    def skeleton(self) -> _core.Skeleton | None:
        """The joints of the poses, if there are any."""
        return getattr(self.rig if self._through is None else self._through, "skeleton", None)

    @property
    def is_solved_as_it_is(self) -> bool:
        """False: a model of the rig is solved in its place."""
        return False

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
        if self._through is None:
            return self._sample(state.row)[0]
        return np.asarray(self._through.poses_from_channels(state.row[None, self._columns(self._through)])[0])

    def _columns(self, model: _core.Deformer) -> list[int]:
        """Columns of the rig's channels that are those of a model of it, in the model's order."""
        names = list(self.rig.channel_names)
        return [names.index(channel.name) for channel in model.channels]

    def _sample(self, row: Row) -> tuple[Row, Vertices]:
        """Pose and vertices that the rig's program gives, kept until another row is asked for."""
        if self._last is None or not np.array_equal(self._last[0], row):
            poses, vertices = self.rig.sample(row[None])
            self._last = row.copy(), (np.asarray(poses[0], np.float32), np.asarray(vertices[0], np.float32))
        return self._last[1]

    def offset(self, _: State) -> Vector:
        return np.zeros(3)

    def without_offset(self, pose: Row, _: Vector) -> Row:
        return pose

    def state_of(self, begin: State, in_place: Row, channels: NDArray[np.float64] | None, _: Vector) -> State:
        model = self.drag_model()[0]
        if channels is None:
            channels = model.channels_from_poses(in_place[None])[0]
        row = begin.row.copy()
        row[self._columns(model)] = channels[0]
        return State(np.clip(row, *self._limits).astype(np.float32))

    @property
    def has_drag_model(self) -> bool:
        """True if :meth:`drag_model` answers at once: otherwise the first call samples the rig, which takes seconds."""
        return self._drag is not None or bool(getattr(self.rig, "posed_elsewhere", None))

    def drag_model(self) -> tuple[_core.Deformer, str]:
        if self._drag is None:
            elsewhere = dict(getattr(self.rig, "posed_elsewhere", None) or {})
            if elsewhere:  # channels that lead to a pose are not known
                joint, reason = next(iter(elsewhere.items()))
                raise Refused(f"{joint} is posed by {reason}: use the sliders, or --through a learned model of the rig")
            self._drag = _fitted_skinning(self.rig)
        return self._drag


def _model_of(rig: Any, model: _core.Deformer) -> _core.Deformer:
    """The model, if it has the vertices of the rig and channels of it that alone decide its poses."""
    what = None
    if len(model.rest_vertices) != len(rig.rest_vertices):
        what = f"a model of {len(model.rest_vertices):,} vertices beside {len(rig.rest_vertices):,}"
    elif not model.channels or not {channel.name for channel in model.channels} <= set(rig.channel_names):
        what = "a model of other channels than the rig's"
    elif other := next((channel for channel in model.channels if not channel.follows_kinematics), None):
        what = f"a model whose channel {other.name!r} does not decide its poses"
    if what is not None:
        raise bad_argument("view", "through", what, "a model of this rig with channels that do")
    return model


def _fitted_skinning(rig: Any) -> tuple[_core.Deformer, str]:
    """Linear skinning fitted to sampled poses."""
    if getattr(rig, "skeleton", None) is None:
        raise bad_argument("view", "model", "a rig without joints", "a rig with joints, or a model, to be dragged")
    with tempfile.TemporaryDirectory(prefix="rigcast-view-") as folder:
        data = sampling.sample(rig, Path(folder) / "poses.rwdata", count=FITTED_POSES, seed=0)
        model = baselines.linear_blend(data, influences=FITTED_INFLUENCES)
    return model, f"drags are solved on linear skinning that was fitted to {FITTED_POSES} poses of the rig"
