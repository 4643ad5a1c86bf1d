"""Attributes of geometry as arrays, and errors as Houdini shows them on a node."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import hou
import numpy as np

Array = np.ndarray[Any, Any]


@contextlib.contextmanager
def node_errors() -> Iterator[None]:
    """Let the errors of the engine and of files appear on the node, as one sentence.

    ``hou.NodeError`` is what an author of a Python SOP raises to put it in error ("HOM: hou.NodeError").
    """
    try:
        yield
    except (ValueError, ArithmeticError, OSError, MemoryError) as error:
        if isinstance(error, FileNotFoundError):
            raise hou.NodeError(f"the file {error.filename} is not there") from error
        raise hou.NodeError(str(error)) from error


def positions(geometry: hou.Geometry) -> Array:
    """The positions (N, 3) float32 of all points, in the order of their numbers."""
    return floats(geometry, "P", 3)


def floats(geometry: hou.Geometry, name: str, size: int) -> Array:
    """A float attribute (N, size) float32 of all points.

    Raises
    ------
    ValueError
        If there is none of this size.
    """
    attribute = geometry.findPointAttrib(name)
    if attribute is None or attribute.size() != size:
        got = "there is none" if attribute is None else f"it has {attribute.size()} numbers"
        raise ValueError(f"the geometry needs a point attribute {name} of {size} numbers: {got}")
    return np.frombuffer(geometry.pointFloatAttribValuesAsString(name), np.float32).reshape(-1, size)


def set_positions(geometry: hou.Geometry, vertices: Array) -> None:
    """Write the positions of all points."""
    geometry.setPointFloatAttribValuesFromString("P", np.ascontiguousarray(vertices, np.float32).tobytes())
