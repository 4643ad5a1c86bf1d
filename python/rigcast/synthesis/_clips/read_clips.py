"""Clips from whatever files hold motion, and lists of clips."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import sources
from rigcast._core import BlendshapeRig, Deformer
from rigcast._formats.gltf import GltfRig
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._formats.npz.array import read_array
from rigcast._formats.readers import suffix_of
from rigcast._formats.registry import MOTION, readers
from rigcast._safe_reading import read_json
from rigcast._validate import RATES, Arguments, bad_argument, missing_file
from rigcast.sampling import Dataset
from rigcast.sources._motions import is_motion, opened_motion
from rigcast.synthesis._clips.clips import Clip
from rigcast.synthesis._entries import Entries
from rigcast.synthesis._mesh import ControlledMesh

Float64 = NDArray[np.float64]
ROWS = {"channels": Member("fiu", ("T", "N")), "names": Member("U", ("N",)), "fps": Member("fiu", ())}


def read_clips(
    path: str | os.PathLike[str],
    rig: sources.Rig | Deformer,
    *,
    clip: str | None = None,
    fps: float | None = None,
    joint_map: Mapping[str, str] | None = None,
    allow_frozen: bool = False,
    rest_frame: int | None = None,
) -> list[Clip]:
    """Clips of a file, as controls of a rig.

    Parameters
    ----------
    path : path-like
        All that :func:`rigcast.sources.load_motion` opens, retargeted (:func:`rigcast.sources.retarget`), unless it is
        of the rig itself: then its clips, of a ``.blend``, too. A data set of the rig: its clips. For blendshape rigs
        all that :func:`rigcast.sources.load_blendshape_weights` reads. ``.npy`` with controls (T, N); ``.npz`` with
        ``channels``, and ``names`` and ``fps`` if they are known.
    rig : Rig, Deformer or BlendshapeRig
    clip : str, optional
        Of files that hold several. Default: all of them.
    fps : float, optional
        Of files that state no rate, and of motions of joints; default: their own.
    joint_map : mapping, optional
        Names of the file's joints to the rig's. Default: guessed (:func:`rigcast.sources.joint_map`).
    allow_frozen : bool
        Whether limbs may stand still that the file's skeleton moves (:func:`rigcast.sources.retarget`).
    rest_frame : int, optional
        The frame that stands for the rest pose of the file's skeleton.

    Returns
    -------
    list of Clip
        ``origin`` is the file's name.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it holds no motion of such a rig, or no clip of that name, or limbs of the rig would stand still.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument("read_clips", "path", f"a {type(path).__name__}", "a path")
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file("read_clips", "path", file, "a file with motion")
    rate = None if fps is None else Arguments("read_clips").rate("fps", fps)
    if file.is_dir():
        found = _of_data_set(file, rig)
    elif suffix_of(file) == ".npy":
        found = [Clip(read_array(file).astype(np.float64), rate, file.stem)]
    elif isinstance(rig, BlendshapeRig):
        weights, own = sources.load_blendshape_weights(file, rig, **_options(file, clip, rate))
        return [Clip(weights, own, clip or file.stem, file.name)]
    else:
        mapped = {"joint_map": joint_map, "allow_frozen": allow_frozen, "rest_frame": rest_frame}
        found = _of_joints(file, rig, rate, mapped)
    names = [one.name for one in found]
    if clip is not None and clip not in names:
        got = f"{clip!r} (in {file})"
        raise bad_argument("read_clips", "clip", got, f"one of {', '.join(names)[:300] or '(the file has none)'}")
    return [replace(one, origin=file.name) for one in found if clip in (None, one.name)]


def _options(file: Path, clip: str | None, fps: float | None) -> dict[str, Any]:
    """The options of the reader of a face's file."""
    suffix = suffix_of(file)
    named = {"action" if suffix == ".blend" else "clip": clip}
    timed = {"fps": fps} if suffix in (".glb", ".gltf", ".vrm", ".csv") else {}
    return {name: value for name, value in {**named, **timed}.items() if value is not None}


def _of_data_set(folder: Path, rig: Any) -> list[Clip]:
    data = Dataset(folder)
    mesh = ControlledMesh(rig, "read_clips")
    if list(data.channel_names) != mesh.control_names:
        got = f"{folder}, a data set of other channels"
        raise bad_argument("read_clips", "path", got, f"one of the rig's {len(mesh.control_names)} channels", folder)
    if not data.clips:
        raise bad_argument("read_clips", "path", f"{folder}, a data set without clips", "one of animation", folder)
    rows = [np.flatnonzero(data.clip == i) for i in range(len(data.clips))]
    return [Clip(np.asarray(data.channels[r]), c.fps, c.name) for c, r in zip(data.clips, rows, strict=True) if len(r)]


