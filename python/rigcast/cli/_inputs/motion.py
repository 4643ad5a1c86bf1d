"""Animation files as channel rows of a rig."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.array import read_array
from rigcast._rigs.motion import Motion
from rigcast._safe_reading import read_json
from rigcast.cli._console import Console

STILL = 1e-3  # of a rotation's entries, and of a location in the motion's unit


def animation_channels(
    path: Path, joint_map: Path | None, rig: Any, console: Console, actions: Sequence[str] = ()
) -> tuple[NDArray[np.float64], list[str]]:
    """Channel rows (T, N) of an animation file, and names of what it moves that is no channel.

    Parameters
    ----------
    path : Path
        ``.bvh``, ``.bvh.gz`` or a clip of ``.glb`` or ``.gltf``, retargeted by joint names, or ``.npy`` with channel
        rows (T, N).
    joint_map : Path, optional
        JSON object from the motion's joint names to the rig's; default: guessed from the usual names.

    Raises
    ------
    ValueError
        If a file is malformed or does not fit the rig.
    """
    from rigcast import sources

    if path.suffix == ".npy":
        return _rows(path), []
    motion = _motion(path, actions, console)
    if joint_map is not None:
        pairs = joint_names_map(joint_map)
    else:
        turned = getattr(rig, "mechanism", None) or rig
        pairs = sources.joint_map(motion.joint_names, turned.skeleton.names if turned.skeleton is not None else [])
    retargeted = sources.retarget(motion, rig, pairs)
    console.line(f"{path.name}: {len(motion)} frames, {len(pairs)} joints mapped; {retargeted.summary()}")
    missed = _missed(motion, pairs, retargeted.still)
    if missed:
        console.line(f"note: {path.name} also moves what is left out here: {', '.join(missed)}")
    return retargeted.channels, missed


def _motion(path: Path, actions: Sequence[str], console: Console) -> Motion:
    """The motion of a file, of its only clip or the one that was named.

    Raises
    ------
    ValueError
        If the file holds several clips, none of that name, or no motion at all.
    """
    from rigcast import sources

    suffix = path.suffix.lower()
    if suffix in (".glb", ".gltf"):
        from rigcast._formats.gltf import load_gltf_rig

        other = load_gltf_rig(path)
        known = list(other.clips)
        chosen = list(actions) or known
        if len(chosen) != 1 or chosen[0] not in known:
            raise ValueError(f"{path} holds the actions {', '.join(map(repr, known)) or '(none)'}: --action names one")
        return other.motion(chosen[0])
    if suffix == ".blend":
        raise ValueError(f"{path} is a .blend: its own actions are played on itself, --action NAME without --animation")
    bvh = sources.load_bvh(path)
    motion = bvh.motion()
    if actions and list(actions) != [motion.name]:
        raise ValueError(f"{path} holds one motion, {motion.name!r}: leave out --action")
    for note in bvh.notes:
        console.line(f"note: {path.name}: {note}")
    return motion


def _missed(motion: Motion, pairs: dict[str, str], still: list[str]) -> list[str]:
    """Joints that the motion turns or shifts and that have no partner, or one without channels."""
    gap = np.abs(motion.local - motion.local[:1])
    turned = (gap[..., :3].max(axis=(0, 2, 3)) > STILL) & (len(motion) > 1)
    moving = [name for name, moves in zip(motion.joint_names, turned, strict=True) if moves]
    found = [f"joint {name!r} (mapped to no joint: --joint-map)" for name in moving if name not in pairs]
    found += [f"joint {name!r} (no channel)" for name in moving if pairs.get(name) in still]
    root = motion.joint_names[0]
    shifts = len(motion) > 1 and float(np.ptp(motion.local[:, 0, :, 3], axis=0).max()) > STILL
    return found + [f"location of {root!r} (no channel)"] * shifts


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
