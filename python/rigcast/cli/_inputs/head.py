"""The motion of a head, read from a file of weights, and applied to vertices as they are played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member, member_names, read_arrays
from rigcast._rigs.motions.head import checked_transforms
from rigcast.exports import Playback

FUNCTION = "load_blendshape_weights"
Float64 = NDArray[np.float64]


def head_transforms(path: Path, frames: int) -> Float64 | None:
    """The transforms (T, 3, 4) that an archive holds next to its weights; None if it has none, or is no archive."""
    if path.suffix.lower() != ".npz" or "transforms" not in member_names(path, FUNCTION):
        return None
    stored = read_arrays(path, {"transforms": Member("f", ("T", 3, 4))}, FUNCTION, others=True)
    return checked_transforms(FUNCTION, stored["transforms"], frames)


class WithHead(Playback):
    """A playback whose vertices are moved by one transform per frame (T, 3, 4)."""

    def __init__(self, playback: Playback, transforms: Float64) -> None:
        super().__init__(playback.model, playback.poses, device=playback.device, threads=playback.threads)
        self.transforms = transforms

    def __getitem__(self, frames: Any) -> NDArray[np.float32]:
        moved = self.transforms[frames]
        turned = super().__getitem__(frames) @ np.swapaxes(moved[..., :3], -1, -2)
        return np.asarray(turned + moved[..., None, :, 3], np.float32)
