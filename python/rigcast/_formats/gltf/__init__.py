"""glTF 2.0 characters (``.glb``, ``.gltf``): skins, morph targets and animation clips."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from rigcast._formats.gltf.clip_file import GltfSkeleton, is_motion_alone, skeleton_of
from rigcast._formats.gltf.document import Document
from rigcast._formats.gltf.rig import GltfRig, load_gltf_rig, rig_of
from rigcast._rigs.motions.motion import MotionFile

__all__ = ["GltfRig", "GltfSkeleton", "gltf_clips", "load_gltf", "load_gltf_rig"]


def load_gltf(
    path: str | os.PathLike[str],
    mesh: str | Sequence[str] | None = None,
    ranges: float | Literal["actions"] | None = None,
) -> GltfRig | GltfSkeleton:
    """Open a character, or a file of clips without a mesh (see :func:`load_gltf_rig`, :class:`GltfSkeleton`)."""
    document = Document(Path(path))
    alone = mesh is None and is_motion_alone(document)
    return skeleton_of(document) if alone else rig_of(document, mesh, ranges)


def gltf_clips(path: Path) -> MotionFile:
    """The clips of a character, or of a file without a mesh."""
    found = load_gltf(path)
    return MotionFile({name: partial(found.motion, name) for name in found.clips}, found)
