"""Several data sets of one rig as one: what training to a stated error learns from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments
from rigcast.progress import ProgressOption
from rigcast.sampling._dataset import Arrays, Dataset
from rigcast.sampling._store.other_files import frozen
from rigcast.sampling._store.rows import Rows

SHARED = (
    *("name", "licence", "origin", "up_axis", "meters_per_unit", "channel_names", "channel_ranges", "dial_names"),
    *(
        "joint_names",
        "rest_vertices",
        "faces",
        "surface",
        "skeleton",
        "probe",
        "channel_entry",
        "resting",
        "skin",
        "notes",
    ),
)


class JoinedSets:
    """The rows of several data sets of one rig, one set after another, as training reads a :class:`Dataset`.

    Parameters
    ----------
    sets : sequence of Dataset
        At least one; what all rows share, and the influence probe, are the first one's.

    Attributes
    ----------
    hash : str
        SHA-256 over the hashes of the sets.
    starts : (D + 1,) int64 array
        The first row of each set, and the number of all rows.
    """

    def __init__(self, sets: Sequence[Dataset]) -> None:
        self.sets = list(sets)
        self.starts = np.cumsum([0, *map(len, self.sets)])
        self.hash = hashlib.sha256("".join(part.hash for part in self.sets).encode("ascii")).hexdigest()
        for name in SHARED:
            setattr(self, name, getattr(self.sets[0], name))

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def channels(self) -> NDArray[np.float32]:
        """All channel rows (T, N)."""
        return frozen(np.concatenate([part.channels for part in self.sets]))

    @cached_property
    def poses(self) -> NDArray[np.float32]:
        """All poses (T, C)."""
        return frozen(np.concatenate([part.poses for part in self.sets]))

    @cached_property
    def vertex_rows(self) -> Rows[np.float32]:
        """All vertices (T, V, 3), whose slices are read from the disk each time."""
        return Rows.joined([part.vertex_rows for part in self.sets])

    def take(self, rows: ArrayLike) -> Arrays:
        """Channels, poses and vertices of chosen rows, as of a :class:`Dataset`."""
        wanted = Arguments("take").integers("rows", rows, "t", below=len(self))
        return self.channels[wanted], self.poses[wanted], self.vertex_rows.take(wanted)

    def split(self, fraction: float = 0.1, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows to learn from and held-out rows, each set parted on its own: more sets leave the parts as they are."""
        parts = [part.split(fraction, seed) for part in self.sets]
        training = [start + rows for start, (rows, _) in zip(self.starts, parts, strict=False)]
        held_out = [start + rows for start, (_, rows) in zip(self.starts, parts, strict=False)]
        return np.concatenate(training), np.concatenate(held_out)

    def verify(self, progress: ProgressOption = None) -> None:
        """Hash every file of every set."""
        for part in self.sets:
            part.verify(progress)
