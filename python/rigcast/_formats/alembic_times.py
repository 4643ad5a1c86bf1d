"""The times of the samples of an Alembic file: the table of time samplings of its container (Ogawa).

An Ogawa file is ``Ogawa``, three bytes, the place of the root group; a group is a count and as many places, with the
highest bit set for data, and data is a length and bytes. The root's fifth entry lists, for each time sampling, the
largest number of samples that anything has in it, the seconds of a cycle, and the times inside a cycle.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import Malformed

SAMPLINGS = 4  # place among the root's entries
DATA = 1 << 63
ACYCLIC = 1e300  # seconds of a cycle: beyond, all times are listed
MOST = 1 << 24  # samples


def sample_times(path: Path) -> NDArray[np.float64]:
    """Seconds (n,) at which the file's most densely sampled property has samples; (0,) if the table cannot be read.

    Raises
    ------
    OSError
    """
    try:
        tables = _samplings(path)
    except (struct.error, ValueError):
        return np.zeros(0)
    return max(tables, key=len, default=np.zeros(0))


def _samplings(path: Path) -> list[NDArray[np.float64]]:
    with path.open("rb") as stream:
        end = path.stat().st_size

        def read(place: int, count: int) -> bytes:
            if place < 0 or count < 0 or place + count > end:
                raise Malformed("beyond the end of the file")
            stream.seek(place)
            return stream.read(count)

        if read(0, 5) != b"Ogawa":
            raise Malformed("another container")
        (root,) = struct.unpack("<Q", read(8, 8))
        (count,) = struct.unpack("<Q", read(root, 8))
        if count <= SAMPLINGS:
            raise Malformed("without time samplings")
        (place,) = struct.unpack("<Q", read(root + 8 + 8 * SAMPLINGS, 8))
        if not place & DATA:
            raise Malformed("no data")
        place &= DATA - 1
        (length,) = struct.unpack("<Q", read(place, 8))
        content = read(place + 8, length)
    found, at = [], 0
    while at < len(content):
        samples, cycle, listed = struct.unpack_from("<IdI", content, at)
        at += 16
        times = np.frombuffer(content, "<f8", listed, at) if 0 < listed <= (len(content) - at) // 8 else np.zeros(0)
        at += 8 * listed
        if not len(times) or samples > MOST or not np.isfinite([cycle, *times]).all():
            raise Malformed("a sampling without times")
        found.append(times[:samples] if cycle > ACYCLIC else _cyclic(times, cycle, samples))
    return found


def _cyclic(times: NDArray[np.float64], cycle: float, samples: int) -> NDArray[np.float64]:
    index = np.arange(samples)
    return np.asarray(times[index % len(times)] + cycle * (index // len(times)), np.float64)
