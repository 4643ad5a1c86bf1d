"""Opening a shot by what its path looks like."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigwright._formats.npz.shot import load_npy, load_npz
from rigwright._formats.obj.sequence import load_sequence
from rigwright._rigs.shot import Shot
from rigwright._validate import bad_argument
from rigwright.sources._blendshapes import naming

__all__ = ["Shot", "load_shot"]

GLOB = "*?["


def load_shot(path: str | os.PathLike[str], **options: Any) -> Shot:
    """Open a moving mesh.

    Parameters
    ----------
    path : path
        A folder of OBJ files, a pattern (``scan_*.obj``) or one OBJ file, in natural order (2 before 10); ``.npy``
        (T, V, 3); ``.npz`` with ``vertices`` (T, V, 3), ``faces`` and ``fps`` (both optional); ``.glb``, ``.gltf``
        with morph animation or moving nodes; ``.usd``, ``.usda``, ``.usdc``, ``.usdz`` with animated points;
        ``.abc`` (read by Blender).
    **options
        ``fps`` for OBJ, ``.npy``, ``.npz`` and glTF (default: what the file says, else 30); ``mesh`` for glTF, USD and
        Alembic files of several meshes; ``clip`` for glTF; ``blender`` for Alembic.

    Returns
    -------
    Shot
        ``vertices`` (T, V, 3), ``fps``, ``faces``.

    Raises
    ------
    ValueError
        If the path is none of these, or a file is malformed or changes its topology; the message names the file.
    SourceError
        If Blender fails.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = Path(path)
    with naming(file, "load_shot"):
        pattern = any(letter in file.name for letter in GLOB) and not file.exists()
        if file.is_dir() or pattern or file.name.lower().endswith(OBJ):
            return load_sequence(file, **options)
        opener = OPENERS.get(file.suffix.lower())
        if opener is None:
            endings = f"a folder of OBJ files, or one that ends in {', '.join([*OBJ, *OPENERS])}"
            missing = "" if file.exists() else ", which does not exist"
            raise bad_argument("load_shot", "path", repr(str(path)) + missing, endings)
        if not file.is_file():
            raise bad_argument("load_shot", "path", f"{str(path)!r}, which is no file", "an existing file")
        return opener(file, **options)


def _gltf(path: Path, **options: Any) -> Shot:
    from rigwright._formats.gltf.shot import load_gltf_shot

    return load_gltf_shot(path, **options)


def _usd(path: Path, **options: Any) -> Shot:
    from rigwright._formats.usd import load_usd_shot

    return load_usd_shot(path, **options)


def _alembic(path: Path, **options: Any) -> Shot:
    from rigwright._formats.blender.alembic import load_alembic_shot

    return load_alembic_shot(path, **options)


OBJ = (".obj", ".obj.gz")
OPENERS: dict[str, Callable[..., Shot]] = {
    ".npy": load_npy,
    ".npz": load_npz,
    ".glb": _gltf,
    ".gltf": _gltf,
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _usd),
    ".abc": _alembic,
}
