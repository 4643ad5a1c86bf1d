"""Checks of arguments, and the one wording of a wrong argument."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright import _core

MESHES = (".obj", ".obj.gz", ".npy", ".npz", ".glb", ".gltf", ".usd", ".usda", ".usdc", ".usdz", ".abc")


def bad_argument(function: str, argument: str, got: object, expected: str) -> ValueError:
    """Make the ``ValueError`` for a wrong argument.

    Parameters
    ----------
    function, argument : str
        Public names, as a user wrote them.
    got : object
        What the argument is, in words (a shape, a value, a type).
    expected : str
        What it must be.
    """
    return ValueError(f"{function}: {argument} is {got}; it must be {expected}")


def missing_file(function: str, argument: str, path: object, expected: str = "an existing file") -> FileNotFoundError:
    """Make the ``FileNotFoundError`` for a file that is not there; a file of other content is a ``ValueError``."""
    return FileNotFoundError(f"{function}: {argument} is {str(path)!r}, which does not exist; it must be {expected}")


def as_array(function: str, argument: str, value: ArrayLike, expected: str) -> NDArray[Any]:
    """An array, or a ``ValueError`` for rows of different lengths, for a path, and for an object that holds arrays."""
    if not isinstance(value, (np.ndarray, list, tuple)):
        _check_is_array(function, argument, value, expected)
    try:
        return np.asarray(value)
    except ValueError:
        raise bad_argument(function, argument, f"a ragged {type(value).__name__}", expected) from None


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
    expected = "a rigwright.BlendshapeRig" + (": rigwright.sources.load_blendshapes(path)" if path else "")
    raise bad_argument(function, "rig", got, expected)


HOLDERS = ("vertices", "rest_vertices", "weights")  # attributes that callers mean when they hand the whole object over


def _check_is_array(function: str, argument: str, value: object, expected: str) -> None:
    if isinstance(value, (str, os.PathLike)):
        reader = ": rigwright.sources.load_shot(path).vertices" if str(value).lower().endswith(MESHES) else ""
        raise bad_argument(function, argument, f"the path {str(value)!r}", f"{expected}, read from it{reader}")
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return
    held = next((name for name in (argument, *HOLDERS) if isinstance(getattr(value, name, None), np.ndarray)), None)
    if held is not None:
        raise bad_argument(function, argument, f"a {type(value).__name__}", f"{expected}: hand over its .{held}")


def check_threads(function: str, threads: int) -> None:
    """Refuse what is no number of threads; 0 stands for all processors.

    Raises
    ------
    ValueError
    """
    if not isinstance(threads, (int, np.integer)) or threads < 0:
        raise bad_argument(function, "threads", repr(threads), "0 (all processors) or more")


def check_finite(function: str, argument: str, array: NDArray[np.generic]) -> None:
    """Refuse an array of numbers with a NaN or an infinity, and say where the first one stands.

    Raises
    ------
    ValueError
    """
    wrong = ~np.isfinite(array)
    if wrong.any():
        place = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), array.shape))
        where = f"({', '.join(map(str, place))})" if len(place) != 1 else f"{place[0]}"
        raise bad_argument(function, argument, f"not finite everywhere ({array[place]} at {where})", "finite")
