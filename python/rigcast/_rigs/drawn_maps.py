"""The maps of a face on deformation maps as images, and which vertices read them; from a model's tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._validate import bad_argument

SLOPE = 0.2  # of the leaky ReLU, below 0

Float32 = NDArray[np.float32]


@dataclass(frozen=True)
class DrawnMap:
    """The map that one segment's network draws at a pose, and what reads it.

    Attributes
    ----------
    name : str
    level : int
        0 coarse, 1 refinement.
    vertices : (M,) int32 array
    uvs : (M, 2) float32 array
        Where the vertices read; texel (row j, column i) has its center at (i, j) / (R - 1).
    weights : (M,) float32 array
    offsets : (R, R, 3) float32 array
        Rows from the bottom up, in the rig's unit. All 0 if the segment has no inputs.
    """

    name: str
    level: int
    vertices: NDArray[np.int32]
    uvs: Float32
    weights: Float32
    offsets: Float32


def segment_names(model: Deformer) -> list[str]:
    """Names of the segments of a model of kind "face_maps"; numbers if the file does not state them."""
    count = len(model.tensors()["segments.level"])
    stated = [str(segment["name"]) for segment in model.metadata.get("face_maps", {}).get("segments", [])]
    return stated if len(stated) == count else [f"segment {number + 1}" for number in range(count)]


def check_mapped(model: object, function: str) -> None:
    """Refuse what is no model of kind "face_maps"."""
    kind = getattr(model, "kind", None)
    if kind != "face_maps":
        got = f"a {type(model).__name__}" if kind is None else f"of kind '{kind}'"
        raise bad_argument(function, "model", got, "a model of kind 'face_maps'")


def drawn_maps(model: Deformer, pose: ArrayLike, chosen: Sequence[int] | None = None) -> list[DrawnMap]:
    """The maps that the networks of some segments draw at one pose (C,); default of all segments.

    Computes every texel, in NumPy: for pictures, not for play.
    """
    tensors, names = model.tensors(), segment_names(model)
    row = np.asarray(pose, np.float32)
    starts, inputs = tensors["segments.offset"], tensors["inputs.offset"]
    found = []
    for number in range(len(names)) if chosen is None else chosen:
        own = slice(starts[number], starts[number + 1])
        columns = tensors["inputs.column"][inputs[number] : inputs[number + 1]]
        found.append(
            DrawnMap(
                names[number],
                int(tensors["segments.level"][number]),
                tensors["segments.vertex"][own],
                tensors["segments.uv"][own],
                tensors["segments.weight"][own],
                _network(tensors, f"segment.{number:03d}.", row[columns]),
            )
        )
    return found


def map_resolution(tensors: dict[str, NDArray[np.float32]], number: int) -> int:
    """Texels along an axis of a segment's map; 2 of a segment without a network."""
    name = f"segment.{number:03d}."
    if f"{name}dense1.bias" not in tensors:
        return 2
    if f"{name}basis.bias" in tensors:
        return math.isqrt(len(tensors[f"{name}basis.bias"]) // 3)
    first = int(tensors[f"{name}conv1.weight"].shape[1])
    last = tensors[f"{name}dense{_num_layers(tensors, name, 'dense')}.bias"]
    return math.isqrt(len(last) // first) << (_num_layers(tensors, name, "conv") - 1)


def _num_layers(tensors: dict[str, Float32], name: str, kind: str) -> int:
    return sum(key.startswith(f"{name}{kind}") and key.endswith(".weight") for key in tensors)


def _network(tensors: dict[str, Float32], name: str, inputs: Float32) -> Float32:
    """(R, R, 3) offsets: rows, columns, axes."""

    def dense(layer: str, x: Float32) -> Float32:
        return np.asarray(tensors[f"{name}{layer}.weight"] @ x + tensors[f"{name}{layer}.bias"], np.float32)

    count = _num_layers(tensors, name, "dense")
    if count == 0:
        return np.zeros((2, 2, 3), np.float32)
    flat = inputs
    bent = _smooth_leaky if f"{name}basis.bias" in tensors else _leaky
    for layer in range(1, count + 1):
        flat = dense(f"dense{layer}", flat)
        flat = bent(flat) if layer < count else flat
    if f"{name}basis.bias" in tensors:
        flat = dense("basis", flat)
        side = math.isqrt(len(flat) // 3)
        return np.ascontiguousarray(flat.reshape(3, side, side).transpose(1, 2, 0))
    return _convolved(tensors, name, flat)


def _convolved(tensors: dict[str, Float32], name: str, flat: Float32) -> Float32:
    """(R, R, 3) offsets that convolutions draw from the numbers of the first map."""
    first = tensors[f"{name}conv1.weight"].shape[1]
    side = round((len(flat) / first) ** 0.5)
    maps = flat.reshape(first, side, side)
    layers = _num_layers(tensors, name, "conv")
    for layer in range(1, layers + 1):
        if layer < layers:
            maps = maps.repeat(2, axis=1).repeat(2, axis=2)
        weight, bias = (tensors[f"{name}conv{layer}.{part}"] for part in ("weight", "bias"))
        maps = _leaky(_correlated(maps, weight) + bias[:, None, None])
    weight, bias = (tensors[f"{name}output.{part}"] for part in ("weight", "bias"))
    return np.asarray(np.einsum("oc,cji->jio", weight.reshape(3, -1), maps) + bias, np.float32)


def _correlated(maps: Float32, weight: Float32) -> Float32:
    """(o, R, R) 3 x 3 correlation of maps (c, R, R) with weights (o, c, 3, 3), zeros around them."""
    side = maps.shape[1]
    padded = np.pad(maps, ((0, 0), (1, 1), (1, 1)))
    result = np.zeros((len(weight), side, side), np.float32)
    for y, x in np.ndindex(3, 3):
        result += np.tensordot(weight[:, :, y, x], padded[:, y : y + side, x : x + side], axes=1)
    return result


def _leaky(x: NDArray[np.float32]) -> Float32:
    return np.where(x > 0.0, x, np.float32(SLOPE) * x)


def _smooth_leaky(x: NDArray[np.float32]) -> Float32:
    """The leaky ReLU with a parabola from -1 to 1."""
    inside = np.clip(x + np.float32(1.0), 0.0, 2.0)
    return np.asarray(np.where(x > 1.0, x, SLOPE * x + 0.25 * (1.0 - SLOPE) * inside * inside), np.float32)
