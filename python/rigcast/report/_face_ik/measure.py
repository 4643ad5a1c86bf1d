"""Errors of learned inverse kinematics on constructed configurations, on the model and on the rig."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, metrics
from rigcast._timing import interleaved
from rigcast._validate import bad_argument
from rigcast.ik import FaceIk, PoseSolution, Solver
from rigcast.report._face_ik.configurations import Configuration, constructed

WAYS = {"networks alone": 0, "with 5 polishing steps": 5}
RUNS = 30


@dataclass(frozen=True)
class Answer:
    """Errors of one way to answer, (T, M) distances of control points in millimeters."""

    name: str
    how: str
    on_model: NDArray[np.float64]
    on_rig: NDArray[np.float64] | None
    milliseconds: float

    @property
    def judged(self) -> NDArray[np.float64]:
        """On the rig if it is known, else on the model."""
        return self.on_model if self.on_rig is None else self.on_rig


@dataclass(frozen=True)
class MeasuredFaceIk:
    """All numbers of the page.

    Attributes
    ----------
    configurations : list of Configuration
    answers : list of Answer
        The networks alone first, then with polishing steps.
    poses : (T, C) float32
        The networks' answers.
    vertices : (T, V, 3) float32
        The mesh of the networks' answer: the rig's if it is known, else the model's.
    apart : (T, V) float64 or None
        Distance in millimeters of the model's mesh from the rig's, both at the networks' answer.
    normals : (T,) float64 or None
        Mean angle in degrees between the normals of their faces.
    """

    configurations: list[Configuration]
    answers: list[Answer]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]
    apart: NDArray[np.float64] | None
    normals: NDArray[np.float64] | None

    def figures(self) -> dict[str, Any]:
        """The numbers by name, for machines."""
        found: dict[str, Any] = {
            "configurations": len(self.configurations),
            "points_mm": {
                answer.name: {
                    "on_the_model": float(answer.on_model.mean()),
                    "on_the_rig": None if answer.on_rig is None else float(answer.on_rig.mean()),
                    "milliseconds": answer.milliseconds,
                }
                for answer in self.answers
            },
        }
        if self.apart is not None and self.normals is not None:
            found["mesh_mm"], found["mesh_degrees"] = float(self.apart.mean()), float(self.normals.mean())
        return found


def measure(ik: FaceIk, model: _core.Deformer, rig: Any, seed: int = 0) -> MeasuredFaceIk:
    """Answer constructed configurations and judge the answers.

    Raises
    ------
    ValueError
        If the model is not the one whose control points were learned, or the rig has other channels.
    """
    if len(model.rest_vertices) <= int(ik.vertices.max()) or Solver(model).names != ik.names:
        raise bad_argument("report", "model", "of other parameters", "the model whose control points were learned")
    configurations = constructed(model, ik, seed)
    goals = np.stack([configuration.goals for configuration in configurations])
    times = _times(ik, goals)
    answers, meshes = [], []
    for name, steps in WAYS.items():
        found = ik.solve(goals, polish=steps)
        vertices = model.evaluate(found.poses)
        of_rig = None if rig is None else rig_vertices(rig, ik, found)
        on_rig = None if of_rig is None else _apart(of_rig, goals, ik, model)
        how = f"solve(targets, polish={steps})" if steps else "solve(targets)"
        answers.append(Answer(name, how, _apart(vertices, goals, ik, model), on_rig, times[name]))
        meshes.append((found.poses, vertices, of_rig))
    poses, vertices, of_rig = meshes[0]
    if of_rig is None:
        return MeasuredFaceIk(configurations, answers, poses, vertices, None, None)
    unit = 1e3 * float(model.meters_per_unit)
    distances = unit * np.linalg.norm(vertices.astype(np.float64) - of_rig, axis=2)
    normals = [metrics.normal_angle(b, a, model.faces).mean for a, b in zip(vertices, of_rig, strict=True)]
    return MeasuredFaceIk(configurations, answers, poses, of_rig, distances, np.array(normals))


def _times(ik: FaceIk, goals: NDArray[np.float32]) -> dict[str, float]:
    """Milliseconds of a configuration on one thread."""
    turn = itertools.cycle(goals)

    def answer(steps: int) -> object:
        return ik.solve(next(turn), polish=steps, threads=1)

    calls = {name: functools.partial(answer, steps) for name, steps in WAYS.items()}
    return {name: 1e3 * seconds for name, seconds in interleaved(calls, RUNS).items()}


def rig_vertices(rig: Any, ik: FaceIk, found: PoseSolution) -> NDArray[np.float32]:
    """Vertices of the rig itself for the found poses, (T, V, 3)."""
    if isinstance(rig, _core.Deformer):
        return rig.evaluate(found.poses)
    names = list(rig.channel_names)
    if found.channels is None or set(names) != set(ik.names):
        raise bad_argument("report", "rig", "of other channels", f"one of the {len(ik.names)} that the networks answer")
    rows = np.asarray(found.channels)[:, [ik.names.index(name) for name in names]]
    return np.asarray(rig.sample(rows)[1], np.float32)


def _apart(
    vertices: NDArray[np.float32], goals: NDArray[np.float32], ik: FaceIk, model: _core.Deformer
) -> NDArray[np.float64]:
    """Distances (T, M) of control points from their goals in millimeters; in the image for 2-D points."""
    off = (vertices[:, ik.vertices].astype(np.float64) - goals)[..., : ik.dimensions]
    return np.asarray(1e3 * float(model.meters_per_unit) * np.linalg.norm(off, axis=2))
