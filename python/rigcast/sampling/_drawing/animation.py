"""Channel rows of animations, with noise or as they are."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.action import Action
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.sampling._drawing.clips import Clip, Clips, checked_clips
from rigcast.sampling._drawing.stream import Stream


@one_line
@dataclass(frozen=True, eq=False)
class Animation:
    """Frames of an animation, each channel's distance from rest multiplied by a random factor.

    Parameters
    ----------
    frames : (A, N) array
        Channel rows.
    noise : float or pair
        The factors are uniform in ``[1 - noise, 1 + noise]``, or between the two numbers given. 0 gives the
        frames themselves, in order and unchanged, as a held-out set needs them; every other noise draws
        frames at random.
    clips : sequence of Clip
        The motions that the frames are of; data sets keep them. Default: one, ``animation``.
    clip : (A,) integers, optional
        The clip of each frame, -1 for none. Default: all are of the only clip.

    Notes
    -----
    Noise takes no channel farther outside its range than the animation itself went.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 1, 24)[:, None] * [0, 0, 90, 0, 0, 1]
    >>> data = rc.sampling.sample(arm, "bend.rwdata", sampler=rc.sampling.Animation(bend), probe=0)
    >>> len(data)
    24
    """

    frames: ArrayLike
    noise: float | tuple[float, float] = 0.0
    clips: Sequence[Clip] = (Clip("animation"),)
    clip: ArrayLike | None = None

    def __post_init__(self) -> None:
        rows = Arguments("Animation").numbers("frames", self.frames, "A+ N", narrow=True)
        object.__setattr__(self, "frames", np.array(rows))
        object.__setattr__(self, "_clips", checked_clips("Animation", self.clips, self.clip, len(rows)))
        self._factors()

    @classmethod
    def of(cls, actions: Sequence[Action], noise: float | tuple[float, float] = 0.0) -> Animation:
        """The channels of actions, one after another, each a clip. An action of one frame is a still pose.

        Raises
        ------
        ValueError
            If there is no action, or one without frames.
        """
        if not actions:
            raise bad_argument("Animation", "actions", "empty", "at least one action")
        if empty := [action.name for action in actions if len(action) == 0]:
            got = f"a list in which {empty[0]!r} has no frames"
            raise bad_argument("Animation", "actions", got, "actions of at least one frame")
        known = Clips.of_actions(actions)
        return cls(np.concatenate([action.channels for action in actions]), noise, known.clips, known.rows)

    def __len__(self) -> int:
        return len(np.asarray(self.frames))

    @property
    def exact(self) -> bool:
        """Return True if the rows are the frames themselves."""
        return self._factors() == (1.0, 1.0)

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        frames = np.asarray(self.frames, np.float64)
        if frames.shape[1] != len(ranges):
            got = f"an array {frames.shape}"
            raise bad_argument("Animation", "frames", got, f"rows of the rig's {len(ranges)} channels")
        if self.exact:
            if count > len(frames):
                expected = f"at most the {len(frames)} frames of an animation without noise"
                raise bad_argument("sample", "count", str(count), expected)
            return np.array(frames[:count])
        moved, lowest, highest = self._moved(ranges, rest, count, stream)
        return np.asarray(np.clip(moved, lowest, highest))

    def clipped(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.bool_]:
        """Values (count, N) of :meth:`draw` that were beyond their bounds and lie on them."""
        if self.exact:
            return np.zeros((count, len(ranges)), np.bool_)
        moved, lowest, highest = self._moved(ranges, rest, count, stream)
        return np.asarray((moved < lowest) | (moved > highest))

    def _moved(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Frames with noise before they are clipped, and their bounds; all (count, N)."""
        picked = np.asarray(self.frames, np.float64)[self._picked(count, stream)]
        low, high = self._factors()
        factor = low + (high - low) * stream.uniform(count, len(ranges))
        lowest, highest = np.minimum(ranges[:, 0], picked), np.maximum(ranges[:, 1], picked)
        return rest + factor * (picked - rest), lowest, highest

    def settings(self) -> dict[str, object]:
        """``{"kind": "animation", "frames": A, "sha256": ..., "noise": [low, high]}``; noise as factors."""
        frames = np.asarray(self.frames, "<f8")
        digest = hashlib.sha256(np.ascontiguousarray(frames).tobytes()).hexdigest()
        return {"kind": "animation", "frames": len(frames), "sha256": digest, "noise": list(self._factors())}

    def clips_of(self, count: int, stream: Stream) -> Clips:
        """The clips of the rows that :meth:`draw` gives."""
        known: Clips = getattr(self, "_clips")  # noqa: B009 -- a frozen dataclass
        return Clips(known.clips, known.rows[:count] if self.exact else known.rows[self._picked(count, stream)])

    def _picked(self, count: int, stream: Stream) -> NDArray[np.int64]:
        """The frames of rows with noise."""
        return np.asarray((stream.uniform(count) * len(self)).astype(np.int64))

    def _factors(self) -> tuple[float, float]:
        noise = self.noise
        low, high = noise if isinstance(noise, tuple | list) else (1.0 - noise, 1.0 + noise)
        if not 0.0 <= low <= high < math.inf:
            expected = "a number from 0 to 1, or two factors 0 <= low <= high"
            raise bad_argument("Animation", "noise", repr(noise), expected)
        return float(low), float(high)
