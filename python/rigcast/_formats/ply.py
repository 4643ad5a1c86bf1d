"""PLY meshes, as scanners write them, read by trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._safe_reading import check_regular
from rigcast._validate import bad_argument


def read_ply(path: Path, function: str) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Vertices (V, 3) in the order of the file, and triangles (F, 3): trimesh cuts quads in two.

    Raises
    ------
    ValueError
        If the file is no PLY mesh.
    rigcast._extras.MissingExtra
        Without trimesh.
    """
    trimesh = require("trimesh", extra="meshes", purpose="reading PLY files")
    check_regular(path)
    try:
        with path.open("rb") as stream:
            # process=False: vertices are neither merged nor sorted; maintain_order is about faces
            mesh: Any = trimesh.load(stream, file_type="ply", process=False, maintain_order=True)
        vertices = np.asarray(mesh.vertices, np.float32).reshape(-1, 3)
        faces = np.asarray(getattr(mesh, "faces", np.zeros((0, 3))), np.int32).reshape(-1, 3)
    except Exception as error:
        raise bad_argument(function, "path", f"{path}: unreadable ({error})", "a PLY mesh") from error
    if not len(vertices):
        raise bad_argument(function, "path", f"{path}: without vertices", "a PLY mesh")
    return vertices, faces
