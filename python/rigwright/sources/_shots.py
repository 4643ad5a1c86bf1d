"""Opening a shot by what its path looks like."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from rigwright._formats.readers import call, existing_file, readers_of
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
        ``.abc`` (read by Blender); point caches ``.pc2`` and ``.mdd``, which know no faces.
    **options
        ``fps`` for OBJ, ``.npy``, ``.npz``, point caches and glTF (default: what the file says, else 30); ``mesh`` for
        glTF, USD and Alembic files of several meshes; ``clip`` for glTF; ``blender`` for Alembic.

    Returns
    -------
    Shot
        ``vertices`` (T, V, 3), ``fps``, ``faces``.

    Raises
    ------
    FileNotFoundError
        If there is no such file, folder or match of the pattern.
    ValueError
        If the path is none of these, or a file is malformed or changes its topology; the message names the file.
    TypeError
        If the format has no such option.
    SourceError
        If Blender fails.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = Path(path)
    with naming(file, "load_shot"):
        place: str | None = "obj.sequence:load_sequence"
        pattern = any(letter in file.name for letter in GLOB) and not file.exists()
        if not (file.is_dir() or pattern or file.name.lower().endswith(OBJ)):
            place = OPENERS.get(existing_file(path, "load_shot").suffix.lower())
        if place is None:
            endings = f"a folder of OBJ files, or one that ends in {', '.join([*OBJ, *OPENERS])}"
            raise bad_argument("load_shot", "path", repr(str(path)), endings + readers_of(file))
        return cast("Shot", call("load_shot", place, file, **options))


OBJ = (".obj", ".obj.gz")
OPENERS = {
    ".npy": "npz.shot:load_npy",
    ".npz": "npz.shot:load_npz",
    ".glb": "gltf.shot:load_gltf_shot",
    ".gltf": "gltf.shot:load_gltf_shot",
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), "usd:load_usd_shot"),
    ".abc": "blender.alembic:load_alembic_shot",
    ".pc2": "point_cache:load_pc2",
    ".mdd": "point_cache:load_mdd",
}
