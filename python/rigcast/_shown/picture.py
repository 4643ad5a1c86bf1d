"""A small picture of a mesh at rest for notebooks, by the engine's own renderer: no other package is needed."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

SIZE = 144  # pixels
SMALLEST = 1e-5  # extent of a mesh: all vertices of a smaller one lie in one place
MOST_VERTICES = 200_000  # a larger mesh takes too long to draw beside a table
CLAY = (0.45, 0.42, 0.40)
FRONTS = {"X": ((1, 0, 0), (0, 0, 1)), "Y": ((0, 1, 0), (0, 0, 1)), "Z": ((0, 0, 1), (0, -1, 0))}  # up, to the viewer


def rest_picture(shown: object) -> str:
    """An ``img`` element of the mesh that an object has at rest; empty if it has none that can be drawn."""
    vertices = getattr(shown, "rest_vertices", getattr(shown, "vertices", None))
    faces = getattr(shown, "faces", None)
    if not isinstance(vertices, np.ndarray) or not isinstance(faces, np.ndarray):
        return ""
    if vertices.ndim == 3 and len(vertices):  # a shot: its first frame
        vertices = vertices[0]
    fits = vertices.ndim == 2 and vertices.shape[1] == 3 and faces.ndim == 2 and faces.shape[1] in (3, 4)
    if not fits or not 3 <= len(vertices) <= MOST_VERTICES or not len(faces) or not np.isfinite(vertices).all():
        return ""
    if np.ptp(vertices, axis=0).max() < SMALLEST:
        return ""
    up = getattr(shown, "up_axis", "Y")
    pixels = _drawn(vertices, faces, up if up in FRONTS else "Y")
    content = base64.b64encode(png(pixels)).decode("ascii")
    return f'<img src="data:image/png;base64,{content}" width="{SIZE}" height="{SIZE}" alt="rest pose">'


def _drawn(vertices: NDArray[Any], faces: NDArray[Any], up_axis: str) -> NDArray[np.uint8]:
    """(SIZE, SIZE, 4) colors and how much of each pixel the mesh covers: the notebook's own color is behind it."""
    up, front = (np.array(axis, float) for axis in FRONTS[up_axis])
    toward = front + 0.45 * np.cross(up, front) + 0.15 * up
    toward /= np.linalg.norm(toward)
    right = np.cross(up, toward) / np.linalg.norm(np.cross(up, toward))
    axes = np.stack([right, -np.cross(toward, right), -toward])  # x to the right, y down, z away from the viewer
    placed = np.asarray(vertices, np.float64) @ axes.T
    low, high = placed.min(axis=0), placed.max(axis=0)
    extent = max(float((high - low).max()), 1e-9)
    center, distance = 0.5 * (low + high), 8.0 * extent
    camera = np.empty((1, 17))
    camera[0, :9], camera[0, 9:12] = axes.reshape(-1), np.array([0.0, 0.0, distance]) - center
    camera[0, 12:14], camera[0, 14:16], camera[0, 16] = 0.94 * SIZE * distance / extent, 0.5 * SIZE, 1e-3 * extent
    count = len(vertices)
    color, coverage = _core.Renderer(faces, count).draw(
        np.ascontiguousarray(vertices, np.float32)[None],
        camera,
        albedo=np.full((count, 3), CLAY, np.float32),
        gloss=np.full((count, 2), (0.05, 20.0), np.float32),
        occlusion=np.ones(count, np.float32),
        texture=np.zeros((0, 0, 3), np.float32),
        uvs=np.zeros((0, 4, 2), np.float32),
        lights=np.array([[[*_unit(0.6 * toward + 0.5 * up - 0.5 * right), 0.8, 0.8, 0.8]]]),
        hemispheres=np.array([[0.4, 0.4, 0.43, 0.18, 0.17, 0.16, *up]]),
        wrap=0.2,
        background=np.array([CLAY]),
        sensors=np.array([[1.0, 0.0, 0.0, 2.2]]),
        seeds=np.zeros(1, np.int64),
        height=SIZE,
        width=SIZE,
        samples=3,
        threads=1,
    )
    alpha = np.asarray(255.0 * coverage[0] + 0.5, np.uint8)[..., None]
    return np.concatenate([color[0], alpha], axis=2)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(vector / np.linalg.norm(vector))


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The content of a PNG file (ISO/IEC 15948) of pixels (height, width, 3 or 4): 8 bits, rows filtered by "Up"."""
    height, width, depth = pixels.shape
    rows = pixels.reshape(height, depth * width)
    above = np.concatenate([np.zeros((1, depth * width), np.uint8), rows[:-1]])
    filtered = np.concatenate([np.full((height, 1), 2, np.uint8), rows - above], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[depth], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
