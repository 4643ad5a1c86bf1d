"""The vertex sets of a character and what each of them reads, found from samples and from the influence probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.training._body.frames import BoneSpace
from rigcast.training._body.influence import Description
from rigcast.training._body.linear_part import LinearPart, near_joints
from rigcast.training._body.missed import missed_columns
from rigcast.training._body.partition import VertexSets
from rigcast.training._body.settings import BodySettings

ROWS_CHECKED = 1000  # training poses in which inputs are sought that the probe has missed
VERTICES_CHECKED = 64  # of each set


@dataclass(frozen=True)
class Outline:
    """The vertex sets of a character and the pose columns that each reads; attributes as in ``Preparation``."""

    sets: VertexSets
    columns: list[NDArray[np.int32]]
    description: Description
    linear: LinearPart | None


def parted(ds: Any, settings: BodySettings, seed: int) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
    """Rows to learn from and held-out rows; ValueError for what no body is learned from."""
    if ds.skeleton is None:
        raise bad_argument("body", "data", "a data set without a skeleton", "samples of a rig with joints")
    training, held_out = ds.split(settings.holdout, seed)
    if len(training) < 2 or len(held_out) < 1:
        got = f"{len(training)} rows to learn from and {len(held_out)} held out"
        raise bad_argument("body", "data", got, "large enough for at least 2 and 1; sample more poses")
    return training, held_out


def bone_space(ds: Any, poses: NDArray[np.float32], vertices: Any, outline: Outline) -> BoneSpace:
    """The residuals of poses and vertices of a data set over the linear part, in the frames of sets with networks."""
    sets = outline.sets
    joints = np.unique(sets.joint[sets.learns])
    return BoneSpace(ds.skeleton, poses, vertices, ds.rest_vertices, joints, outline.linear)


class KnownPoses:
    """Some training poses, with the residuals of some vertices of each set that has a network.

    They show what the probe does not: it moves one channel at a time from a few poses.
    """

    def __init__(self, ds: Any, outline: Outline, settings: BodySettings, seed: int) -> None:
        rng = np.random.default_rng([seed, 9])
        rows = np.sort(rng.permutation(parted(ds, settings, seed)[0])[:ROWS_CHECKED])
        _, self.poses, vertices = ds.take(rows)
        self.channels = np.asarray(ds.channels)[rows]
        self.outline = outline
        self.sets = sets = outline.sets
        self.learning = np.flatnonzero(sets.learns).tolist()
        members = [np.arange(len(sets.vertex))[sets.members(i)] for i in self.learning]
        some = [np.sort(rng.permutation(part)[:VERTICES_CHECKED]) for part in members]
        space = bone_space(ds, self.poses, vertices, outline)
        parts = [(int(sets.joint[i]), sets.vertex[part]) for i, part in zip(self.learning, some, strict=True)]
        found = zip(some, space.residuals_of(parts), strict=True)
        self.residuals = [residuals * sets.weight[part, None] for part, residuals in found]
        self.vertices = sum(map(len, some))

    def missed_channels(self, moves: NDArray[np.bool_], threshold: float) -> NDArray[np.bool_]:
        """Channels (N, S) that the probe has missed, as the poses show."""
        num_tests = 6 * self.vertices * len(moves)  # three coordinates, two signals per channel
        found = np.zeros(moves.shape, bool)
        for i, residuals in zip(self.learning, self.residuals, strict=True):
            found[:, i] = missed_columns(residuals, self.channels, moves[:, i], threshold, num_tests)
        return found

    def nearest(self, columns: list[NDArray[np.int32]], threshold: float) -> list[NDArray[np.int32]]:
        """The columns of each set that belong to joints near it or to controls, and those of other joints that go with
        what the near ones do not explain: one channel of a control rig moves many joints."""
        linear, description = self.outline.linear, self.outline.description
        assert linear is not None
        width = 12 * len(description.parents)
        near = near_joints(self.sets, linear.joint, linear.weight, description.parents)
        result = list(columns)
        for i, residuals in zip(self.learning, self.residuals, strict=True):
            close = (columns[i] >= width) | near[i, np.minimum(columns[i], width - 1) // 12]
            num_tests = 6 * self.vertices * max(1, len(columns[i]))
            far = missed_columns(residuals, self.poses[:, columns[i]], close, threshold, num_tests)
            result[i] = columns[i][close | _with_joint(columns[i], far)]
        return result


def _with_joint(columns: NDArray[np.int32], found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All columns of joints that have one among those found."""
    return np.isin(columns // 12, np.unique(columns[found] // 12))
