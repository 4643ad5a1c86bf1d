"""Scenes of the inverse rig: a constructed rig of the paper's size, and the ICT face with real curves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc

TRAINING_FRAMES, GAP = 80, 10
PERFORMANCE_END = 200  # the curves of compskin_face_anim cut here,
RANGE_END = 1059  # and where ``source_frame`` passes this


@dataclass(frozen=True)
class Scene:
    """A rig with shots to invert.

    Attributes
    ----------
    name, about : str
        A short name for rows, and a sentence on what it is.
    rig : BlendshapeRig
    truth : (T, K) array
        Weights that made the targets.
    shots : list of slices
        Frames without a cut inside; the first one is timed.
    noise : float
        Standard deviation of what is added to every coordinate of the targets.
    training : (n, K) array
        Weights of the frames that alpha is chosen on.
    seed : int
    """

    name: str
    about: str
    rig: Any
    truth: np.ndarray
    shots: list[slice]
    noise: float
    training: np.ndarray
    seed: int

    def targets(self, weights: np.ndarray, noise: float | None = None) -> np.ndarray:
        """Vertices (T, V, 3) of weights, with noise; the same for the same weights."""
        vertices = self.rig.evaluate(weights)
        scale = np.float32(self.noise if noise is None else noise)
        if scale > 0:
            rng = np.random.default_rng(self.seed)
            for frame in vertices:
                frame += scale * rng.standard_normal(frame.shape, np.float32)
        return vertices

    def trade_off(self) -> rc.inverse.TradeOff:
        """Curve over alpha on the training frames, which are at least 10 apart already."""
        return rc.inverse.trade_off(self.rig, self.targets(self.training), count=len(self.training), gap=1, threads=1)


def paper_size(vertices: int, shapes: int, pairs: int, frames: int, noise: float = 0.01, seed: int = 0) -> Scene:
    """The constructed rig: smooth curves, about a third of the weights active in a frame."""
    about = f"constructed: {vertices:,} vertices, {shapes} shapes, {pairs} pairs; {frames:,} frames"
    training = smooth_curves(TRAINING_FRAMES * GAP, shapes, seed + 3)[::GAP]
    truth = smooth_curves(frames, shapes, seed + 1)
    rig = constructed_rig(vertices, shapes, pairs, seed)
    return Scene("paper-size rig", about, rig, truth, [slice(0, frames)], noise, training, seed)


def ict_face(data: Path, noise: float = 0.01, seed: int = 0) -> Scene | None:
    """The ICT face with the combinations and curves of compskin_face_anim; None without the data sets."""
    folders = data / "ict_facekit", data / "compskin_face_anim"
    if not all(folder.is_dir() for folder in folders):
        return None
    rig, curves = rc.faces.ict_with_combinations(*folders)
    with np.load(folders[1] / "face_controls.npz") as file:
        after = int(np.searchsorted(file["source_frame"], RANGE_END))
    cuts = [0, PERFORMANCE_END, after, len(curves)]
    about = (
        f"ICT face: {len(rig.rest_vertices):,} vertices, {rig.num_shapes} controls, "
        f"{rig.num_columns - rig.num_shapes} combinations and in-betweens up to order 4 (constructed); "
        f"real curves: {PERFORMANCE_END} frames of performance, {len(curves) - PERFORMANCE_END:,} of range of motion"
    )
    shots = [slice(first, last) for first, last in pairwise(cuts)]
    training = curves[:: len(curves) // TRAINING_FRAMES]
    return Scene("ICT face", about, rig, curves, shots, noise, training, seed)


def macro_body(data: Path, frames: int = 1000, seed: int = 0) -> Scene | None:
    """MakeHuman's macro rig, where only combinations move anything, on constructed curves; None without the data."""
    folder = data / "makehuman_hm08"
    if not folder.is_dir():
        return None
    rig = rc.faces.makehuman_macro_targets(folder)
    noise = 0.01 * 0.01 / float(rig.meters_per_unit)
    about = (
        f"MakeHuman's macro rig: {len(rig.rest_vertices):,} vertices, {rig.num_shapes} weights, none of which moves "
        f"anything alone, {rig.num_columns - rig.num_shapes} combinations of order 3 and 4; {frames:,} frames of "
        "constructed curves"
    )
    truth = people(frames, rig.num_shapes, seed + 1)
    shots = [slice(first, min(first + 100, frames)) for first in range(0, frames, 100)]
    training = people(TRAINING_FRAMES * GAP, rig.num_shapes, seed + 3)[::GAP]
    return Scene("macro rig", about, rig, truth, shots, noise, training, seed)


def people(frames: int, shapes: int, seed: int) -> np.ndarray:
    """Weights (T, K) that run through the box, another person every 100 frames."""
    rng = np.random.default_rng(seed)
    seconds, person = np.arange(frames)[:, None] / 24, np.arange(frames) // 100
    phase = rng.uniform(0, 6.3, (person[-1] + 1, shapes))[person]
    return 0.5 + 0.45 * np.sin(2 * np.pi * rng.uniform(0.1, 0.3, shapes) * seconds + phase)


def constructed_rig(vertices: int, shapes: int, pairs: int, seed: int) -> rc.BlendshapeRig:
    """Local smooth shapes on a sphere of 18 cm, and corrections of pairs that lie near each other."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(vertices, 3))
    neutral = 9 * directions / np.linalg.norm(directions, axis=1, keepdims=True)

    def bump(center: np.ndarray, radius: float) -> np.ndarray:
        mask = np.exp(-0.5 * np.square(np.linalg.norm(neutral - center, axis=1) / radius))
        return np.where(mask < 0.02, 0.0, mask)[:, None]

    centers = neutral[rng.choice(vertices, shapes)]
    deltas = [
        bump(c, rng.uniform(1.5, 4)) * (rng.normal(size=3) + 0.3 * np.sin(neutral @ rng.normal(size=(3, 3))))
        for c in centers
    ]
    rows, cols = np.triu_indices(shapes, 1)
    near = np.argsort(np.linalg.norm(centers[rows] - centers[cols], axis=1))[: 3 * pairs]
    combinations = []
    for n in rng.choice(near, pairs, replace=False):
        i, j = int(rows[n]), int(cols[n])
        combinations.append(((i, j), bump(0.5 * (centers[i] + centers[j]), 1.5) * rng.normal(size=3) * 0.4))
    return rc.BlendshapeRig(neutral, np.array(deltas), combinations=combinations, metadata={"meters_per_unit": 0.01})


def smooth_curves(frames: int, shapes: int, seed: int) -> np.ndarray:
    """Weights (T, K) at 24 frames per second, about a third of them active in a frame."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(frames)[:, None] / 24
    waves = np.sin(2 * np.pi * rng.uniform(0.1, 0.6, shapes) * seconds + rng.uniform(0, 6.3, shapes))
    return np.clip(1.2 * waves - rng.uniform(0.2, 0.9, shapes), 0, 1)
