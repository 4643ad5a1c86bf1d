"""The surface of a character in Blender, from what its host says of each mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.surface import Surface, joined


def surface_of_meshes(parts: list[dict[str, Any]], arrays: dict[str, NDArray[Any]]) -> Surface:
    """Each mesh object a part by its name; equal names of materials are one material, unused ones are left out.

    Parameters
    ----------
    parts : list of dict
        ``name``, counts of ``vertices``, ``faces``, ``uvs`` and ``corners``, and ``materials``, of each mesh.
    arrays : dict
        ``surface_kinds`` (F,), ``surface_uvs`` (U, 2) and ``surface_corners``, of all meshes, one after another.
    """
    starts = dict.fromkeys(("faces", "uvs", "corners"), 0)

    def next_rows(key: str, size: str, count: int) -> NDArray[Any]:
        first = starts[size]
        starts[size] += count
        return arrays[key][first : starts[size]]

    meshes = []
    for part in parts:
        kinds = next_rows("surface_kinds", "faces", part["faces"])
        used = np.unique(kinds[kinds >= 0])
        place = np.full(len(part["materials"]) + 1, -1, np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        surface = Surface(
            materials=[part["materials"][kind] for kind in used.tolist()],
            face_materials=place[kinds] if len(used) else np.zeros(0, np.int32),
            uvs=next_rows("surface_uvs", "uvs", part["uvs"]),
            uv_faces=next_rows("surface_corners", "corners", part["corners"]) if part["uvs"] else Surface().uv_faces,
        )
        meshes.append((part["name"], part["vertices"], part["faces"], surface))
    return joined(meshes)
