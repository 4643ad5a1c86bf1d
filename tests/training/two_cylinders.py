"""A character of two meshes: a cylinder and a thinner one beside it, on the same joints."""

from __future__ import annotations

import numpy as np

from rigcast._rigs.surface import Surface
from tests.support.characters.cylinder import CylinderRig


class TwoCylinders(CylinderRig):
    """The parts ``body`` and ``sleeve``; ``one(name)`` is a rig of one of them alone."""

    def __init__(self) -> None:
        super().__init__(rings=12, sides=6)
        self.parts = {"body": CylinderRig(rings=12, sides=6), "sleeve": CylinderRig(rings=9, sides=5)}
        body, sleeve = self.parts.values()
        count = len(body.rest_vertices)
        self.rest_vertices = np.concatenate([body.rest_vertices, sleeve.rest_vertices])
        self.faces = np.concatenate([body.faces, np.where(sleeve.faces < 0, -1, sleeve.faces + count)]).astype(np.int32)
        kinds = np.repeat([0, 1], [len(body.faces), len(sleeve.faces)])
        sizes = [count, len(sleeve.rest_vertices)]
        self.surface = Surface(list(self.parts), np.repeat([0, 1], sizes), ["skin", "cotton"], kinds)

    def one(self, name: str) -> CylinderRig:
        return self.parts[name]

    def sample(self, channels):
        answers = [rig.sample(channels) for rig in self.parts.values()]
        return answers[0][0], np.concatenate([vertices for _, vertices in answers], axis=1)
