"""The layout of a data set's folder: names of its files, their types and shapes, the same bytes from every NumPy."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._shown import one_line

MANIFEST, UNFINISHED, LOCK, REPLACEMENT = "manifest.json", "unfinished.json", ".lock", ".replacement"
ARRAYS = ("channels", "poses", "vertices")  # of each shard, float32, with a row per pose
MAGIC = b"\x93NUMPY\x01\x00"
# name -> whether a manifest asks for it, its type, its shape
Shape = Callable[[dict[str, Any]], tuple[int, ...]]
RowShapes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
FILES: dict[str, tuple[str, str, Shape]] = {
    "vertex_parts": ("parts", "<i4", lambda m: (m["num_vertices"],)),
    "face_materials": ("materials", "<i4", lambda m: (m["num_faces"],)),
    "uvs": ("num_uvs", "<f4", lambda m: (m["num_uvs"], 2)),
    "uv_faces": ("num_uvs", "<i4", lambda m: (m["num_faces"], 4)),
    "clip": ("clips", "<i4", lambda m: (m["count"],)),
    "skin_joint": ("skin", "<i4", lambda m: (m["num_vertices"], m["skin"])),
    "skin_weight": ("skin", "<f4", lambda m: (m["num_vertices"], m["skin"])),
}
OURS = re.compile(
    rf"(manifest|unfinished)\.json|(rest_vertices|faces|skeleton_rest|{'|'.join(FILES)})\.npy"
    rf"|(probe\.)?\d{{5,}}\.(done|({'|'.join(ARRAYS)})\.npy)"
)
LEFT_OVER = re.compile(rf"\.({OURS.pattern})\.\w+\.part|\.token\.[0-9a-f]{{32}}")


@one_line
@dataclass(frozen=True)
class Shard:
    """Rows ``start`` to ``stop`` of the data (or of the influence probe), stored as number ``index``."""

    probe: bool
    index: int
    start: int
    stop: int

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return f"{'probe.' if self.probe else ''}{self.index:05d}"

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return self.stop - self.start

    @property
    def kind(self) -> str:
        """The word for a row of it in messages."""
        return "probe row" if self.probe else "channel row"

    def __str__(self) -> str:
        return f"{self.kind}s {self.start} to {self.stop - 1}, shard {self.stem}"


@one_line
@dataclass(frozen=True)
class Done:
    """A shard that lies finished in the folder, with the SHA-256 of its files."""

    shard: Shard
    hashes: dict[str, str]


@dataclass(frozen=True)
class Contents:
    """Everything that a folder will hold, decided before the rig is evaluated.

    Attributes
    ----------
    opening : dict
        Of the manifest.
    files : dict
        Contents of the files that are written first, by name.
    shards : list of Shard
        Those of the data, then the probe's.
    shapes : tuple of int tuples
        See :func:`row_shapes`.
    """

    opening: dict[str, Any]
    files: dict[str, bytes]
    shards: list[Shard]
    shapes: RowShapes

    @property
    def rows(self) -> int:
        """The number of rows of all shards, the probe's among them."""
        return sum(shard.rows for shard in self.shards)

    def size(self, shards: list[Shard]) -> int:
        """Bytes of the three files of each shard."""
        return sum(npy_size("<f4", (shard.rows, *shape)) for shard in shards for shape in self.shapes)


@dataclass(frozen=True)
class Begun:
    """A folder that a run has begun, or goes on with.

    Attributes
    ----------
    path : Path
        The place of the shards.
    done : dict of Done
        The finished shards by their stems.
    left : list of Shard
        Those that it lacks.
    reference : pair of arrays or None
        Poses (1, C) and vertices (1, V, 3) of channel row 0 if its shard is finished.
    """

    path: Path
    done: dict[str, Done]
    left: list[Shard]
    reference: tuple[NDArray[np.float32], NDArray[np.float32]] | None


def shard_bounds(rows: int, shard_rows: int) -> list[tuple[int, int]]:
    """First and last row (exclusive) of each shard."""
    return [(start, min(start + shard_rows, rows)) for start in range(0, rows, shard_rows)]


def row_shapes(channels: int, pose_columns: int, vertices: int) -> RowShapes:
    """Shapes of a row of each of ``ARRAYS``, from the counts of a rig."""
    return (channels,), (pose_columns,), (vertices, 3)


def shard_file(stem: str, array: str) -> str:
    """The name of a shard's file of an array."""
    return f"{stem}.{array}.npy"


def shard_names(manifest: dict[str, Any]) -> list[str]:
    """The names of all files of shards that a manifest lists."""
    return [
        shard_file(f"{prefix}{index:05d}", name)
        for prefix, key in (("", "shards"), ("probe.", "probe_shards"))
        for index in range(len(manifest[key]))
        for name in ARRAYS
    ]


def token_file(folder: Path, token: str) -> Path:
    """The file of a token."""
    return folder / f".token.{token}"


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """The header of a ``.npy`` file, format 1.0: padded so that the data start at a multiple of 64 bytes."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = -(-(len(MAGIC) + 2 + len(text) + 1) // 64) * 64 - len(MAGIC) - 2
    return MAGIC + length.to_bytes(2, "little") + text.ljust(length - 1).encode("ascii") + b"\n"


def npy_size(dtype: str, shape: tuple[int, ...]) -> int:
    """Bytes of the file that :func:`npy_header` opens."""
    return len(npy_header(dtype, shape)) + math.prod(shape) * np.dtype(dtype).itemsize


def write_array(path: Path, array: NDArray[np.float32]) -> str:
    """Write a ``.npy`` file in one step; returns the SHA-256 of its content."""
    header, data = npy_header("<f4", array.shape), np.ascontiguousarray(array, "<f4").data
    digest = hashlib.sha256(header)
    digest.update(data)
    with atomic_file(path) as stream:
        stream.write(header)
        stream.write(data)
    return digest.hexdigest()
