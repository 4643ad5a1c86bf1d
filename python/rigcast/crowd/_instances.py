"""Distinct heads of a crowd, for renderers that draw instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line

if TYPE_CHECKING:
    from rigcast._cuda import DeviceArray


@one_line
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


@one_line
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
