"""Reading a data set."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import file_hash
from rigcast._posing import pose_names
from rigcast._rigs.source_notes import opened
from rigcast._shown.lines import cut, html_table
from rigcast._text import shortened
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.sampling._data_rows import DataRow, InfluenceProbe
from rigcast.sampling._drawing.clips import Clip
from rigcast.sampling._drawing.stream import Stream
from rigcast.sampling._kinematics import channel_entry
from rigcast.sampling._store.layout import ARRAYS, shard_bounds, shard_file
from rigcast.sampling._store.manifest_reader import manifest_bytes, probe_row_count, read_manifest
from rigcast.sampling._store.other_files import frozen, read_more, read_rest
from rigcast.sampling._store.rows import Rows, open_rows

if TYPE_CHECKING:
    from rigcast._core import Skeleton

Arrays = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


class Dataset:
    """A data set folder that :func:`rigcast.sampling.sample` has finished. Read-only; opening it runs no
    code.

    Opening checks the manifest and the size and header of every file;
    :meth:`~rigcast.sampling.Dataset.verify` also hashes them. Rows are read
    when they are asked for, and a file that has changed since then is an error (``ValueError``) that names it.

    A pickle holds the absolute path and the hash, no rows. Unpickling opens the folder again, and raises ``ValueError``
    if it holds another data set by then.

    It is a sequence of its rows: ``data[0]``, ``data[-1]``, ``data[:3]``, ``len(data)`` and a loop give
    :class:`DataRow` of channels, poses and vertices, and read these rows alone.

    Parameters
    ----------
    path : path-like

    Attributes
    ----------
    manifest : dict
        Everything that the manifest states.
    hash : str
        SHA-256 over the manifest, and so over all files; models carry it.
    rest_vertices : (V, 3) float32 array
    faces : (F, 4) int32 array
    name, licence, origin, up_axis : str
    meters_per_unit : float
    channel_names : list of str
    channel_ranges : (N, 2) float64 array
    dial_names : list of str
        The K numeric controls.
    joint_names : list of str
    skin : tuple or None
        Joints (V, K) int32 and weights (V, K) float32 of the rig's own skinning, if it states any.
    surface : Surface
        Named parts, materials and texture coordinates of the mesh.
    clips : list of Clip
        The motions that rows were sampled from: names and frames per second.
    clip : (T,) int32 array
        The clip of each row, -1 for random poses.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If the folder holds no finished data set, or if a file is missing, malformed, truncated or of another
        shape than the manifest says. The message names the file.

    Examples
    --------
    >>> made = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=50, seed=0)
    >>> data = rc.Dataset("arm.rwdata")
    >>> len(data), data.hash == made.hash
    (50, True)
    >>> data[0].vertices.shape, data[:3].vertices.shape
    ((1122, 3), (3, 1122, 3))
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._place = self.path.absolute()
        self.manifest = read_manifest(manifest_bytes(self.path))
        self.hash: str = self.manifest["hash"]
        self.name: str = self.manifest["name"]
        self.licence: str = self.manifest["licence"]
        self.origin: str = self.manifest["origin"]
        self.up_axis: str = self.manifest["up_axis"]
        self.meters_per_unit: float = float(self.manifest["meters_per_unit"])
        self.channel_names: list[str] = list(self.manifest["channel_names"])
        self.channel_ranges = np.array(self.manifest["channel_ranges"], np.float64)
        self.dial_names: list[str] = list(self.manifest["dial_names"])
        self.joint_names: list[str] = list(self.manifest["joint_names"])
        self.rest_vertices, self.faces, self._skeleton_rest = read_rest(self.path, self.manifest)
        self.surface, clips, self.skin = read_more(self.path, self.manifest, self.faces)
        self.clips: list[Clip] = list(clips.clips)
        self.clip: NDArray[np.int32] = frozen(clips.rows)
        self._rows = open_rows(self.path, self.manifest, "", self.manifest["count"])
        probe_rows = probe_row_count(self.manifest)
        self._probe_rows = open_rows(self.path, self.manifest, "probe.", probe_rows) if probe_rows else None
        opened(self.path, self, inherited=True)  # so that a command prints the set's notes

    def __len__(self) -> int:
        return int(self.manifest["count"])

    def __getitem__(self, row: SupportsIndex | slice) -> DataRow:
        """A row, or those of a slice; read-only. Raises ``IndexError`` beyond the last one, as any sequence."""
        if isinstance(row, slice):
            return DataRow(*map(frozen, self.take(np.arange(len(self))[row])))
        try:
            place = operator.index(row)
        except TypeError:
            raise TypeError(f"a data set is indexed by an integer or a slice, not by {shown(row)}; see take") from None
        if not -len(self) <= place < len(self):
            raise IndexError(f"row {place} of a data set of {len(self)} rows")
        channels, poses, vertices = self.take([place % len(self)])
        return DataRow(frozen(channels[0]), frozen(poses[0]), frozen(vertices[0]))

    def __iter__(self) -> Iterator[DataRow]:
        """Its rows in order, read shard by shard."""
        for shard in self.shards():
            yield from map(DataRow, *shard)

    def __repr__(self) -> str:
        place = shortened(str(self.path), 40)
        return cut(f"<rigcast.Dataset {place!r}: {self.name!r}, {self._size()}, hash {self.hash[:12]}>")

    def _repr_html_(self) -> str:
        unit = f"{self.meters_per_unit:g} m, {self.up_axis} up"
        facts = {"name": self.name, "licence": self.licence, "origin": self.origin, "holds": self._size()}
        return html_table("rigcast.Dataset", {**facts, "unit": unit, "path": str(self.path), "hash": self.hash}, self)

    def __reduce__(self) -> tuple[Callable[[str, str], Dataset], tuple[str, str]]:
        return reopened, (str(self._place), self.hash)

    def _size(self) -> str:
        return f"{len(self)} poses, {len(self.rest_vertices)} vertices"

    @property
    def pose_names(self) -> list[str]:
        """Names of the C columns of a pose."""
        return pose_names(self.joint_names, self.dial_names)

    @property
    def channel_entry(self) -> dict[str, object]:
        """The channels as models learned from this set keep them: their metadata entry ``channels``."""
        return channel_entry(self.manifest, self.manifest["deviations"])

    @property
    def resting(self) -> dict[str, str]:
        """Deforming joints, controls, shapes and dials that no channel of the rig moves, by name, with the reason."""
        return dict(self.manifest["resting"])

    @property
    def notes(self) -> list[str]:
        """Notes of the rig's file on how it was opened: what was left out, held, guessed or not run."""
        return list(self.manifest.get("notes", []))

    @cached_property
    def skeleton(self) -> Skeleton | None:
        """The skeleton; None for a rig without joints."""
        if not self.joint_names:
            return None
        from rigcast._core import Skeleton

        parents = np.array(self.manifest["joint_parents"], np.int32)
        return Skeleton(self.joint_names, parents, self._skeleton_rest)

    @cached_property
    def channels(self) -> NDArray[np.float32]:
        """All channel rows (T, N)."""
        return frozen(self._rows[0][:])

    @cached_property
    def poses(self) -> NDArray[np.float32]:
        """All poses (T, C)."""
        return frozen(self._rows[1][:])

    @cached_property
    def vertices(self) -> NDArray[np.float32]:
        """All vertices (T, V, 3), world space.

        Read into memory at the first access; :meth:`~rigcast.sampling.Dataset.shards` and
        :meth:`~rigcast.sampling.Dataset.take` read large sets piece by piece.
        """
        return frozen(self._rows[2][:])

    @property
    def vertex_rows(self) -> Rows[np.float32]:
        """All vertices (T, V, 3), whose slices are read from the disk each time."""
        return self._rows[2]

    @cached_property
    def probe(self) -> InfluenceProbe | None:
        """The rows of the influence probe; None if it was switched off."""
        if self._probe_rows is None:
            return None
        width = 1 + len(self.channel_names)
        row = np.arange(probe_row_count(self.manifest), dtype=np.int32)
        base, channel = row // width, row % width - 1
        channels, poses, vertices = (frozen(rows[:]) for rows in self._probe_rows)
        return InfluenceProbe(base, channel, channels, poses, vertices)

    def shards(self) -> Iterator[Arrays]:
        """Channels (t, N), poses (t, C) and vertices (t, V, 3) of consecutive rows, read-only."""
        for start, stop in shard_bounds(len(self), self.manifest["shard_rows"]):
            channels, poses, vertices = (frozen(rows[start:stop]) for rows in self._rows)
            yield channels, poses, vertices

    def take(self, rows: ArrayLike) -> Arrays:
        """Copies of chosen rows, in the order given; reads nothing else.

        Parameters
        ----------
        rows : (t,) integers
            From 0 to T - 1.

        Returns
        -------
        channels (t, N), poses (t, C), vertices (t, V, 3)
        """
        wanted = Arguments("take").integers("rows", rows, "t", below=len(self))
        channels, poses, vertices = (source.take(wanted) for source in self._rows)
        return channels, poses, vertices

    def split(self, fraction: float = 0.1, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Part the rows at random into rows to learn from and held-out rows.

        Parameters
        ----------
        fraction : float
            Share of held-out rows, between 0 and 1; rounded to whole rows.
        seed : int
            The same seed gives the same parts.

        Returns
        -------
        training, held_out : arrays of int64
            Row numbers, ascending; together all rows once.
        """
        if not 0.0 <= fraction <= 1.0:
            raise bad_argument("split", "fraction", repr(fraction), "a number from 0 to 1")
        order = np.argsort(Stream(seed).uniform(len(self)), kind="stable")
        held_out = round(fraction * len(self))
        return np.sort(order[held_out:]), np.sort(order[:held_out])

    def verify(self, progress: ProgressOption = None) -> None:
        """Hash every file and compare with the manifest.

        Parameters
        ----------
        progress : True or callable, optional
            Draws a bar, or is called with :class:`rigcast.progress.Progress`.

        Raises
        ------
        ValueError
            Naming the first file that has changed.
        """
        show = as_callback(progress)
        stated = dict(self.manifest["files"])
        for prefix, key in (("", "shards"), ("probe.", "probe_shards")):
            for index, entry in enumerate(self.manifest[key]):
                stated |= {shard_file(f"{prefix}{index:05d}", name): entry[name] for name in ARRAYS}
        for number, (name, expected) in enumerate(stated.items(), 1):
            try:
                found = file_hash(self.path / name)
            except FileNotFoundError:
                found = ""
            if found != expected:
                got = f"a file of SHA-256 {found[:12]}..." if found else "missing"
                raise bad_argument("verify", name, got, f"unchanged, SHA-256 {expected[:12]}...")
            show(Progress("verifying", number, len(stated)))


def reopened(path: str, expected: str) -> Dataset:
    """The data set of a pickle; ``ValueError`` if the folder holds one of another hash than ``expected``."""
    dataset = Dataset(path)
    if dataset.hash != expected:
        got = f"{path!r}, which holds the data set of hash {dataset.hash[:12]}..."
        raise bad_argument("Dataset", "path", got, f"the folder of the one that was pickled, {expected[:12]}...", path)
    return dataset
