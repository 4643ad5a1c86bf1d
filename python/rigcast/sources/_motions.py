"""Opening the motion of joints by what its file's ending says."""

from __future__ import annotations

import os
from pathlib import Path

from rigcast._formats.readers import call, existing_file, readers_of, suffix_of
from rigcast._formats.registry import MOTION, readers
from rigcast._rigs.motions.motion import Motion, MotionFile
from rigcast._rigs.source_notes import opened
from rigcast._validate import Arguments, bad_argument
from rigcast.sources._blendshapes import naming

FUNCTION = "load_motion"


def load_motion(
    path: str | os.PathLike[str],
    *,
    clip: str | None = None,
    fps: float | None = None,
    blender: str | None = None,
    timeout: float | None = None,
) -> Motion:
    """Open the motion of a skeleton, to be put on a character by :func:`rigcast.sources.retarget`.

    Parameters
    ----------
    path : path-like
        ``.bvh``, also ``.bvh.gz``; a clip of ``.glb``, ``.gltf``, ``.vrm`` or ``.fbx`` (read by Blender), with a mesh
        or without one; ``.usd``, ``.usda``, ``.usdc``, ``.usdz`` with a skeleton (extra ``usd``). A .blend is no file
        of motion: its actions play on its own character (:func:`rigcast.sources.load`).
    clip : str, optional
        Needed if the file holds several.
    fps : float, optional
        Frames per second. glTF and FBX are sampled at this rate, frames of other files are resampled to it. Default:
        the samples of the file are its frames, and tell the rate.
    blender : str, optional
        FBX: a Blender program. Default: the ``bpy`` wheel of this Python, else ``blender`` on the PATH.
    timeout : float, optional
        FBX: seconds that opening the file may take. Default: 120.

    Returns
    -------
    Motion
        ``notes`` say what of the file was left out, or decided.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, the file is malformed or moves no joint, it holds several clips or none of that name,
        or an argument is not for such files.
    SourceError
        If Blender fails.
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 60, 24)[:, None] * (np.arange(len(arm.channel_names)) == 0)
    >>> notes = rc.exports.write_bvh("bend.bvh", arm, bend, fps=24)
    >>> motion = rc.sources.load_motion("bend.bvh")
    >>> len(motion), motion.fps
    (24, 24.0)
    """
    found = opened_motion(path, blender=blender, timeout=timeout)
    names = [name for name in found.clips if clip in (None, name)]
    if len(names) != 1:
        listing = ", ".join(map(repr, found.clips))[:300] or "(the file has none)"
        got = "not given" if clip is None else repr(clip)
        raise bad_argument(FUNCTION, "clip", f"{got} for {path}", f"one of {listing}")
    rate = None if fps is None else Arguments(FUNCTION).rate("fps", fps)
    with naming(Path(path), FUNCTION):
        return opened(Path(path), found.clips[names[0]](rate))


def is_motion(path: str | os.PathLike[str]) -> bool:
    """True if a file's ending is one of those that :func:`load_motion` opens."""
    return suffix_of(Path(path)) in readers(MOTION)


def opened_motion(
    path: str | os.PathLike[str], *, blender: str | None = None, timeout: float | None = None
) -> MotionFile:
    """All clips of a file of motion, each to be read at any rate."""
    file = existing_file(path, FUNCTION)
    if not is_motion(file):
        got = repr(str(path)) + ", whose actions play on its own character" * (suffix_of(file) == ".blend")
        raise bad_argument(FUNCTION, "path", got, f"a file that ends in {', '.join(readers(MOTION))}{readers_of(file)}")
    with naming(file, FUNCTION):
        found: MotionFile = call(FUNCTION, MOTION, suffix_of(file), file, blender=blender, timeout=timeout)
        return found
