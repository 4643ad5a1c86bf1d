"""Errors of a model by place on the character: by joint, by channel, by part, and relative to its size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._rigs.segments import segments
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import vertex_sets

FAR = 2.0 / 3.0  # of a channel's largest distance from rest: poses beyond are those in which it is far
FEWEST = 3  # poses that a mean is taken of
MOST_PARTS = 12


@dataclass(frozen=True)
class PlaceErrors:
    """One joint, channel or part, with the errors there in millimeters."""

    name: str
    about: str
    mean: float
    largest: float


def size_in_millimeters(model: Deformer) -> float:
    """The largest extent of the character at rest."""
    return float(1000.0 * model.meters_per_unit * np.ptp(model.rest_vertices, axis=0).max())


def leading_joints(model: Deformer) -> NDArray[np.int64] | None:
    """The joint that each vertex follows most, (V,); None for a model without joints."""
    tensors = model.tensors()
    sets = vertex_sets(model)
    if sets is not None:
        return np.asarray(tensors["sets.joint"], np.int64)[sets]
    if "skin.joint" not in tensors:
        return None
    strongest = tensors["skin.weight"].argmax(axis=1)[:, None]
    return np.take_along_axis(tensors["skin.joint"], strongest, axis=1)[:, 0].astype(np.int64)


def by_joint(model: Deformer, distances: NDArray[np.float32]) -> list[PlaceErrors]:
    """Errors (T, V) on the vertices that each joint leads, the largest mean first."""
    joints = leading_joints(model)
    if joints is None:
        return []
    places = []
    for joint in np.unique(joints).tolist():
        own = distances[:, joints == joint]
        places.append(PlaceErrors(model.joint_names[joint], f"{own.shape[1]:,} vertices", *_figures(own)))
    return _worst_first(places)


def by_channel(truth: HeldOutPoses, distances: NDArray[np.float32]) -> list[PlaceErrors]:
    """Errors (T, V) of the poses in which each channel is far from rest, the largest mean first."""
    rest = np.asarray(truth.dataset.manifest["channel_rest"], np.float64)
    away = np.abs(truth.channels - rest)
    places = []
    for column, name in enumerate(truth.dataset.channel_names):
        far = away[:, column] >= FAR * away[:, column].max()
        if away[:, column].max() > 0.0 and FEWEST <= far.sum() < len(far):
            places.append(PlaceErrors(name, f"{far.sum():,} poses", *_figures(distances[far])))
    return _worst_first(places)


def by_control(model: Deformer, truth: HeldOutPoses, distances: NDArray[np.float32]) -> list[PlaceErrors]:
    """The same by the pose columns of a model without joints: the only channel of an action is its frame."""
    away = np.abs(truth.poses)
    places = []
    for column, name in enumerate(model.control_names):
        far = away[:, column] >= FAR * away[:, column].max()
        if away[:, column].max() > 0.0 and FEWEST <= far.sum() < len(far):
            places.append(PlaceErrors(name, f"{far.sum():,} poses", *_figures(distances[far])))
    return _worst_first(places)


def by_part(model: Deformer, distances: NDArray[np.float32]) -> list[PlaceErrors]:
    """Errors (T, V) on each named part, else material, else connected component, the largest mean first.

    Empty if there is one segment only. Of components, the largest are named by the joints that lead them.
    """
    found, joints = segments(model), leading_joints(model)
    most = MOST_PARTS if found.by == "components" else len(found)
    places = []
    for number, name in enumerate(found.names[:most] if len(found) > 1 else []):
        own = found.vertices == number
        if found.by == "components" and joints is not None:
            name = f"{name}, at {model.joint_names[np.bincount(joints[own]).argmax()]}"
        places.append(PlaceErrors(name, f"{own.sum():,} vertices", *_figures(distances[:, own])))
    return _worst_first(places)


def worst_place(model: Deformer, vertex: int) -> str:
    """The joint that leads a vertex, in words; empty for a model without joints."""
    joints = leading_joints(model)
    return "" if joints is None else f", led by {model.joint_names[joints[vertex]]}"


def _figures(distances: NDArray[np.float32]) -> tuple[float, float]:
    return float(distances.mean(dtype=np.float64)), float(distances.max())


def _worst_first(places: list[PlaceErrors]) -> list[PlaceErrors]:
    return sorted(places, key=lambda place: -place.mean)
