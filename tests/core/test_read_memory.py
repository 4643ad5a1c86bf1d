"""Reading memory: every byte is read once, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core


def slow(data: np.ndarray) -> int:
    """The exclusive or of 64-bit words, the last one filled up with zeros."""
    padded = np.zeros((len(data) + 7) // 8 * 8, np.uint8)
    padded[: len(data)] = data
    return int(np.bitwise_xor.reduce(padded.view(np.uint64))) if len(padded) else 0


@pytest.mark.parametrize("size", [0, 1, 7, 8, 63, 64, 65, 127, 255, 256, 300, 1000, 4097, 70001])
@pytest.mark.parametrize("threads", [0, 1, 2, 3, 7])
def test_every_byte_is_read(size, threads):
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    assert _core.read_memory(data, threads) == slow(data)


def test_other_types_are_read_as_bytes():
    data = np.random.default_rng(0).standard_normal(77).astype(np.float32)
    assert _core.read_memory(data) == slow(data.view(np.uint8))


def test_arrays_with_gaps_are_refused():
    with pytest.raises(ValueError, match="read_memory: buffer is an array with gaps"):
        _core.read_memory(np.zeros(10, np.uint8)[::2])
