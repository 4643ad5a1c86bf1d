"""Messages to the page: bytes.

A little-endian uint32 with the length of a JSON header, the header padded with spaces to a multiple of four bytes, and
arrays one after another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> bytes:
    """One message to the page."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *(np.ascontiguousarray(a).tobytes() for a in arrays)])


def packed_figures(
    packers: Sequence[Any], shown: Sequence[NDArray[Any]], marks: NDArray[np.uint8] | None
) -> tuple[list[NDArray[Any]], list[Any]]:
    """Vertices of each figure as arrays and the boxes that they count from; marks are of the first."""
    arrays, boxes = [], []
    for number, (packer, vertices) in enumerate(zip(packers, shown, strict=True)):
        content, low, high = packer.pack(vertices, marks if number == 0 else None)
        arrays.append(content)
        boxes.append([low.tolist(), high.tolist()])
    return arrays, boxes


def header_of(message: bytes) -> dict[str, Any]:
    """The header of a message to the page."""
    length = int(np.frombuffer(message[:4], "<u4")[0])
    return dict(json.loads(message[4 : 4 + length]))
