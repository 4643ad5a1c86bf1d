"""Rows of data sets, in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._shown.lines import html_table, line


@one_line
@dataclass(frozen=True)
class InfluenceProbe:
    """Rows that show what each channel moves: base poses, and each of them with one channel moved far.

    Attributes
    ----------
    base : (P,) int32 array
        Number of the base pose.
    channel : (P,) int32 array
        The channel that differs from the base pose; -1 for the base pose itself.
    channels : (P, N) float32 array
    poses : (P, C) float32 array
    vertices : (P, V, 3) float32 array, world space
    """

    base: NDArray[np.int32]
    channel: NDArray[np.int32]
    channels: NDArray[np.float32]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]


class DataRow(NamedTuple):
    """A row of a data set, or several: what ``data[0]`` and ``data[:3]`` return.

    Attributes
    ----------
    channels : (N,) or (t, N) float32 array
    poses : (C,) or (t, C) float32 array
    vertices : (V, 3) or (t, V, 3) float32 array, world space
    """

    channels: NDArray[np.float32]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]

    def __repr__(self) -> str:
        shapes = [f"{name} {array.shape}" for name, array in zip(self._fields, self, strict=True)]
        return line("DataRow", "", shapes)

    def _repr_html_(self) -> str:
        return html_table("DataRow", {name: str(array.shape) for name, array in zip(self._fields, self, strict=True)})
