"""Figures that the page draws itself: the pictures' meshes, camera and light, in files for WebGL.

``*.faces`` is shared by what has the same triangles: a line of JSON (``vertices``, ``triangles``, ``camera``,
``light``), spaces up to a multiple of 4 bytes, indices (F, 3) as uint32 and the vertices' linear colors (V, 3) as
float32, little-endian. ``*.mesh`` is (V, 6) float32: vertices and their normals in the camera's axes, x to the right, y
up, z toward the camera, the middle of the face at the origin.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.render import Camera, Lights, Material, Sensor

FACES, MESH = ".faces", ".mesh"
KINDS = {".png": "image/png", FACES: "application/octet-stream", MESH: "application/octet-stream"}


def faces_file(
    faces: NDArray[np.int32], num_vertices: int, camera: Camera, material: Material, lights: Lights, sensor: Sensor
) -> bytes:
    """The content of a ``.faces`` file; ``faces`` are (F, 4), with -1 in the last column of triangles."""
    surface = material.arrays(num_vertices, len(faces))
    quads = faces[faces[:, 3] >= 0]
    triangles = np.concatenate([faces[:, :3], quads[:, [0, 2, 3]]])
    rays, around = lights.arrays(1)
    about: dict[str, Any] = {
        "vertices": num_vertices,
        "triangles": len(triangles),
        "camera": {
            "focal": float(np.asarray(camera.focal)) / camera.height,
            "distance": float(np.asarray(camera.translation)[2]),
            "near": camera.near,
        },
        "light": {
            "directions": rays[0, :, :3].tolist(),
            "colors": rays[0, :, 3:].tolist(),
            "sky": around[0, :3].tolist(),
            "ground": around[0, 3:6].tolist(),
            "up": around[0, 6:].tolist(),
            "wrap": lights.wrap,
            "specular": float(surface["gloss"][0, 0]),
            "exponent": float(surface["gloss"][0, 1]),
            "gamma": sensor.gamma,
            "background": np.asarray(sensor.background, float).tolist(),
        },
    }
    head = json.dumps(about).encode()
    head += b" " * (-(len(head) + 1) % 4) + b"\n"
    return head + triangles.astype("<u4").tobytes() + surface["albedo"].astype("<f4").tobytes()


def mesh_file(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> bytes:
    """The content of a ``.mesh`` file."""
    points = vertices.astype(np.float32)
    return np.hstack([points, _core.vertex_normals(points, faces)]).astype("<f4").tobytes()
