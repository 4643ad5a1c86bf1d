"""Opening the files of a finished data set: the manifest's bytes, the rest state, the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import topology_hash
from rigcast._posing import pose_names
from rigcast._rigs.surface import Surface
from rigcast._validate import Arguments, bad_argument, missing_file
from rigcast.sampling import _first_files as first
from rigcast.sampling._check import check_faces
from rigcast.sampling._clips import Clips
from rigcast.sampling._manifest import ARRAYS, shard_bounds
from rigcast.sampling._npy import file_status
from rigcast.sampling._rows import RowFile, Rows

FloatRows = Rows[np.float32]


def manifest_bytes(folder: Path) -> bytes:
    """Content of the manifest.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If it holds no finished data set.
    """
    try:
        file_status(folder / "manifest.json")
        return (folder / "manifest.json").read_bytes()
    except OSError as error:
        got = f"{str(folder)!r}, where manifest.json is unreadable ({error.strerror or error})"
        expected = "a folder that rigcast.sampling.sample has finished"
        if (folder / "unfinished.json").exists():
            got = f"{str(folder)!r}, which is unfinished"
            expected = "finished: call sample again with the same arguments"
        if not folder.exists():
            raise missing_file("Dataset", "path", folder, expected) from error
        raise bad_argument("Dataset", "path", got, expected) from error


def read_rest(
    folder: Path, manifest: dict[str, Any]
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]:
    """The rest state: vertices (V, 3), faces (F, 4), joints (J, 3, 4); none of them can be written to.

    Raises
    ------
    ValueError
        If a file is missing or malformed, or the mesh is not the manifest's. The message names the file.
    """
    count, joints = manifest["num_vertices"], len(manifest["joint_names"])
    check = Arguments("Dataset")
    rest = _read(folder / "rest_vertices.npy", "<f4", (count, 3))
    rest = np.array(check.numbers("rest_vertices.npy", rest, "V 3", dtype=np.float32))
    faces = check_faces(_read(folder / "faces.npy", "<i4", (manifest["num_faces"], 4)), count, "Dataset", "faces.npy")
    found = topology_hash(faces, count)
    if found != manifest["topology_hash"]:
        got = f"a mesh of topology hash {found[:12]}..."
        expected = f"the mesh of the manifest, {manifest['topology_hash'][:12]}..."
        raise bad_argument("Dataset", "faces.npy", got, expected)
    skeleton = np.zeros((0, 3, 4), np.float32)
    if joints:
        skeleton = _read(folder / "skeleton_rest.npy", "<f4", (joints, 3, 4))
        skeleton = np.array(check.numbers("skeleton_rest.npy", skeleton, "J 3 4", dtype=np.float32))
    return frozen(rest), frozen(faces), frozen(skeleton)


OwnSkin = tuple[NDArray[np.int32], NDArray[np.float32]] | None


def read_more(folder: Path, manifest: dict[str, Any], faces: NDArray[np.int32]) -> tuple[Surface, Clips, OwnSkin]:
    """What lies on the mesh, the clips of the rows, and the rig's own skin weights; empty where the set has none.

    Raises
    ------
    ValueError
        If a file is missing or malformed. The message names the file.
    """

    def read(name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        return _read(folder / name, dtype, shape)

    return first.read_surface(manifest, faces, read), first.read_clips(manifest, read), first.read_skin(manifest, read)


def open_rows(folder: Path, manifest: dict[str, Any], prefix: str, rows: int) -> tuple[FloatRows, FloatRows, FloatRows]:
    """Channels (T, N), poses (T, C) and vertices (T, V, 3) of the data or of the probe; the files stay on the disk.

    Parameters
    ----------
    folder : Path
    manifest : dict
    prefix : str
        What the names of the files begin with: nothing, or ``probe.``.
    rows : int
        T.

    Raises
    ------
    ValueError
        If a file is missing, malformed, truncated or of another shape. The message names the file.
    """
    columns = len(pose_names(manifest["joint_names"], manifest["dial_names"]))
    shapes = (len(manifest["channel_names"]),), (columns,), (manifest["num_vertices"], 3)
    bounds = shard_bounds(rows, manifest["shard_rows"])
    channels, poses, vertices = (
        FloatRows(
            [
                RowFile(folder / f"{prefix}{index:05d}.{name}.npy", "<f4", (stop - start, *shape), start)
                for index, (start, stop) in enumerate(bounds)
            ]
        )
        for name, shape in zip(ARRAYS, shapes, strict=True)
    )
    return channels, poses, vertices


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, which nobody can write to any first."""
    array.flags.writeable = False
    return array


def _read(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    return Rows([RowFile(path, dtype, shape)])[:]
