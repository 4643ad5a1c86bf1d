"""A layout: map segments with their texture coordinates, rigid parts, what maps can show of a face at best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line

COARSE, REFINEMENT = 0, 1


@one_line
@dataclass(frozen=True)
class MapSegment:
    """Vertices that one map moves: by weight times the map, sampled bilinearly at their texture coordinates.

    Attributes
    ----------
    name : str
    level : int
        0 coarse, 1 refinement.
    vertices : (M,) int64 array
        Ascending.
    uvs : (M, 2) float64 array
        In the unit square; texel (i, j), column and row, has its center at (i, j) / (resolution - 1).
    weights : (M,) float32 array
        The weights of all coarse segments of a vertex have a sum of 1, those of all refinement segments of at most 1.
    columns : (N,) int64 array
        Pose columns that move some vertex of the segment, ascending: the inputs of its network.
    resolution : int
        Texels along each axis.
    rectangle : (2, 2) float64 array, optional
        Of a refinement segment, while a layout is made: low and high corner, on its coarse segment's map, of the
        rectangle inside which its weights are 1.
    """

    name: str
    level: int
    vertices: NDArray[np.int64]
    uvs: NDArray[np.float64]
    weights: NDArray[np.float32]
    columns: NDArray[np.int64]
    resolution: int
    rectangle: NDArray[np.float64] | None = None


@one_line
@dataclass(frozen=True)
class RigidPart:
    """Vertices that move by the rigid motion that takes their followers' rest positions to the posed ones best.

    Attributes
    ----------
    name : str
    vertices : (Q,) int64 array
        Ascending; they are in no segment.
    followers : (10,) int64 array
        Vertices of coarse segments, not all on one line, ascending.
    error : float
        RMS distance over samples and vertices, in millimeters, when the followers are where the rig has them.
    """

    name: str
    vertices: NDArray[np.int64]
    followers: NDArray[np.int64]
    error: float


@one_line
@dataclass(frozen=True)
class Floors:
    """The least errors of the maps of a segment, before and after its texture coordinates were mended.

    Attributes
    ----------
    name : str
        Of the segment.
    resolution : int
    before, after : (mean, max)
        Distances in millimeters that the best map leaves, over vertices that move in the frames looked at.
    folded_before, folded_after : int
        Triangles whose texture winds against the majority.
    overlapped_before, overlapped_after : int
        Triangles whose texture lies on that of triangles elsewhere on the mesh.
    """

    name: str
    resolution: int
    before: tuple[float, float]
    after: tuple[float, float]
    folded_before: int
    folded_after: int
    overlapped_before: int
    overlapped_after: int


@one_line
@dataclass(frozen=True)
class Layout:
    """The layout of a face on deformation maps. Printed, it is a table of floors with notes.

    Attributes
    ----------
    segments : list of MapSegment
        Coarse ones first.
    parts : list of RigidPart
    notes : list of str
        What was done, and what falls back to what, in sentences.
    floors : list of Floors
        One per coarse segment, in their order.
    original_uvs : list of (M, 2) arrays
        Texture coordinates of the coarse segments before mending, stretched to the unit square.
    """

    segments: list[MapSegment]
    parts: list[RigidPart]
    notes: list[str]
    floors: list[Floors] = field(default_factory=list)
    original_uvs: list[NDArray[np.float64]] = field(default_factory=list)

    @property
    def coarse(self) -> list[MapSegment]:
        """The coarse segments."""
        return [segment for segment in self.segments if segment.level == COARSE]

    @property
    def fine(self) -> list[MapSegment]:
        """The refinement segments."""
        return [segment for segment in self.segments if segment.level != COARSE]

    def refined(self, segments: list[MapSegment]) -> Layout:
        """The layout with these refinement segments in place of its own."""
        return replace(self, segments=[*self.coarse, *segments])

    def with_small_followers(self, resolution: int) -> Layout:
        """The layout with maps of so many texels for segments of followers of rigid parts alone.

        They lie far apart on their map and need no more than the smallest.
        """
        followers = np.concatenate([np.zeros(0, np.int64), *[part.followers for part in self.parts]])
        segments = [
            replace(segment, resolution=resolution) if np.isin(segment.vertices, followers).all() else segment
            for segment in self.segments
        ]
        return replace(self, segments=segments)

    def __str__(self) -> str:
        names = [12, *(len(floors.name) for floors in self.floors)]
        width = max(names)
        lines = [f"{'segment':{width}}  texels  vertices  inputs  floor, mean max (before), mm    folded  overlapped"]
        for segment, floors in zip(self.coarse, self.floors, strict=True):
            figures = "{:.3f} {:.2f} ({:.3f} {:.2f})".format(*floors.after, *floors.before)
            lines.append(
                f"{segment.name:{width}}  {segment.resolution:4}^2 {len(segment.vertices):9,} {len(segment.columns):7} "
                f" {figures:30} {floors.folded_after:6} {floors.overlapped_after:11}"
            )
        lines += [f"rigid: {part.name}, {len(part.vertices):,} vertices, {part.error:.3f} mm" for part in self.parts]
        return "\n".join([*lines, *self.notes])
