"""Animation files as channel rows of a rig."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.array import read_array
from rigcast._rigs.motion import Motion
from rigcast._safe_reading import read_json
from rigcast.cli._console import Console

if TYPE_CHECKING:
    from rigcast.sources import Retargeted

STILL = 1e-3  # of a rotation's entries, and of a location in the motion's unit


@dataclass(frozen=True)
class Animated:
    """Channel rows of a file.

    Attributes
    ----------
    channels : (T, N) float64 array
    missed : list of str
        Names of what the file moves that is no channel.
    retargeted : dict, optional
        What retargeting says of itself (:meth:`rigcast.sources.Retargeted.report`).
    """

    channels: NDArray[np.float64]
    missed: list[str] = field(default_factory=list)
    retargeted: dict[str, Any] | None = None


def add_retargeting_arguments(parser: Any) -> None:
    """``--allow-frozen`` and ``--rest-frame``."""
    parser.add_argument(
        "--allow-frozen",
        action="store_true",
        help="take a motion of another skeleton though arms or legs of the rig stand still that it moves",
    )
    parser.add_argument(
        "--rest-frame",
        type=int,
        metavar="N",
        help="of a motion of another skeleton: the frame that stands for its rest pose, -1 for its own (default: its "
        "own, or the frame that stands most like the rig at rest)",
    )


def animation_channels(path: Path, args: argparse.Namespace, rig: Any, console: Console) -> Animated:
    """Channel rows of an animation file; says how well the rig follows it.

    Parameters
    ----------
    path : Path
        ``.bvh``, ``.bvh.gz`` or a clip of ``.glb`` or ``.gltf``, retargeted by joint names, or ``.npy`` with channel
        rows (T, N).
    args : Namespace
        Of the command: ``allow_frozen``, ``rest_frame``; and if ``path`` is what ``animation`` names, ``action`` and
        ``joint_map``, a JSON object from the motion's joint names to the rig's.

    Raises
    ------
    ValueError
        If a file is malformed or does not fit the rig, or limbs stand still that the motion moves.
    """
    from rigcast import sources

    if path.suffix == ".npy":
        return Animated(_rows(path))
    mine = path == getattr(args, "animation", None)
    motion = _motion(path, args.action if mine else (), console)
    pairs = joint_names_map(args.joint_map) if mine and args.joint_map is not None else None
    made = sources.retarget(
        motion, rig, pairs, root_translation=None, allow_frozen=args.allow_frozen, rest_frame=args.rest_frame
    )
    console.line(f"{path.name}: {len(motion)} frames, {len(made.joint_map)} joints mapped; {made.summary()}")
    for line in made.lines():
        console.line(f"note: {path.name}: {line}")
    missed = _missed(motion, made)
    if missed:
        console.line(f"note: {path.name} also moves what is left out here: {', '.join(missed)}")
    return Animated(made.channels, missed, made.report())


def _motion(path: Path, actions: Sequence[str], console: Console) -> Motion:
    """The motion of a file, of its only clip or the one that was named.

    Raises
    ------
    ValueError
        If the file holds several clips, none of that name, or no motion at all.
    """
    from rigcast import sources

    suffix = path.suffix.lower()
    if suffix in (".glb", ".gltf", ".vrm", ".fbx"):
        other: Any = _clips_of(path)
        known = list(other.clips)
        chosen = list(actions) or known
        if len(chosen) != 1 or chosen[0] not in known:
            raise ValueError(f"{path} holds the actions {', '.join(map(repr, known)) or '(none)'}: --action names one")
        for note in (other.frames(chosen[0]).note, *getattr(other, "left_out", [])):
            if note:
                console.line(f"note: {path.name}: {note}")
        moved: Motion = other.motion(chosen[0])
        return moved
    if suffix == ".blend":
        raise ValueError(f"{path} is a .blend: its own actions are played on itself, --action NAME without --animation")
    bvh = sources.load_bvh(path)
    motion = bvh.motion()
    if actions and list(actions) != [motion.name]:
        raise ValueError(f"{path} holds one motion, {motion.name!r}: leave out --action")
    return motion


def _clips_of(path: Path) -> Any:
    if path.suffix.lower() == ".fbx":
        from rigcast._formats.blender.fbx import load_fbx_motion

        return load_fbx_motion(path)
    from rigcast._formats.gltf import load_gltf

    return load_gltf(path)


def _missed(motion: Motion, made: Retargeted) -> list[str]:
    """Joints that the motion turns or shifts and that have no partner, or one without channels."""
    gap = np.abs(motion.local - motion.local[:1])
    turned = (gap[..., :3].max(axis=(0, 2, 3)) > STILL) & (len(motion) > 1)
    moving = [name for name, moves in zip(motion.joint_names, turned, strict=True) if moves]
    found = [f"joint {name!r} (mapped to no joint: --joint-map)" for name in moving if name not in made.joint_map]
    found += [f"joint {name!r} (no channel)" for name in moving if made.joint_map.get(name) in made.still]
    root = motion.joint_names[0]
    shifts = len(motion) > 1 and float(np.ptp(motion.local[:, 0, :, 3], axis=0).max()) > STILL
    return found + [f"location of {root!r} ({made.rootless})"] * (shifts and bool(made.rootless))


def _rows(path: Path) -> NDArray[np.float64]:
    try:
        return read_array(path).astype(np.float64)
    except ValueError as error:
        raise ValueError(f"--animation {error}") from error


def joint_names_map(path: Path) -> dict[str, str]:
    """A JSON object from a motion's joint names to those of a rig.

    Raises
    ------
    ValueError
        If the file is none.
    """
    try:
        content = read_json(path)
    except ValueError as error:
        raise ValueError(f"--joint-map {error}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content.values()):
        raise ValueError(f"--joint-map {path}: not a JSON object of joint names")
    return content
