"""All channel rows of a data set, drawn from a seed before the rig is evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.sampling._drawing.clips import Clips, drawn_clips
from rigcast.sampling._drawing.samplers import Normal, Sampler
from rigcast.sampling._drawing.stream import Stream


@dataclass(frozen=True)
class DrawnRows:
    """Rows that a sampler has drawn, and everything that decided them.

    Attributes
    ----------
    rows, probe_rows : (T, N), (P, N) float32 arrays
    clips : Clips
        Of the rows.
    settings : dict
        Of the sampler.
    seed, probe : int
        ``probe`` is the number of base poses.
    """

    rows: NDArray[np.float32]
    probe_rows: NDArray[np.float32]
    clips: Clips
    settings: dict[str, object]
    seed: int
    probe: int


def draw_rows(
    sampler: Sampler, ranges: NDArray[np.float64], rest: NDArray[np.float64], count: int, probe: int, seed: int
) -> DrawnRows:
    """Draw the rows of the data and of the influence probe.

    Raises
    ------
    ValueError
        If the sampler draws other rows than it was asked for.
    """
    stream, settings = Stream(seed), sampler.settings()
    drawn = sampler.draw(ranges, rest, count, stream.child(0))
    if drawn.shape != (count, len(ranges)) or not np.isfinite(drawn).all():
        expected = f"finite numbers ({count}, {len(ranges)})"
        raise bad_argument("sample", "sampler.draw()", f"{drawn.dtype} {drawn.shape}", expected)
    rows, probes = (round_inside(part, ranges) for part in (drawn, probe_rows(ranges, probe, stream.child(1))))
    return DrawnRows(rows, probes, drawn_clips(sampler, count, stream.child(0)), settings, seed, probe)


def round_inside(rows: NDArray[np.float64], ranges: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows in float32; a value inside its range stays inside."""
    low, high = ranges.T
    rounded = rows.astype("<f4")
    above = (rounded > high) & (rows <= high)
    below = (rounded < low) & (rows >= low)
    rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    rounded[below] = np.nextafter(rounded[below], np.float32(np.inf))
    return rounded


def probe_rows(ranges: NDArray[np.float64], bases: int, stream: Stream) -> NDArray[np.float64]:
    """Channel rows (bases * (1 + N), N) of the influence probe.

    For every base pose, drawn like :class:`Normal`: the base itself, then one row per channel in which that
    channel alone moves to the farther end of its range, at least half of the range away.
    """
    channels = len(ranges)
    base = Normal().draw(ranges, np.zeros(channels), bases, stream)
    middle = 0.5 * (ranges[:, 0] + ranges[:, 1])
    far = np.where(base > middle, ranges[:, 0], ranges[:, 1])
    rows = np.repeat(base[:, None, :], 1 + channels, axis=1)
    every = np.arange(channels)
    rows[:, 1 + every, every] = far
    return rows.reshape(-1, channels)
