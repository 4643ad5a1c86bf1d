"""A rig that misbehaves in workers whose environment variable RIG_MOOD says so."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from rigcast._extras import MissingExtra
from tests.support.characters.cylinder import CylinderRig


def set_mood(mood: str) -> None:
    """In the process of a worker."""
    os.environ["RIG_MOOD"] = mood


class MoodyRig(CylinderRig):
    """The small cylinder of the sampling tests, sampled in whole shards or by row 0 alone.

    Moods: ``no host`` (cannot be opened), ``dies`` (its process is killed at the first shard, once for each ``mark``),
    ``hangs`` (an hour per shard), ``rounds`` (other last bits), ``raises``.
    """

    def __init__(self, mark: Path) -> None:
        super().__init__(3, rings=6, sides=5)
        self.mark = mark
        self.worker = False

    def for_worker(self) -> MoodyRig:
        if os.environ.get("RIG_MOOD") == "no host":
            raise MissingExtra("reading a .blend file needs Blender")
        self.worker = True
        return self

    def sample(self, channels):
        mood = os.environ.get("RIG_MOOD") if self.worker else None
        poses, vertices = super().sample(channels)
        if mood == "rounds":
            vertices = np.nextafter(vertices, np.float32(np.inf))
        if len(channels) == 1:
            return poses, vertices
        if mood == "raises":
            raise ZeroDivisionError("oh")
        if mood == "hangs":
            time.sleep(3600.0)
        if mood == "dies" and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return poses, vertices
