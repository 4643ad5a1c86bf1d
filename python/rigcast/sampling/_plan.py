"""What a call of ``sample`` will do, decided before the rig is evaluated: all rows, parted into shards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument
from rigcast.sampling._animation import Animation
from rigcast.sampling._check import CheckedRig, check_rig
from rigcast.sampling._clips import drawn_clips
from rigcast.sampling._first_files import contents
from rigcast.sampling._manifest import opening, shard_bounds
from rigcast.sampling._npy import npy_size
from rigcast.sampling._samplers import DEFAULT_COUNT, Sampler, default_count, probe_rows, round_inside
from rigcast.sampling._stream import Stream
from rigcast.sampling._work import Shard

SHARD_BYTES = 1 << 23
LARGEST_SHARD = 64  # rows: what a killed worker loses of a slow rig
MOST_POSES = 100_000_000  # of a set
LARGEST_PROBE = 1 << 30  # bytes of the probe's channel rows


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before the rig is evaluated.

    Attributes
    ----------
    facts : CheckedRig
    opening : dict
        Of the manifest.
    rows, probe_rows : (T, N), (P, N) float32 arrays
    shards : list of Shard
        Those of the data, then the probe's.
    files : dict
        Contents of the files that are written first, by name.
    """

    facts: CheckedRig
    opening: dict[str, Any]
    rows: NDArray[np.float32]
    probe_rows: NDArray[np.float32]
    shards: list[Shard]
    files: dict[str, bytes]

    def size(self, shard: Shard) -> int:
        """Bytes of the shard's three files."""
        columns = (self.rows.shape[1],), (len(self.facts.pose_names),), (len(self.facts.rest_vertices), 3)
        return sum(npy_size("<f4", (shard.rows, *shape)) for shape in columns)


def make_plan(
    facts: CheckedRig, sampler: Sampler, count: int | None, seed: int, probe: int, shard_rows: int | None
) -> Plan:
    """Draw all rows and part them into shards; the arguments are those of :func:`rigcast.sampling.sample`.

    Raises
    ------
    ValueError
        For an argument that makes no sense, or a sampler that draws other rows than it was asked for.
    """
    count = default_count(sampler) if count is None else integer("count", count, 1, highest=MOST_POSES)
    seed, probe = integer("seed", seed, 0), integer("probe", probe, 0)
    _check_probe(probe, len(facts.channel_names))
    if shard_rows is None:
        shard_rows = min(max(1, SHARD_BYTES // (12 * len(facts.rest_vertices))), LARGEST_SHARD)
    shard_rows = integer("shard_rows", shard_rows, 1)
    ranges, stream = facts.channel_ranges, Stream(seed)
    drawn = sampler.draw(ranges, facts.channel_rest, count, stream.child(0))
    if drawn.shape != (count, len(ranges)) or not np.isfinite(drawn).all():
        expected = f"finite numbers ({count}, {len(ranges)})"
        raise bad_argument("sample", "sampler.draw()", f"{drawn.dtype} {drawn.shape}", expected)
    probes = probe_rows(ranges, probe, stream.child(1))
    kinds = [(False, count), (True, len(probes))]
    shards = [
        Shard(is_probe, index, start, stop)
        for is_probe, total in kinds
        for index, (start, stop) in enumerate(shard_bounds(total, shard_rows))
    ]
    clips = drawn_clips(sampler, count, stream.child(0))
    files = contents(facts, clips)
    stated = opening(facts, sampler.settings(), seed, count, probe, shard_rows, clips, files)
    return Plan(facts, stated, round_inside(drawn, ranges), round_inside(probes, ranges), shards, files)


def clipped_share(rig: Rig, sampler: Sampler, count: int = DEFAULT_COUNT, *, seed: int = 0) -> float:
    """The share of the channel values drawn from an animation with noise that lie on a bound for being beyond it.

    Parameters
    ----------
    rig : Rig
    sampler : Animation
    count, seed : int
        As :func:`rigcast.sampling.sample` is given them: the same rows are looked at.

    Returns
    -------
    float
        From 0 to 1, of all values (T, N).

    Raises
    ------
    ValueError
        If ``sampler`` is no :class:`Animation`.
    """
    if not isinstance(sampler, Animation):
        expected = "a rigcast.sampling.Animation: no other sampler clips values"
        raise bad_argument("clipped_share", "sampler", f"a {type(sampler).__name__}", expected)
    facts = check_rig(rig, "clipped_share")
    count = integer("count", count, 1, "clipped_share", MOST_POSES)
    stream = Stream(integer("seed", seed, 0, "clipped_share")).child(0)
    return float(sampler.clipped(facts.channel_ranges, facts.channel_rest, count, stream).mean())


def _check_probe(probe: int, channels: int) -> None:
    """The probe's rows are drawn at once: as many numbers as the square of the channels, for each base pose."""
    most = LARGEST_PROBE // (8 * channels * (channels + 1))
    if probe > most:
        size = 8 * probe * channels * (channels + 1) / 1e9
        got = f"{probe}, which takes {probe * (channels + 1):,} rows of {channels:,} channels ({size:.1f} GB)"
        raise bad_argument("sample", "probe", got, f"from 0 to {most} for so many channels")


def integer(argument: str, value: object, lowest: int, function: str = "sample", highest: int | None = None) -> int:
    """The integer that an argument must be."""
    most = "" if highest is None else f" to {highest:,}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lowest <= value <= (highest or value):
        raise bad_argument(function, argument, repr(value), f"an integer from {lowest}{most}")
    return int(value)
