"""The face of ``posing_errors``: the skin of the ICT face with combinations, its balanced rows, and models of it.

Candidates are frames of the real curves times U(.25, 3) per control, drawn evenly over 16 bins of the first principal
component of landmarks (Bailey 2020, section 3.3). The performance, rows 0 to 199, is kept out of them. All is kept and
resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.papers.inverse.mismatched.scene import whole_face
from benchmarks.systems.ik.scenes import spread
from rigcast.sampling import Animation, Clip, balanced, sample

JUDGED = 200  # first rows of the curves
NOISE = (0.25, 3.0)
SKIN = "face"  # the segment of the ICT face
MOVES = 0.2  # cm: the curves move no other vertex farther
BINS = 16
SPARE = 2  # candidates per row
POINTS = 54


@dataclass(frozen=True)
class Budget:
    """Rows of inverse kinematics, poses of the models, and steps of each."""

    rows: int = 50_000
    poses: int = 1000
    maps: int = 300
    dense: int = 1000


@dataclass(frozen=True)
class Face:
    """A rig of dials and what learns from it.

    Attributes
    ----------
    rig : BlendshapeRig
    points : (M,) int64
        Control points, far from each other on what moves.
    rows : Dataset
        Balanced rows of the control points alone, for inverse kinematics.
    judged : (T, K) float32
        The performance.
    models : dict
        "rig": itself; "maps" and "dense": approximations of it, if they are asked for.
    """

    rig: Any
    points: NDArray[np.int64]
    rows: rc.Dataset
    judged: NDArray[np.float32]
    models: dict[str, rc.Deformer]


def skin(data: Path, kept: Path) -> tuple[Any, NDArray[np.float32]]:
    """The rig on the vertices of the skin that the curves move, and the curves."""
    whole, curves, _ = whole_face(data, kept)
    path = kept / "skin.safetensors"
    if not path.exists():
        begin, end = whole.metadata["segments"][SKIN]
        face = whole.restricted(np.arange(begin, end))
        motion = np.linalg.norm(face.evaluate(curves[::10]) - face.rest_vertices, axis=2).max(axis=0)
        face.restricted(np.flatnonzero(motion > MOVES)).save(path)
    return rc.load(path), np.asarray(curves, np.float32)


def control_points(rig: Any, curves: NDArray[np.float32]) -> NDArray[np.int64]:
    """Vertices that the curves move by a tenth of the largest motion at least, far from each other."""
    motion = np.linalg.norm(rig.evaluate(curves[::10]) - rig.rest_vertices, axis=2).max(axis=0)
    moving = np.flatnonzero(motion > 0.1 * motion.max())
    return np.sort(moving[spread(rig.rest_vertices[moving], POINTS)])


def alone(rig: Any, points: NDArray[np.int64]) -> Any:
    """The rig on its control points, with a triangle, which data sets ask for."""
    columns, count = np.asarray(rig.columns())[:, points], rig.num_shapes
    combinations = list(zip(rig.combinations, columns[count:], strict=True))
    about = {"meters_per_unit": float(rig.meters_per_unit)}
    rest, names, bounds = np.asarray(rig.rest_vertices)[points], rig.shape_names, rig.bounds
    triangle = np.int32([[0, 1, 2]])
    return rc.BlendshapeRig(
        rest, columns[:count], combinations, names=names, bounds=bounds, faces=triangle, metadata=about
    )


def balanced_rows(rig: Any, curves: NDArray[np.float32], path: Path, count: int) -> rc.Dataset:
    """Poses and vertices of the rig, of all of ``curves`` but the performance."""
    if not (path / "manifest.json").exists():
        rig_file = path.with_suffix(".safetensors")
        rig.save(rig_file)
        source = rc.sources.load(rig_file)
        frames = curves[JUDGED:].astype(np.float64)
        known = Animation(frames, NOISE, [Clip("curves", 60.0)], np.zeros(len(frames), int))
        sample(source, path, count, sampler=balanced(source, known, SPARE * count, bins=BINS), seed=0, probe=4)
    return rc.Dataset(path)


def learned(poses: rc.Dataset, kept: Path, budget: Budget, wanted: list[str]) -> dict[str, rc.Deformer]:
    """The approximations of ``wanted``, trained for their steps on one thread, or read again."""
    trainings = {
        "maps": (rc.training.face_maps, budget.maps),
        "dense": (rc.baselines.dense_network, budget.dense),
    }
    found = {}
    for name, (train, steps) in ((name, trainings[name]) for name in wanted):
        file = kept / f"{name}-{budget.poses}-{steps}.safetensors"
        if not file.exists():
            state = Path(f"{file}.checkpoint")
            train(poses, steps=steps, threads=1, checkpoint=state, progress=True).save(file)  # type: ignore[operator]
        found[name] = rc.load(file)
    return found


def posing_face(data: Path, kept: Path, budget: Budget, wanted: list[str]) -> Face:
    """All of it, with the approximations of ``wanted``."""
    kept.mkdir(parents=True, exist_ok=True)
    rig, curves = skin(data, kept)
    points = control_points(rig, curves)
    rows = balanced_rows(alone(rig, points), curves, kept / f"rows-{budget.rows}.rwdata", budget.rows)
    models = {"rig": rig}
    if wanted:
        poses = balanced_rows(rig, curves, kept / f"poses-{budget.poses}.rwdata", budget.poses)
        models |= learned(poses, kept, budget, wanted)
    return Face(rig, points, rows, curves[:JUDGED], models)
