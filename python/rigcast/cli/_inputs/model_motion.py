"""Motion for a model, from whatever file holds it: pose rows and their rate."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import sources
from rigcast._core import BlendshapeRig, Deformer
from rigcast._formats.live_link.read import load_table
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._formats.npz.array import read_array
from rigcast._formats.readers import suffix_of
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.motions.resampling import resampled
from rigcast._rigs.rotations import compose, invert, transform_of
from rigcast.cli._inputs.head import head_transforms
from rigcast.cli._inputs.motion import joint_names_map
from rigcast.cli._result import WrongInput
from rigcast.exports import resampled_weights
from rigcast.sampling import Dataset
from rigcast.sources import Motion

SAME_REST = 1e-4  # of the norm of all places
Dials = Mapping[str, NDArray[np.float64]]
MEMBERS = {
    "poses": Member("fiu", ("T", "C")),
    "channels": Member("fiu", ("T", "N")),
    "names": Member("U", ("N",)),
    "fps": Member("fiu", ()),
}


@dataclass(frozen=True)
class ModelMotion:
    """Pose rows (T, C) of a model; ``fps`` is None if the file states none; ``notes`` say what was lost or changed.

    ``head`` (T, 3, 4) moves the vertices of each frame, if a solve has left the motion of the head next to its weights.
    ``retargeted`` says how well the model follows a motion of another skeleton.
    """

    poses: NDArray[Any]
    fps: float | None = None
    notes: tuple[str, ...] = ()
    head: NDArray[np.float64] | None = None
    retargeted: dict[str, Any] | None = None

    def at(self, fps: float | None, num_joints: int) -> ModelMotion:
        """The motion at the rate that was asked for: resampled if the file states another one."""
        if fps is None or self.fps is None or np.isclose(fps, self.fps, rtol=1e-6):
            return replace(self, fps=fps or self.fps)
        poses, head = resampled(self.poses, num_joints, self.fps, fps), self.head
        if head is not None:
            head = resampled_weights(self.poses, self.fps, fps, transforms=head)[1]
        count, rate = len(self.poses), self.fps
        note = f"{count} frames at {rate:g} per second were resampled to {len(poses)} at {fps:g} per second"
        return ModelMotion(poses, fps, (*self.notes, note), head, self.retargeted)


@dataclass(frozen=True)
class MotionMapping:
    """Settings for a motion of another skeleton.

    Attributes
    ----------
    file : Path, optional
        A JSON file of joint names.
    allow_frozen : bool
        True if limbs may stand still.
    rest_frame : int, optional
        The frame that stands for its rest pose.
    """

    file: Path | None = None
    allow_frozen: bool = False
    rest_frame: int | None = None

    @classmethod
    def of(cls, args: argparse.Namespace) -> MotionMapping:
        """As the arguments of a command say."""
        return cls(args.joint_map, args.allow_frozen, args.rest_frame)


def motion_of(
    model: Deformer, path: Path, mapped: MotionMapping, clip: str | None = None, fps: float | None = None
) -> ModelMotion:
    """Read a motion.

    Parameters
    ----------
    model : Deformer
    path : Path
        A data set; ``.npy`` with poses (T, C) or channels (T, N); ``.npz`` with ``poses``, or ``channels`` and, if they
        are not all, their ``names``, and optionally ``fps``; all that :func:`rigcast.sources.load_motion` opens,
        retargeted by joint names unless the skeleton is the model's own. For a blendshape rig: weights, in any file
        that :func:`rigcast.sources.load_blendshape_weights` reads, or ``.npy``.
    mapped : MotionMapping
        Its file is a JSON object from the motion's joint names to the model's.
    clip : str, optional
        Of a file that has several.
    fps : float, optional
        Of motions of joints; default: their own.

    Raises
    ------
    ValueError
        If the file holds no motion of this model.
    """
    if path.is_dir():
        return _data_set(model, path)
    suffix = suffix_of(path)
    if isinstance(model, BlendshapeRig) and suffix != ".npy":
        return _weights(model, path, clip, fps)
    if suffix == ".npz":
        return _archive(model, path)
    if suffix == ".npy":
        return ModelMotion(_poses(model, read_array(path), path))
    return _of_joints(model, sources.load_motion(path, clip=clip, fps=fps), path, mapped)


def _weights(rig: BlendshapeRig, path: Path, clip: str | None, wanted: float | None) -> ModelMotion:
    """Weights, with the motion of the head that an archive holds; other files are read for their weights alone.

    A table without times, or of less than a second, states no rate: it has the wanted one.
    """
    open_rate = suffix_of(path) == ".csv" and load_table(path).fps is None
    weights, rate = sources.load_blendshape_weights(path, rig, clip=clip, fps=wanted if open_rate else None)
    fps = wanted if open_rate else rate
    head = head_transforms(path, len(weights))
    note = f"{path.name}: only weights are played; motion of the head, if the file has any, is read from .npz"
    return ModelMotion(weights, fps, () if suffix_of(path) == ".npz" else (note,), head)


def _data_set(model: Deformer, path: Path) -> ModelMotion:
    from rigcast.report._body.heldout import check_fits

    dataset = Dataset(path)
    check_fits(model, dataset, "evaluate")
    rates = {clip.fps for clip in dataset.clips} if (dataset.clip >= 0).all() else {None}
    return ModelMotion(dataset.poses, rates.pop() if len(rates) == 1 else None)


def _poses(model: Deformer, rows: NDArray[Any], path: Path) -> NDArray[Any]:
    """Poses as they are; rows as wide as the channels are channels."""
    width, channels = len(model.control_names), len(model.channels)
    if rows.ndim == 2 and rows.shape[1] == channels != width:
        return model.poses_from_channels(rows)
    if rows.ndim != 2 or rows.shape[1] != width:
        expected = f"poses (T, {width})" + (f" or channels (T, {channels})" if channels and channels != width else "")
        raise WrongInput(f"{path}: an array {rows.shape}; it must be {expected} of the model")
    return rows


def _archive(model: Deformer, path: Path) -> ModelMotion:
    arrays = read_arrays(path, MEMBERS, "evaluate", others=True)
    fps = float(arrays["fps"]) if "fps" in arrays else None
    if fps is not None and not 0.0 < fps <= 1000.0:
        raise WrongInput(f"{path}: {fps:g} frames per second; it must be above 0 and at most 1000")
    if "poses" in arrays:
        return ModelMotion(_poses(model, arrays["poses"], path), fps)
    if "channels" not in arrays:
        raise WrongInput(f"{path}: an archive without motion; it must hold poses (T, C) or channels (T, N)")
    channels = arrays["channels"]
    if "names" in arrays:
        known = [channel.name for channel in model.channels]
        names = list(map(str, arrays["names"]))
        if unknown := [name for name in names if name not in known]:
            raise WrongInput(
                f"{path}: {unknown[0]!r} is no channel of the model; it must have {', '.join(known)[:300]}"
            )
        rest = np.array([channel.rest for channel in model.channels])
        given, channels = channels, np.tile(rest, (len(channels), 1))
        channels[:, [known.index(name) for name in names]] = given
    return ModelMotion(model.poses_from_channels(channels), fps)


def _of_joints(model: Deformer, motion: Motion, path: Path, mapped: MotionMapping) -> ModelMotion:
    """A motion of the model's own skeleton as it is, any other one retargeted."""
    if model.skeleton is None:
        raise WrongInput(f"{path}: a motion of joints; a {model.kind} model has none")
    dials = motion.dials
    poses = None if mapped.file is not None else own_poses(model, motion, dials)
    notes: list[str] = []
    report: dict[str, Any] | None = None
    if poses is None:
        poses, notes, report = _retargeted(model, motion, path, mapped)
        dials = {}
    if still := [name for name in model.control_names[12 * len(model.joint_names) :] if name not in dials]:
        notes.append(f"dials that {path.name} does not move rest: {', '.join(still)[:300]}")
    return ModelMotion(poses, motion.fps, tuple(notes), retargeted=report)


