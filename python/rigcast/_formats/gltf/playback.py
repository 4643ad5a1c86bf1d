"""Clips as joint transforms and morph weights, and as channels relative to the rest pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.clips import Clip
from rigcast._formats.gltf.geometry import Owner
from rigcast._formats.gltf.nodes import Animated, Nodes
from rigcast._rigs.rotations import Float64, continuous_euler, nearest_rotation
from rigcast._validate import bad_argument

SLACK = 0.01  # of a frame: files hold the seconds of keys as float32, which may fall short of the last one
MOST_FRAMES = 1_000_000  # of one clip at once: nine hours at 30 frames per second
SCAN_FPS, SCAN_FRAMES, SCAN_SIZE = 30.0, 5_000, 1 << 20


@dataclass(frozen=True)
class Playback:
    """What a clip needs to move a rig: the file's nodes, which of them are joints, and who has morph weights."""

    nodes: Nodes
    joints: list[int]
    owners: list[Owner]
    rest: Float64

    def local(self, clip: Clip, times: NDArray[np.float64]) -> Float64:
        """Transforms (T, J, 3, 4) relative to the parent joint; a root joint's is its world transform."""
        relative = self.nodes.relative(self.joints, _moving(clip, times))
        result = np.empty((len(times), len(self.joints), 3, 4))
        for place, node in enumerate(self.joints):
            result[:, place] = relative[node]
        return result

    def weights(self, clip: Clip, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Morph weights (T, M)."""
        animated = clip.at(times)
        columns = [
            np.broadcast_to(animated.get((o.node, "weights"), o.weights), (len(times), len(o.names)))
            for o in self.owners
        ]
        return np.concatenate([np.empty((len(times), 0)), *columns], axis=1)

    def turns(self, local: Float64) -> tuple[Float64, Float64]:
        """Angles of ``R_X R_Y R_Z`` in degrees (T, J, 3) and translations (T, J, 3), in the joints' rest axes."""
        inverse = np.linalg.inv(self.rest[..., :3])
        angles = continuous_euler(nearest_rotation(inverse @ local[..., :3]), "XYZ")
        shift = inverse @ (local[..., 3:] - self.rest[..., 3:])
        return angles, np.asarray(shift[..., 0])


def _moving(clip: Clip, times: NDArray[np.float64]) -> Animated:
    return {key: values for key, values in clip.at(times).items() if key[1] != "weights"}


def frame_times(clip: Clip, fps: float) -> NDArray[np.float64]:
    """Seconds of the frames of a clip, from 0 to its end."""
    if not (np.isfinite(fps) and fps > 0):
        raise bad_argument("GltfRig", "fps", repr(fps), "a positive number")
    count = clip.duration * fps + SLACK
    if not count < MOST_FRAMES:
        expected = f"such that the {clip.duration:.4g} seconds of {clip.name} have fewer than {MOST_FRAMES} frames"
        raise bad_argument("GltfRig", "fps", repr(fps), expected)
    return np.arange(int(count) + 1) / fps


def scan_times(clip: Clip, width: int) -> NDArray[np.float64]:
    """Evenly spaced seconds to look for extremes of ``width`` things, few enough for memory whatever a file claims."""
    most = max(2, min(SCAN_FRAMES, SCAN_SIZE // max(1, width)))
    return np.linspace(0.0, clip.duration, int(min(most, clip.duration * SCAN_FPS + 2)))
