"""Builds the production face in Blender from its recipe, and writes the clips of its dials."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.characters.blend_file import made_blend
from examples.characters.production_face.clips import ASSUMPTION, FPS, Clip, constructed_clips, performance_clips
from examples.characters.production_face.controls import controls
from examples.characters.production_face.recipe import face_recipe

SCRIPT = Path(__file__).with_name("blender_script.py")


def build_production_face(
    path: str | os.PathLike[str],
    curves: str | os.PathLike[str] | None = None,
    blender: str | None = None,
    timeout: float = 600.0,
) -> Path:
    """Build the production face, unless ``path`` already holds this very one.

    Parameters
    ----------
    path : path
        The .blend to write; ``path`` + ".key" beside it remembers what it was built from.
    curves : path, optional
        A folder of compskin_face_anim (see :func:`rigcast.faces.compskin_curves`): its clips become actions too.
    blender : str, optional
        A Blender executable; without it the ``bpy`` wheel, else ``blender`` on the PATH.
    timeout : float
        Seconds that Blender may take.

    Returns
    -------
    Path
        ``path``; the file appears whole or not at all.

    Raises
    ------
    MissingExtra
        If the assets or Blender are not installed.
    FileNotFoundError
        If ``curves`` has no curves.
    SourceError
        If Blender fails.
    """
    clips = ([] if curves is None else performance_clips(curves)) + constructed_clips()
    recipe, arrays = face_recipe()
    recipe |= {"fps": round(FPS), "clips": [_described(clip) for clip in clips]}
    arrays |= {f"clip {clip.name}": _moving(clip)[1] for clip in clips}
    return made_blend(path, [SCRIPT], (recipe, arrays), blender, timeout)


def _described(clip: Clip) -> dict[str, Any]:
    kind = "constructed" if clip.constructed else "compskin_face_anim, Apache-2.0, Meta Platforms"
    properties = {"origin": kind, "judged": clip.judged}
    if not clip.constructed:
        properties["frame_rate"] = ASSUMPTION
    rest = {row.name: row.rest for row in controls()}
    return {"name": clip.name, "dials": _moving(clip)[0], "rest": rest, "properties": properties}


def _moving(clip: Clip) -> tuple[list[str], NDArray[np.float32]]:
    """Names of the dials that a clip moves, and their rows (T, D)."""
    names = [row.name for row in controls()]
    moving = np.flatnonzero(np.ptp(clip.rows, axis=0) > 0)
    return [names[column] for column in moving], clip.rows[:, moving].astype(np.float32)
