"""Poses that a model has not seen, with the rig's own vertices for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._hashing import topology_hash
from rigcast._validate import bad_argument
from rigcast.sampling import Dataset

MOST_POSES = 400
RANDOM, PLAYED = "random poses", "animation"  # titles of what is judged
MOST_VERTICES = 40_000_000  # of all poses together: half a gigabyte a copy


@dataclass(frozen=True)
class HeldOutPoses:
    """Poses and what the rig makes of them.

    Attributes
    ----------
    title : str
        What the poses are, as a phrase: ``"random poses"``.
    dataset : Dataset
        Where they come from.
    rows : (T,) int array
        Rows of the data set.
    channels : (T, N) float32 array
    poses : (T, C) float32 array
    vertices : (T, V, 3) float32 array
        The truth, in the rig's unit.
    """

    title: str
    dataset: Dataset
    rows: NDArray[np.int64]
    channels: NDArray[np.float32]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]


def held_out(dataset: Dataset, title: str, at_most: int = MOST_POSES) -> HeldOutPoses:
    """Rows of a data set, evenly spaced if it holds more than ``at_most`` or than memory is meant for."""
    total = len(dataset)
    count = min(total, at_most, max(1, MOST_VERTICES // len(dataset.rest_vertices)))
    rows = np.linspace(0, total - 1, count).round().astype(np.int64)
    return HeldOutPoses(title, dataset, rows, *dataset.take(rows))


def check_fits(model: Deformer, dataset: Dataset, function: str) -> None:
    """Refuse a model and a data set of different characters.

    Raises
    ------
    ValueError
        If their faces, vertex counts or pose columns differ.
    """
    mesh = dataset.manifest["topology_hash"]
    if topology_hash(model.faces, len(model.rest_vertices)) != mesh:
        got = f"of another mesh ({len(dataset.rest_vertices)} vertices; the model has {len(model.rest_vertices)})"
        raise bad_argument(function, f"the data set {dataset.path}", got, "of the model's own mesh")
    if list(model.control_names) != dataset.pose_names:
        got = (
            f"one with other inputs ({len(dataset.pose_names)} pose columns; the model has {len(model.control_names)})"
        )
        expected = (
            "of the model's own joints and controls: sampled with the options of its training set (--ranges, --limits, "
            "--hold, --mesh), which decide what is a joint"
        )
        raise bad_argument(function, f"the data set {dataset.path}", got, expected)
