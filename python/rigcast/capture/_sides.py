"""Left and right of a mirrored video: shapes of the other side, and captures as they were filmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.matching import SIDES, plain_name
from rigcast.capture._neutral import upright
from rigcast.capture._solution import Capture

Float64 = NDArray[np.float64]

MIRROR = np.diag([-1.0, 1.0, 1.0])


def other_sides(names: Sequence[str]) -> NDArray[np.int64]:
    """(K,) for each shape the one of the other side, or itself."""
    plain = [plain_name(name) for name in names]
    place = {name: k for k, name in enumerate(plain)}

    def other(name: str) -> str:
        if name.endswith("left"):
            return name.removesuffix("left") + "right"
        return name.removesuffix("right") + "left" if name.endswith("right") else name

    return np.array([place.get(other(name), k) for k, name in enumerate(plain)], np.int64)


def shares_of_names(names: Sequence[str], wanted: Sequence[str]) -> Float64:
    """(K, N) shares of N shapes in the K wanted ones; a row of 0 where none fits.

    A shape is the one of its name; without a side, where both sides are there, it is their mean; one of a side is the
    one without.
    """
    place = {plain_name(name): k for k, name in enumerate(names)}
    shares = np.zeros((len(wanted), len(names)))
    for row, name in zip(shares, map(plain_name, wanted), strict=True):
        both = [place[name + side] for side in SIDES if name + side in place]
        stem = next((name.removesuffix(side) for side in SIDES if name.endswith(side)), name)
        if name in place:
            row[place[name]] = 1.0
        elif len(both) == len(SIDES):
            row[both] = 0.5
        elif stem in place:
            row[place[stem]] = 1.0
    return shares


def exchanged(rig: BlendshapeRig) -> NDArray[np.int64]:
    """For each shape of a rig the one of the other side, or itself."""
    return other_sides(rig.shape_names)


def mirror_image(rig: BlendshapeRig, found: Capture) -> Capture:
    """Weights and head of the mirrored actor; places, offsets and what pictures told stay those of the video."""
    swap = exchanged(rig)
    own = upright(rig).T @ (np.diag([1.0, -1.0, -1.0]) @ MIRROR @ np.diag([1.0, -1.0, -1.0])) @ upright(rig)

    def turned(transform: Float64) -> Float64:
        return np.concatenate([own @ transform[..., :3] @ own, own @ transform[..., 3:]], axis=-1)

    return replace(
        found,
        weights=found.weights[:, swap],
        fixed=None if found.fixed is None else found.fixed[:, swap],
        strength=found.strength[swap],
        still=np.sort(swap[found.still]),
        head=turned(found.head),
        neutral_head=turned(found.neutral_head),
        mirrored=not found.mirrored,
    )


class Sides:
    """The sides of a capture, and those of its video.

    Attributes
    ----------
    found : Capture
        As it was filmed: of a mirrored video, the mirrored actor.
    """

    def __init__(self, rig: BlendshapeRig, found: Capture) -> None:
        self._rig, self._is_mirrored = rig, found.mirrored
        self._swap = exchanged(rig) if found.mirrored else np.arange(rig.num_shapes)
        self.found = mirror_image(rig, found) if found.mirrored else found

    def filmed(self, rows: Float64) -> Float64:
        """Columns (..., K) of shapes as they were filmed."""
        return np.asarray(rows[..., self._swap])

    def shown(self, found: Capture) -> Capture:
        """A capture as it was filmed, with the sides of the one that was given."""
        return mirror_image(self._rig, found) if self._is_mirrored else found
