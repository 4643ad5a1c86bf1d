"""An Alembic point cache as a shot, read by Blender: no Python package on PyPI reads the format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rigcast._formats.alembic_times import sample_times
from rigcast._formats.blender.process import HostProcess
from rigcast._formats.frame_rates import Frames, frames_of
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument

TIMEOUT = 120.0
SLACK = 0.01  # of a frame: times are rounded


def load_alembic_shot(
    path: Path,
    mesh: str | None = None,
    fps: float | None = None,
    blender: str | None = None,
    timeout: float = TIMEOUT,
) -> Shot:
    """Read a mesh of an ``.abc`` file in world space.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Object name; needed where the file holds several meshes.
    fps : float, optional
        Frames per second to sample at. By default the file's samples are the frames, whose times tell the rate.
    blender : str, optional
        A Blender executable. Without it the ``bpy`` wheel in this Python, else ``blender`` on the PATH.
    timeout : float
        Seconds that opening the file, or one frame, may take.

    Notes
    -----
    The format states no up axis; programs write y up, and Blender turns that into its own z up. Here it is turned back,
    and y is the shot's up axis.
    """
    frames = _frames(path, fps)
    host = HostProcess(blender, timeout)
    times = [float(time) for time in frames.times]
    request = {"operation": "alembic", "path": str(path.resolve()), "mesh": mesh, "fps": frames.fps, "times": times}
    try:
        ((_, arrays),) = host.request(request)
    finally:
        host.close()
    note = [frames.note] * bool(frames.note)
    return Shot(arrays["vertices"], frames.fps, arrays["faces"], None, "Y", tuple(note))


def _frames(path: Path, fps: float | None) -> Frames:
    times = sample_times(path)
    if fps is not None:
        Arguments("load_shot").rate("fps", fps)
        first, last = (times[0], times[-1]) if len(times) else (0.0, 0.0)
        count = (last - first) * fps
        if not count < MOST_FRAMES:
            raise bad_argument("load_shot", "fps", repr(fps), f"one with fewer than {MOST_FRAMES} frames")
        return Frames(first + np.arange(int(count + SLACK) + 1) / fps, float(fps))
    found = frames_of(times, MOST_FRAMES)
    if found is None:
        got = f"{path}: samples from {times[0]:.4g} to {times[-1]:.4g} seconds"
        raise bad_argument("load_shot", "path", got, f"of fewer than {MOST_FRAMES} frames", path)
    return found if len(times) else Frames(np.zeros(1), found.fps)
