"""Writing the report of a capture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._atomic_files import atomic_write
from rigcast._core import BlendshapeRig
from rigcast._pages.template import check_extra
from rigcast._validate import bad_argument
from rigcast.capture import Capture, Tracks
from rigcast.capture._findings import RENDERED
from rigcast.capture._tracks import checked_tracks
from rigcast.progress import ProgressOption, as_callback
from rigcast.report._capture.captured import CapturedShot, captured_shot


def write_capture(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    found: Capture,
    *,
    points: Tracks | ArrayLike,
    pictures: Sequence[NDArray[np.uint8]] | None = None,
    name: str | None = None,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Show a capture in one HTML file that opens offline.

    Input, character over it and character side by side, residuals, weights as curves, motion of the head, jitter, and
    what was occluded or lost.

    Parameters
    ----------
    path : path-like
        The HTML file.
    rig : BlendshapeRig
        With faces.
    found : Capture
        Of :func:`rigcast.capture.solve` or :func:`rigcast.capture.refine`.
    points : Tracks or array
        What was solved, with the axes of the capture.
    pictures : sequence of (H, W, 3) uint8 arrays, optional
        One per frame; without them, the points are drawn on gray. Not shown with points in space.
    name : str, optional
        Heading; default the file's name.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If rig, capture, points and pictures do not fit together, or the rig has no faces.
    MissingExtra
        Without the ``report`` extra.
    """
    check_extra()
    if not len(rig.faces):
        raise bad_argument("write_capture", "rig", "without faces", "a rig with faces, to be drawn")
    tracks = points if isinstance(points, Tracks) else checked_tracks("write_capture", points, None, found.fps, None)
    shot = captured_shot(rig, found, tracks, pictures)
    from rigcast.report._capture.gallery import CapturePainter
    from rigcast.report._capture.page import render_capture

    rows = CapturePainter(shot, as_callback(progress)).rows()
    text = render_capture(shot, rows, name or Path(path).stem)
    atomic_write(path, text.encode("utf-8"))
    return _figures(shot)


def _figures(shot: CapturedShot) -> dict[str, object]:
    known = np.isfinite(shot.errors[:, 0])
    degrees, millimeters = shot.head_jitter
    return {
        "frames": len(shot.errors),
        "residual": float(shot.errors[known, 0].mean()),
        "worst_frame_residual": float(shot.errors[known, 0].max()),
        "unit": shot.unit,
        "noise": shot.found.noise,
        "cardinality": float(shot.cardinality.mean()),
        "weight_jitter": shot.weight_jitter,
        "head_jitter_degrees": degrees,
        "head_jitter_mm": millimeters,
        "lost": int(shot.found.lost.sum()),
        "points_hidden": float(1.0 - shot.seen[~shot.found.lost].mean()),
        "constructed": list(shot.rig.constructed),
        "note": RENDERED,
    }
