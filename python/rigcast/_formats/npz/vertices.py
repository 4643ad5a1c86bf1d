"""Moving meshes in NumPy files, written a few frames at a time."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from rigcast._atomic_files import atomic_file
from rigcast._rigs.motions.moving_mesh import MovingMesh


def write_npy(path: Path, mesh: MovingMesh) -> None:
    """Write the positions alone, as ``numpy.save`` does."""
    with atomic_file(path) as stream:
        _write_frames(stream, mesh)


def write_npz(path: Path, mesh: MovingMesh) -> None:
    """Write ``vertices`` (T, V, 3), ``faces`` (F, 4), ``fps``, ``meters_per_unit`` and ``up_axis``, not packed.

    The same mesh gives the same bytes.
    """
    facts: dict[str, Any] = {
        "faces": mesh.faces,
        "fps": np.float64(mesh.fps),
        "meters_per_unit": np.float64(mesh.meters_per_unit),
        "up_axis": np.array(mesh.up_axis, np.str_),
        "name": np.array(mesh.name, np.str_),
        "licence": np.array(mesh.licence, np.str_),
    }
    with atomic_file(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        with archive.open(zipfile.ZipInfo("vertices.npy"), "w", force_zip64=True) as member:
            _write_frames(member, mesh)
        for name, value in facts.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as member:
                np.save(member, value, allow_pickle=False)


def _write_frames(stream: IO[bytes], mesh: MovingMesh) -> None:
    shape = (len(mesh), mesh.num_vertices, 3)
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    write_header: Any = np.lib.format.write_array_header_1_0  # typed in NumPy 2 only
    write_header(stream, header)
    for chunk in mesh.chunks():
        stream.write(chunk.astype("<f4").tobytes())
