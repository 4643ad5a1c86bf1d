"""Poses from KineFX skeletons, whose joints are points.

A point is a joint by its attributes ``name`` (string) and ``transform`` (3x3): with ``P`` it is the world transform of
the joint ("KineFX: Get Point Transform VOP": "It builds the transform from v@P and 3@transform attributes").
``localtransform`` (4x4) is relative to the parent, which a polyline names. Houdini multiplies rows, ``p M``; models
multiply columns, ``M p``: every matrix is transposed here, once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import hou
import numpy as np

from .attributes import floats, positions
from .numbers import missing_words
from .runtime import rr, transforms
from .spaces import AXES, Change

Array = np.ndarray[Any, Any]
ELSEWHERE = 0.02  # of the skeleton's size: rests that are not the same


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of a model among the points of a skeleton.

    Attributes
    ----------
    names : list of J str
    parents : (J,) int array
        The model's: a skeleton may have more joints between them.
    rest : (J, 3, 4) array
        The model's.
    change : Change
    axes : (J, 4, 4) array or None
        From the axes of the points to those of the joints; None if they are taken for the same.
    """

    names: list[str]
    parents: Array
    rest: Array
    change: Change
    axes: Array | None

    def pose(self, skeleton: hou.Geometry) -> Array:
        """The columns (12 J,) of a skeleton.

        Raises
        ------
        ValueError
            If joints are missing, or one has collapsed.
        """
        world = self.change.joints_to_model(_chosen(skeleton, self.names))
        if self.axes is not None:
            world = world @ self.axes
        row = transforms.snapped(transforms.parent_relative(world, self.parents), self.rest)
        bad = ~np.isfinite(row).all(axis=(1, 2))
        if bad.any():
            raise ValueError(f"joint {self.names[int(bad.argmax())]!r}, or its parent, has collapsed: it has no pose")
        return np.asarray(row.reshape(-1))


def joints_of(model: rr.Deformer, change: Change, rest: hou.Geometry | None) -> Joints:
    """The joints of a model, with the skeleton at rest that its points are compared with.

    Raises
    ------
    ValueError
        If the skeleton at rest lacks joints, or its joints are elsewhere than the model's.
    """
    skeleton = model.skeleton
    assert skeleton is not None
    own, parents = np.asarray(skeleton.rest, np.float64), np.asarray(skeleton.parents, np.intp)
    if rest is None:
        return Joints(skeleton.names, parents, own, change, None)
    here, joints = _chosen(rest, skeleton.names), _world(own, parents)
    moved = change.joints_to_model(here)
    size = max(float(np.ptp(joints[:, :3, 3], axis=0).max()), 1e-6)
    off = np.linalg.norm(moved[:, :3, 3] - joints[:, :3, 3], axis=1)
    if not off.max() < ELSEWHERE * size:
        worst = int(off.argmax())
        raise ValueError(
            f"the skeleton at rest is not the model's: joint {skeleton.names[worst]!r} is {off[worst]:.3g} of the "
            f"model's units away{_reason(moved[:, :3, 3], joints[:, :3, 3])}"
        )
    return Joints(skeleton.names, parents, own, change, np.asarray(transforms.affine_inverse(moved) @ joints))


def _reason(points: Array, wanted: Array) -> str:
    """Another unit or up axis that would explain it, in words."""
    spread = [float(np.linalg.norm(part - part[0])) for part in (points, wanted)]
    if min(spread) == 0.0:
        return ""
    scale = spread[0] / spread[1]
    unit = "" if abs(scale - 1.0) < ELSEWHERE else f"; it is {scale:.4g} times as large: Space(meters_per_unit=...)"
    here, there = (points - points[0]) / spread[0], (wanted - wanted[0]) / spread[1]
    turns = [
        np.array(one, np.float64).T @ np.array(other, np.float64) for one in AXES.values() for other in AXES.values()
    ]
    lies = [bool(np.abs(here @ turn.T - there).max() < ELSEWHERE) for turn in [np.eye(3), *turns]]
    return f"{unit}; it lies as with another axis up: Space(up_axis=...)" if any(lies) and not lies[0] else unit


def _chosen(skeleton: hou.Geometry, names: list[str]) -> Array:
    """World transforms (J, 4, 4), for column vectors, of the joints of these names."""
    if skeleton.findPointAttrib("name") is None:
        raise ValueError("the skeleton's points have no attribute name: connect a KineFX skeleton")
    there = list(skeleton.pointStringAttribValues("name"))
    count, place = Counter(there), {name: index for index, name in enumerate(there)}
    missing = [name for name in names if name not in place]
    if missing:
        raise ValueError(f"the skeleton lacks joints of the model, {missing_words(missing, there, len(names))}")
    twice = [name for name in names if count[name] > 1]
    if twice:
        raise ValueError(f"the skeleton has {count[twice[0]]} joints called {twice[0]!r}: it must have one")
    chosen = [place[name] for name in names]
    if skeleton.findPointAttrib("transform") is not None:
        result = np.tile(np.eye(4), (len(there), 1, 1))
        result[:, :3, :3] = floats(skeleton, "transform", 9).reshape(-1, 3, 3).transpose(0, 2, 1)
        result[:, :3, 3] = positions(skeleton)
        return np.asarray(result[chosen])
    if skeleton.findPointAttrib("localtransform") is None:
        raise ValueError(
            "the skeleton's points have neither an attribute transform nor localtransform: a Rig Doctor SOP adds them"
        )
    return np.asarray(_composed(skeleton, len(there))[chosen])


def _composed(skeleton: hou.Geometry, count: int) -> Array:
    """World transforms (N, 4, 4) of local ones, along the polylines from parent to child."""
    local = floats(skeleton, "localtransform", 16).reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    parents = np.full(count, -1)
    for primitive in skeleton.prims():
        points = [vertex.point().number() for vertex in primitive.vertices()]
        for parent, child in zip(points, points[1:]):
            parents[child] = parent
    world, done = local.copy(), parents < 0
    while not done.all():
        ready = ~done & done[parents]
        if not ready.any():
            raise ValueError("the skeleton's polylines go in a circle: its joints have no root")
        world[ready] = world[parents[ready]] @ local[ready]
        done |= ready
    return world


def _world(local: Array, parents: Array) -> Array:
    result = np.tile(np.eye(4), (len(parents), 1, 1))
    result[:, :3] = local
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            result[joint] = result[parent] @ result[joint]
    return result
