"""The surface data of a glTF 2.0 mesh: texture coordinates, the names of materials, its licence."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.blendshapes import MorphFile
from rigcast._formats.gltf.document import Document, text
from rigcast._formats.gltf.geometry import read_geometry
from rigcast._formats.gltf.nodes import Nodes
from rigcast._hashing import padded_faces
from rigcast._rigs.surface import Surface


@dataclass(frozen=True)
class Covered:
    """Faces with what lies on them, in the order of the readers.

    Attributes
    ----------
    count : int
        V.
    faces : (F, 4) int32 array
    surface : Surface
    licence : str
    """

    count: int
    faces: NDArray[np.int32]
    surface: Surface
    licence: str


def read_surface(path: Path) -> Covered:
    """Read it of the meshes that :func:`rigcast.sources.load_mesh` reads of this file.

    Raises
    ------
    ValueError
        If the file is malformed.
    """
    document = Document(path)
    chosen: list[int] = []
    with contextlib.suppress(ValueError):  # without morph targets
        chosen = MorphFile.open(path, None).mesh_nodes
    chosen = chosen or [n for n, node in enumerate(document.gltf.nodes) if node.mesh is not None]
    geometry = read_geometry(document, Accessors(document), chosen, {}, Nodes(document).names)
    faces = padded_faces(geometry.faces, "read_surface")
    return Covered(len(geometry.vertices), faces, geometry.surface, text(document.gltf.asset.copyright))
