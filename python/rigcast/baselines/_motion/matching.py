"""Motion matching, and plain cross-fades."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Decay, smooth_shares
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.baselines._motion.clips import ClipFrames, ClipPlayer
from rigcast.synthesis import Synthesizer

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
OTHER_LABEL = 1e6  # cost of frames of labels that are not wanted, in squared steps
RECENT = 2.0  # seconds after which a frame that was shown may be shown again without cost


@one_line
class MotionMatching:
    """Frames with features of pose and velocity; made by :func:`motion_matching`.

    Attributes
    ----------
    every : int
        Frames between searches.
    blend : int
        Frames in which a jump's difference decays.
    candidates : (M,) int
        Frames that a search may find.
    share_pruned : float
        Share of the frames that no search finds, since their clip ends too soon.
    """

    def __init__(self, clips: ClipFrames, every: int, blend: int, *, velocity: float) -> None:
        self._clips, self.every, self.blend = clips, every, blend
        count = len(clips)
        ends = np.flatnonzero(np.append(clips.clip[1:] != clips.clip[:-1], True))
        self.end = ends[clips.clip]  # last frame of each frame's clip
        self.candidates = np.flatnonzero(self.end - np.arange(count) >= every)
        self.share_pruned = 1.0 - len(self.candidates) / count
        step = np.diff(clips.features, axis=0, append=clips.features[-1:])
        step[ends] = step[np.maximum(ends - 1, 0)]
        self.size = max(float(np.median(np.linalg.norm(step, axis=1))), 1e-12)
        # Pose one step is as far as a change of velocity of 1 / `velocity` steps per frame.
        self.queries = np.concatenate([clips.features, velocity * step], axis=1) / self.size

    def player(self, seed: int = 0, label: str | None = None) -> MatchingPlayer:
        """A player that begins at a random frame of a label.

        Raises
        ------
        ValueError
            If the label has no such frame, or the seed is no whole number of at least 0.
        """
        expected = "a label with clips longer than `every`"
        start, number = self._clips.drawn_row("MotionMatching.player", self.candidates, label, seed, expected)
        return MatchingPlayer(self._clips, self, number, start)

    def __repr__(self) -> str:
        return (
            f"<rigcast.baselines.MotionMatching: {len(self.candidates):,} of {len(self._clips):,} frames, "
            f"{self.share_pruned:.0%} pruned>"
        )


class MatchingPlayer(ClipPlayer):
    """Plays a clip, and jumps to a better frame every few frames."""

    def __init__(self, clips: ClipFrames, matching: MotionMatching, seed: int, row: int) -> None:
        super().__init__("MatchingPlayer", clips, seed, row)
        self._matching = matching
        self._decays: list[Decay] = []
        self._made = 0
        self._last: Float32 = np.repeat(clips.frames[row : row + 1], 2, axis=0)
        self._seen = np.full(len(clips), -np.inf)

    def _advance(self) -> Iterable[Float32]:
        clips, matching = self._clips, self._matching
        best = self._search()
        if best != self.row:
            after = clips.frames[best : best + 2]
            self._decays = [Decay.across(clips.mixer, self._made, self._last, after, matching.blend)]
        count = min(matching.every, int(matching.end[best]) - best)
        rows = clips.frames[best + 1 : best + 1 + count]
        frames = self._made + np.arange(1, count + 1)
        for decay in self._decays:
            rows = clips.mixer.clipped(clips.mixer.shifted(rows, decay.at(frames)))
        self._seen[best : best + 1 + count] = self._made
        self.row, self._made = best + count, self._made + count
        self._last = np.concatenate([self._last, rows])[-2:]
        return list(rows)

    def _search(self) -> int:
        """The candidate nearest to what is shown, its velocity, and what is wanted."""
        clips, matching = self._clips, self._matching
        rows = matching.candidates
        cost = ((matching.queries[rows] - matching.queries[self.row]) ** 2).sum(axis=1)
        cost = cost + OTHER_LABEL * (clips.label[rows] != self._wanted)
        recently = self._made - self._seen[rows] < RECENT * clips.synth.fps
        cost = cost + np.where(recently & (rows != self.row), 4.0, 0.0) * (1.0 + self._rng.random(len(rows)))
        return int(rows[int(cost.argmin())])


class FadePlayer(ClipPlayer):
    """Clips of a label in random order, joined by cross-fades wherever they end."""

    def __init__(self, clips: ClipFrames, seed: int, row: int, blend: int) -> None:
        super().__init__("FadePlayer", clips, seed, row)
        self._blend = blend

    def _advance(self) -> Iterable[Float32]:
        clips, here = self._clips, self.row
        left = (
            int((clips.clip == clips.clip[here]).sum() + np.flatnonzero(clips.clip == clips.clip[here])[0]) - 1 - here
        )
        if clips.label[here] == self._wanted and left > self._blend:
            self.row = here + 1
            return [clips.frames[here + 1]]
        own = np.flatnonzero(clips.label == self._wanted)
        choices = np.unique(clips.clip[own])
        rows = np.flatnonzero(clips.clip == int(choices[int(self._rng.integers(len(choices)))]))
        begin = int(rows[int(self._rng.integers(max(len(rows) - 2 * self._blend, 1)))])
        before = np.minimum(here + 1 + np.arange(self._blend), here + left)
        after = np.minimum(begin + np.arange(self._blend), rows[-1])
        self.row = int(after[-1])
        mixed = clips.mixer.blended(clips.frames[before], clips.frames[after], smooth_shares(self._blend))
        return list(clips.mixer.clipped(mixed))


def motion_matching(synth: Synthesizer, *, every: int = 10, blend: int = 12, velocity: float = 4.0) -> MotionMatching:
    """Motion matching on the clips of a synthesizer (Clavet 2016; jumps inertialized as by Bollo 2018).

    Every few frames all frames are searched for the one whose mesh and velocity are nearest to what is shown, among
    those of the wanted label; frames that were shown lately cost more.

    Parameters
    ----------
    synth : Synthesizer
    every : int
        Frames between searches.
    blend : int
        Frames in which the difference of a jump decays.
    velocity : float
        Weight of velocities relative to poses.

    Returns
    -------
    MotionMatching

    Raises
    ------
    ValueError
        If an argument is not as it must be, or all clips are shorter than ``every``.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> clip = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> size = {"dimensions": 3, "components": 6, "iterations": 20, "held_out": False}
    >>> synth = rc.synthesis.fit({"happy": [clip]}, rig=face, **size)
    >>> matching = rc.baselines.motion_matching(synth)
    >>> matching
    <rigcast.baselines.MotionMatching: 86 of 96 frames, 10% pruned>
    >>> matching.player(seed=1).step(24).shape
    (24, 22)
    """
    check = Arguments("motion_matching")
    clips = ClipFrames("motion_matching", synth)
    result = MotionMatching(
        clips,
        check.whole("every", every, least=1, most=10**6),
        check.whole("blend", blend, least=1, most=1000),
        velocity=check.number("velocity", velocity, least=0.0),
    )
    if not len(result.candidates):
        raise check.wrong("every", str(every), "below the length of the longest clip")
    return result


def cross_fade(synth: Synthesizer, seed: int = 0, *, label: str | None = None, blend: int = 12) -> FadePlayer:
    """A player of whole clips in random order, joined by cross-fades from and to any frame.

    Parameters
    ----------
    synth : Synthesizer
    seed : int
    label : str, optional
        Where it begins; default the first.
    blend : int
        Frames of a cross-fade.

    Returns
    -------
    FadePlayer

    Raises
    ------
    ValueError
        If an argument is not as it must be.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> clip = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> size = {"dimensions": 3, "components": 6, "iterations": 20, "held_out": False}
    >>> synth = rc.synthesis.fit({"happy": [clip]}, rig=face, **size)
    >>> rc.baselines.cross_fade(synth, seed=1).step(24).shape
    (24, 22)
    """
    clips = ClipFrames("cross_fade", synth)
    index = 0 if label is None else clips.label_index("cross_fade", label)
    length = Arguments("cross_fade").whole("blend", blend, least=2, most=1000)
    return FadePlayer(clips, seed, int(np.flatnonzero(clips.label == index)[0]), length)
