"""Point caches: PC2 (3ds Max, Blender, Houdini) and MDD (LightWave, Maya, Blender), written and read as shots.

PC2, little endian: ``POINTCACHE2`` and a zero byte, int32 version 1, int32 V, float32 first frame, float32 frames per
sample, int32 T, then float32 (T, V, 3). MDD, big endian: int32 T, int32 V, float32 seconds (T,), then float32
(T, V, 3). Neither states unit, up axis or faces; PC2 states no rate.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._formats.usd.names import unique_identifiers
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import FPS, bad_argument

PC2_HEADER = "<12siiffi"
PC2_OPENING = b"POINTCACHE2\0"
FIRST_FRAME = 1.0  # where the timelines of Blender, Maya and Houdini begin
MDD_HEADER = ">ii"
EVEN = 0.02  # of a frame: rounding of seconds in float32


def write_pc2(path: Path, mesh: MovingMesh) -> None:
    """Write a PC2 file whose first frame is 1, with one sample per frame, in the mesh's own axes and unit."""
    write_pc2_parts([(path, np.arange(mesh.num_vertices))], mesh)


def write_pc2_parts(parts: Sequence[tuple[Path, NDArray[np.integer[Any]]]], mesh: MovingMesh) -> None:
    """Write a PC2 file for each of several lists of vertices; the frames are read once."""
    with contextlib.ExitStack() as files:
        streams = [files.enter_context(atomic_file(path)) for path, _ in parts]
        for stream, (_, vertices) in zip(streams, parts, strict=True):
            header = (PC2_OPENING, 1, len(vertices), FIRST_FRAME, 1.0, len(mesh))
            stream.write(struct.pack(PC2_HEADER, *header))
        for chunk in mesh.chunks():
            for stream, (_, vertices) in zip(streams, parts, strict=True):
                stream.write(chunk[:, vertices].astype("<f4").tobytes())


def write_mdd(path: Path, mesh: MovingMesh) -> None:
    """Write an MDD file that begins at 0 seconds, in the mesh's own axes and unit."""
    write_mdd_parts([(path, np.arange(mesh.num_vertices))], mesh)


def write_mdd_parts(parts: Sequence[tuple[Path, NDArray[np.integer[Any]]]], mesh: MovingMesh) -> None:
    """Write an MDD file for each of several lists of vertices; the frames are read once."""
    with contextlib.ExitStack() as files:
        streams = [files.enter_context(atomic_file(path)) for path, _ in parts]
        for stream, (_, vertices) in zip(streams, parts, strict=True):
            stream.write(struct.pack(MDD_HEADER, len(mesh), len(vertices)))
            stream.write((np.arange(len(mesh)) / mesh.fps).astype(">f4").tobytes())
        for chunk in mesh.chunks():
            for stream, (_, vertices) in zip(streams, parts, strict=True):
                stream.write(chunk[:, vertices].astype(">f4").tobytes())


def cache_paths(path: Path, parts: Sequence[str]) -> list[Path]:
    """``path`` itself, or ``STEM.PART.ENDING`` of each of several parts."""
    if len(parts) < 2:
        return [path]
    return [path.with_name(f"{path.stem}.{name}{path.suffix}") for name in unique_identifiers(parts, "mesh")]


def load_pc2(path: Path, fps: float = FPS) -> Shot:
    """Read a PC2 file, each sample as a frame."""
    content = path.read_bytes()
    size = struct.calcsize(PC2_HEADER)
    if len(content) < size or not content.startswith(PC2_OPENING):
        raise _refused(path, "no PC2 header", "a PC2 point cache")
    _, _, vertices, _, _, frames = struct.unpack_from(PC2_HEADER, content)
    return Shot(_positions(path, content, size, frames, vertices, "<f4"), fps)


def load_mdd(path: Path, fps: float | None = None) -> Shot:
    """Read an MDD file; its rate is that of its seconds where they are evenly spaced, else 30."""
    content = path.read_bytes()
    size = struct.calcsize(MDD_HEADER)
    if len(content) < size:
        raise _refused(path, "no MDD header", "an MDD point cache")
    frames, vertices = struct.unpack_from(MDD_HEADER, content)
    points = _positions(path, content, size + 4 * max(0, frames), frames, vertices, ">f4")
    seconds = _doubles(content[size : size + 4 * frames])
    return Shot(points, fps or _rate(seconds) or FPS)


def mdd_rate(path: Path) -> float | None:
    """Frames per second by the differences of an MDD file's times; None if they are not evenly spaced."""
    with path.open("rb") as stream:
        header = stream.read(struct.calcsize(MDD_HEADER))
        if len(header) < struct.calcsize(MDD_HEADER):
            raise _refused(path, "no MDD header", "an MDD point cache")
        frames, _ = struct.unpack(MDD_HEADER, header)
        seconds = _doubles(stream.read(4 * max(0, frames)))
    return _rate(seconds) if len(seconds) == frames else None


def _doubles(content: bytes) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # NaN of the kind that signals
        return np.frombuffer(content, ">f4", len(content) // 4).astype(np.float64)


def _positions(path: Path, content: bytes, start: int, frames: int, vertices: int, kind: str) -> NDArray[np.float32]:
    if frames < 1 or vertices < 1 or len(content) != start + 12 * frames * vertices:
        got = f"{len(content)} bytes for {frames} frames of {vertices} points"
        raise _refused(path, got, "a whole point cache of at least one frame")
    flat = np.frombuffer(content, kind, 3 * frames * vertices, start)
    points: NDArray[np.float32] = flat.astype(np.float32).reshape(frames, vertices, 3)
    return points


def _rate(seconds: NDArray[np.float64]) -> float | None:
    span = float(seconds[-1] - seconds[0])
    if len(seconds) < 2 or not np.isfinite(seconds).all() or span <= 0:
        return None
    rate = (len(seconds) - 1) / span
    even = np.abs((seconds - seconds[0]) * rate - np.arange(len(seconds))).max() < EVEN
    return float(np.round(rate, 3)) if even else None


def _refused(path: Path, got: str, expected: str) -> Any:
    return bad_argument("load_shot", "path", f"{path}: {got}", expected, path)
