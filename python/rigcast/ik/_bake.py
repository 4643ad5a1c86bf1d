"""Poses as channels and keys: what exporters and animation programs take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.ik._joint_model import joint_model

if TYPE_CHECKING:
    from rigcast._rigs.rig import Rig

FUNCTION = "bake"
Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, repr=False)
class Baked:
    """Channels of poses, with the keys that make them; see :func:`bake`.

    Attributes
    ----------
    channels : (T, N) float64
        What the keys give in each frame: an argument of :func:`rigcast.exports.write_bvh` and of
        ``model.poses_from_channels``.
    names : list of N str
    keys : list of N pairs
        Frames (n,) int64, ascending, and values (n,) float64 of each channel's keys, linear between them.
    residual : (T,) float64
        The largest difference between a pose and that of the channels before keys are left out: not 0 where joints
        move in ways that no channel describes.
    beyond : (T, N) float64
        How far each channel is outside its range; 0 inside.

    Examples
    --------
    See :func:`bake`.
    """

    channels: Float64
    names: list[str]
    keys: list[tuple[NDArray[np.int64], Float64]]
    residual: Float64
    beyond: Float64

    def __repr__(self) -> str:
        frames, channels = self.channels.shape
        count = sum(len(frames_) for frames_, _ in self.keys)
        return f"<Baked: {frames:,} frames, {channels} channels, {count:,} keys of {frames * channels:,} values>"


def bake(model: _core.Deformer | Rig, poses: ArrayLike, *, tolerance: float = 0.0) -> Baked:
    """Turn poses, as limbs and foot locks return them, into channels and keys.

    Angles are chosen inside the channels' ranges if that is possible, and continuous from frame to frame: a joint that
    turns through 180 degrees goes on to 181 where its range allows. Keys are left out as far as linear interpolation
    between those that stay misses no value by more than the tolerance: subdivision (Ramer 1972; Douglas and Peucker
    1973) with distances along the value's axis.

    Parameters
    ----------
    model : Deformer or Rig
        Whose channels decide its poses.
    poses : (T, C)
    tolerance : float
        In the unit of each channel: degrees, or the rig's unit. 0 keeps a key wherever a straight line misses.

    Returns
    -------
    Baked

    Raises
    ------
    ValueError
        If the model has no channels, something other than channels poses its joints, a shape is wrong, or a number is
        not finite.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 1, 25)[:, None] * [0, 0, 90, 0, 40, 0]
    >>> poses, vertices = arm.sample(bend)
    >>> made = rc.ik.bake(arm, poses, tolerance=0.01)
    >>> [len(frames) for frames, values in made.keys]
    [1, 1, 2, 1, 2, 1]
    >>> notes = rc.exports.write_bvh("arm.bvh", arm, made.channels, fps=24)
    """
    part = joint_model(FUNCTION, model, [0], np.zeros((1, 3)))
    channels = part.channels
    if not channels:
        raise bad_argument(FUNCTION, "model", f"a {type(model).__name__} without channels", "one with channels")
    check = Arguments(FUNCTION, C=len(part.control_names))
    rows = check.numbers("poses", poses, "T+ C", "C", dtype=np.float32)
    slack = check.number("tolerance", tolerance, least=0.0)
    values, residual = part.channels_from_poses(np.atleast_2d(rows))
    dense = values.astype(np.float64)
    keys = [_keys(column, slack) for column in dense.T]
    frames = np.arange(len(dense))
    played = np.stack([np.interp(frames, *key) for key in keys], axis=1)
    low, high = np.array([(channel.low, channel.high) for channel in channels], np.float64).T
    beyond = np.maximum(np.maximum(low - dense, dense - high), 0.0)
    return Baked(played, [channel.name for channel in channels], keys, residual.astype(np.float64), beyond)


def _keys(values: Float64, tolerance: float) -> tuple[NDArray[np.int64], Float64]:
    """Frames and values of keys: one for a curve that is constant within the tolerance."""
    slack = tolerance + 1e-6 * float(np.abs(values).max())  # values come from poses of float32
    if np.ptp(values) <= slack:
        return np.zeros(1, np.int64), values[:1]
    kept = {0, len(values) - 1}
    spans = [(0, len(values) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        line = np.interp(np.arange(first, last + 1), [first, last], values[[first, last]])
        away = np.abs(values[first : last + 1] - line)
        worst = int(away.argmax())
        if away[worst] > slack:
            kept.add(first + worst)
            spans += [(first, first + worst), (first + worst, last)]
    frames = np.array(sorted(kept), np.int64)
    return frames, values[frames]
