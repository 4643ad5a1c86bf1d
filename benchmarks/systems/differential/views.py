"""Part of a data set: some rows, some vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._resume.fingerprints import fingerprint
from rigcast._rigs.surface import Surface
from rigcast.sampling import Dataset, InfluenceProbe


class View:
    """Rows and vertices of a data set, as training reads one. Nothing is copied before it is read.

    Parameters
    ----------
    data : Dataset
    rows : (t,) integers, optional
    vertices : (v,) integers, optional
        Ascending. Faces of which a corner is missing are left out.
    """

    def __init__(self, data: Dataset, rows: np.ndarray | None = None, vertices: np.ndarray | None = None) -> None:
        count = len(data.rest_vertices)
        self._data = data
        self._rows = np.arange(len(data)) if rows is None else np.asarray(rows)
        self._vertices = np.arange(count) if vertices is None else np.asarray(vertices)
        new = np.full(count + 1, -1, np.int32)
        new[self._vertices] = np.arange(len(self._vertices))
        faces = np.asarray(data.faces)
        self.faces = new[faces][np.all((faces < 0) | (new[faces] >= 0), axis=1)]
        self.rest_vertices = np.asarray(data.rest_vertices)[self._vertices]
        self.hash = fingerprint(data.hash, self._rows.tolist(), self._vertices.tolist())
        self.surface = Surface()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("verify", "vertex_rows", "shards"):
            raise AttributeError(name)
        return getattr(self._data, name)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def poses(self) -> np.ndarray:
        return np.asarray(self._data.poses)[self._rows]

    @property
    def vertices(self) -> np.ndarray:
        return np.asarray(self.take(np.arange(len(self)))[2])

    @property
    def probe(self) -> InfluenceProbe | None:
        known = self._data.probe
        if known is None:
            return None
        return InfluenceProbe(
            known.base, known.channel, known.channels, known.poses, np.asarray(known.vertices)[:, self._vertices]
        )

    def take(self, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Channels, poses and vertices of some rows."""
        channels, poses, vertices = self._data.take(self._rows[np.asarray(rows)])
        return channels, poses, np.ascontiguousarray(vertices[:, self._vertices])

    def split(self, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to learn from, and held-out rows."""
        order = np.random.default_rng(seed).permutation(len(self))
        held_out = round(fraction * len(self))
        return np.sort(order[held_out:]), np.sort(order[:held_out])


def largest_component(data: Dataset) -> np.ndarray:
    """The vertices of the connected component with most vertices."""
    faces = np.asarray(data.faces)
    corners = np.where(faces < 0, faces[:, :1], faces)
    label = np.arange(len(data.rest_vertices))
    while True:
        lowest = label.copy()
        np.minimum.at(lowest, corners.ravel(), np.repeat(label[corners].min(axis=1), corners.shape[1]))
        lowest = lowest[lowest]
        if np.array_equal(lowest, label):
            return np.flatnonzero(label == np.bincount(label).argmax())
        label = lowest
