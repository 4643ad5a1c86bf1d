"""A moving mesh that is about to be written: its frames are read a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.pieces import Piece, pieces
from rigcast._rigs.surface import Surface
from rigcast._validate import bad_argument

BYTES_AT_ONCE = 16 << 20


class MeshFrames(Protocol):
    """Frames (T, V, 3): an array, a memory-mapped file, or anything that is sliced like one."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, frames: int) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, frames: slice) -> NDArray[Any]: ...


@dataclass(frozen=True)
class MovingMesh:
    """Frames of a mesh, and what else a file says.

    Attributes
    ----------
    frames : MeshFrames, (T, V, 3)
    faces : (F, 4) int32 array, -1 pads triangles; F may be 0
    fps : float
        Frames per second.
    meters_per_unit : float
    up_axis : "X", "Y" or "Z"
    name, licence : str
    matrix : (3, 3) float64 array, optional
        Brings the vertices of ``frames`` into the unit and the axes that are stated.
    surface : Surface
        Named parts, materials and texture coordinates.
    """

    frames: MeshFrames
    faces: NDArray[np.int32]
    fps: float
    meters_per_unit: float = 1.0
    up_axis: str = "Y"
    name: str = ""
    licence: str = ""
    matrix: NDArray[np.float64] | None = None
    surface: Surface = field(default_factory=Surface)

    @property
    def pieces(self) -> list[Piece]:
        """One per part; the whole mesh, named as the character is, if there are less than two."""
        found = pieces(self.faces, self.surface, self.num_vertices)
        return [replace(piece, name=piece.name or self.name) for piece in found]

    def __len__(self) -> int:
        """T."""
        return len(self.frames)

    @property
    def num_vertices(self) -> int:
        """V."""
        return len(self.first)

    @property
    def first(self) -> NDArray[np.float32]:
        """(V, 3): the first frame."""
        frames = self._placed(np.asarray(self.frames[0:1]))
        return frames.reshape(frames.shape[1:])

    @property
    def size(self) -> float:
        """Diagonal of the first frame's bounding box, in the mesh's unit."""
        return float(np.linalg.norm(np.ptp(self.first, axis=0)))

    def chunks(self) -> Iterator[NDArray[np.float32]]:
        """All frames, a few (t, V, 3) at a time.

        Raises
        ------
        ValueError
            Naming the first frame that is not finite, or a slice that has another shape than the first frame.
        """
        count, vertices = len(self), self.num_vertices
        step = max(1, BYTES_AT_ONCE // (12 * vertices))
        for start in range(0, count, step):
            stop = min(start + step, count)
            given = np.asarray(self.frames[start:stop])
            if given.shape != (stop - start, vertices, 3):
                expected = f"({stop - start}, {vertices}, 3)"
                raise bad_argument("write_vertices", "vertices", f"{given.shape} in frames {start} to {stop}", expected)
            chunk = self._placed(given)
            wrong = np.flatnonzero(~np.isfinite(chunk).all(axis=(1, 2)))
            if len(wrong):
                got = f"not finite in frame {start + wrong[0]}"
                raise bad_argument("write_vertices", "vertices", got, "finite everywhere")
            yield chunk

    def placed(self, meters_per_unit: float | None = None, up_axis: str | None = None) -> MovingMesh:
        """The same motion in another unit and other axes (default: its own)."""
        unit = self.meters_per_unit if meters_per_unit is None else meters_per_unit
        axis = self.up_axis if up_axis is None else up_axis
        if (unit, axis) == (self.meters_per_unit, self.up_axis):
            return self
        matrix = self.meters_per_unit / unit * turn_between(self.up_axis, axis)
        before = np.eye(3) if self.matrix is None else self.matrix
        return replace(self, meters_per_unit=unit, up_axis=axis, matrix=matrix @ before)

    def _placed(self, frames: NDArray[Any]) -> NDArray[np.float32]:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by chunks
            moved = frames if self.matrix is None else frames @ self.matrix.T
            return np.ascontiguousarray(moved, np.float32)


def turn_between(up_axis: str, other: str) -> NDArray[np.float64]:
    """The rotation (3, 3) that brings one up axis to another."""
    turn: NDArray[np.float64] = TO_Y_UP[other].T @ TO_Y_UP[up_axis]
    return turn
