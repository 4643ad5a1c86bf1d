"""Opening a shot by what its path looks like."""

from __future__ import annotations

import os
from pathlib import Path

from rigcast._formats.readers import call, existing_file, readers_of
from rigcast._formats.registry import SHOT, readers
from rigcast._rigs.motions.shot import Shot
from rigcast._rigs.source_notes import opened
from rigcast._validate import bad_argument
from rigcast.sources._blendshapes import naming

__all__ = ["Shot", "load_shot"]

PACKED = (".obj", ".obj.gz")
GLOB = "*?["


def load_shot(
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    mesh: str | None = None,
    clip: str | None = None,
    blender: str | None = None,
    timeout: float | None = None,
) -> Shot:
    """Open a moving mesh.

    Parameters
    ----------
    path : path-like
        A folder of OBJ files, a pattern (``scan_*.obj``) or one OBJ file, in natural order (2 before 10); ``.npy``
        (T, V, 3); ``.npz`` with ``vertices`` (T, V, 3), ``faces`` and ``fps`` (both optional); ``.glb``, ``.gltf``,
        ``.vrm`` with morph animation or moving nodes; ``.fbx`` (read by Blender, as triangles); ``.usd``, ``.usda``,
        ``.usdc``, ``.usdz`` with animated points; ``.abc`` (read by Blender); point caches ``.pc2`` and ``.mdd``, which
        know no faces.
    fps : float, optional
        All but USD: frames per second. glTF and Alembic are sampled at this rate, other frames are taken to have it.
        Default: the samples of the file are its frames, and tell the rate; else what the file says, else 30.
    mesh : str, optional
        glTF, USD and Alembic: the mesh, where the file holds several.
    clip : str, optional
        glTF: the animation, where the file holds several.
    blender : str, optional
        Alembic: a Blender program. Default: the ``bpy`` wheel of this Python, else ``blender`` on the PATH.
    timeout : float, optional
        Alembic: seconds that opening the file, or one frame, may take. Default: 120.

    Returns
    -------
    Shot
        ``vertices`` (T, V, 3), ``fps``, ``faces``, and ``notes`` on what was left out or decided.

    Raises
    ------
    FileNotFoundError
        If there is no such file, folder or match of the pattern.
    ValueError
        If the path is none of these, a file is malformed or changes its topology, or an argument is not for such
        files; the message names the file.
    SourceError
        If Blender fails.
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> np.save("take.npy", np.zeros((5, 100, 3), np.float32))
    >>> rc.sources.load_shot("take.npy").vertices.shape
    (5, 100, 3)
    """
    file = Path(path)
    with naming(file, "load_shot"):
        kind = ".obj"
        pattern = any(letter in file.name for letter in GLOB) and not os.path.exists(file)
        if not (file.is_dir() or pattern or file.name.lower().endswith(PACKED)):
            kind = existing_file(path, "load_shot").suffix.lower()
        if kind not in readers(SHOT):
            endings = f"a folder of OBJ files, or one that ends in {', '.join([*readers(SHOT), PACKED[1]])}"
            raise bad_argument("load_shot", "path", repr(str(path)), endings + readers_of(file), path)
        options = {"fps": fps, "mesh": mesh, "clip": clip, "blender": blender, "timeout": timeout}
        shot: Shot = call("load_shot", SHOT, kind, file, **options)
    return opened(file, shot)
