"""Blendshape rigs, read from files or made from arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float32, integers, number, numbers
from ._library import Handle, bad_argument
from ._models import Deformer
from ._structures import CBlendshapes, filled

FUNCTION = "BlendshapeRig"


@dataclass(frozen=True)
class Tent:
    """A driver over the weight of a shape: 0 at ``x1``, 1 at ``x2``, 0 at ``x3`` and outside, straight between.

    An in-between shape is a combination with a tent: its offsets are in full effect where the weight is ``x2``.
    """

    shape: int
    x1: float
    x2: float
    x3: float


Drivers = Sequence[Union[int, Tent]]


class BlendshapeRig(Deformer, kind="blendshape"):
    """K blendshapes with corrections of any order; a Deformer, as every forward model:

        v(w) = v0 + sum_k w_k b_k + sum_c (prod_{f in drivers(c)} phi_f(w)) b_c

    with phi_f(w) = w_i, or for Tent(i, x1, x2, x3) a tent over w_i: 0 at x1, 1 at x2, 0 at x3 and outside. A pose is
    the K weights; there is no skeleton. Weights outside the bounds are not clamped.

    Parameters
    ----------
    neutral : (V, 3)
    deltas : (K, V, 3)
        Offsets from the neutral. A shape may move nothing: then it acts only as a driver.
    combinations : sequence of (drivers, delta)
        drivers: a tuple of at least two shape indices or Tent, or of a single Tent; no shape twice. delta: (V, 3).
    names : sequence of str, optional
        Of the shapes, all different; default shape0, shape1, ...
    bounds : (low, high) for all, or (K, 2)
    faces : (F, 3) or (F, 4), optional
        Vertex indices; -1 in the last column pads triangles. Default: none, F = 0.
    metadata : mapping, optional
        meters_per_unit (1.0) and up_axis ("Y").

    Raises
    ------
    ValueError
        If an array has a wrong shape, a value is not finite, an index is out of range, a combination has a shape
        twice, the points of a tent do not ascend, a lower bound exceeds its upper bound, or names repeat.

    Examples
    --------
    >>> neutral = np.zeros((4, 3), np.float32)
    >>> open_, smile, both = np.eye(4)[:3, :, None] * np.float32([0, 1, 0])  # (V, 3) offsets each
    >>> rig = rr.BlendshapeRig(neutral, [open_, smile], [((0, 1), both)], names=["open", "smile"])
    >>> rig.evaluate([1.0, 0.5])[:, 1].tolist()
    [1.0, 0.5, 0.5, 0.0]
    """

    def __init__(
        self,
        neutral: ArrayLike,
        deltas: ArrayLike,
        combinations: Sequence[tuple[Drivers, ArrayLike]] = (),
        names: Sequence[str] | None = None,
        bounds: ArrayLike = (0.0, 1.0),
        faces: ArrayLike | None = None,
        *,
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        vertices = numbers(FUNCTION, "neutral", neutral, ("V", 3))
        shapes = numbers(FUNCTION, "deltas", deltas, ("K", len(vertices), 3))
        ranges = numbers(FUNCTION, "bounds", bounds, (2,), (len(shapes), 2))
        corrections = _corrections(combinations, len(vertices))
        arrays = {
            "neutral": vertices,
            "deltas": shapes,
            **corrections,
            "bounds": np.ascontiguousarray(np.broadcast_to(ranges, (len(shapes), 2))),
            "face_corners": None if faces is None else _corners(faces),
        }
        about = _about(metadata)
        given = filled(
            CBlendshapes,
            arrays,
            vertices=len(vertices),
            shapes=len(shapes),
            corrections=len(corrections["correction_deltas"]),
            shape_names=_texts([f"shape{k}" for k in range(len(shapes))] if names is None else names, len(shapes)),
            meters_per_unit=number(FUNCTION, "meters_per_unit", about.get("meters_per_unit", 1.0), above=0.0),
            up_axis=str(about.get("up_axis", "Y")).encode(),
        )
        self._adopt(Handle("model_free", "make_blendshapes", ctypes.byref(given)))

    @property
    def num_shapes(self) -> int:
        """K"""
        return int(self._facts.columns)

    @property
    def shape_names(self) -> list[str]:
        """Names of the shapes."""
        return self.control_names

    @property
    def bounds(self) -> Float32:
        """(K, 2) lowest and highest weight of each shape."""
        return self.control_ranges


def check_rig(function: str, rig: object) -> BlendshapeRig:
    """A blendshape rig, or an ArgumentError."""
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument(function, "rig", f"a {type(rig).__name__}", "a rigcast_runtime.BlendshapeRig")
    return rig


def _corrections(combinations: Sequence[tuple[Drivers, ArrayLike]], vertices: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of combinations: deltas (C, V, 3), offsets (C + 1,), shapes (M,) and tents (M, 3) of the drivers."""
    listed = _listed("combinations", combinations, "a sequence of pairs of drivers and offsets")
    deltas, offsets = np.zeros((len(listed), vertices, 3), np.float32), [0]
    shapes: list[int] = []
    tents: list[tuple[float, float, float]] = []
    for c, combination in enumerate(listed):
        argument = f"combinations[{c}]"
        try:
            drivers, delta = combination
            drivers = tuple(drivers)
        except (TypeError, ValueError):
            got = f"a {type(combination).__name__}"
            raise bad_argument(FUNCTION, argument, got, "a pair of drivers and offsets") from None
        deltas[c] = numbers(FUNCTION, f"{argument} delta", delta, (vertices, 3))
        tented = [driver if isinstance(driver, Tent) else None for driver in drivers]
        shapes += [driver.shape if isinstance(driver, Tent) else driver for driver in drivers]
        tents += [(0.0, 0.0, 0.0) if tent is None else (tent.x1, tent.x2, tent.x3) for tent in tented]
        offsets.append(len(shapes))
    return {
        "correction_deltas": deltas,
        "correction_offsets": np.array(offsets, np.int32),
        "factor_shapes": integers(FUNCTION, "combinations' shapes", shapes, ("M",)),
        "factor_tents": numbers(FUNCTION, "combinations' tents", np.reshape(tents, (-1, 3)), ("M", 3)),
    }


