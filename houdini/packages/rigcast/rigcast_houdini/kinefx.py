"""World matrices of KineFX skeletons, whose joints are points.

A point is a joint by its attributes ``name`` (string) and ``transform`` (3x3): with ``P`` it is the world transform of
the joint ("Get Point Transform" VOP: "It builds the transform from v@P and 3@transform attributes").
``localtransform`` (4x4) is relative to the parent, which a polyline names. Houdini multiplies rows, ``p M``; models
multiply columns, ``M p``: every matrix is transposed here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hou
import numpy as np

from rigcast_host.joints import composed, places_of

from .attributes import floats, positions

Array = np.ndarray[Any, Any]


def worlds(skeleton: hou.Geometry, names: Sequence[str]) -> Array:
    """World matrices (J, 4, 4), for column vectors, of the joints of these names.

    Raises
    ------
    ValueError
        If joints or attributes are missing, or a name is there twice.
    """
    if skeleton.findPointAttrib("name") is None:
        raise ValueError("the skeleton's points have no attribute name: connect a KineFX skeleton")
    there = skeleton.pointStringAttribValues("name")
    chosen = places_of(names, there)
    if skeleton.findPointAttrib("transform") is not None:
        result = np.tile(np.eye(4), (len(there), 1, 1))
        result[:, :3, :3] = floats(skeleton, "transform", 9).reshape(-1, 3, 3).transpose(0, 2, 1)
        result[:, :3, 3] = positions(skeleton)
        return np.asarray(result[chosen])
    if skeleton.findPointAttrib("localtransform") is None:
        raise ValueError(
            "the skeleton's points have neither an attribute transform nor localtransform: a Rig Doctor SOP adds them"
        )
    local = floats(skeleton, "localtransform", 16).reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    return np.asarray(composed(local, _parents(skeleton, len(there)))[chosen])


def bytes_of(skeleton: hou.Geometry) -> tuple[object, ...]:
    """All that :func:`worlds` reads of the points, to be compared."""
    if skeleton.findPointAttrib("name") is None:
        return ()
    there = [name for name in ("P", "transform", "localtransform") if skeleton.findPointAttrib(name) is not None]
    return skeleton.pointStringAttribValues("name"), *map(skeleton.pointFloatAttribValuesAsString, there)


def _parents(skeleton: hou.Geometry, count: int) -> Array:
    """The parent of each point by the polylines, which run from parent to child; -1 for roots."""
    parents = np.full(count, -1)
    for primitive in skeleton.prims():
        points = [vertex.point().number() for vertex in primitive.vertices()]
        for parent, child in zip(points, points[1:]):
            parents[child] = parent
    return parents
