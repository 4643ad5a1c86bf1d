"""Shots in NumPy files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rigwright._formats.npz.archive import Member, read_arrays
from rigwright._hashing import padded_faces
from rigwright._rigs.shot import Shot
from rigwright._validate import bad_argument

DEFAULT_FPS = 30.0
MEMBERS = {
    "vertices": Member("f", ("T", "V", 3)),
    "faces": Member("iu", ("F", "W")),
    "fps": Member("fiu", ()),
}


def load_npy(path: Path, fps: float = DEFAULT_FPS) -> Shot:
    """One array (T, V, 3) as ``numpy.save`` writes it."""
    try:
        stored = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, SyntaxError, TypeError, OverflowError) as error:
        raise bad_argument("load_shot", "path", f"{path}: unreadable ({error})", "a .npy file") from error
    if not isinstance(stored, np.ndarray) or stored.dtype.kind != "f" or stored.ndim != 3 or stored.shape[2] != 3:
        got = f"{path}: {stored.dtype} {stored.shape}" if isinstance(stored, np.ndarray) else f"{path}: an archive"
        raise bad_argument("load_shot", "path", got, "an array of floats (T, V, 3)")
    return Shot(np.array(stored, np.float32), fps)


def load_npz(path: Path, fps: float | None = None) -> Shot:
    """``vertices`` (T, V, 3), ``faces`` (F, 3 or 4) and ``fps`` (both optional); other arrays are left alone."""
    arrays = read_arrays(path, MEMBERS, "load_shot", others=True)
    if "vertices" not in arrays:
        raise bad_argument("load_shot", "path", f"{path}: an archive without vertices", "one with vertices (T, V, 3)")
    vertices = arrays["vertices"].astype(np.float32)
    faces = padded_faces(arrays["faces"], "load_shot") if "faces" in arrays else None
    if faces is not None and not ((faces >= -1) & (faces < vertices.shape[1])).all():
        raise bad_argument("load_shot", "faces", "out of range somewhere", f"vertex indices below {vertices.shape[1]}")
    return Shot(vertices, fps if fps is not None else float(arrays.get("fps", DEFAULT_FPS)), faces)
