"""Samplers of channel rows: truncated normal, uniform, and mixtures, animations among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import bad_argument
from rigcast.sampling._drawing.animation import Animation
from rigcast.sampling._drawing.clips import Clips, drawn_clips, no_clips
from rigcast.sampling._drawing.stream import Stream, normal_quantile

DEFAULT_COUNT = 5000


class Sampler(Protocol):
    """Draws channel rows; a function of its settings, the channel ranges and the stream alone."""

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N) for ranges (N, 2) and rest values (N,)."""
        ...

    def settings(self) -> dict[str, object]:
        """The settings that decide the rows, as plain JSON values with a ``kind``."""
        ...

    # Optional: clips_of(count, stream) -> Clips of the rows that draw gives for an equal stream.


@one_line
@dataclass(frozen=True)
class Normal:
    """Every channel on its own from a normal distribution that is truncated to the channel's range.

    The mean is the middle (a + b) / 2 of the range [a, b], the standard deviation ``spread * (b - a)``, and
    values outside the range do not occur: the distribution that drawing again outside the range gives,
    computed in one step by the inverse of the truncated cumulative distribution.

    Parameters
    ----------
    spread : float
        Default 1/3, which puts the ends of the range at 1.5 standard deviations.

    References
    ----------
    Bailey et al. 2018, "Fast and Deep Deformation Approximations", section 3.4. The text asks for a range of
    1.5 standard deviations; equation (8) as printed, sigma = 1.5 (b - a), is ``spread=1.5``.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> data = rc.sampling.sample(arm, "narrow.rwdata", count=50, sampler=rc.sampling.Normal(spread=0.1), probe=0)
    >>> bool(data.channels[:, 2].std() < 20)
    True
    """

    spread: float = 1.0 / 3.0

    def __post_init__(self) -> None:
        if not 1e-6 <= self.spread <= 1e6:
            raise bad_argument("Normal", "spread", repr(self.spread), "a number between 1e-6 and 1e6")

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        low, high = ranges.T
        inside = math.erf(0.5 / self.spread / math.sqrt(2.0))  # probability of the range before truncation
        z = normal_quantile((stream.uniform(count, len(ranges)) - 0.5) * inside)
        return np.asarray(np.clip(0.5 * (low + high) + self.spread * (high - low) * z, low, high))

    def settings(self) -> dict[str, object]:
        """``{"kind": "normal", "spread": ...}``."""
        return {"kind": "normal", "spread": float(self.spread)}


@one_line
@dataclass(frozen=True)
class Uniform:
    """Every channel on its own, evenly over its range.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> data = rc.sampling.sample(arm, "even.rwdata", count=50, sampler=rc.sampling.Uniform(), probe=0)
    >>> len(data)
    50
    """

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        low, high = ranges.T
        return np.asarray(np.clip(low + (high - low) * stream.uniform(count, len(ranges)), low, high))

    def settings(self) -> dict[str, object]:
        """``{"kind": "uniform"}``."""
        return {"kind": "uniform"}


@one_line
@dataclass(frozen=True)
class Sparse:
    """Some channels, evenly over their ranges; the others rest. For faces, whose expressions turn few of many dials.

    Each row draws a share from [0, 1), and each channel moves with that probability. With many dials, :class:`Normal`
    and :class:`Uniform` turn nearly all of them in every row: a model that learns from such rows alone has never seen
    the rest pose, nor a smile.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> data = rc.sampling.sample(arm, "some.rwdata", count=50, sampler=rc.sampling.Sparse(), probe=0)
    >>> bool((data.channels == 0).mean() > 0.4)
    True
    """

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        low, high = ranges.T
        moves = stream.child(0).uniform(count, len(ranges)) < stream.child(1).uniform(count, 1)
        values = low + (high - low) * stream.child(2).uniform(count, len(ranges))
        return np.asarray(np.clip(np.where(moves, values, rest), low, high))

    def settings(self) -> dict[str, object]:
        """``{"kind": "sparse"}``."""
        return {"kind": "sparse"}


