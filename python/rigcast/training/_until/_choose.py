"""Poses where a model is least sure, put together from what each of its vertex sets needs.

A body's vertex sets read few channels each, and a whole pose that is hard for one of them is average for the others. So
rows are composed: of many candidates that the sampler draws, each set takes the channels that move it from one that is
drawn with a probability that grows with a high power of the model's error bound on its vertices. The sets with the
largest bounds come first, and a channel keeps the first value it is given; channels that no set claims come from one
candidate. Rows therefore stay inside the ranges of the sampler. If its channels depend on each other, whole rows are
drawn, by the square of the bound.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast.sampling import Sampler
from rigcast.sampling._drawing.drawn import round_inside
from rigcast.sampling._drawing.stream import Stream
from rigcast.sampling._joined import JoinedSets

CANDIDATES = 4000
VERTICES_PER_SET = 24  # that stand for a set when candidates are compared
INDEPENDENT = ("normal", "uniform", "sparse")  # samplers whose channels do not depend on each other
SHARPNESS = 12.0  # power of the bound: of 2, 6, 12 and 40 the one with the smallest errors on the demo character

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """A sampler of given rows, in their order."""

    rows: NDArray[np.float32]

    def draw(self, ranges: Array, rest: Array, count: int, stream: Stream) -> Array:
        """The rows."""
        return self.rows[:count].astype(np.float64)

    def settings(self) -> dict[str, object]:
        """``{"kind": "chosen", "rows": T, "sha256": ...}``."""
        digest = hashlib.sha256(np.ascontiguousarray(self.rows, "<f4").tobytes()).hexdigest()
        return {"kind": "chosen", "rows": len(self.rows), "sha256": digest}


@dataclass(frozen=True)
class Drawing:
    """The origin of candidates: the sampler, and ranges (N, 2) and rest values (N,) of the channels."""

    sampler: Sampler
    ranges: Array
    rest: Array

    def candidates(self, count: int, seed: int) -> NDArray[np.float32]:
        """Channel rows (count, N)."""
        return round_inside(self.sampler.draw(self.ranges, self.rest, count, Stream(seed).child(2)), self.ranges)

    @property
    def independent(self) -> bool:
        """Return True if a row's channels may come from several candidates."""
        return self.sampler.settings()["kind"] in INDEPENDENT


def least_sure(
    model: Deformer, seen: JoinedSets, moves: NDArray[np.bool_], drawing: Drawing, count: int, seed: int
) -> NDArray[np.float32]:
    """Channel rows (count, N) where the bounds of a model are large.

    Parameters
    ----------
    model : Deformer
        If it learned from too few poses for an error bound, the rows are random.
    seen : JoinedSets
        What it learned from: its rows are the candidates where the rig alone knows the poses of channels.
    moves : (N, S) bool array
        Which channels move each vertex set.
    drawing : Drawing
    count, seed : int
    """
    if "bound" not in model.metadata:
        return at_random(model, seen, moves, drawing, count, seed)
    rng = np.random.default_rng([seed, 8])
    rows = drawing.candidates(CANDIDATES, seed)
    try:
        poses = model.poses_from_channels(rows)
    except ValueError:  # driven joints: only the rig makes poses of channels
        rows, poses = seen.channels, seen.poses
    bounds = set_bounds(model, poses, rng)
    if not drawing.independent:
        worth = np.square(bounds / bounds.mean(axis=0)).sum(axis=1)
        return np.asarray(rows[rng.choice(len(rows), count, replace=count > len(rows), p=worth / worth.sum())])
    return composed(rows, bounds, moves, count, rng)


def at_random(
    model: Deformer, seen: JoinedSets, moves: NDArray[np.bool_], drawing: Drawing, count: int, seed: int
) -> NDArray[np.float32]:
    """Channel rows (count, N) of the sampler, whatever the model: what :func:`least_sure` is compared with."""
    return drawing.candidates(count, seed)


def composed(
    rows: NDArray[np.float32], bounds: Array, moves: NDArray[np.bool_], count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Rows (count, N) put together from candidates (A, N) by their bounds (A, S): see the head of the file."""
    chance = np.cumsum((bounds / bounds.max(axis=0)) ** SHARPNESS, axis=0)
    every = np.concatenate([rng.permutation(len(rows)) for _ in range(-(-count // len(rows)))])
    result = rows[every[:count]]
    taken = np.zeros(result.shape, bool)
    importance = np.maximum(bounds.mean(axis=0), 1e-30)
    order = np.argsort(rng.exponential(size=(count, bounds.shape[1])) / importance, axis=1)
    for sets in order.T:
        drawn = rng.random(count) * chance[-1, sets]
        picked = np.array([np.searchsorted(chance[:, s], at) for s, at in zip(sets, drawn, strict=True)])
        free = moves.T[sets] & ~taken
        result = np.where(free, rows[np.minimum(picked, len(rows) - 1)], result)
        taken |= free
    return np.asarray(result)


def set_bounds(model: Deformer, poses: NDArray[np.float32], rng: np.random.Generator) -> Array:
    """The mean error bound (A, S) of a few vertices of each set at candidate poses (A, C)."""
    tensors = model.tensors()
    offset, vertex = tensors["sets.offset"], tensors["sets.vertex"]
    members = [vertex[offset[i] : offset[i + 1]] for i in range(len(offset) - 1)]
    some = [np.sort(rng.permutation(mine)[:VERTICES_PER_SET]) for mine in members]
    bounds = model.restricted(np.concatenate(some)).error_bound(poses).astype(np.float64)
    starts, sizes = np.cumsum([0, *map(len, some)])[:-1], np.array([len(mine) for mine in some])
    return np.asarray(np.add.reduceat(bounds, starts, axis=1) / sizes + 1e-30)
