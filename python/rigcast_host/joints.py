"""Poses from the world matrices of a skeleton in a scene, for column vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import rigcast_runtime as rr

from .engine import transforms
from .naming import missing_words
from .spaces import AXES, Change

Array = np.ndarray[Any, Any]
ELSEWHERE = 0.02  # of the skeleton's size: rests that are not the same


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of a model in a scene.

    Attributes
    ----------
    names : list of J str
    parents : (J,) int array
        The model's: a skeleton may have more joints between them.
    rest : (J, 3, 4) array
        The model's.
    change : Change
    axes : (J, 4, 4) array or None
        From the axes of the scene's joints to those of the model's; None if they are taken for the same.
    """

    names: list[str]
    parents: Array
    rest: Array
    change: Change
    axes: Array | None

    def pose(self, world: Array) -> Array:
        """The columns (12 J,) of world matrices (J, 4, 4) of the scene, in the order of the names.

        Raises
        ------
        ValueError
            If a joint has collapsed.
        """
        placed = self.change.joints_to_model(world)
        if self.axes is not None:
            placed = placed @ self.axes
        row = transforms.snapped(transforms.parent_relative(placed, self.parents), self.rest)
        bad = ~np.isfinite(row).all(axis=(1, 2))
        if bad.any():
            raise ValueError(f"joint {self.names[int(bad.argmax())]!r}, or its parent, has collapsed: it has no pose")
        return np.asarray(row.reshape(-1))


def joints_of(model: rr.Deformer, change: Change, rest: Array | None) -> Joints:
    """The joints of a model, compared with the world matrices (J, 4, 4) of a skeleton at rest, if there is one.

    Raises
    ------
    ValueError
        If the joints at rest are elsewhere than the model's.
    """
    skeleton = model.skeleton
    assert skeleton is not None
    own, parents = np.asarray(skeleton.rest, np.float64), np.asarray(skeleton.parents, np.intp)
    if rest is None:
        return Joints(skeleton.names, parents, own, change, None)
    joints = np.tile(np.eye(4), (len(own), 1, 1))
    joints[:, :3] = own
    joints = composed(joints, parents)
    moved = change.joints_to_model(rest)
    size = max(float(np.ptp(joints[:, :3, 3], axis=0).max()), 1e-6)
    off = np.linalg.norm(moved[:, :3, 3] - joints[:, :3, 3], axis=1)
    if not off.max() < ELSEWHERE * size:
        worst = int(off.argmax())
        raise ValueError(
            f"the skeleton at rest is not the model's: joint {skeleton.names[worst]!r} is {off[worst]:.3g} of the "
            f"model's units away{_reason(moved[:, :3, 3], joints[:, :3, 3])}"
        )
    return Joints(skeleton.names, parents, own, change, np.asarray(transforms.affine_inverse(moved) @ joints))


def places_of(names: Sequence[str], there: Sequence[str]) -> list[int]:
    """The places of a model's joints among the joints of a scene.

    Raises
    ------
    ValueError
        If some are missing, or one is there twice.
    """
    count, place = Counter(there), {name: index for index, name in enumerate(there)}
    missing = [name for name in names if name not in place]
    if missing:
        raise ValueError(f"the skeleton lacks joints of the model, {missing_words(missing, there, len(names))}")
    twice = [name for name in names if count[name] > 1]
    if twice:
        raise ValueError(f"the skeleton has {count[twice[0]]} joints called {twice[0]!r}: it must have one")
    return [place[name] for name in names]


def composed(local: Array, parents: Array) -> Array:
    """World matrices (N, 4, 4) of parent-relative ones; a parent of -1 is a root, and parents stand in any order.

    Raises
    ------
    ValueError
        If parents go in a circle.
    """
    world, done = local.copy(), parents < 0
    while not done.all():
        ready = ~done & done[parents]
        if not ready.any():
            raise ValueError("the skeleton goes in a circle: its joints have no root")
        world[ready] = world[parents[ready]] @ local[ready]
        done = done | ready
    return np.asarray(world)


def _reason(points: Array, wanted: Array) -> str:
    """Another unit or up axis that would explain it, in words."""
    spread = [float(np.linalg.norm(part - part[0])) for part in (points, wanted)]
    if min(spread) == 0.0:
        return ""
    scale = spread[0] / spread[1]
    unit = "" if abs(scale - 1.0) < ELSEWHERE else f"; it is {scale:.4g} times as large: is the unit another one?"
    here, there = (points - points[0]) / spread[0], (wanted - wanted[0]) / spread[1]
    axes = [np.array(axis, np.float64) for axis in AXES.values()]
    turns = [np.eye(3), *(one.T @ other for one in axes for other in axes)]
    lies = [bool(np.abs(here @ turn.T - there).max() < ELSEWHERE) for turn in turns]
    return f"{unit}; it lies as with another axis up" if any(lies) and not lies[0] else unit
