"""Errors of a face on deformation maps on held-out poses, by quality step, segment, rigid part and control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, metrics
from rigcast._rigs.base_shapes import read_base
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import in_millimeters
from rigcast.report._body.places import PlaceErrors, by_control
from rigcast.report._body.quality import QualityStep, StepMeasurer, mean_and_largest
from rigcast.training import Floors, Layout, MapSegment, model_layout

FLOOR_POSES = 48  # that floors are computed on, evenly spaced
MOVES = 1e-4  # of the largest offset of a segment: vertices that move less count in no floor, as in training
MOST_FOLLOWED = 3  # segments named with a rigid part

Distances = NDArray[np.float32]
Pair = tuple[float, float]


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

    @property
    def refined(self) -> list[SegmentRow]:
        """Segments of refinement."""
        return [row for row in self.segments if row.segment.level > 0]

    @property
    def mended(self) -> list[Floors]:
        """Floors of the segments whose texture coordinates were mended."""
        return [floor for floor in self.layout.floors if was_mended(floor)]

    def figures(self) -> dict[str, Any]:
        """All numbers that only this kind has, by name, for machines."""
        return {
            "segments": {
                row.segment.name: {
                    "level": row.segment.level,
                    "floor_mm": row.floor,
                    "coarse_mm": row.coarse,
                    "refined_mm": row.refined,
                }
                for row in self.segments
            },
            "rigid_parts": {
                row.name: {"fit_mm": row.fit, "mean_mm": row.mean, "max_mm": row.max} for row in self.parts
            },
        }


def was_mended(floor: Floors) -> bool:
    """True if mending its texture coordinates changed a segment's floor, as the page rounds it."""
    before = *np.round(floor.before, 4), floor.folded_before, floor.overlapped_before
    after = *np.round(floor.after, 4), floor.folded_after, floor.overlapped_after
    return bool(np.isfinite(floor.before[0])) and before != after


def measure_maps(model: _core.FaceMaps, truth: HeldOutPoses, distances: Distances) -> MeasuredFaceMaps:
    """Measure a model whose distances (T, V) to the truth are known, in millimeters."""
    layout = model_layout(model)
    measurer, none = StepMeasurer(model, truth), np.zeros(model.num_refinements, np.float32)
    offsets = measurer.exact - in_millimeters(model, model.rest_vertices)
    if (base := read_base(model.tensors())) is not None:  # maps show its residual
        offsets -= in_millimeters(model, base.offsets(truth.poses))
    coarse = distances if not len(none) else measurer.distances(lambda poses: model.evaluate_detail(poses, none))
    some = np.linspace(0, len(offsets) - 1, min(len(offsets), FLOOR_POSES)).round().astype(int)
    segments, floors = _segments(layout, offsets[np.unique(some)], coarse, distances)
    at = int(np.square(offsets, dtype=np.float64).sum(axis=(1, 2)).argmax())
    return MeasuredFaceMaps(
        layout,
        _steps(model, measurer, none),
        segments,
        _parts(layout, distances),
        by_control(model, truth, distances),
        floors,
        truth.poses[at],
        int(truth.rows[at]),
    )


def _steps(model: _core.FaceMaps, measurer: StepMeasurer, none: NDArray[np.float32]) -> list[QualityStep]:
    """Without refinements (`none` of each), with them, and with weights of 16 bits."""
    if not len(none):
        steps = [measurer.step("coarse, there is no refinement", "evaluate(poses)", model.evaluate)]
    else:
        call = "evaluate_detail(poses, zeros)"
        steps = [
            measurer.step("coarse", call, lambda poses, **how: model.evaluate_detail(poses, none, **how)),
            measurer.step("refined", "evaluate(poses)", model.evaluate),
        ]
    if model.storage == "float32":
        steps.append(measurer.step("16-bit weights", 'stored("16-bit")', model.stored("16-bit").evaluate))
    return steps


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
            best = mean_and_largest(seen) if seen.size else (0.0, 0.0)
            floors[own] = left.mean(axis=0)
        rows.append(SegmentRow(segment, best, mean_and_largest(coarse[:, own]), mean_and_largest(refined[:, own])))
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
        mean, most = mean_and_largest(distances[:, part.vertices])
        rows.append(PartRow(part.name, len(part.vertices), ", ".join(words), part.error, mean, most))
    return rows
