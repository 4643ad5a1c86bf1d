"""Names in stages: prims are letters, digits and underscores, not beginning with a digit; attributes of this package
stand in the namespace ``rigcast``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require

MODEL = "rigcast:model"  # of a character's root: the model file, an asset path
PLACES = "rigcast:vertices"  # of a mesh that is a part: the vertex of the character that each point is
ABOUT = "rigcast"  # customData of a character's root


def identifier(name: str, default: str = "mesh") -> str:
    """The nearest prim name."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() else plain or default


def unique_identifiers(names: Sequence[str], default: str, taken: Sequence[str] = ()) -> list[str]:
    """Of several names, made different by a number where they would be equal."""
    used, found = set(taken), list[str]()
    for name in names:
        plain = candidate = identifier(name, default)
        number = 1
        while candidate in used:
            number += 1
            candidate = f"{plain}_{number}"
        used.add(candidate)
        found.append(candidate)
    return found


def state_places(mesh: Any, vertices: NDArray[np.int32]) -> None:
    """State the vertex of the character that each point of a part is, by which readers join the parts again."""
    sdf, arrays = (require(f"pxr.{name}", extra="usd", purpose="writing USD files") for name in ("Sdf", "Vt"))
    attribute = mesh.GetPrim().CreateAttribute(PLACES, sdf.ValueTypeNames.IntArray, True, sdf.VariabilityUniform)
    attribute.Set(arrays.IntArray.FromNumpy(np.ascontiguousarray(vertices, np.int32)))


def stated_places(mesh: Any) -> NDArray[np.int64] | None:
    """Places that :func:`state_places` stated, checked against the number of points; None for meshes without it."""
    found = mesh.GetPrim().GetAttribute(PLACES)
    values = found.Get() if found else None
    points = mesh.GetPointsAttr()
    samples = points.GetTimeSamples()
    given = points.Get(samples[0]) if samples else points.Get()
    if values is None or given is None or len(values) != len(given):
        return None
    places = np.asarray(values, np.int64)
    return places if len(places) and places.min() >= 0 and len(np.unique(places)) == len(places) else None
