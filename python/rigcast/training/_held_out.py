"""The rows held out of the training of a face: whole clips where there are some."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument

Rows = NDArray[np.int64]


def split(function: str, ds: Any, fraction: float, seed: int) -> tuple[Rows, Rows, str]:
    """Part a data set by clip: rows to learn from, held-out rows, and by what the model is judged, in words.

    Clips are held out whole, as many as come closest to the fraction of all rows in clips, since neighboring frames are
    alike; random poses among them are learned from. A set of one clip holds its last rows out; a set without clips,
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
        raise bad_argument(function, "data", got, "large enough for at least 2 and 1; sample more poses")
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
