"""Arrays and rigs, distinguished from the objects that people hand over in their place."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rigcast._shown  # noqa: F401 (classes of the engine are complete after it)
from rigcast import _core
from rigcast._validate.words import bad_argument

MESHES = (
    ".obj", ".obj.gz", ".npy", ".npz", ".glb", ".gltf", ".vrm", ".fbx", ".usd", ".usda", ".usdc", ".usdz", ".abc",
    ".pc2", ".mdd",
)  # fmt: skip
HOLDERS = ("vertices", "rest_vertices", "weights")  # attributes that callers mean when they hand the whole object over


def as_array(function: str, argument: str, value: ArrayLike, expected: str) -> NDArray[Any]:
    """An array, or a ``ValueError`` for rows of different lengths, for a path, and for an object that holds arrays."""
    if not isinstance(value, (np.ndarray, list, tuple)):
        _check_is_array(function, argument, value, expected)
    try:
        return np.asarray(value)
    except ValueError:
        raise bad_argument(function, argument, f"a ragged {type(value).__name__}", expected) from None


def _check_is_array(function: str, argument: str, value: object, expected: str) -> None:
    if isinstance(value, (str, os.PathLike)):
        reader = ": rigcast.sources.load_shot(path).vertices" if str(value).lower().endswith(MESHES) else ""
        raise bad_argument(function, argument, f"the path {str(value)!r}", f"{expected}, read from it{reader}")
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return
    held = next((name for name in (argument, *HOLDERS) if isinstance(getattr(value, name, None), np.ndarray)), None)
    if held is not None:
        raise bad_argument(function, argument, f"a {type(value).__name__}", f"{expected}: hand over its .{held}")


def check_blendshape_rig(function: str, rig: object) -> None:
    """Refuse what is no blendshape rig, and say how a path becomes one.

    Raises
    ------
    ValueError
    """
    if isinstance(rig, _core.BlendshapeRig):
        return
    path = isinstance(rig, (str, os.PathLike))
    got = f"the path {str(rig)!r}" if path else f"a {type(rig).__name__}"
    expected = "a rigcast.BlendshapeRig" + (": rigcast.sources.load_blendshapes(path)" if path else "")
    raise bad_argument(function, "rig", got, expected)
