"""Figures of a model of deformation maps on judged frames: errors, floors, false links, rigid parts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from tests.training.map_floors import refined_floor

import rigcast as rc
from rigcast import _core
from rigcast._rigs.drawn_maps import map_resolution
from rigcast.training._face_maps._layout.influence import moved_by
from rigcast.training._face_maps._layout.segments import Layout, MapSegment

MOVES = 1e-3  # mm
LINK_POSES = 32


@dataclass(frozen=True)
class Judged:
    """Distances in millimeters over all vertices, and over those that move; mean angle of the normals in degrees."""

    mean: float
    moving_mean: float
    most: float
    normals: float


def judged(model: rc.Deformer, data: rc.Dataset) -> Judged:
    """The errors of a model on all rows of a data set."""
    found, truth = model.evaluate(data.poses), data.vertices
    distance = 1e3 * data.meters_per_unit * np.linalg.norm(found.astype(np.float64) - truth, axis=2)
    normals = rc.metrics.normal_angle(truth, found, data.faces).mean
    return Judged(float(distance.mean()), float(distance[:, moving(data)].mean()), float(distance.max()), normals)


def moving(data: rc.Dataset) -> np.ndarray:
    """Vertices that move in any frame."""
    reach = np.linalg.norm(data.vertices - data.rest_vertices, axis=2).max(axis=0)
    return 1e3 * data.meters_per_unit * reach > MOVES


def segments_of(model: rc.Deformer) -> list[MapSegment]:
    """The map segments in a model's file."""
    tensors = model.tensors()
    starts, inputs = tensors["segments.offset"], tensors["inputs.offset"]
    result = []
    for number, level in enumerate(tensors["segments.level"]):
        part, own = slice(*starts[number : number + 2]), slice(*inputs[number : number + 2])
        result.append(
            MapSegment(
                model.metadata["face_maps"]["segments"][number]["name"],
                int(level),
                tensors["segments.vertex"][part].astype(np.int64),
                tensors["segments.uv"][part].astype(np.float64),
                tensors["segments.weight"][part],
                tensors["inputs.column"][own].astype(np.int64),
                map_resolution(tensors, number),
            )
        )
    return result


def floors(model: rc.Deformer, data: rc.Dataset) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and max of what the best coarse maps and the best refined maps leave of the moving vertices."""
    segments = segments_of(model)
    offsets = 1e3 * data.meters_per_unit * (data.vertices - data.rest_vertices)
    inside = np.zeros(len(data.rest_vertices), bool)
    for segment in segments:
        inside[segment.vertices] = True
    inside &= moving(data)
    result = []
    for chosen in ([s for s in segments if s.level == 0], segments):
        left = refined_floor(Layout(chosen, [], []), offsets, 1)[:, inside]
        result.append((float(left.mean()), float(left.max())))
    return result[0], result[1]


def coarse_only(model: rc.Deformer) -> rc.Deformer:
    """The model without its refinement segments."""
    tensors = model.tensors()
    count = int((tensors["segments.level"] == 0).sum())
    kept = {
        name: value
        for name, value in tensors.items()
        if not name.startswith("segment.") or int(name.split(".")[1]) < count
    }
    members, inputs = int(tensors["segments.offset"][count]), int(tensors["inputs.offset"][count])
    kept |= {name: kept[name][: count + 1] for name in ("segments.offset", "inputs.offset")}
    kept |= {name: kept[name][:members] for name in ("segments.vertex", "segments.uv", "segments.weight")}
    kept |= {"segments.level": kept["segments.level"][:count], "inputs.column": kept["inputs.column"][:inputs]}
    return _core.model_from_tensors(kept, json.dumps(model.metadata))


def false_links(model: rc.Deformer, data: rc.Dataset, training: rc.Dataset) -> dict[str, float]:
    """Distances in millimeters by which controls that move no vertex of a region in the rig move it in the model.

    All such controls are turned at once.

    Regions are the vertices inside of refined rectangles, and those that a coarse segment alone moves. What moves a
    vertex in the rig is what the influence probe of the training set shows.
    """
    rng = np.random.default_rng(0)
    ranges = model.tensors()["control_ranges"]
    influence, _ = moved_by(training)
    segments = segments_of(model)
    covered = np.zeros(len(influence))
    for segment in segments:
        covered[segment.vertices] += segment.level == 0
    result = {}
    for segment in segments:
        inside = segment.weights == 1.0 if segment.level else covered[segment.vertices] == 1.0
        region = segment.vertices[inside]
        if not len(region):
            continue
        moves = influence[region].any(axis=0)
        poses = data.poses[rng.integers(len(data), size=LINK_POSES)]
        other = rng.uniform(ranges[:, 0], ranges[:, 1], poses.shape).astype(np.float32)
        other[:, moves] = poses[:, moves]
        gap = model.evaluate(other)[:, region] - model.evaluate(poses)[:, region]
        result[segment.name] = float(1e3 * data.meters_per_unit * np.linalg.norm(gap, axis=2).max())
    return result


def vertex_links(model: rc.Deformer, data: rc.Dataset, training: rc.Dataset) -> tuple[float, float, float]:
    """Mean, 99th percentile and maximum in millimeters over vertices: each by all controls that do not move it itself.

    Stricter than regions: beside the place that a control moves, a map of so many texels shows some of its motion.
    """
    rng = np.random.default_rng(0)
    ranges = model.tensors()["control_ranges"]
    sets, member = np.unique(moved_by(training)[0], axis=0, return_inverse=True)
    poses = data.poses[rng.integers(len(data), size=len(sets))]
    other = np.where(sets, poses, rng.uniform(ranges[:, 0], ranges[:, 1], poses.shape)).astype(np.float32)
    gap = np.zeros(len(member))
    for begin in range(0, len(sets), LINK_POSES):
        some = slice(begin, begin + LINK_POSES)
        found = np.linalg.norm(model.evaluate(other[some]) - model.evaluate(poses[some]), axis=2)
        inside = np.flatnonzero((member >= begin) & (member < begin + LINK_POSES))
        gap[inside] = 1e3 * data.meters_per_unit * found[member[inside] - begin, inside]
    return float(gap.mean()), float(np.percentile(gap, 99)), float(gap.max())


def rigid_errors(model: rc.Deformer, data: rc.Dataset) -> dict[str, float]:
    """RMS distance in millimeters of each rigid part over all frames."""
    tensors, about = model.tensors(), model.metadata["face_maps"]["rigid_parts"]
    gap = model.evaluate(data.poses).astype(np.float64) - data.vertices
    result = {}
    for number, part in enumerate(about):
        begin, end = tensors["parts.offset"][number : number + 2]
        own = gap[:, tensors["parts.vertex"][begin:end]]
        result[part["name"]] = float(1e3 * data.meters_per_unit * np.sqrt(np.square(own).sum(axis=2).mean()))
    return result
