"""A small face rig without joints: dials that deform a bumpy shield, not linearly."""

from __future__ import annotations

import numpy as np

from tests.support.characters.plain_face import plain_face


class SmallFace:
    """Six dials on a shield of 117 vertices; products of dials move it too. In centimeters."""

    name, licence, origin = "small face", "CC0-1.0", "an analytic test rig"
    meters_per_unit, up_axis = 0.01, "Y"
    skeleton = None

    def __init__(self) -> None:
        self._face = plain_face()
        self.rest_vertices, self.faces = self._face.rest_vertices, self._face.faces
        self.channel_names = self.dial_names = [f"dial{i}" for i in range(6)]
        self.joint_names: list[str] = []
        self.channel_ranges = np.tile([0.0, 1.0], (6, 1))
        self.channel_rest = np.zeros(6)

    def sample(self, channels):
        """Poses, which are the channels, and vertices."""
        weights = np.asarray(channels, np.float32)
        linear = self._face.evaluate(weights)
        waves = np.sin(3.0 * self.rest_vertices[:, :1] * weights[:, None, :1]) * weights[:, None, 1:2]
        return weights, (linear + 0.3 * waves * np.float32([0, 0, 1])).astype(np.float32)
