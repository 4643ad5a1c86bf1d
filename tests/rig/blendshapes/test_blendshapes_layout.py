"""The tensors of a blendshape rig against slow, obvious NumPy: groups of vertices, and numbers of 16 bits."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays

WINDOW = 512


def slow_groups(columns):
    """Offsets, vertices, words of columns and numbers of the groups that blendshapes/grouped_columns.h describes."""
    words = -(-len(columns) // 32)
    offset, vertices, bits, numbers = [0], [], [], []
    for first in range(0, len(columns[0]), WINDOW):
        groups = {}
        for v in range(first, min(first + WINDOW, len(columns[0]))):
            moved = [n for n, column in enumerate(columns) if (column[v] != 0).any()]
            own = np.zeros(words, np.uint32)
            for n in moved:
                own[n // 32] |= np.uint32(1 << n % 32)
            if moved:
                groups.setdefault(tuple(own.view(np.int32).tolist()), (moved, []))[1].append(v)
        for own, (moved, members) in sorted(groups.items()):
            offset.append(offset[-1] + len(members))
            vertices += members
            bits.append(own)
            numbers += [columns[n][v] for n in moved for v in members]
    stacked = np.array(numbers, columns[0].dtype).reshape(-1)
    return np.array(offset), np.array(vertices), np.array(bits).reshape(-1, words), stacked


def slow_halves(column):
    """16-bit numbers of a column, and its scale."""
    scale = np.float32(np.abs(column).max() / np.float32(32767))
    return np.rint(column / (scale if scale > 0 else np.float32(1))).astype(np.int16), scale


def columns_of(num_vertices, num_shapes, seed):
    neutral, deltas, combinations = random_arrays(num_vertices, num_shapes, seed)
    deltas[1] *= np.float32(1e-30)
    deltas[2, ::3] *= np.float32(-0.0)  # moves nothing
    return (neutral, deltas, combinations), [*deltas, *(delta for _, delta in combinations)]


SIZES = [(60, 7), (1100, 40)]


@pytest.mark.parametrize("sizes", SIZES)
def test_groups_are_those_of_slow_numpy(sizes):
    arrays, columns = columns_of(*sizes, seed=3)
    tensors = rc.BlendshapeRig(*arrays).tensors()
    names = [f"blendshape.{name}" for name in ("group.offset", "group.vertex", "group.columns", "delta")]
    for name, expected in zip(names, slow_groups(columns), strict=True):
        assert tensors[name].tobytes() == expected.astype(tensors[name].dtype).tobytes(), name


@pytest.mark.parametrize("sizes", SIZES)
def test_numbers_of_sixteen_bits_are_those_of_slow_numpy(sizes):
    arrays, columns = columns_of(*sizes, seed=4)
    tensors = rc.BlendshapeRig(*arrays, storage="int16").tensors()
    halves, scales = zip(*map(slow_halves, columns), strict=True)
    numbers = slow_groups(halves)[3]
    assert tensors["blendshape.scale"].tobytes() == np.array(scales).tobytes()
    assert tensors["blendshape.delta16"].tobytes() == numbers.tobytes() + bytes(2 * (len(numbers) % 2))
