"""The result of a capture, in memory and in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_npz
from rigcast._shown import counted, one_line
from rigcast._validate import FPS
from rigcast.capture._places import Places

Float64 = NDArray[np.float64]

VERSION = 2  # of a capture's file
# Fields of a capture, and of what pictures told, that its file has under their own names.
PLAIN = (
    "weights", "head", "residual", "lost", "neutral", "focal", "focal_found", "noise", "offsets", "strength", "energy",
    "settled", "seconds", "neutral_head", "still", "mirrored",
)  # fmt: skip
OF_PICTURES = ("light", "albedo", "vertices", "shares", "used", "gates", "start_energy", "steps")


@one_line
@dataclass(frozen=True)
class PictureFit:
    """Light, albedo and smoothing of a shot that :func:`refine` refined.

    Attributes
    ----------
    light : (T, 3, 9) float64
        Coefficients of real spherical harmonics per color, in the camera's axes.
    albedo : (S, 3) float64
        Effective albedo of the samples: the neutral's color over its fitted light; 0 where the neutral hides them.
    vertices, shares : (S, 3) int32 and float64
        Triangles and barycentric coordinates of the samples.
    used : (T,) int64
        Samples that were compared in each frame.
    gates : (T, K) float64
        How much of the smoothing each weight had.
    start_energy : (T,) float64
        On the fine level, where the steps began; ``Capture.energy`` is where they ended.
    steps : (T,) int64
    request : object
        All that was refined, and how: :func:`solve_again` refines by it again. None if the capture was read from a
        file, which does not hold the pictures.
    """

    light: Float64
    albedo: Float64
    vertices: NDArray[np.int32]
    shares: Float64
    used: NDArray[np.int64]
    gates: Float64
    start_energy: Float64
    steps: NDArray[np.int64]
    request: object


@dataclass(frozen=True)
class LipSlides:
    """Solves of a shot that its points on inner lips were found by; each one has them where the one before had them.

    Attributes
    ----------
    detector : str
        Layout of the points.
    weights : (N, T, K) float64
        Of each solve but the last, the first one with fixed lips.
    pose : (N, T, 3, 4) float64
        Of the head before the camera.
    """

    detector: str
    weights: Float64
    pose: Float64


@one_line
@dataclass(frozen=True)
class Capture:
    """Weights and head motion of a shot, and how well they fit the points.

    Attributes
    ----------
    weights : (T, K) float64
        Inside the rig's bounds. Frames without a face are between those beside them.
    head : (T, 3, 4) float64
        Rotation and translation of the rig, in axes turned as the rig's are, with the camera at the origin and the face
        turned to it.
    residual : (T, P) float64
        Distance of each point from where the character has it, in pixels (3-D points: in their unit); NaN where the
        point was not found or is not used.
    lost : (T,) bool
        Frames with fewer than four points.
    neutral : (n,) int64
        Frames whose mean was taken as the neutral; none where it was given.
    focal : float
        In pixels; of 3-D points the scale from the rig's unit to theirs.
    focal_found : bool
        Whether the shot determined it; else it was given or assumed.
    noise : float
        Standard deviation of a point's coordinate that was counted with.
    offsets : (P, 3) float64
        Where the actor's points lie beside the character's at the neutral, in the rig's unit and axes.
    places : Places
        Of the points on the mesh.
    strength : (K,) float64
    energy : (T,) float64
        What was minimized in each frame.
    settled : (T,) bool
    names : tuple of str
        Of the shapes.
    fps : float
    notes : tuple of str
        What was decided, and what seems wrong; one sentence per kind.
    seconds : float
        Wall time of the solve of all frames, set-up left out.
    center : (float, float)
        Of the image, in pixels: where the camera looks at.
    pictures : PictureFit, optional
        If :func:`refine` made it.
    fixed : (T, K) float64, optional
        Pins that it was solved with, NaN where weights were free.
    slides : LipSlides, optional
        If inner lips slid on their silhouettes.
    still : (n,) int64
        Columns of shapes that stay at rest unless they are pinned, as ``CaptureSettings.still`` says.
    mirrored : bool
        Sides are exchanged against the video, which is a mirror image.
    """

    weights: Float64
    head: Float64
    residual: Float64
    lost: NDArray[np.bool_]
    neutral: NDArray[np.int64]
    focal: float
    focal_found: bool
    noise: float
    offsets: Float64
    places: Places
    strength: Float64
    energy: Float64
    settled: NDArray[np.bool_]
    names: tuple[str, ...]
    fps: float = FPS
    notes: tuple[str, ...] = field(default=())
    seconds: float = 0.0
    neutral_head: Float64 = field(default_factory=lambda: np.eye(3, 4))
    center: tuple[float, float] = (0.0, 0.0)
    pictures: PictureFit | None = None
    fixed: Float64 | None = None
    slides: LipSlides | None = None
    still: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    mirrored: bool = False

    def _facts(self) -> list[str]:
        frames, shapes = self.weights.shape[:2]
        known = self.residual[np.isfinite(self.residual)]
        residual = f"residual {np.median(known):.3g} (median)" if known.size else ""
        lost = counted(int(self.lost.sum()), "frame lost", "frames lost")
        notes = counted(len(self.notes), "note", "notes")
        return [f"{frames:,} frames of {shapes} weights", f"{self.fps:g} per second", residual, lost, notes]

    @property
    def motion(self) -> Float64:
        """(T, 3, 4) the head's motion against the neutral, as exporters take it: the identity at the neutral."""
        rotation, shift = self.neutral_head[:, :3], self.neutral_head[:, 3]
        moved = self.head[:, :, 3] - shift
        return np.concatenate([rotation.T @ self.head[:, :, :3], (moved @ rotation)[:, :, None]], axis=2)

    def save(self, path: str | os.PathLike[str], names: Sequence[str] | None = None, fps: float | None = None) -> None:
        """Write a ``.npz`` file with all arrays, for :func:`load_capture`; weights readers and ``--pins`` take it, too.

        Parameters
        ----------
        path : path-like
        names : sequence of str, optional
            Of the shapes, in place of the rig's own.
        fps : float, optional
            In place of the shot's.
        """
        arrays: dict[str, Any] = {name: getattr(self, name) for name in PLAIN}
        arrays |= {
            "version": np.int64(VERSION),
            "names": np.array(self.names if names is None else names, np.str_),
            "fps": np.float64(self.fps if fps is None else fps),
            "transforms": self.motion,
            "center": np.array(self.center, np.float64),
            "vertices": self.places.vertices,
            "vertex_weights": self.places.weights,
            "notes": np.array(self.notes, np.str_),
        }
        if self.fixed is not None:
            arrays["fixed"] = self.fixed
        if self.slides is not None:
            arrays |= {"detector": np.array(self.slides.detector)}
            arrays |= {"slid_weights": self.slides.weights, "slid_pose": self.slides.pose}
        if self.pictures is not None:
            arrays |= {f"pictures_{name}": getattr(self.pictures, name) for name in OF_PICTURES}
        atomic_npz(path, arrays)
