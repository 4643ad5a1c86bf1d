"""Hashes of everything that decides a piece of work."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np


def fingerprint(*decides: object) -> str:
    """Hash of arrays (with type and shape), plain values, and dicts, lists and tuples of them: 32 hex digits."""
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, decides)
    return digest.hexdigest()


def _feed(digest: Any, value: object) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype} {value.shape};".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        digest.update(f"dict {len(value)};".encode())
        for key in sorted(value, key=str):
            _feed(digest, key)
            _feed(digest, value[key])
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)};".encode())
        for entry in value:
            _feed(digest, entry)
    else:
        text = json.dumps(value, default=repr).encode()
        digest.update(f"value {len(text)};".encode() + text)
