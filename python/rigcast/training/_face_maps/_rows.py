"""Rows drawn evenly over bins, and rows some at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.sampling._drawing.balanced import equal_intervals, first_component, spread_landmarks

LANDMARKS = 24
LOOKED_AT = 64  # rows that show which vertices move

Rows = NDArray[np.int64]


def balanced_bins(ds: Any, training: Rows, bins: int) -> list[Rows]:
    """Training rows by intervals of the first principal component of landmark vertices (Bailey 2020, section 3.3).

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


def some(offsets: NDArray[np.float32], most: int, seed: int) -> NDArray[np.float32]:
    """At most so many samples, drawn without repetition, in their order."""
    if len(offsets) <= most:
        return offsets
    return offsets[np.sort(np.random.default_rng([seed, 7]).permutation(len(offsets))[:most])]
