"""Motion of a skeleton, written for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._formats.bvh_writer import write_bvh_motion
from rigcast._formats.registry import MADE_MOTION, written_endings
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.surface import surface_of
from rigcast._validate import FPS, Arguments, bad_argument
from rigcast.exports._playback import Playback
from rigcast.exports._skinned import FRAMES_AT_ONCE, facts_of, shown_of_rig, write_shown
from rigcast.exports._vertices import write_vertices

if TYPE_CHECKING:
    from rigcast._rigs.rig import Rig

MOTIONS = written_endings(MADE_MOTION)


def write_bvh(
    path: str | os.PathLike[str], rig_or_model: Rig | _core.Deformer, channels: ArrayLike, *, fps: float = FPS
) -> list[str]:
    """Write the motion of a skeleton as ``.bvh``, y up, in the rig's unit of length.

    Joints keep names and tree; all of them have rotation channels Z X Y, roots and joints that change their distance
    to the parent position channels, too. A rig is evaluated, so constraints and drivers count; a model's poses follow
    by ``poses_from_channels``. The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    rig_or_model : Rig or Deformer
        With a skeleton.
    channels : array_like, shape (T, N)
        T at least 1.
    fps : float
        Frames per second; 30 unless stated.

    Returns
    -------
    list of str
        Notes: what the format cannot hold (scale, dials, some letters in names) and does not state (the unit).

    Raises
    ------
    ValueError
        If the path does not end in ``.bvh``, there is no skeleton, or an argument is not as it must be.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 60, 24)[:, None] * (np.arange(len(arm.channel_names)) == 0)
    >>> rc.exports.write_bvh("bend.bvh", arm, bend, fps=24)
    ['bend.bvh states no unit: positions are in units of 1 m']
    >>> len(rc.sources.load_bvh("bend.bvh").motion())
    24
    """
    file, rate = _checked("write_bvh", path, (".bvh",), rig_or_model, fps)
    return write_poses(file, rig_or_model, poses_of(rig_or_model, channels, "write_bvh"), rate)


def write_motion(
    path: str | os.PathLike[str], rig_or_model: Rig | _core.Deformer, channels: ArrayLike, *, fps: float = FPS
) -> list[str]:
    """Write the motion of a character with joints, in the format that the path's ending names.

    ====================  =============================================================================================
    ``.glb``              joints, skin weights and one clip, in meters, y up; morphs of the rig are targets with keys
    ``.usd``              ``.usda``, ``.usdc``, too: skeleton, weights and animation (UsdSkel), morphs as blend shapes,
                          in the character's unit (extra ``usd``)
    ``.bvh``              the joints alone (:func:`write_bvh`)
    ====================  =============================================================================================

    Files hold linear skinning. What a character does beyond it (a learned model, a rig that its own program evaluates)
    is left out; a note says how far. Of a character without skin weights the vertices are written
    (:func:`write_vertices`). The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    rig_or_model : Rig or Deformer
        With a skeleton.
    channels : array_like, shape (T, N)
        T at least 1.
    fps : float
        Frames per second; 30 unless stated.

    Returns
    -------
    list of str
        Notes: what the file does not hold.

    Raises
    ------
    ValueError
        If the ending is unknown, there is no skeleton, or an argument is not as it must be.
    MissingExtra
        Without ``usd-core`` (``.usd``).

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 60, 24)[:, None] * (np.arange(len(arm.channel_names)) == 0)
    >>> rc.exports.write_motion("bend.glb", arm, bend, fps=24)
    []
    >>> rc.sources.load("bend.glb").clips.keys()
    dict_keys(['motion'])
    """
    file, rate = _checked("write_motion", path, MOTIONS, rig_or_model, fps)
    if file.suffix.lower() == ".bvh":
        return write_poses(file, rig_or_model, poses_of(rig_or_model, channels, "write_motion"), rate)
    if isinstance(rig_or_model, _core.Deformer):
        poses = poses_of(rig_or_model, channels, "write_motion")
        return _write_vertices(file, rig_or_model, Playback(rig_or_model, poses), rate)
    rows = Arguments("write_motion", N=len(rig_or_model.channel_names)).numbers("channels", channels, "T+ N")
    shown = shown_of_rig(rig_or_model, rows, rate)
    if shown is not None:
        return write_shown(file, shown, shown.motion.rig.meters_per_unit, shown.motion.rig.up_axis)
    parts = [rig_or_model.sample(rows[t : t + FRAMES_AT_ONCE])[1] for t in range(0, len(rows), FRAMES_AT_ONCE)]
    return _write_vertices(file, rig_or_model, np.concatenate(parts), rate)


def _checked(
    function: str, path: str | os.PathLike[str], endings: tuple[str, ...], rig_or_model: Any, fps: float
) -> tuple[Path, float]:
    """The file and the rate, of a character with joints."""
    file = Path(path) if isinstance(path, (str, os.PathLike)) else None
    if file is None or file.suffix.lower() not in endings:
        raise bad_argument(
            function,
            "path",
            repr(path if file is None else str(path)),
            f"a file that ends in {', '.join(endings)}",
            file,
        )
    if getattr(rig_or_model, "skeleton", None) is None:
        got = f"a {type(rig_or_model).__name__} without skeleton"
        raise bad_argument(function, "rig_or_model", got, "a rig or a model with joints")
    return Path(path), Arguments(function).rate("fps", fps)


def _write_vertices(file: Path, rig_or_model: Any, vertices: Any, fps: float) -> list[str]:
    facts = facts_of(rig_or_model)
    return write_vertices(
        file,
        vertices,
        rig_or_model.faces,
        fps=fps,
        meters_per_unit=facts.meters_per_unit,
        up_axis=facts.up_axis,
        name=facts.name,
        licence=facts.licence,
        surface=surface_of(rig_or_model),
    )


def write_poses(
    path: Path, rig_or_model: Any, poses: NDArray[np.float32], fps: float, to_meters_per_unit: float | None = None
) -> list[str]:
    """Write pose rows (T, C) of a rig or a model, as :func:`write_bvh` does, in another unit if one is given."""
    skeleton = rig_or_model.skeleton
    own = float(getattr(rig_or_model, "meters_per_unit", 1.0))
    unit = own if to_meters_per_unit is None else to_meters_per_unit
    count = skeleton.num_joints
    local = np.array(poses[:, : 12 * count], np.float64).reshape(len(poses), count, 3, 4)
    rest = np.array(skeleton.rest, np.float64)
    for transforms in (local, rest):
        transforms[..., 3] *= own / unit
    motion = Motion(list(skeleton.names), np.asarray(skeleton.parents), rest, local, 1.0 / fps)
    notes = write_bvh_motion(path, motion, turn_between(str(getattr(rig_or_model, "up_axis", "Y")), "Y"))
    if moving := [name for name, values in _dials(rig_or_model, poses[:, 12 * count :]) if np.ptp(values) > 0.0]:
        notes.append(f"BVH has no dials: {', '.join(moving)[:300]} {'is' if len(moving) == 1 else 'are'} left out")
    return [*notes, f"{path.name} states no unit: positions are in units of {unit:g} m"]


def _dials(rig_or_model: Any, columns: NDArray[np.float32]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Names and values of the numeric controls, which stand last among the names as well."""
    is_model = isinstance(rig_or_model, _core.Deformer)
    names = list(rig_or_model.control_names if is_model else rig_or_model.dial_names) if columns.shape[1] else []
    return zip(names[len(names) - columns.shape[1] :], columns.T, strict=False)


def poses_of(rig_or_model: Any, channels: ArrayLike, function: str) -> NDArray[np.float32]:
    """Pose rows (T, C) of channels (T, N)."""
    if isinstance(rig_or_model, _core.Deformer):
        rows = Arguments(function, N=len(rig_or_model.channels)).numbers("channels", channels, "T+ N")
        return np.asarray(rig_or_model.poses_from_channels(rows))
    rows = Arguments(function, N=len(rig_or_model.channel_names)).numbers("channels", channels, "T+ N")
    parts = [rig_or_model.sample(rows[t : t + FRAMES_AT_ONCE])[0] for t in range(0, len(rows), FRAMES_AT_ONCE)]
    return np.concatenate(parts)
