"""Animation files as channel rows of a rig."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._formats.npz.array import read_array
from rigwright._safe_reading import read_json
from rigwright.cli._console import Console


def animation_channels(path: Path, joint_map: Path | None, rig: Any, console: Console) -> NDArray[np.float64]:
    """Channel rows (T, N) of an animation file.

    Parameters
    ----------
    path : Path
        ``.bvh`` or ``.bvh.gz``, retargeted by joint names, or ``.npy`` with channel rows (T, N).
    joint_map : Path, optional
        JSON object from the motion's joint names to the rig's; default: guessed from the usual names.

    Raises
    ------
    ValueError
        If a file is malformed or does not fit the rig.
    """
    from rigwright import sources

    if path.suffix == ".npy":
        return _rows(path)
    bvh = sources.load_bvh(path)
    motion = bvh.motion()
    for note in bvh.notes:
        console.line(f"note: {path.name}: {note}")
    if joint_map is not None:
        pairs = _names(joint_map)
    else:
        pairs = sources.joint_map(motion.joint_names, rig.skeleton.names if rig.skeleton is not None else [])
    retargeted = sources.retarget(motion, rig, pairs)
    console.line(f"{path.name}: {len(motion)} frames, {len(pairs)} joints mapped; {retargeted.summary()}")
    return retargeted.channels


def _rows(path: Path) -> NDArray[np.float64]:
    try:
        return read_array(path).astype(np.float64)
    except ValueError as error:
        raise ValueError(f"--animation {error}") from error


def _names(path: Path) -> dict[str, str]:
    try:
        content = read_json(path)
    except ValueError as error:
        raise ValueError(f"--joint-map {error}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content.values()):
        raise ValueError(f"--joint-map {path}: not a JSON object of joint names")
    return content
