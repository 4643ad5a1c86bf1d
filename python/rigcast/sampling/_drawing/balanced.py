"""Poses spread evenly over what a face does: bins along the first principal component of landmark vertices."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.rig import Rig
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.sampling._check import CheckedRig, check_answer, check_rig
from rigcast.sampling._drawing.clips import Clip, Clips, checked_clips, drawn_clips
from rigcast.sampling._drawing.drawn import round_inside
from rigcast.sampling._drawing.samplers import Sampler, named_sampler
from rigcast.sampling._drawing.stream import Stream
from rigcast.sampling._plan import integer

FIRST_LOOK = 64  # candidates that show which vertices move
MOVES = 0.1  # of the largest motion: landmarks are chosen among vertices that move at least as far
BATCH_BYTES = 1 << 26  # of vertices evaluated at a time; only their landmarks are kept


@one_line
@dataclass(frozen=True, eq=False)
class Balanced:
    """Candidate poses in bins: each draw picks a bin, then a pose in it, and no pose twice.

    A bin that runs out gives its share to the others. :func:`balanced` makes one from a rig.

    Parameters
    ----------
    rows : (A, N) array
        Channel rows of the candidates.
    bins : (A,) int array
        The bin of each.
    landmarks : sequence of int
        The vertices that decided the bins, for the manifest of a data set.
    clips : sequence of Clip
        The motions that the candidates are of.
    clip : (A,) integers, optional
        The clip of each candidate, -1 for none. Default: all are of the only clip.

    References
    ----------
    Bailey 2020, "Applications of Machine Learning for Character Animation", section 3.3.
    """

    rows: ArrayLike
    bins: ArrayLike
    landmarks: Sequence[int] = ()
    clips: Sequence[Clip] = ()
    clip: ArrayLike | None = None

    def __post_init__(self) -> None:
        arguments = Arguments("Balanced")
        rows = np.array(arguments.numbers("rows", self.rows, "A+ N", narrow=True))
        bins = arguments.integers("bins", self.bins, "A")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "bins", bins)
        object.__setattr__(self, "landmarks", tuple(int(vertex) for vertex in self.landmarks))
        object.__setattr__(self, "_clips", checked_clips("Balanced", self.clips, self.clip, len(rows)))

    def __len__(self) -> int:
        return len(np.asarray(self.rows))

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        rows = np.asarray(self.rows, np.float64)
        if rows.shape[1] != len(ranges):
            got = f"an array {rows.shape}"
            raise bad_argument("Balanced", "rows", got, f"rows of the rig's {len(ranges)} channels")
        if count > len(rows):
            raise bad_argument(
                "sample", "count", str(count), f"at most the {len(rows)} candidates of a balanced sampler"
            )
        return np.array(rows[self._picked(count, stream)])

    def clips_of(self, count: int, stream: Stream) -> Clips:
        """The clips of the rows that :meth:`draw` draws from this stream."""
        known: Clips = getattr(self, "_clips")  # noqa: B009
        return Clips(known.clips, known.rows[self._picked(count, stream)])

    def _picked(self, count: int, stream: Stream) -> NDArray[np.int64]:
        """The candidates that are drawn."""
        order = np.argsort(stream.child(0).uniform(len(self)), kind="stable")
        bins = np.asarray(self.bins)[order]
        waiting = [list(order[bins == bin_index][::-1]) for bin_index in np.unique(bins)]
        picked = []
        for number in stream.child(1).uniform(count):
            chosen = waiting[int(number * len(waiting))]
            picked.append(chosen.pop())
            if not chosen:
                waiting.remove(chosen)
        return np.array(picked, np.int64)

    def settings(self) -> dict[str, object]:
        """``{"kind": "balanced", "candidates": A, "bins": ..., "landmarks": [...], "sha256": ...}``."""
        rows, bins = np.ascontiguousarray(self.rows, "<f8"), np.ascontiguousarray(self.bins, "<i8")
        digest = hashlib.sha256(rows.tobytes() + bins.tobytes()).hexdigest()
        used = len(np.unique(bins))
        return {
            "kind": "balanced",
            "candidates": len(rows),
            "bins": used,
            "landmarks": list(self.landmarks),
            "sha256": digest,
        }


def balanced(
    rig: Rig,
    sampler: str | Sampler,
    candidates: int = 10000,
    *,
    landmarks: ArrayLike | None = None,
    num_landmarks: int = 24,
    bins: int = 16,
    seed: int = 0,
    progress: ProgressOption = None,
) -> Balanced:
    """Evaluate candidate poses and sort them into bins, so that rare expressions are drawn as often as common ones.

    The positions of the landmark vertices in all candidates are projected on their first principal component;
    intervals of equal length along it are the bins.

    Parameters
    ----------
    rig : Rig
        See :class:`rigcast.sources.Rig`.
    sampler : "normal", "uniform", "sparse" or a sampler
        Draws the candidates: usually :class:`Animation` with noise.
    candidates : int
        Poses evaluated; more than the data set is to hold, or nothing is left to choose.
    landmarks : array_like of int, shape (L,), optional
        Vertices around mouth, eyes and nose. By default ``num_landmarks`` vertices that move, far from each other.
    num_landmarks : int
        How many are found if none are given.
    bins : int
        Intervals; those that no candidate reaches are left out.
    seed : int
        Of the candidates.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Balanced
        A sampler for :func:`sample`.

    Raises
    ------
    ValueError
        For arguments out of range, or candidates that move no vertex, or none of the given landmarks.

    References
    ----------
    Bailey 2020, "Applications of Machine Learning for Character Animation", section 3.3.

    Examples
    --------
    >>> import rigcast as rc
    >>> arm = rc.sources.example_body()
    >>> sampler = rc.sampling.balanced(arm, "normal", 200, num_landmarks=8)
    >>> len(sampler), len(sampler.landmarks)
    (200, 8)
    """
    facts = check_rig(rig, "balanced")
    candidates, bins = integer("candidates", candidates, 2, "balanced"), integer("bins", bins, 1, "balanced")
    num_landmarks = integer("num_landmarks", num_landmarks, 1, "balanced")
    stream = Stream(integer("seed", seed, 0, "balanced"))
    sampler = named_sampler(sampler)
    drawn = sampler.draw(facts.channel_ranges, facts.channel_rest, candidates, stream.child(0))
    rows = round_inside(drawn, facts.channel_ranges)
    if landmarks is None:
        motion = _motion(rig, facts, rows[:FIRST_LOOK])
        if not motion.max() > 0.0:
            got = f"one whose first {min(candidates, FIRST_LOOK)} candidates move no vertex"
            raise bad_argument("balanced", "sampler", got, "one that moves some, or landmarks must be given")
        chosen = spread_landmarks(facts.rest_vertices, motion, num_landmarks)
    else:
        chosen = Arguments("balanced").integers("landmarks", landmarks, "L+", below=len(facts.rest_vertices))
    show = as_callback(progress)
    seen = np.empty((candidates, 3 * len(chosen)))
    done = 0
    for vertices in _evaluated(rig, facts, rows):
        seen[done : done + len(vertices)] = vertices[:, chosen].reshape(len(vertices), -1)
        done += len(vertices)
        show(Progress("looking at candidates", done, candidates))
    if not np.ptp(seen, axis=0).any():
        got = f"{len(chosen)} vertices that rest in all {candidates} candidates"
        raise bad_argument("balanced", "landmarks", got, "vertices of which some move")
    clips = drawn_clips(sampler, candidates, stream.child(0))
    return Balanced(rows, equal_intervals(first_component(seen), bins), chosen.tolist(), clips.clips, clips.rows)


def spread_landmarks(
    rest: NDArray[np.float32] | NDArray[np.float64], motion: NDArray[np.float64], count: int
) -> NDArray[np.int64]:
    """Vertices far from each other among those that move: farthest points, from the one that moves most.

    Parameters
    ----------
    rest : (V, 3) array
    motion : (V,) array
        How far each vertex moves, in the rig's unit; not all 0.
    count : int
        At most; fewer if fewer places move.
    """
    moving = np.flatnonzero(motion >= MOVES * motion.max())
    chosen = [int(moving[np.argmax(motion[moving])])]
    distance = np.full(len(moving), np.inf)
    while len(chosen) < min(count, len(moving)):
        distance = np.minimum(distance, np.linalg.norm(rest[moving] - rest[chosen[-1]], axis=1))
        if not distance.max() > 0.0:  # all others lie on chosen ones
            break
        chosen.append(int(moving[np.argmax(distance)]))
    return np.array(chosen, np.int64)


def first_component(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coordinates (A,) of rows (A, D) along their first principal component; its largest entry is positive."""
    centered = seen - seen.mean(0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    axis = axes[:, -1]
    coordinates = centered @ (axis * np.copysign(1.0, axis[np.argmax(np.abs(axis))]))
    return np.asarray(coordinates, np.float64)


def equal_intervals(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The number, of ``count`` equal intervals from the least to the largest value, that each value lies in."""
    low, high = values.min(), values.max()
    if not high > low:
        return np.zeros(len(values), np.int64)
    return np.asarray(np.minimum((values - low) / (high - low) * count, count - 1), np.int64)


def _motion(rig: Rig, facts: CheckedRig, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """The largest distance (V,) that each vertex is moved by any of a few rows."""
    motion = np.zeros(len(facts.rest_vertices))
    for vertices in _evaluated(rig, facts, rows):
        motion = np.maximum(motion, np.linalg.norm(vertices - facts.rest_vertices, axis=2).max(0))
    return motion


def _evaluated(rig: Rig, facts: CheckedRig, rows: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """The rig's vertices (t, V, 3), a few rows at a time."""
    step = max(1, BATCH_BYTES // (12 * len(facts.rest_vertices)))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        yield check_answer(facts, rig.sample(some), range(start, start + len(some)), "candidates")[1]
