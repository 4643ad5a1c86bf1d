"""Frames that differ most, against plain Gram-Schmidt."""

import numpy as np
import pytest

from rigcast import _core


def oracle(offsets, count):
    rows = offsets.reshape(len(offsets), -1).astype(np.float64)
    left, largest, picks = rows.copy(), np.square(rows).sum(axis=1).max(), []
    while len(picks) < count:
        size = np.square(left).sum(axis=1)
        if size.max() <= 1e-4 * largest:
            break
        picks.append(int(size.argmax()))
        direction = left[picks[-1]] / np.sqrt(size.max())
        left -= np.outer(left @ direction, direction)
    return picks


@pytest.mark.parametrize("seed", range(3))
def test_picks_are_those_of_gram_schmidt(seed):
    random = np.random.default_rng(seed)
    motions = random.standard_normal((6, 40, 3)) * np.array([9, 5, 3, 1, 0.5, 0.001])[:, None, None]
    offsets = np.tensordot(random.random((50, 6)), motions, 1).astype(np.float32)
    assert _core.distinct_frames(offsets, 10).tolist() == oracle(offsets, 10)


def test_repeated_frames_are_picked_once():
    offsets = np.repeat(np.random.default_rng(0).standard_normal((3, 5, 3)), 4, axis=0)
    assert len(_core.distinct_frames(offsets, 10)) == 3


def test_no_motion_has_no_frames():
    assert len(_core.distinct_frames(np.zeros((4, 5, 3)), 10)) == 0


def test_picks_do_not_depend_on_the_number_of_threads():
    offsets = np.random.default_rng(0).standard_normal((60, 30, 3))
    one, two = (_core.distinct_frames(offsets, 40, threads=threads).tolist() for threads in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("offsets", "count", "message"),
    [
        (np.zeros((2, 2, 3)), 0, "distinct_frames: count is 0; it must be 1 or more"),
        (np.full((2, 2, 3), np.nan), 1, "distinct_frames: offsets is not finite everywhere"),
    ],
)
def test_refusals_name_the_argument(offsets, count, message):
    with pytest.raises(ValueError, match=message):
        _core.distinct_frames(offsets, count)