@one_line
@dataclass(frozen=True, eq=False)
class Mixture:
    """Each row from one of several samplers, chosen at random.

    Parameters
    ----------
    parts : sequence of (weight, Sampler)
        Weights are positive; they need not sum to 1.

    Examples
    --------
    >>> mixed = rc.sampling.Mixture([(1.0, rc.sampling.Normal()), (1.0, rc.sampling.Uniform())])
    >>> data = rc.sampling.sample(rc.sources.example_body(), "mixed.rwdata", count=50, sampler=mixed, probe=0)
    >>> len(data)
    50
    """

    parts: Sequence[tuple[float, Sampler]]

    def __post_init__(self) -> None:
        if not self.parts or not all(0.0 < weight < math.inf for weight, _ in self.parts):
            got = f"a list of the weights {[weight for weight, _ in self.parts]}"
            raise bad_argument("Mixture", "parts", got, "pairs of a positive weight and a sampler, at least one")

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        rows = np.empty((count, len(ranges)))
        for part, mine in enumerate(self._rows_of_parts(count, stream)):
            rows[mine] = self.parts[part][1].draw(ranges, rest, len(mine), stream.child(1 + part))
        return rows

    def clips_of(self, count: int, stream: Stream) -> Clips:
        """The clips of the rows that :meth:`draw` gives."""
        known = no_clips(count)
        for part, mine in enumerate(self._rows_of_parts(count, stream)):
            own = drawn_clips(self.parts[part][1], len(mine), stream.child(1 + part))
            known = known.joined(own.clips, own.rows, mine)
        return known

    def _rows_of_parts(self, count: int, stream: Stream) -> list[NDArray[np.intp]]:
        """The rows of each part."""
        ends = np.cumsum(np.array([weight for weight, _ in self.parts], np.float64))
        part_of = np.searchsorted(ends[:-1], stream.child(0).uniform(count) * ends[-1], side="right")
        return [np.flatnonzero(part_of == part) for part in range(len(self.parts))]

    def settings(self) -> dict[str, object]:
        """``{"kind": "mixture", "parts": [{"weight": ..., "sampler": {...}}, ...]}``."""
        parts = [{"weight": float(weight), "sampler": sampler.settings()} for weight, sampler in self.parts]
        return {"kind": "mixture", "parts": parts}


@one_line
@dataclass(frozen=True, eq=False)
class Switched:
    """The rows of another sampler with some channels at one end of their range, as switches are for most of the time.

    Parameters
    ----------
    sampler : Sampler
    switches : sequence of int
        Columns of the switches.
    share : float
        Part of the rows in which a switch is at an end, each on its own; in the others it is where the sampler put it.

    Examples
    --------
    >>> sampler = rc.sampling.Switched(rc.sampling.Normal(), [5])
    >>> data = rc.sampling.sample(rc.sources.example_body(), "on.rwdata", count=50, sampler=sampler, probe=0)
    >>> bool(np.isin(data.channels[:, 5], [0, 1]).mean() > 0.5)
    True
    """

    sampler: Sampler
    switches: Sequence[int]
    share: float = 0.9

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise bad_argument("Switched", "share", repr(self.share), "a part from 0 to 1")

    def draw(
        self, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, stream: Stream
    ) -> NDArray[np.float64]:
        """Channel rows (count, N)."""
        rows = self.sampler.draw(ranges, rest, count, stream.child(0))
        columns = np.asarray(self.switches, np.intp)
        if len(columns) and not 0 <= columns.min() <= columns.max() < len(ranges):
            raise bad_argument(
                "Switched", "switches", repr(list(columns)), f"columns of the rig's {len(ranges)} channels"
            )
        at_end = stream.child(1).uniform(count, len(columns)) < self.share
        ends = np.where(stream.child(2).uniform(count, len(columns)) < 0.5, ranges[columns, 0], ranges[columns, 1])
        rows[:, columns] = np.where(at_end, ends, rows[:, columns])
        return rows

    def clips_of(self, count: int, stream: Stream) -> Clips:
        """The clips of the rows that :meth:`draw` gives."""
        return drawn_clips(self.sampler, count, stream.child(0))

    def settings(self) -> dict[str, object]:
        """``{"kind": "switched", "switches": [...], "share": ..., "sampler": {...}}``."""
        columns = [int(column) for column in self.switches]
        return {"kind": "switched", "switches": columns, "share": self.share, "sampler": self.sampler.settings()}


NAMED: dict[str, Sampler] = {"normal": Normal(), "uniform": Uniform(), "sparse": Sparse()}


def named_sampler(sampler: str | Sampler) -> Sampler:
    """The sampler of that name; an object passes through."""
    if isinstance(sampler, str):
        if sampler not in NAMED:
            expected = '"normal", "uniform", "sparse", or a sampler such as rigcast.sampling.Animation(frames)'
            raise bad_argument("sample", "sampler", repr(sampler), expected)
        return NAMED[sampler]
    if not (hasattr(sampler, "draw") and hasattr(sampler, "settings")):
        raise bad_argument("sample", "sampler", f"a {type(sampler).__name__}", "a sampler with draw and settings")
    return sampler


def default_count(sampler: Sampler) -> int:
    """Rows of a set whose size was not given: the frames of an animation without noise, else 5000."""
    return len(sampler) if isinstance(sampler, Animation) and sampler.exact else DEFAULT_COUNT