def _corners(faces: ArrayLike) -> NDArray[np.int32]:
    corners = integers(FUNCTION, "faces", faces, ("F", 3), ("F", 4))
    padding = np.full((len(corners), 4 - corners.shape[1]), -1, np.int32)
    return np.ascontiguousarray(np.concatenate([corners, padding], axis=1))


def _texts(names: Sequence[str], count: int) -> ctypes.Array[ctypes.c_char_p]:
    listed = _listed("names", names, f"{count} texts, one per shape")
    if len(listed) != count or not all(isinstance(name, str) for name in listed):
        raise bad_argument(FUNCTION, "names", f"{len(listed)} long", f"{count} texts, one per shape")
    made = (ctypes.c_char_p * count)()
    for k, name in enumerate(listed):
        if "\0" in name:
            raise bad_argument(FUNCTION, "names", f"holding {name!r}", "texts without a null character")
        try:
            made[k] = name.encode("utf-8")
        except UnicodeEncodeError:
            raise bad_argument(FUNCTION, "names", f"holding {name!r}", "Unicode text") from None
    return made


def _listed(argument: str, value: Iterable[Any], expected: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        raise bad_argument(FUNCTION, argument, f"a {type(value).__name__}", expected) from None


def _about(metadata: Mapping[str, object] | None) -> dict[str, object]:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise bad_argument(FUNCTION, "metadata", f"a {type(metadata).__name__}", "a mapping")
    about = dict(metadata or {})
    unknown = sorted(set(about) - {"meters_per_unit", "up_axis"})
    if unknown:
        raise bad_argument(FUNCTION, "metadata", f"holding {unknown[0]!r}", "meters_per_unit and up_axis")
    return about