def _of_joints(file: Path, rig: Any, fps: float | None, mapped: dict[str, Any]) -> list[Clip]:
    suffix = suffix_of(file)
    if suffix == ".npz":
        return [_archive(file, rig, fps)]
    if isinstance(rig, sources.BlenderRig) and rig.is_of(file):
        actions = [rig.action(name) for name in rig.actions]
        return [Clip(action.channels, action.fps, action.name) for action in actions]
    if not is_motion(file) and suffix != ".blend":
        expected = f"a {', '.join(readers(MOTION))}, .blend, .npz or .npy file, or a data set"
        raise bad_argument("read_clips", "path", repr(str(file)), expected, file)
    found = opened_motion(file)
    other = found.rig
    if isinstance(other, GltfRig) and list(other.channel_names) == ControlledMesh(rig, "read_clips").control_names:
        return [Clip(other.play(name, fps), other.frames(name, fps).fps, name) for name in other.clips]
    return [_retargeted(read(fps), rig, mapped) for read in found.clips.values()]


def _retargeted(motion: sources.Motion, rig: Any, mapped: dict[str, Any]) -> Clip:
    """A motion on the rig; its note says what the rig cannot follow, and what was left out of the file."""
    made = sources.retarget(motion, rig, root_translation=None, **mapped)
    note = "; ".join([*motion.notes, made.summary(), *made.lines()])
    return Clip(made.channels, 1.0 / made.frame_time, motion.name, note=note)


def _archive(file: Path, rig: Any, fps: float | None) -> Clip:
    arrays = read_arrays(file, ROWS, "read_clips", others=True)
    if "channels" not in arrays:
        raise bad_argument(
            "read_clips", "path", f"{file}, an archive without channels", "one with channels (T, N)", file
        )
    mesh = ControlledMesh(rig, "read_clips")
    rows = arrays["channels"].astype(np.float64)
    if "names" in arrays:
        names = list(map(str, arrays["names"]))
        missing = [name for name in mesh.control_names if name not in names]
        if missing:
            expected = "one with all channels of the rig"
            raise bad_argument("read_clips", "path", f"{file}, without the channel {missing[0]!r}", expected, file)
        rows = rows[:, [names.index(name) for name in mesh.control_names]]
    rate = float(arrays["fps"]) if "fps" in arrays else fps
    return Clip(rows, rate, file.stem)


def read_clip_list(
    path: str | os.PathLike[str],
    rig: sources.Rig | Deformer,
    told: Callable[[str], None] | None = None,
    *,
    joint_map: Mapping[str, str] | None = None,
    allow_frozen: bool = False,
    rest_frame: int | None = None,
) -> dict[str, list[Clip]]:
    """The labels of a list of clips, for :func:`fit`.

    Parameters
    ----------
    path : path-like
        JSON: ``{"labels": {"happy": [{"file": "take 3.csv", "begin": 40, "end": 180}, ...], ...}}``. Files lie beside
        the list or have absolute paths; ``begin`` and ``end`` are frames of the file, at its own rate (default: all).
        Each entry may have ``clip`` and ``fps`` (see :func:`read_clips`), ``origin`` and ``licence``.
    rig : Rig, Deformer or BlendshapeRig
    told : callable, optional
        Gets a line on each file that was retargeted.
    joint_map, allow_frozen, rest_frame
        As for :func:`read_clips`, of all files.

    Returns
    -------
    dict from label to list of Clip

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If the list or a file is malformed, or frames lie outside a file.
    """
    file = Path(path)
    mapped: dict[str, Any] = {"joint_map": joint_map, "allow_frozen": allow_frozen, "rest_frame": rest_frame}
    labels = Entries("read_clip_list", file.name, read_json(file)).object("labels")
    read: dict[tuple[Any, ...], list[Clip]] = {}
    found: dict[str, list[Clip]] = {}
    for label in labels:
        found[label] = []
        for entry in labels.objects(label):
            clip_name = None if entry.get("clip") is None else entry.text("clip")
            rate = None if entry.get("fps") is None else entry.number("fps", **RATES)
            key = (entry.text("file"), clip_name, rate)
            if key not in read:
                read[key] = read_clips(file.parent / key[0], rig, clip=clip_name, fps=rate, **mapped)
                for clip in read[key]:
                    if clip.note and told is not None:
                        told(f"{clip.origin}: {clip.note}")
            found[label] += [_cut(clip, entry) for clip in read[key]]
    if not found:
        raise bad_argument("read_clip_list", "labels", f"empty in {file}", "an object from labels to lists of clips")
    return found


def _cut(clip: Clip, entry: Entries) -> Clip:
    begin = 0 if entry.get("begin") is None else entry.whole("begin")
    end = len(clip) if entry.get("end") is None else entry.whole("end")
    if not 0 <= begin < end <= len(clip):
        raise entry.wrong("", f"frames {begin} to {end} of {clip.origin!r}", f"frames within 0 to {len(clip)}")
    own = [entry.text(name) if entry.get(name) is not None else getattr(clip, name) for name in ("origin", "licence")]
    name = clip.name if (begin, end) == (0, len(clip)) else f"{clip.name} {begin}-{end}"
    return replace(clip[begin:end], name=name, origin=own[0], licence=own[1])
