"""The module under test, or a visible skip where the C library is not built; models of both packages."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

rr = pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

SANITIZED = b"__asan_init" in rr._library.PATH.read_bytes()  # needs and takes more than other builds


def both(model: rc.Deformer, folder) -> tuple[rc.Deformer, rr.Deformer]:
    """A model saved, and read by each of the packages."""
    path = folder / "model.safetensors"
    model.save(path)
    return rc.load(path), rr.load(path)


def same(one: object, other: object) -> None:
    """Fail unless two arrays have the same type, shape and bytes."""
    one, other = np.asarray(one), np.asarray(other)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    assert one.tobytes() == other.tobytes()
