"""The interface of a synthesizer that a player needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


class PlayedSegment(Protocol):
    """Successive training frames of one clip."""

    @property
    def name(self) -> str: ...
    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int: ...


class PlayedSpace(Protocol):
    """The latent space of one label."""

    latent: Any
    frames: Float32

    @property
    def points(self) -> Float64: ...
    @property
    def segments(self) -> Sequence[PlayedSegment]: ...
    def controls(self, x: ArrayLike) -> Float32: ...


class Playable(Protocol):
    """A synthesizer: latent spaces by label, bridges between them, and what its controls are."""

    labels: list[str]
    fps: float
    control_names: list[str]
    limits: Float32
    rotations: NDArray[np.int32]
    rotation_orders: list[str]

    @property
    def bridges(self) -> Mapping[tuple[str, str], Any]: ...
    def space(self, label: str) -> PlayedSpace: ...
    def route(self, start: str, end: str) -> list[str]: ...
    def mesh_features(self, controls: ArrayLike) -> Float64: ...
    def poses(self, controls: ArrayLike) -> Float32: ...
