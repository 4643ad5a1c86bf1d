"""A written .glb, read back for the slow evaluation of tests.support.glb."""

from __future__ import annotations

import json

import numpy as np

from tests.support.glb import COMPONENTS, TYPES, Gltf, animated_values, slow_vertices

DTYPES = {code: "<" + name for name, code in COMPONENTS.items()}
WIDTHS = {name: width for width, name in TYPES.items()}


def read_back(path) -> Gltf:
    """The document and the values of its accessors, sparse ones filled in; nothing of the package is used."""
    blob = path.read_bytes()
    size = int.from_bytes(blob[12:16], "little")
    file, buffer = Gltf(), blob[28 + size :]
    file.json = json.loads(blob[20 : 20 + size])

    def rows(view, code, width):
        record = file.json["bufferViews"][view]
        part = buffer[record["byteOffset"] : record["byteOffset"] + record["byteLength"]]
        return np.frombuffer(part, DTYPES[code]).reshape(-1, width)

    for accessor in file.json["accessors"]:
        code, width = accessor["componentType"], WIDTHS[accessor["type"]]
        values = np.zeros((accessor["count"], width))
        if "bufferView" in accessor:
            values[:] = rows(accessor["bufferView"], code, width)
        if sparse := accessor.get("sparse"):
            places = rows(sparse["indices"]["bufferView"], sparse["indices"]["componentType"], 1)[:, 0]
            values[places] = rows(sparse["values"]["bufferView"], code, width)
        file.data.append(values)
    return file


def played(file: Gltf, clip: str, seconds) -> np.ndarray:
    """Vertices (T, V, 3) of all meshes at some times of a clip."""
    meshes = [number for number, node in enumerate(file.json["nodes"]) if "mesh" in node]
    values = (animated_values(file, clip, time) for time in seconds)
    return np.array([np.concatenate([slow_vertices(file, mesh, at) for mesh in meshes]) for at in values])
