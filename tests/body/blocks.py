"""Learned bodies whose matrices are whole numbers times the scale of a block, by slow NumPy."""

from __future__ import annotations

import json

import numpy as np

import rigcast as rc
from rigcast._core import model_from_tensors

OUTPUTS_PER_BLOCK = 64
VERTICES_PER_BLOCK = 16
MOST = {"int16": 32767, "int8": 127}


def matrix_names(model: rc.Deformer) -> list[str]:
    """Weights of layers, and bases."""
    return [name for name in model.tensors() if name.startswith("set.") and name.endswith((".weight", ".basis"))]


def block_in(block: np.ndarray, most: int) -> np.ndarray:
    """Whole numbers times the smallest power of two with which no magnitude is above `most`."""
    largest = float(np.abs(block).max(initial=0.0))
    scale = 2.0 ** np.ceil(np.log2(largest / most)) if largest else 1.0
    assert largest <= most * scale
    return (np.round(block.astype(np.float64) / scale) * scale).astype(np.float32)


def layer_in(weight: np.ndarray, most: int) -> np.ndarray:
    """A block is one input of 64 outputs."""
    stored = weight.copy()
    for first in range(0, len(weight), OUTPUTS_PER_BLOCK):
        rows = slice(first, first + OUTPUTS_PER_BLOCK)
        for k in range(weight.shape[1]):
            stored[rows, k] = block_in(weight[rows, k], most)
    return stored


def basis_in(basis: np.ndarray, is_added: np.ndarray, most: int) -> np.ndarray:
    """A block is one coefficient of 16 members: those that an earlier set has, too, come after the others."""
    order = np.argsort(is_added, kind="stable")
    points = basis.reshape(len(is_added), 3, -1)[order]
    for first in range(0, len(points), VERTICES_PER_BLOCK):
        rows = slice(first, first + VERTICES_PER_BLOCK)
        for k in range(points.shape[2]):
            points[rows, :, k] = block_in(points[rows, :, k], most)
    stored = np.empty_like(points)
    stored[order] = points
    return stored.reshape(basis.shape)


def rounded(model: rc.Deformer, int8: list[str]) -> rc.Deformer:
    """The model in float32 with matrices as in int8, those that are named, and the others as in int16."""
    tensors = model.tensors()
    seen = np.zeros(len(model.rest_vertices), bool)
    for i in range(len(tensors["sets.joint"])):
        members = tensors["sets.vertex"][slice(*tensors["sets.offset"][i : i + 2])]
        for name in (name for name in matrix_names(model) if name.startswith(f"set.{i:03d}.")):
            most = MOST["int8" if name in int8 else "int16"]
            is_basis = name.endswith(".basis")
            matrix = tensors[name]
            tensors[name] = basis_in(matrix, seen[members], most) if is_basis else layer_in(matrix, most)
        seen[members] = True
    return model_from_tensors(tensors, json.dumps(model.metadata))
