"""Errors of a face on deformation maps on held-out poses, by quality step, segment, rigid part and control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, metrics
from rigcast._core import Deformer
from rigcast._rigs.base_shapes import read_base
from rigcast.metrics import normal_angle
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import in_millimeters
from rigcast.report._body.places import PlaceErrors, by_control
from rigcast.report._body.timing import median_seconds
from rigcast.training import Layout, MapSegment, model_layout

FLOOR_POSES = 48  # that floors are computed on, evenly spaced
MOVES = 1e-4  # of the largest offset of a segment: vertices that move less count in no floor, as in training
LEAST = 1e-4  # millimeters
MOST_FOLLOWED = 3  # segments named with a rigid part

Distances = NDArray[np.float32]
Pair = tuple[float, float]


@dataclass(frozen=True)
class QualityStep:
    """One step of the quality that a program can choose at run time.

    Attributes
    ----------
    name, how : str
        The step, and the call that plays it.
    mean, max : float
        Millimeters.
    normals : float
        Degrees.
    milliseconds : float
        One pose, one thread.
    """

    name: str
    how: str
    mean: float
    max: float
    normals: float
    milliseconds: float


@dataclass(frozen=True)
class SegmentRow:
    """A segment: sizes, floors and errors as (mean, max) in millimeters.

    Attributes
    ----------
    segment : MapSegment
    floor : (mean, max)
        Of a coarse segment: residual of the best map on the held-out poses, over vertices that move.
    coarse, refined : (mean, max)
        Errors on the segment's vertices without and with refinement segments.
    """

    segment: MapSegment
    floor: Pair
    coarse: Pair
    refined: Pair


@dataclass(frozen=True)
class PartRow:
    """A rigid part: its name, vertices, followers in words, error of the fit and error of the model, in millimeters."""

    name: str
    vertices: int
    followers: str
    fit: float
    mean: float
    max: float


@dataclass(frozen=True)
class MeasuredFaceMaps:
    """The numbers of the section.

    Attributes
    ----------
    layout : Layout
    steps : list of QualityStep
    segments : list of SegmentRow
    parts : list of PartRow
    controls : list of PlaceErrors
        All controls that the poses turn far from rest, the largest mean first.
    floors : (V,) float64 array
        Mean residual of the best coarse maps at each vertex, in millimeters; 0 outside of coarse segments.
    pose : (C,) float32 array
        The held-out pose with the largest motion.
    row : int
        Of the data set.
    """

    layout: Layout
    steps: list[QualityStep]
    segments: list[SegmentRow]
    parts: list[PartRow]
    controls: list[PlaceErrors]
    floors: NDArray[np.float64]
    pose: NDArray[np.float32]
    row: int


def measure_maps(model: _core.FaceMaps, truth: HeldOutPoses, distances: Distances) -> MeasuredFaceMaps:
    """Measure a model whose distances (T, V) to the truth are known, in millimeters."""
    layout = model_layout(model)
    exact = in_millimeters(model, truth.vertices)
    offsets = exact - in_millimeters(model, model.rest_vertices)
    if (base := read_base(model.tensors())) is not None:  # maps show its residual
        offsets -= in_millimeters(model, base.offsets(truth.poses))
    plain = _StepMeasurer(model, truth, exact)
    none = np.zeros(model.num_refinements, np.float32)
    coarse = distances if not len(none) else plain.distances(lambda poses: model.evaluate_detail(poses, none))
    steps = [plain.step("refined", "evaluate(poses)", model.evaluate, distances)]
    if len(none):
        call = "evaluate_detail(poses, zeros)"
        steps.insert(0, plain.step("coarse", call, lambda *a, **k: model.evaluate_detail(a[0], none, **k), coarse))
    else:
        steps[0] = plain.step("coarse, there is no refinement", "evaluate(poses)", model.evaluate, distances)
    if model.storage == "float32":
        half = model.stored("16-bit")
        steps.append(plain.step("16-bit weights", 'stored("16-bit")', half.evaluate, plain.distances(half.evaluate)))
    some = np.linspace(0, len(offsets) - 1, min(len(offsets), FLOOR_POSES)).round().astype(int)
    segments, floors = _segments(layout, offsets[np.unique(some)], coarse, distances)
    at = int(np.square(offsets, dtype=np.float64).sum(axis=(1, 2)).argmax())
    return MeasuredFaceMaps(
        layout,
        steps,
        segments,
        _parts(layout, distances),
        by_control(model, truth, distances),
        floors,
        truth.poses[at],
        int(truth.rows[at]),
    )


class _StepMeasurer:
    """Measures calls of a model against the truth in millimeters."""

    def __init__(self, model: Deformer, truth: HeldOutPoses, exact: Distances) -> None:
        self.model, self.truth, self.exact = model, truth, exact

    def distances(self, call: Callable[..., NDArray[np.float32]]) -> Distances:
        return _core.vertex_distances(in_millimeters(self.model, call(self.truth.poses)), self.exact)

    def step(self, name: str, how: str, call: Callable[..., NDArray[np.float32]], distances: Distances) -> QualityStep:
        poses = self.truth.poses
        found = in_millimeters(self.model, call(poses))
        turn, into = iter(range(10**9)), np.empty(self.exact.shape[1:], np.float32)
        seconds = median_seconds(lambda: call(poses[next(turn) % len(poses)], threads=1, out=into))
        angle = normal_angle(self.exact, found, self.model.faces).mean
        return QualityStep(name, how, *_pair(distances), angle, 1e3 * seconds)


def _segments(
    layout: Layout, offsets: Distances, coarse: Distances, refined: Distances
) -> tuple[list[SegmentRow], NDArray[np.float64]]:
    """Rows of all segments, and the floor of each vertex."""
    nothing = (np.nan, np.nan)
    floors = np.zeros(offsets.shape[1])
    rows = []
    for segment in layout.segments:
        own, best = segment.vertices, nothing
        if segment.level == 0 and own.size and segment.columns.size:
            moved = np.ascontiguousarray(offsets[:, own])
            left = np.asarray(metrics.map_floor(segment.uvs, moved, segment.resolution))
            size = np.linalg.norm(moved, axis=2)
            seen = left[size > MOVES * size.max()]
            best = _pair(seen) if seen.size else (0.0, 0.0)
            floors[own] = left.mean(axis=0)
        rows.append(SegmentRow(segment, best, _pair(coarse[:, own]), _pair(refined[:, own])))
    return rows, floors


def _parts(layout: Layout, distances: Distances) -> list[PartRow]:
    owner = np.full(distances.shape[1], -1)
    for number, segment in enumerate(layout.coarse):
        owner[segment.vertices] = number
    rows = []
    for part in layout.parts:
        numbers, counts = np.unique(owner[part.followers], return_counts=True)
        order = np.argsort(-counts, kind="stable")[:MOST_FOLLOWED]
        words = [
            f"{counts[n]} of {layout.coarse[numbers[n]].name if numbers[n] >= 0 else 'vertices at rest'}" for n in order
        ]
        mean, most = _pair(distances[:, part.vertices])
        rows.append(PartRow(part.name, len(part.vertices), ", ".join(words), part.error, mean, most))
    return rows


def _pair(values: NDArray[np.floating[Any]]) -> Pair:
    """Mean and largest; what is below a tenth of a micrometer is rounding, and 0."""
    if not values.size:
        return np.nan, np.nan
    mean, most = float(values.mean(dtype=np.float64)), float(values.max())
    return (mean if mean > LEAST else 0.0), (most if most > LEAST else 0.0)
