"""Messages between page and server: bytes out, checked values in.

Out: a little-endian uint32 with the length of a JSON header, the header padded with spaces to a multiple of four bytes,
and arrays one after another. In: one JSON object per message, whose ``type`` decides its other entries.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_MESSAGE = 65536  # bytes
LARGEST_NUMBER = 1e9  # of a coordinate: beyond, products overflow float32
LONGEST_LABEL = 1000  # characters
Check = Callable[[Any], bool]


def packed(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> bytes:
    """One message to the page."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *(np.ascontiguousarray(a).tobytes() for a in arrays)])


def header_of(message: bytes) -> dict[str, Any]:
    """The header of a message to the page."""
    length = int(np.frombuffer(message[:4], "<u4")[0])
    return dict(json.loads(message[4 : 4 + length]))


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that the engine can take."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and -LARGEST_NUMBER <= value <= LARGEST_NUMBER  # not isfinite, which overflows for huge integers


def is_whole(value: Any) -> bool:
    """Whether a JSON value is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(is_number, value))


def _is_direction(value: Any) -> bool:
    return _is_vector(value) and any(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL


def _one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _is_list_of_channels(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_whole, value))


RAY: dict[str, Check] = {"origin": _is_vector, "direction": _is_direction}
MESSAGES: dict[str, dict[str, Check]] = {
    "shown": {"frame": is_whole},
    "set": {"channel": is_whole, "value": is_number, "done": _is_flag},
    "reset": {"channels": _is_list_of_channels},
    "mirror": {"from": _one_of("left", "right")},
    "grab": {**RAY, "grab": is_whole, "facing": _is_direction, "time": is_number},
    "drag": {**RAY, "pin": is_whole, "time": is_number},
    "release": {"pin": is_whole, "hold": _is_flag},
    "unpin": {"pin": is_whole},
    "grip": {"handle": is_whole, "facing": _is_direction, "firm": _is_flag},
    "pull": {**RAY, "handle": is_whole, "time": is_number},
    "drop": {"handle": is_whole},
    "undo": {},
    "redo": {},
    "play": {"playing": _is_flag},
    "seek": {"at": is_number},
    "speed": {"speed": is_number},
    "frames": {"frames": is_whole},
    "key": {},
    "unkey": {},
    "color": {"mode": _one_of("plain", "error", "confidence", "bound")},
    "tell": {"label": _is_label},
    "restart": {"seed": is_whole},
    "movie": {"step": _one_of("begin", "end", "cancel")},
    "picture": {"data": _is_text, "last": _is_flag},
    "export": {"format": _one_of("npz", "bvh", "glb", "blend")},
}


def parsed(message: str | bytes) -> dict[str, Any]:
    """One message of the page, every entry checked for its type and range.

    Raises
    ------
    ValueError
        If it is no such message.
    """
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise ValueError(f"its type is {str(kind)[:40]!r}")
    checks = MESSAGES[kind]
    if value.keys() != {"type", *checks}:
        raise ValueError(f"{kind} has other entries than {', '.join(checks) or 'none'}")
    for name, check in checks.items():
        if not check(value[name]):
            raise ValueError(f"{kind}: {name} is {str(value[name])[:40]}")
    return value
