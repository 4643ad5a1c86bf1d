"""Two animations of one mesh, from rigs that play clips or from moving meshes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast import sources
from rigcast._core import Deformer
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.cli._inputs.skinned_model import any_model
from rigcast.cli._result import WrongInput

Float32 = NDArray[np.float32]


@dataclass(frozen=True)
class SeenAnimation:
    """A moving mesh in meters, y up.

    Attributes
    ----------
    vertices : (T, V, 3) float32
    faces : (F, 3) or (F, 4) int32
    fps : float or None
    """

    vertices: Float32
    faces: NDArray[np.int32]
    fps: float | None


class SeenRig:
    """A rig or a model that plays clips."""

    def __init__(self, path: Path, threads: int) -> None:
        self.path, self._threads = path, threads
        self._model: Deformer = any_model(path)

    def played(self, clip: Path) -> SeenAnimation:
        """A clip's animation; raises ``ValueError`` if the file holds no motion of this rig."""
        model = self._model
        motion = motion_of(model, clip, MotionMapping())
        if not len(motion.poses):
            raise WrongInput(f"{clip} has no frame")
        vertices = model.evaluate(np.asarray(motion.poses, np.float32), threads=self._threads)
        turn = model.meters_per_unit * TO_Y_UP[model.up_axis].T
        faces = _faces(model.faces, self.path)
        return SeenAnimation((vertices @ turn).astype(np.float32), faces, motion.fps)


def moving_mesh(path: Path) -> SeenAnimation:
    """The animation of a file; what does not state its unit and axes is in meters with y up."""
    shot = sources.load_shot(path)
    turn = (shot.meters_per_unit or 1.0) * TO_Y_UP[shot.up_axis or "Y"].T
    vertices = (np.asarray(shot.vertices) @ turn).astype(np.float32)
    return SeenAnimation(vertices, _faces(shot.faces, path), shot.fps)


def check_pair(old: SeenAnimation, new: SeenAnimation, names: tuple[Path, Path]) -> None:
    """Raise ``ValueError`` unless both have the same vertices and frames."""
    if old.vertices.shape[1] != new.vertices.shape[1]:
        counts = f"{new.vertices.shape[1]:,} vertices where {names[0].name} has {old.vertices.shape[1]:,}"
        raise WrongInput(f"{names[1]}: {counts}; both must be one mesh in one order")
    if len(old.vertices) != len(new.vertices):
        counts = f"{len(new.vertices):,} frames where {names[0].name} has {len(old.vertices):,}"
        raise WrongInput(f"{names[1]}: {counts}")


def _faces(faces: NDArray[np.int32] | None, path: Path) -> NDArray[np.int32]:
    if faces is None or not len(faces):
        raise WrongInput(f"{path} has no faces: nobody can see it")
    return np.asarray(faces)
