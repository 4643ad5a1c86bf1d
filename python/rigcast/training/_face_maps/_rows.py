"""Which rows are held out, and how often the others are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.sampling._balanced import equal_intervals, first_component, spread_landmarks

LANDMARKS = 24
LOOKED_AT = 64  # rows that show which vertices move

Rows = NDArray[np.int64]


def split(ds: Any, fraction: float, seed: int) -> tuple[Rows, Rows, str]:
    """Part a data set by clip: rows to learn from, held-out rows, and by what the model is judged, in words.

    Clips are held out whole, as many as come closest to the fraction of all rows in clips, since neighboring frames are
    alike; random poses beside them are learned from. A set of one clip holds its last rows out; a set without clips,
    random rows.

    Raises
    ------
    ValueError
        If fewer than two rows are left to learn from, or none is held out.
    """
    clip = np.asarray(getattr(ds, "clip", np.full(len(ds), -1)))
    names = [item.name for item in getattr(ds, "clips", [])]
    sizes = np.bincount(clip[clip >= 0], minlength=len(names))
    used = np.flatnonzero(sizes)
    if len(used) == 0:
        training, held_out = ds.split(fraction, seed)
        words = "random poses"
    elif len(used) == 1:
        rows = np.flatnonzero(clip >= 0)
        held_out = rows[len(rows) - max(round(fraction * len(rows)), 1) :]
        training = np.setdiff1d(np.arange(len(ds)), held_out)
        words = f"the last rows of {names[used[0]]}, its only clip"
    else:
        chosen = _clips(sizes, used, fraction * sizes.sum(), seed)
        held_out = np.flatnonzero(np.isin(clip, chosen))
        training = np.setdiff1d(np.arange(len(ds)), held_out)
        words = "held-out clips: " + ", ".join(names[number] for number in chosen)
    if len(training) < 2 or len(held_out) < 1:
        got = f"{len(training)} rows to learn from and {len(held_out)} held out"
        raise bad_argument("face_maps", "ds", got, "large enough for at least 2 and 1; sample more poses")
    return training, held_out, words


def _clips(sizes: NDArray[np.int64], used: NDArray[np.int64], wanted: float, seed: int) -> list[int]:
    """Clips with about so many rows in all: each in a random order that brings the sum closer; at least one."""
    order = np.random.default_rng([seed, 6]).permutation(used)
    chosen: list[int] = []
    total = 0
    for number in order[:-1]:
        if abs(total + sizes[number] - wanted) < abs(total - wanted):
            chosen.append(int(number))
            total += int(sizes[number])
    return sorted(chosen) or [int(min(used, key=lambda number: sizes[number]))]


def balanced_bins(ds: Any, training: Rows, bins: int) -> list[Rows]:
    """Training rows by intervals of the first principal component of landmark vertices (Bailey 2020, section 3.5).

    Landmarks are vertices that move, far from each other. Positions in the list of training rows; empty bins are left
    out.
    """
    everything = [np.arange(len(training))]
    if bins == 1:
        return everything
    rest = np.asarray(ds.rest_vertices)
    some = training[:: max(1, len(training) // LOOKED_AT)][:LOOKED_AT]
    motion = np.linalg.norm(ds.take(some)[2] - rest, axis=2).max(axis=0)
    if not motion.max() > 0.0:
        return everything
    landmarks = spread_landmarks(rest, motion.astype(np.float64), LANDMARKS)
    seen = np.concatenate([block[:, landmarks] for block in vertex_blocks(ds, training)])
    bin_of = equal_intervals(first_component(seen.reshape(len(seen), -1).astype(np.float64)), bins)
    return [np.flatnonzero(bin_of == number) for number in np.unique(bin_of)]


def drawn(bins: list[Rows], batch: int, seed: int, step: int) -> Rows:
    """A batch: for each place a bin, then a row of it. The step is all the random state there is."""
    rng = np.random.default_rng([seed, 3, step])
    chosen = rng.integers(len(bins), size=batch)
    parts = zip(chosen, rng.random(batch), strict=True)
    return np.array([bins[number][int(part * len(bins[number]))] for number, part in parts])


def vertex_blocks(ds: Any, rows: Rows, size: int = 128) -> Any:
    """Vertices (t, V, 3) of rows, some at a time."""
    for begin in range(0, len(rows), size):
        yield ds.take(rows[begin : begin + size])[2]