def own_poses(model: Deformer, motion: Motion, dials: Dials) -> NDArray[Any] | None:
    """Pose rows (T, C) of a motion of the model's own skeleton, or None if it is another one.

    It is the model's own if it has all joints by name, and at rest they are in the same places, in whatever unit, with
    y or the model's own axis up. What moves a joint from rest, ``G G_rest^-1``, then moves the model's; both may have
    different axes at rest. Dials that the motion lacks stay at the value nearest to 0.
    """
    names = list(model.joint_names)
    if not set(names) <= set(motion.joint_names):
        return None
    picked = [motion.joint_names.index(name) for name in names]
    rest = np.asarray(model.skeleton.rest_globals, np.float64)
    for turn in (turn_between("Y", model.up_axis), np.eye(3)):
        places = motion.rest_globals[picked, :, 3] @ turn.T
        size = np.linalg.norm(rest[..., 3])
        scale = size / np.linalg.norm(places) if places.any() and size > 0 else 1.0
        if np.linalg.norm(scale * places - rest[..., 3], axis=1).max() <= SAME_REST * size:
            away = compose(motion.globals()[:, picked], invert(motion.rest_globals[picked]))
            moved = transform_of(turn @ away[..., :3] @ turn.T, scale * away[..., 3] @ turn.T)
            return _rows(model, compose(moved, rest), dials)
    return None


def _rows(model: Deformer, world: NDArray[np.float64], dials: Dials) -> NDArray[np.float64]:
    parents = np.asarray(model.skeleton.parents)
    below = parents >= 0
    local = world.copy()
    local[:, below] = compose(invert(world[:, parents[below]]), world[:, below])
    width = 12 * len(parents)
    names, ranges = model.control_names[width:], model.control_ranges[width:]
    still = np.clip(0.0, ranges[:, 0], ranges[:, 1])
    numeric = [dials.get(name, np.full(len(world), value)) for name, value in zip(names, still, strict=True)]
    columns = np.array(numeric, np.float64).reshape(len(names), len(world)).T
    return np.concatenate([local.reshape(len(world), width), columns], axis=1)


def _retargeted(
    model: Deformer, motion: Motion, path: Path, mapped: MotionMapping
) -> tuple[NDArray[np.float32], list[str], dict[str, Any]]:
    """Poses by the model's channels, the root's path, too, if it has channels for it; and what there is to say."""
    pairs = None if mapped.file is None else joint_names_map(mapped.file)
    made = sources.retarget(
        motion, model, pairs, root_translation=None, allow_frozen=mapped.allow_frozen, rest_frame=mapped.rest_frame
    )
    notes = [f"{path.name}: {len(motion)} frames, {len(made.joint_map)} joints mapped; {made.summary()}"]
    notes += [f"{path.name}: {line}" for line in made.lines()]
    if made.rootless:
        notes.append(f"the path of {next(iter(made.joint_map.values()))} is left out: {made.rootless}")
    return model.poses_from_channels(made.channels), notes, made.report()
