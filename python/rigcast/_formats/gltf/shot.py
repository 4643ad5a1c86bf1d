"""glTF animation as a shot: morph weights, moving nodes and skins of the chosen meshes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rigcast._formats.frame_rates import Frames
from rigcast._formats.gltf import load_gltf_rig
from rigcast._formats.gltf.blendshapes import MorphFile, face_of, morph_clip
from rigcast._formats.gltf.document import Document, records, text
from rigcast._formats.gltf.playback import clip_frames
from rigcast._hashing import padded_faces
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import bad_argument

METERS_Y_UP: dict[str, Any] = {"meters_per_unit": 1.0, "up_axis": "Y"}  # by the specification


def load_gltf_shot(path: Path, mesh: str | None = None, clip: str | None = None, fps: float | None = None) -> Shot:
    """Sample a clip.

    A file whose clips move morph weights only gives all its morphing meshes merged, as
    :func:`rigcast.sources.load_blendshapes` reads them; any other is played as the character that
    :func:`rigcast.sources.load` reads.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Name of the mesh node (or its mesh) to take.
    clip : str, optional
        Needed where the file has several.
    fps : float, optional
        Frames per second; by default the keys are the frames, or lie on those of a usual rate.
    """
    document = Document(path)
    animated = {
        text(getattr(channel.target, "path", None))
        for animation in records(document.gltf.animations, "animations")
        for channel in records(animation.channels, "animations.channels")
    }
    return _morphs(path, mesh, clip, fps) if animated == {"weights"} else _character(path, mesh, clip, fps)


def _morphs(path: Path, mesh: str | None, clip: str | None, fps: float | None) -> Shot:
    file = MorphFile.open(path, mesh)
    rig = face_of(file, linear=True)
    record = morph_clip(file, clip)
    frames = clip_frames(record, fps)
    vertices = rig.evaluate(file.curves(record, frames.times).astype(np.float32))
    return Shot(vertices, frames.fps, rig.faces, notes=(*file.left_out, *_said(frames)), **METERS_Y_UP)


def _said(frames: Frames) -> list[str]:
    return [frames.note] * bool(frames.note)


def _character(path: Path, mesh: str | None, clip: str | None, fps: float | None) -> Shot:
    rig = load_gltf_rig(path, mesh)
    found = [name for name in rig.clips if clip in (None, name)]
    if len(found) != 1:
        listing = ", ".join(rig.clips)[:300] or "(the file has none)"
        raise bad_argument("load_shot", "clip", "not given" if clip is None else repr(clip), f"one of {listing}")
    frames = rig.frames(found[0], fps)
    _, vertices = rig.sample_clip(found[0], times=frames.times)
    faces = padded_faces(rig.faces, "load_shot")
    notes = (*rig.left_out, *_said(frames))
    return Shot(np.asarray(vertices, np.float32), frames.fps, faces, notes=notes, **METERS_Y_UP)
