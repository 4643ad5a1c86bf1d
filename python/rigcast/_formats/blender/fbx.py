"""FBX files, read by Blender: characters and faces there, motion and shots by way of a temporary .glb."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast._formats.blender.process import HostProcess
from rigcast._formats.blender.rig import BlenderRig
from rigcast._formats.gltf import GltfRig, GltfSkeleton, gltf_clips, load_gltf
from rigcast._formats.gltf.shot import load_gltf_shot
from rigcast._notes import tell
from rigcast._rigs.motions.motion import MotionFile
from rigcast._rigs.motions.shot import Shot

TIMEOUT = 120.0


@contextlib.contextmanager
def as_glb(path: Path, blender: str | None = None, timeout: float | None = None) -> Iterator[tuple[Path, int]]:
    """A temporary .glb of what Blender finds in a file, and how many meshes that has."""
    with tempfile.TemporaryDirectory(prefix="rigcast-fbx-") as folder:
        target = Path(folder) / f"{path.stem}.glb"
        host = HostProcess(blender, timeout or TIMEOUT)
        try:
            ((header, _),) = host.request({"operation": "fbx", "path": str(path.resolve()), "target": str(target)})
        finally:
            host.close()
        yield target, len(header["meshes"])


def open_fbx(
    path: Path,
    mesh: Any = None,
    armature: str | None = None,
    limits: Any = None,
    ranges: Any = None,
    blender: str | None = None,
    timeout: float | None = None,
    hold: Any = None,
    free: Any = None,
) -> BlenderRig | GltfRig | GltfSkeleton:
    """A character as Blender evaluates it, or the motion of a file without a mesh.

    Parameters
    ----------
    path : Path
    mesh, armature, limits, ranges, blender, timeout, hold, free
        As for a .blend file.

    Raises
    ------
    ValueError
        If Blender cannot read the file.
    SourceError
        If Blender fails.
    """
    with as_glb(path, blender, timeout) as (glb, meshes):
        if not meshes:
            return load_gltf(glb)
    options = {"mesh": mesh, "armature": armature, "limits": limits, "ranges": ranges, "hold": hold, "free": free}
    return BlenderRig.open(path, blender=blender, timeout=timeout or TIMEOUT, **options)


def fbx_clips(path: Path, blender: str | None = None, timeout: float | None = None) -> MotionFile:
    """Joints and clips of a file, to be retargeted."""
    with as_glb(path, blender, timeout) as (glb, _):
        return gltf_clips(glb)


def load_fbx_shot(
    path: Path,
    mesh: str | None = None,
    clip: str | None = None,
    fps: float | None = None,
    blender: str | None = None,
    timeout: float | None = None,
) -> Shot:
    """The frames of a clip, as triangles."""
    with as_glb(path, blender, timeout) as (glb, _):
        shot = load_gltf_shot(glb, mesh, clip, fps)
    tell("read by Blender's importer of FBX: polygons became triangles")
    return shot
