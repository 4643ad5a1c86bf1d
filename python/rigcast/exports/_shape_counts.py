"""Numbers of shapes tried one after another: fitted to some frames, keyed for all frames of the clips, and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rigcast._regression.ridge import spaced
from rigcast._rigs.description import Morph
from rigcast._rigs.rotations import Float64
from rigcast._rigs.skinned import SkinnedRig
from rigcast.exports._engine_bones import EngineBones
from rigcast.exports._miss import MissSum, VertexMiss
from rigcast.exports._playback import Playback
from rigcast.exports._residual_shapes import Float32, PosedFrames, refined, residual_components

FRAMES_AT_ONCE = 64
SMALL = 1e-6  # of the size: offsets of a shape at its largest that are left out


@dataclass(frozen=True)
class FittedFrames:
    """The frames that weights and shapes are fitted to.

    Attributes
    ----------
    poses : (F, C) float32
    vertices : (F, V, 3) float32
    available : int
        Frames of which these are a choice.
    """

    poses: Float32
    vertices: Float32
    available: int

    @classmethod
    def of(cls, clips: Sequence[Playback], most: int) -> FittedFrames:
        """At most ``most`` frames, evenly spaced over all clips."""
        starts = np.cumsum([0, *map(len, clips)])
        rows = spaced(int(starts[-1]), most)
        chosen = [rows[(rows >= a) & (rows < b)] - a for a, b in pairwise(starts)]
        parts = [(clip.poses[some], clip[some]) for clip, some in zip(clips, chosen, strict=True) if len(some)]
        poses, vertices = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(poses, vertices, int(starts[-1]))


@dataclass(frozen=True)
class JudgedShapes:
    """A rig with shapes, their amounts (T, K) in all frames of the clips, and what the two miss."""

    rig: SkinnedRig
    amounts: Float64
    miss: VertexMiss


class ShapeCounts:
    """Fits of any number of shapes to one skeleton and its frames.

    Parameters
    ----------
    skeleton : EngineBones
    fitted : FittedFrames
    clips : sequence of Playback
        Whose frames are keyed and judged.
    most : int
        Shapes; ``most`` of the instance is smaller if the frames carry fewer.
    threads : int
    tell : function of the number of shapes
        Called before each fit.
    """

    def __init__(
        self,
        skeleton: EngineBones,
        fitted: FittedFrames,
        clips: Sequence[Playback],
        most: int,
        threads: int,
        tell: Callable[[int], None],
    ) -> None:
        self._skeleton, self._clips, self._threads, self._tell = skeleton, clips, threads, tell
        local = skeleton.local(fitted.poses, fitted.vertices)
        self._posed = PosedFrames.of(skeleton.rig, local, fitted.vertices)
        self._components = residual_components(self._posed, most, threads)
        self.most = len(self._components)
        self.tried: dict[int, JudgedShapes] = {}
        same = sum(map(len, clips)) == len(fitted.poses) == fitted.available and bool(
            np.array_equal(np.concatenate([clip.poses for clip in clips]), fitted.poses)
        )
        #: Joints (T, J, 3, 4) in all frames of the clips.
        self.local = local if same else np.concatenate([skeleton.local(p, v) for p, v in self._frames()])

    def judged(self, count: int) -> JudgedShapes:
        """The fit of so many shapes; it is made once."""
        if count not in self.tried:
            self._tell(count)
            deltas = _pruned(refined(self._posed, self._components[:count], self._threads), self._posed.rest)
            self.tried[count] = self._keyed(deltas)
        return self.tried[count]

    def _frames(self) -> Iterator[tuple[Float32, Float32]]:
        for clip in self._clips:
            for start in range(0, len(clip), FRAMES_AT_ONCE):
                some = slice(start, start + FRAMES_AT_ONCE)
                yield clip.poses[some], clip[some]

    def _keyed(self, deltas: Float32) -> JudgedShapes:
        plain = self._skeleton.rig
        vertices = len(plain.rest_vertices)
        miss, amounts, start = MissSum(len(self.local) * vertices), [], 0
        for _, truth in self._frames():
            posed = PosedFrames.of(plain, self.local[start : start + len(truth)], truth)
            keys = posed.amounts(deltas, self._threads)[0].astype(np.float32).astype(np.float64)
            miss.add(truth, posed.played(deltas, keys))
            amounts.append(keys)
            start += len(truth)
        ranged, keys = _ranged(deltas, np.concatenate(amounts))
        names = ["constant", *(f"shape {number}" for number in range(1, len(ranged)))]
        morphs = [Morph.dense(*named) for named in zip(names, ranged, strict=False)]
        return JudgedShapes(plain.with_morphs(morphs), keys, miss.in_millimeters(plain.meters_per_unit))


def _ranged(deltas: Float32, amounts: Float64) -> tuple[Float32, Float64]:
    """The same with amounts from 0 to 1: shapes as large as their range, their lowest amounts made constant."""
    if not len(deltas):
        return deltas, amounts
    low, span = amounts[:, 1:].min(axis=0), np.ptp(amounts[:, 1:], axis=0)
    span[span == 0.0] = 1.0
    constant = deltas[0] + np.tensordot(low, deltas[1:].astype(np.float64), axes=1)
    free = span[:, None, None] * deltas[1:]
    ranged = np.concatenate([constant[None], free]).astype(np.float32)
    return ranged, np.concatenate([amounts[:, :1], np.clip((amounts[:, 1:] - low) / span, 0.0, 1.0)], axis=1)


def _pruned(deltas: Float32, rest: Float32) -> Float32:
    """Shapes (K, V, 3) without offsets that nobody sees: of vertices that a file need not hold."""
    length = np.linalg.norm(deltas, axis=2, keepdims=True)
    return np.where(length > SMALL * float(np.linalg.norm(np.ptp(rest, axis=0))), deltas, np.float32(0.0))
