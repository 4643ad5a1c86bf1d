"""Points that are fixed to joints, as a model with a rig's channels: what motion of joints and markers is solved on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._rigs.stated_channels import channel_records, stated_kinematics
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.ik._limb import joint_indices

JointPoint = str | int | tuple[str | int, ArrayLike]
NO_DEVIATIONS: dict[str, dict[str, str]] = {"channels": {}, "joints": {}}


def joint_points(
    function: str, skeleton: _core.Skeleton, points: Sequence[JointPoint]
) -> tuple[list[int], NDArray[np.float64]]:
    """Joints (M,) and offsets (M, 3) in their coordinates.

    Raises
    ------
    ValueError
        If there are no points, a joint is unknown, or an offset is not three finite numbers.
    """
    if isinstance(points, str) or not isinstance(points, Sequence) or not len(points):
        raise bad_argument(function, "points", shown(points), "a list of joints, or of pairs (joint, offset)")
    pairs = [point if isinstance(point, tuple) else (point, (0.0, 0.0, 0.0)) for point in points]
    if wrong := [pair for pair in pairs if len(pair) != 2]:
        raise bad_argument(
            function, "points", f"with {shown(wrong[0])}", "a list of joints, or of pairs (joint, offset)"
        )
    joints = [joint_indices(function, "points", skeleton, [joint], ("joint",))[0] for joint, _ in pairs]
    check = Arguments(function)
    return joints, np.array([check.numbers("points", offset, "3") for _, offset in pairs])


def joint_model(
    function: str, source: Any, joints: Sequence[int], offsets: NDArray[np.float64]
) -> _core.LinearBlendSkinning:
    """A model whose vertex i is the point at ``offsets[i]`` (M, 3) in the coordinates of ``joints[i]``.

    Parameters
    ----------
    source : Deformer, Skeleton or Rig
        Whose skeleton and channels the model has; without channels, :class:`rigcast.ik.Solver` turns joints freely.

    Raises
    ------
    ValueError
        If constraints or drivers pose joints of the rig, so that plain kinematics does not decide its poses.
    """
    skeleton = skeleton_of(function, source)
    chosen = np.asarray(joints, np.int32)
    rest = skeleton.rest_globals[chosen].astype(np.float64)
    vertices = (rest[..., :3] @ offsets[..., None])[..., 0] + rest[..., 3]
    dials, about = _controls(function, source, skeleton)
    weights = (chosen[:, None], np.ones((len(chosen), 1), np.float32))
    faces = np.zeros((0, 3), np.int32)
    made = _core.LinearBlendSkinning(skeleton, vertices, faces, weights, dials=dials, metadata=about)
    if made.channels:  # refused with the reason if they do not decide the poses
        made.poses_from_channels(np.array([[channel.rest for channel in made.channels]]))
    return made


def skeleton_of(function: str, source: Any) -> _core.Skeleton:
    """The skeleton of a model, a rig or a skeleton."""
    skeleton = source if isinstance(source, _core.Skeleton) else getattr(source, "skeleton", None)
    if isinstance(skeleton, _core.Skeleton):
        return skeleton
    got = f"a {type(source).__name__} without joints"
    raise bad_argument(function, "model", got, "a model or a rig with a skeleton, or a rigcast.Skeleton")


def _controls(function: str, source: Any, skeleton: _core.Skeleton) -> tuple[list[str], dict[str, Any]]:
    """Names of the numeric controls, and the metadata of the channels."""
    if isinstance(source, _core.Skeleton):
        return [], {}
    if isinstance(source, _core.Deformer):
        dials = list(source.control_names[12 * skeleton.num_joints :])
        entry = source.metadata.get("channels")
        return dials, {} if entry is None else {"channels": entry}
    if elsewhere := dict(getattr(source, "posed_elsewhere", {})):
        joint, reason = next(iter(elsewhere.items()))
        got = f"a rig whose joint {joint!r} something else poses ({reason})"
        raise bad_argument(
            function, "model", got, "one that channels alone pose; sample it and solve on a learned model"
        )
    names, dials = list(source.channel_names), list(source.dial_names)
    ranges = np.asarray(source.channel_ranges, np.float64)
    rest = getattr(source, "channel_rest", np.clip(0.0, ranges[:, 0], ranges[:, 1]))
    stated = stated_kinematics(source, names, list(skeleton.names), dials, function)
    return dials, {"channels": channel_records(names, ranges, rest, stated, NO_DEVIATIONS)}
