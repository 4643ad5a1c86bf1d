"""The order-4 face, its truncations, and the judged shots: the task as Rackovic et al. 2022, section 5, set it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.inverse.scenes import PERFORMANCE_END, RANGE_END, TRAINING_FRAMES

VERTICES = 4000  # of the paper, which leaves out neck, shoulders and what does not move
MODELS = ("linear", "pairs", "full")
Rig = Any


def truncated(rig: Rig, model: str) -> Rig:
    """The rig without some combinations.

    "linear": shapes alone. "pairs": products of two weights as well, the paper's quadratic model. "full": all.
    """
    columns, count = np.asarray(rig.columns()), rig.num_shapes
    keep = {
        "linear": lambda factors: False,
        "pairs": lambda factors: len(factors) == 2 and all(isinstance(f, int | np.integer) for f in factors),
        "full": lambda factors: True,
    }[model]
    mixed = zip(rig.combinations, columns[count:], strict=True)
    chosen = [(factors, delta) for factors, delta in mixed if keep(factors)]
    return rc.BlendshapeRig(
        rig.rest_vertices,
        columns[:count],
        chosen,
        names=rig.shape_names,
        bounds=rig.bounds,
        faces=rig.faces,
        metadata={"meters_per_unit": float(rig.meters_per_unit)},
    )


@dataclass(frozen=True)
class Scene:
    """Targets of the whole rig, seen on some vertices, and the rigs that are fitted.

    Attributes
    ----------
    rig : BlendshapeRig
        Makes the targets and judges the weights.
    vertices : (M,) int
    judged : (T, K)
        True weights of the judged frames.
    cut : int
        Judged frames before it are one shot, the others another.
    training : (n, K)
        True weights of the frames that alpha is chosen on, of a third shot.
    """

    rig: Rig
    vertices: np.ndarray
    judged: np.ndarray
    cut: int
    training: np.ndarray

    @cached_property
    def judge(self) -> Rig:
        """The whole rig on the vertices."""
        return self.rig.restricted(self.vertices)

    def posed(self, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.judge.evaluate(weights.astype(np.float32), threads=1))

    @cached_property
    def targets(self) -> np.ndarray:
        return self.posed(self.judged)


def whole_face(data: Path, kept: Path) -> tuple[Rig, np.ndarray, np.ndarray]:
    """The order-4 face, its curves and their frame numbers in the data set; constructed once, then read from a file."""
    rig_path, curves_path = kept / "ict.safetensors", kept / "curves.npy"
    if not (rig_path.exists() and curves_path.exists()):
        rig, curves = rc.faces.ict_with_combinations(data / "ict_facekit", data / "compskin_face_anim")
        kept.mkdir(parents=True, exist_ok=True)
        np.save(curves_path, curves)
        rig.save(rig_path)
    with np.load(data / "compskin_face_anim" / "face_controls.npz") as file:
        return rc.load(rig_path), np.load(curves_path), file["source_frame"]


def face_scene(data: Path, kept: Path, frames: int, vertices: int = VERTICES, seed: int = 0) -> Scene:
    """The performance and the beginning of a range of motion are judged, alpha is chosen on another take."""
    rig, curves, numbers = whole_face(data, kept)
    moving = np.flatnonzero(np.any(np.asarray(rig.columns()) != 0, axis=(0, 2)))
    chosen = np.sort(np.random.default_rng(seed).choice(moving, min(vertices, len(moving)), replace=False))
    other = curves[int(np.searchsorted(numbers, RANGE_END)) :]
    training = other[:: len(other) // TRAINING_FRAMES][:TRAINING_FRAMES]
    return Scene(rig, chosen, curves[:frames], min(PERFORMANCE_END, frames), training)
