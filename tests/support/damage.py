"""Damaged files for tests of readers: Hypothesis draws which bytes or tensors change."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

Tensors = dict[str, np.ndarray]


def damaged_bytes(data: st.DataObject, content: bytes, *, fewest: int = 0, most: int = 8, cut: bool = True) -> bytes:
    """The content cut off somewhere or not, with ``fewest`` to ``most`` of its bytes changed."""
    damaged = bytearray(content)
    if cut and data.draw(st.booleans(), "cut"):
        damaged = damaged[: data.draw(st.integers(0, len(damaged) - 1), "length")]
    for _ in range(data.draw(st.integers(fewest, most), "edits")):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    return bytes(damaged)


def damaged_stretch(data: st.DataObject, content: bytes, longest: int = 20, last: int | None = None) -> bytes:
    """The content with one stretch, which begins at byte ``last`` at the latest, replaced by any bytes."""
    start = data.draw(st.integers(0, len(content) - 1 if last is None else last))
    end = data.draw(st.integers(start, min(len(content), start + longest)))
    return content[:start] + data.draw(st.binary(max_size=longest)) + content[end:]


def replaced(tensors: Tensors, name: str, index: Any, value: float) -> Tensors:
    """The tensor of one name alone, with one value changed."""
    tensor = tensors[name].copy()
    tensor[index] = value
    return {name: tensor}


def without_missing(tensors: Tensors, changes: dict[str, np.ndarray | None]) -> Tensors:
    """The tensors with some changed, and without those that are changed to None."""
    return {name: value for name, value in {**tensors, **changes}.items() if value is not None}


@st.composite
def damaged_tensors(
    draw: st.DrawFn, tensors: Tensors, integers: st.SearchStrategy[int], floats: st.SearchStrategy[float]
) -> Tensors:
    """One to three changes to good tensors: a value, a length, a shape, a type, a missing or swapped tensor."""
    damaged = dict(tensors)
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(damaged)))
        tensor = damaged[name]
        kind = draw(st.sampled_from(["value", "value", "cut", "grow", "flatten", "transpose", "type", "drop", "swap"]))
        if kind == "value" and tensor.size:
            tensor = tensor.copy()
            at = draw(st.integers(0, tensor.size - 1))
            tensor.reshape(-1)[at] = draw(integers if tensor.dtype == np.int32 else floats)
        elif kind == "cut":
            tensor = tensor[: draw(st.integers(0, len(tensor)))]
        elif kind == "grow":
            tensor = np.concatenate([tensor, tensor[-1:]])
        elif kind == "flatten":
            tensor = tensor.reshape(-1)
        elif kind == "transpose":
            tensor = np.ascontiguousarray(tensor.T)
        elif kind == "type":
            tensor = tensor.view(
                {4: np.float32, 2: np.int16}[tensor.itemsize] if tensor.dtype.kind == "i" else np.int32
            )
        elif kind == "swap":
            tensor = damaged[draw(st.sampled_from(sorted(damaged)))]
        if kind == "drop":
            del damaged[name]
        else:
            damaged[name] = tensor
    return damaged
