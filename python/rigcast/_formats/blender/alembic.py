"""An Alembic point cache as a shot, read by Blender: no Python package on PyPI reads the format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rigcast._formats.blender.process import HostProcess
from rigcast._rigs.shot import Shot
from rigcast._validate import bad_argument

TIMEOUT = 120.0
DEFAULT_FPS = 24.0  # Blender's


def load_alembic_shot(
    path: Path,
    mesh: str | None = None,
    fps: float = DEFAULT_FPS,
    blender: str | None = None,
    timeout: float = TIMEOUT,
) -> Shot:
    """Read a mesh of an ``.abc`` file in world space.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Object name; needed where the file holds several meshes.
    fps : float
        Frames per second to sample at: the file states the times of its samples, no rate.
    blender : str, optional
        A Blender executable. Without it the ``bpy`` wheel in this Python, else ``blender`` on the PATH.
    timeout : float
        Seconds that opening the file, or one frame, may take.

    Notes
    -----
    Blender turns the file's y-up axes into its own z-up; here they are turned back.
    """
    if not (np.isfinite(fps) and fps > 0):
        raise bad_argument("load_shot", "fps", repr(fps), "a positive number")
    host = HostProcess(blender, timeout)
    request = {"operation": "alembic", "path": str(path.resolve()), "mesh": mesh, "fps": float(fps)}
    try:
        ((_, arrays),) = host.request(request)
    finally:
        host.close()
    return Shot(arrays["vertices"], float(fps), arrays["faces"])
