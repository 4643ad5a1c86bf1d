"""The errors of frames that a latent space never saw, compared with principal components and training frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._learning.embedding import principal_components
from rigcast.synthesis._mesh import ControlledMesh
from rigcast.synthesis._space import Segment, Space

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

BLOCK = 12  # frames: half a second at 24 per second
EVERY = 5  # one block of so many is held out
ROUNDING = 1e-6  # millimeters: what is below is 0
BESIDE = (3, 6, 10, 20)  # principal components that latent spaces are compared with


@dataclass(frozen=True, eq=False)
class Split:
    """Frames of a label, parted: rows that are learned from, with their segments, and rows held out."""

    kept: NDArray[np.intp]
    segments: list[Segment]
    held: NDArray[np.intp]


def split(segments: Sequence[Segment], block: int = BLOCK, every: int = EVERY) -> Split:
    """Hold out every fifth block of each segment, the third first; what remains between them are segments."""
    held: list[NDArray[np.intp]] = [np.zeros(0, np.intp)]
    pieces: list[tuple[Segment, int, int]] = []
    for segment in segments:
        begin = segment.begin
        for out in range(segment.begin + 2 * block, segment.end - block + 1, every * block):
            pieces.append((segment, begin, out))
            held.append(np.arange(out, out + block))
            begin = out + block
        if begin < segment.end:
            pieces.append((segment, begin, segment.end))
    kept = [np.arange(a, b) for _, a, b in pieces]
    ends = np.cumsum([len(rows) for rows in kept])
    inner = [Segment(s.name, int(e) - len(rows), int(e)) for (s, _, _), rows, e in zip(pieces, kept, ends, strict=True)]
    return Split(np.concatenate(kept), inner, np.concatenate(held))


class Judge:
    """Measures poses of one label against its held-out frames.

    Parameters
    ----------
    mesh : ControlledMesh or None
        Whose vertices are compared; without one, distances are of the scaled coordinates.
    around : Coordinates
    weights, effects : (N,), (N, R) arrays
    frames : (n, N) array
    parts : Split
    """

    def __init__(
        self,
        mesh: ControlledMesh | None,
        around: Coordinates,
        weights: Float64,
        effects: Float64,
        frames: Float32,
        parts: Split,
    ) -> None:
        self._mesh, self._around, self._effects = mesh, around, effects
        self._frames, self._parts = frames, parts
        self._held = frames[parts.held]
        self._coordinates = around.of(frames)
        self._weights = weights
        self._truth = self._features(self._held)
        self._millimeters = 1.0 if mesh is None else mesh.millimeters
        self._principal = {count: self._error(self._rebuilt(count)) for count in BESIDE}
        self.nearest = float(self._nearest().mean()) * self._millimeters

    def measured(self, space: Space) -> HeldOut:
        """The figures of a space that was fitted without the held-out frames."""
        points, _ = space.closest(self._held)
        error = self._error(space.controls(points))
        width = space.num_dimensions
        if width not in self._principal:
            self._principal[width] = self._error(self._rebuilt(width))
        principal = {count: self._principal[count] for count in sorted({*BESIDE, width})}
        return HeldOut(len(self._held), width, space.num_components, error, principal, self.nearest)

    def _features(self, controls: Float32) -> Float64:
        return self._around.of(controls) @ self._effects if self._mesh is None else self._mesh.vertices(controls)

    def _error(self, controls: Float32) -> float:
        error = float(np.linalg.norm(self._features(controls) - self._truth, axis=1).mean()) * self._millimeters
        return error if error > ROUNDING else 0.0

    def _rebuilt(self, count: int) -> Float32:
        """The held-out frames by the best combination of so many principal components."""
        basis, center, _ = principal_components(self._coordinates[self._parts.kept], self._weights, count)
        held = self._coordinates[self._parts.held]
        linear = basis @ self._effects
        amounts = np.linalg.lstsq(linear.T, ((held - center) @ self._effects).T, rcond=1e-10)[0].T
        return self._around.controls(center + amounts @ basis)

    def _nearest(self) -> Float64:
        other = self._features(self._frames[self._parts.kept])
        square = (self._truth**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2.0 * self._truth @ other.T
        return np.asarray(np.sqrt(np.maximum(square.min(axis=1), 0.0)))
