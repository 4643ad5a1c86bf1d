"""Distinct heads of a crowd, for renderers that draw instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rigcast._cuda import DeviceArray


@dataclass(frozen=True)
class Instances:
    """Distinct heads of a crowd, each once, for a renderer that draws instances.

    Attributes
    ----------
    vertices : (U, V, 3) float32
        Distinct heads, those of one prefix length next to each other.
    head : (H,) int32
        Head h looks like ``vertices[head[h]]``.
    prefix : (U,) int32
        How many shapes each distinct head was made of.
    """

    vertices: NDArray[np.float32]
    head: NDArray[np.int32]
    prefix: NDArray[np.int32]


@dataclass(frozen=True)
class DeviceInstances:
    """:class:`Instances` whose vertices stay on the device.

    Attributes
    ----------
    vertices : (U, V, 3) float32
        An array with DLPack and ``__cuda_array_interface__``, complete.
    head : (H,) int32
    prefix : (U,) int32
    """

    vertices: DeviceArray
    head: NDArray[np.int32]
    prefix: NDArray[np.int32]


def distinct(
    clips: NDArray[np.int32], frames: NDArray[np.float64], prefixes: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """A head for each distinct state, ascending by prefix, clip and frame; and which of these each head is in."""
    order = np.lexsort((frames, clips, prefixes))
    changes = np.zeros(len(order), bool)
    changes[:1] = True
    for values in (frames, clips, prefixes):
        changes[1:] |= np.diff(values[order]) != 0
    head = np.empty(len(order), np.int32)
    head[order] = np.cumsum(changes) - 1
    return order[changes], head
