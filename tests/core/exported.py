"""Files for other programs, by the public functions that make them with a number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.plain_face import plain_face

FACE = plain_face()
WEIGHTS = np.eye(3, FACE.num_shapes, dtype=np.float32)


def write_crowd(threads):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    clips, places = {"still": WEIGHTS}, np.zeros((1, 3))
    return rc.exports.write_crowd("nowhere/crowd.usda", FACE, clips, positions=places, threads=threads)


EXPORT_CALLS = {
    "approximate": lambda n: rc.exports.approximate(rc.exports.Playback(FACE, WEIGHTS), bones=2, threads=n),
    "write_crowd": write_crowd,
}
