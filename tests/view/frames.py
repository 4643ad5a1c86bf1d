"""What the server sends, read as the page reads it."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np


def header_of(message: bytes) -> dict[str, Any]:
    """The header of a message."""
    (length,) = struct.unpack("<I", message[:4])
    found: dict[str, Any] = json.loads(message[4 : 4 + length])
    return found


def payload_of(message: bytes) -> bytes:
    """What follows the header."""
    (length,) = struct.unpack("<I", message[:4])
    return message[4 + length :]


def positions_of(message: bytes, counts: list[int]) -> list[np.ndarray]:
    """Positions (V, 3) of each figure of a frame."""
    data, boxes, found = payload_of(message), header_of(message)["boxes"], []
    for count, (low, high) in zip(counts, np.array(boxes), strict=True):
        rows = np.frombuffer(data[: 12 * count], np.uint8).reshape(count, 12)
        data = data[12 * count :]
        found.append(low + rows[:, :6].copy().view("<u2") / 65535.0 * (high - low))
    assert not data
    return found
