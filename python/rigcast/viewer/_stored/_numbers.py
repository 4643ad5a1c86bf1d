"""Matrices of a model's file as whole numbers, in place of float32: half or a quarter of a page's bytes.

A block is 64 rows of one column of a matrix, 48 of a basis: those of the engine's own storage. Its scale is a power of
two, so what a reader restores is exact: ``page/numbers.js`` makes the same bytes.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MATRIX = re.compile(r"((layer|dense|conv)\d*|output|hidden|input|map|rotation|basis)\.weight$|(basis|loading)$")
FEWEST = 512  # numbers of a matrix: smaller ones stay as they are
ROWS, ROWS_OF_BASIS = 64, 48

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CodedFile:
    """A model's file in fewer bytes.

    Attributes
    ----------
    packed : (N,) uint8
        Its header and tensors; of matrices the low bytes of all numbers, the high bytes, and the scales.
    matrices : list of (int, int, int, int, int)
        Offset in the file, rows, columns, bytes of a number, rows of a block.
    restored : (M,) uint8
        The file that a reader makes of it.
    """

    packed: Bytes
    matrices: list[tuple[int, int, int, int, int]]
    restored: Bytes


def as_it_is(file: Bytes) -> CodedFile:
    """The file in float32."""
    return CodedFile(file, [], file)


def coded(file: Bytes, int8: Collection[str] = (), float32: Collection[str] = ()) -> CodedFile:
    """The file with its large matrices in 16 bits, but for those that are named."""
    size = struct.unpack("<Q", file[:8].tobytes())[0]
    begin = 8 + size
    entries = {name: entry for name, entry in json.loads(file[8:begin].tobytes()).items() if name != "__metadata__"}
    restored, parts, matrices = file.copy(), [file[:begin]], []
    at = begin
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"][0]):
        first, last = (begin + offset for offset in entry["data_offsets"])
        parts.append(file[at:first])  # nothing, in files of ours
        at = last
        whole = file[first:last]
        is_matrix = len(entry["shape"]) > 1 and MATRIX.search(name) and name not in float32
        if entry["dtype"] == "F32" and is_matrix and len(whole) >= 4 * FEWEST:
            values = np.frombuffer(whole.tobytes(), "<f4").reshape(-1, entry["shape"][-1])
            if np.isfinite(values).all():
                bytes_each, rows = 1 if name in int8 else 2, ROWS_OF_BASIS if name.endswith("basis") else ROWS
                whole, back = _in_blocks(values, bytes_each, rows)
                restored[first:last] = back
                matrices.append((first, *values.shape, bytes_each, rows))
        parts.append(whole)
    return CodedFile(np.concatenate([*parts, file[at:]]), matrices, restored)


def _in_blocks(values: NDArray[np.float32], bytes_each: int, rows: int) -> tuple[Bytes, Bytes]:
    """The codes and scales of a matrix, and the bytes of what they stand for."""
    most = 2 ** (8 * bytes_each - 1) - 1
    blocks = -(-len(values) // rows)
    padded = np.zeros((blocks * rows, values.shape[1]))
    padded[: len(values)] = values
    largest = np.abs(padded.reshape(blocks, rows, -1)).max(axis=1)
    exponents = np.clip(np.ceil(np.log2(np.maximum(largest, 1e-300) / most)), -60, 127).astype(np.int8)
    scales = np.repeat(np.ldexp(1.0, exponents), rows, axis=0)[: len(values)]
    codes = np.clip(np.rint(values / scales), -most, most).astype("<i2" if bytes_each == 2 else "i1")
    planes = codes.reshape(-1, 1).view(np.uint8).T  # all low bytes, all high bytes: they deflate better
    back = (codes * scales).astype("<f4")
    return np.concatenate([planes.ravel(), exponents.view(np.uint8).ravel()]), np.frombuffer(back.tobytes(), np.uint8)
