"""The plan of a call of ``sample``, decided before the rig is evaluated: all rows, parted into shards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument
from rigcast.sampling._check import CheckedRig, check_rig
from rigcast.sampling._drawing.animation import Animation
from rigcast.sampling._drawing.drawn import draw_rows
from rigcast.sampling._drawing.samplers import DEFAULT_COUNT, Sampler, default_count
from rigcast.sampling._drawing.stream import Stream
from rigcast.sampling._store.layout import Contents
from rigcast.sampling._store.manifest import contents_of
from rigcast.sampling._store.other_files import file_contents

SHARD_BYTES = 1 << 23
LARGEST_SHARD = 64  # rows: what a killed worker loses of a slow rig
MOST_POSES = 100_000_000  # of a set
LARGEST_PROBE = 1 << 30  # bytes of the probe's channel rows


@dataclass(frozen=True)
class SamplingPlan:
    """Everything that is decided before the rig is evaluated.

    Attributes
    ----------
    facts : CheckedRig
    rows, probe_rows : (T, N), (P, N) float32 arrays
    contents : Contents
        Of the folder.
    """

    facts: CheckedRig
    rows: NDArray[np.float32]
    probe_rows: NDArray[np.float32]
    contents: Contents


def make_plan(
    facts: CheckedRig, sampler: Sampler, count: int | None, seed: int, probe: int, shard_rows: int | None
) -> SamplingPlan:
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
    drawn = draw_rows(sampler, facts.channel_ranges, facts.channel_rest, count, probe, seed)
    files = file_contents(facts, drawn.clips)
    return SamplingPlan(facts, drawn.rows, drawn.probe_rows, contents_of(facts, drawn, files, shard_rows))


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
