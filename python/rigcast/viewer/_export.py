"""Exports of the posed figure to files of other programs."""

from __future__ import annotations

import io
import logging
import re
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import exports
from rigcast._atomic_files import atomic_npz
from rigcast._core import BlendshapeRig
from rigcast.exports._motion import write_poses
from rigcast.viewer._figures._figure import Figure, State
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._protocol import Refused
from rigcast.viewer._stage import Stage

LOG = logging.getLogger("rigcast.viewer")


@dataclass(frozen=True)
class Snapshot:
    """The states of a figure over the timeline, or the one in which it stands if nothing plays."""

    figure: Figure
    states: list[State]
    fps: float
    head: NDArray[np.float64] | None = None  # (T, 3, 4)
    keys: tuple[int, ...] = ()  # frames

    @classmethod
    def of(cls, stage: Stage) -> Snapshot:
        """Of a stage, as it is now."""
        timeline = stage.timeline
        if timeline.is_empty:
            return cls(stage.figure, [stage.state], timeline.fps)
        states = [State(stage.within(timeline.row(t)), timeline.pose(t)) for t in range(timeline.frames)]
        head = timeline.head
        moved = None if head is None else np.array([head.at(t) for t in range(timeline.frames)])
        return cls(stage.figure, states, timeline.fps, moved, tuple(sorted(timeline.keys)))

    @property
    def rows(self) -> NDArray[np.float32]:
        """Channels (T, N)."""
        return np.array([state.row for state in self.states], np.float32)

    def poses(self) -> NDArray[np.float32]:
        """Pose rows (T, C)."""
        return np.array([self.figure.pose(state) for state in self.states], np.float32)


def stem(figure: Figure) -> str:
    """The name of a figure as that of a file."""
    return re.sub(r"[^\w.-]+", "-", figure.name).strip("-.")[:60] or "pose"


def written(snapshot: Snapshot, form: str) -> tuple[str, NDArray[np.uint8]]:
    """The name and the bytes of a file; several files become one .zip."""
    name = stem(snapshot.figure)
    with tempfile.TemporaryDirectory(prefix="rigcast-view-") as folder:
        WRITERS[form](snapshot, Path(folder) / f"{name}.{form}")
        files = sorted(path for path in Path(folder).iterdir() if path.is_file())
        if len(files) == 1:
            return files[0].name, np.frombuffer(files[0].read_bytes(), np.uint8)
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.name)
    return f"{name}-{form}.zip", np.frombuffer(memory.getvalue(), np.uint8)


def _npz(snapshot: Snapshot, path: Path) -> None:
    names = np.array([slider.name for slider in snapshot.figure.sliders], np.str_)
    arrays: dict[str, Any] = {"channels": snapshot.rows, "names": names, "fps": np.float64(snapshot.fps)}
    if isinstance(snapshot.figure, ModelFigure):
        arrays["poses"] = snapshot.poses()
        if isinstance(snapshot.figure.model, BlendshapeRig):
            arrays |= {"weights": arrays["poses"], "corrected": np.array(snapshot.keys, np.int64)}
    if snapshot.head is not None:
        arrays["transforms"] = snapshot.head
    atomic_npz(path, arrays, compressed=True)


def _bvh(snapshot: Snapshot, path: Path) -> None:
    if not isinstance(snapshot.figure, ModelFigure):
        raise Refused("a BVH file is written of models with joints")
    write_poses(path, snapshot.figure.model, snapshot.poses(), snapshot.fps)


def _moving_mesh(snapshot: Snapshot, path: Path) -> None:
    for note in _written(snapshot, path):
        LOG.warning(note)


def _written(snapshot: Snapshot, path: Path) -> list[str]:
    """Write weights of a face, joints of a character if the format holds them, or else vertices; gives the notes."""
    figure = snapshot.figure
    model = figure.model if isinstance(figure, ModelFigure) else None
    if isinstance(model, BlendshapeRig):
        return exports.write_blendshape_weights(
            path, model, snapshot.poses(), fps=snapshot.fps, transforms=snapshot.head
        )
    rig: Any = figure.rig if isinstance(figure, RigFigure) else None
    if path.suffix == ".glb" and getattr(rig, "skeleton", None) is not None:
        return exports.write_motion(path, rig, snapshot.rows, fps=snapshot.fps)
    vertices = (
        exports.Playback(model, snapshot.poses())
        if model is not None
        else np.array([figure.vertices(state) for state in snapshot.states])
    )
    about: dict[str, Any] = {"meters_per_unit": figure.meters_per_unit, "up_axis": figure.up_axis, "name": figure.name}
    return exports.write_vertices(path, vertices, figure.faces, fps=snapshot.fps, **about)


WRITERS = {"npz": _npz, "bvh": _bvh, "glb": _moving_mesh, "blend": _moving_mesh}
