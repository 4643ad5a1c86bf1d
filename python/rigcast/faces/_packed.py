"""Face data sets packed into a few archives: named shapes, dense or sparse, read with every size checked.

``rigcast faces convert`` writes these from the published files, which take longer to read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_npz
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._validate import bad_argument, missing_file

Float32 = NDArray[np.float32]

SPARSE = {"names": Member("U", ("K",)), "ptr": Member("i", ("K+1",)), "index": Member("u", ("P",))}


def read_complete(path: Path, members: Mapping[str, Member], function: str) -> dict[str, NDArray[Any]]:
    """All of ``members`` of an archive; an error that names the file where one is missing or wrong."""
    if not path.is_file():
        raise missing_file(function, "folder", path, "the data set's folder")
    arrays = read_arrays(path, members, function, others=True)
    missing = [name for name in members if name not in arrays]
    if missing:
        raise bad_argument(function, "folder", f"with {path} that lacks {', '.join(missing)}", "complete", path)
    return arrays


def check_folder(folder: str | os.PathLike[str], function: str) -> Path:
    """``folder`` as a path that exists."""
    path = Path(folder)
    if not path.exists():
        raise missing_file(function, "folder", path, "the data set's folder")
    if not path.is_dir():
        raise bad_argument(function, "folder", f"{str(folder)!r}, which is no folder", "the data set's folder", folder)
    return path


def inside(folder: Path, places: tuple[str, ...], file: str) -> Path | None:
    """The first of some folders below ``folder`` that holds ``file``."""
    return next((folder / place for place in places if (folder / place / file).is_file()), None)


def finite(array: NDArray[Any], name: str, path: Path, function: str) -> Float32:
    """``array`` as float32, refused where it is not finite."""
    if not np.isfinite(array).all():
        raise bad_argument(function, name, f"not finite everywhere (in {path})", "finite")
    return np.ascontiguousarray(array, np.float32)


def read_sparse_shapes(path: Path, num_vertices: int, function: str) -> tuple[list[str], Float32]:
    """Names and dense deltas (K, V, 3) of a sparse archive.

    Shape k moves the vertices ``index[ptr[k]:ptr[k + 1]]`` by ``delta``, or by ``delta_thousandths / 1000``.
    """
    deltas = {"delta": Member("f", ("P", 3)), "delta_thousandths": Member("i", ("P", 3))}
    if not path.is_file():
        raise missing_file(function, "folder", path, "the data set's folder")
    arrays = read_arrays(path, SPARSE | deltas, function)
    given = [name for name in deltas if name in arrays]
    if len(given) != 1 or any(name not in arrays for name in SPARSE):
        raise bad_argument(function, "folder", f"with {path} that holds {', '.join(arrays)}", "complete", path)
    offsets, index = arrays["ptr"].astype(np.int64), arrays["index"].astype(np.int64)
    names = [str(name) for name in arrays["names"]]
    broken = len(offsets) != len(names) + 1 or offsets[0] != 0 or offsets[-1] != len(index)
    if broken or (np.diff(offsets) < 0).any():
        raise bad_argument(function, "ptr", f"no row of offsets (in {path})", "rising from 0 to the number of rows")
    if len(index) and index.max() >= num_vertices:
        raise bad_argument(function, "index", f"as high as {index.max()} (in {path})", f"below {num_vertices}")
    scale = 1.0 if given[0] == "delta" else 1000.0
    rows = finite(arrays[given[0]] / np.float64(scale), given[0], path, function)
    dense = np.zeros((len(names), num_vertices, 3), np.float32)
    np.add.at(dense, (np.repeat(np.arange(len(names)), np.diff(offsets)), index), rows)
    return names, dense


def write_sparse_shapes(path: Path, names: list[str], deltas: Float32) -> None:
    """Write what :func:`read_sparse_shapes` reads: the rows of deltas (K, V, 3) that are not zero."""
    shape, index = np.nonzero(deltas.any(axis=2))
    counts = np.bincount(shape, minlength=len(names))
    write_arrays(
        path,
        names=np.array(names, np.str_),
        ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        index=index.astype(np.uint32),
        delta=deltas[shape, index],
    )


def write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """An archive of arrays, in one step."""
    atomic_npz(path, arrays, compressed=True)
